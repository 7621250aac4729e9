"""Both networks of a model, computed by whatever pays: see `runtime`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.gnn import forward, runtime
from spm.gnn.model import Model
from spm.registry.frontier import Floats


@dataclass
class Networks:
    """The networks of one model; sessions are opened when they pay, or never."""

    model: Model
    _graphs: tuple[runtime.Graph, runtime.Graph] | None = None

    def retrieve(self, x: Floats, relations: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """See `forward.retrieve`."""
        if not len(x) or (found := self._opened(x.shape[1])) is None:
            return forward.retrieve(self.model.retriever, x, relations)
        member, slot = found[0].run(x=x.astype(np.float32, copy=False), relations=relations)
        return member, slot

    def order(self, x: Floats, pairs: Floats) -> forward.Order:
        """See `forward.order`."""
        if not len(x) or self._graphs is None:  # the retriever of this menu opened them
            return forward.order(self.model.reranker, x, pairs)
        pairs = pairs.astype(np.float32, copy=False)
        return forward.Order(*self._graphs[1].run(x=x, pairs=pairs))

    def _opened(self, features: int) -> tuple[runtime.Graph, runtime.Graph] | None:
        if self._graphs is None and runtime.menus.many:
            model = self.model
            width = model.reranker["enter.weight"].shape[1]
            first = runtime.graph(f"retriever-{features}", model.retriever)
            second = runtime.graph(f"reranker-{width}", model.reranker)
            if first is not None and second is not None:
                self._graphs = first, second
        return self._graphs


KEPT = 4  # models whose sessions stay open
_KEPT: dict[str | int, Networks] = {}


def networks_of(model: Model) -> Networks:
    """The networks of a model; those of the last few are kept.

    Threads of a service read the same file each for themselves: models of one digest are one.
    """
    key = model.digest or id(model)
    found = _KEPT.pop(key, None)
    if found is None or not (model.digest or found.model is model):
        found = Networks(model)
    _KEPT[key] = found  # the newest stands last
    while len(_KEPT) > KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
    return found
