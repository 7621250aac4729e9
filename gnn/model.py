"""A trained model: the weights of both networks and everything that was chosen with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.typing import NDArray

from spm.gnn.decoding import OrderWeights, Routing, SetWeights
from spm.gnn.features import Inputs
from spm.gnn.networks.sizes import Sizes
from spm.registry.frontier.frontier import Rule

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
class Design:
    """What a model reads and how its numbers become a menu; its file carries it.

    Attributes:
        frontier: which candidates it chooses from.
        inputs: what its networks read of them, by name.
        networks: how large they are.
        routing: what becomes of their scores besides the learned weights.
    """

    frontier: Rule = field(default_factory=Rule)
    inputs: Inputs = field(default_factory=Inputs)
    networks: Sizes = field(default_factory=Sizes)
    routing: Routing = field(default_factory=Routing)

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class Model:
    """Both networks as arrays, with the decoders' weights.

    Attributes:
        retriever: weights of the first network.
        reranker: weights of the second one.
        sets: weights of set decoding, chosen on the development split.
        orders: weights of order decoding, learned.
        cut: probability from which a leading tool counts as part of the route.
        design: what it reads and how it decides. (The prior reads no text vectors: it knows no
            library's texts.)
    """

    retriever: Weights
    reranker: Weights
    sets: SetWeights
    orders: OrderWeights
    cut: float
    design: Design
    provenance: Provenance
    digest: str = ""
