"""Inference of both networks of a model, by numpy or onnxruntime (see `runtime`)."""

import numpy as np
from numpy.typing import NDArray

from spm.gnn.model import Model
from spm.gnn.networks import numpy_forward, runtime
from spm.gnn.networks.numpy_forward import Weights
from spm.registry.frontier.frontier import Floats


class Networks:
    """Both networks of one model; sessions are opened when they pay, or never.

    Args:
        retriever: weights of the first network.
        reranker: weights of the second one; whoever asks for no order needs none.
        runs: how many are sure to come.
    """

    def __init__(self, retriever: Weights, reranker: Weights, runs: int = 0) -> None:
        self._retriever, self._reranker, self._runs = retriever, reranker, runs
        self._graphs: dict[str, runtime.Graph] = {}

    def retrieve(self, x: Floats, relations: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """See `forward.retrieve`."""
        if not len(x) or (graph := self._graph("retriever", x, self._retriever)) is None:
            return numpy_forward.retrieve(self._retriever, x, relations)
        member, slot = graph.run(x=x.astype(np.float32, copy=False), relations=relations)
        return member, slot

    def order(self, x: Floats, pairs: Floats) -> numpy_forward.Order:
        """See `forward.order`."""
        if not len(x) or (graph := self._graph("reranker", x, self._reranker)) is None:
            return numpy_forward.order(self._reranker, x, pairs)
        return numpy_forward.Order(*graph.run(x=x, pairs=pairs.astype(np.float32, copy=False)))

    def _graph(self, name: str, x: Floats, weights: Weights) -> runtime.Graph | None:
        if name not in self._graphs:
            opened = runtime.graph(f"{name}-{x.shape[1]}", weights, self._runs)
            if opened is None:
                return None
            self._graphs[name] = opened
        return self._graphs[name]


KEPT = 4  # models whose sessions stay open
_KEPT: dict[str | int, tuple[Model, Networks]] = {}


def networks_of(model: Model) -> Networks:
    """The networks of a model; those of the last few are kept.

    Threads of a service read the same file each for themselves: models of one digest are one.
    """
    key = model.digest or id(model)
    found = _KEPT.pop(key, None)
    if found is None or not (model.digest or found[0] is model):
        found = model, Networks(model.retriever, model.reranker)
    _KEPT[key] = found  # the newest stands last
    while len(_KEPT) > KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
    return found[1]
