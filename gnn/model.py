"""A trained model: the weights of both networks and everything that was chosen with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from spm.gnn.decoding import OrderWeights, SetWeights

Weights = Mapping[str, NDArray[Any]]  # single precision; halves only in files


@dataclass(frozen=True)
class Provenance:
    """Where a model comes from; a menu says it, and a checkpoint is refused by it."""

    name: str  # "prior", or the name of the run
    encoder: str  # which encoder's vectors it was trained on
    revision: int  # of the registry it was trained on; 0 for the prior
    trajectories: int  # how many it learned from
    measures: dict[str, float] = field(default_factory=dict)  # on the development split


@dataclass(frozen=True)
class Model:
    """Both networks as arrays, with the decoders' weights.

    Attributes:
        retriever: weights of the first network.
        reranker: weights of the second one.
        sets: weights of set decoding, chosen on the development split.
        orders: weights of order decoding, learned.
        cut: probability from which a leading tool counts as part of the route.
        vectors: whether text vectors are among the inputs; the prior knows no library's texts.
    """

    retriever: Weights
    reranker: Weights
    sets: SetWeights
    orders: OrderWeights
    cut: float
    vectors: bool
    provenance: Provenance
    digest: str = ""
