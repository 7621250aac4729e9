"""What a menu costs, stage by stage, beside plain semantic retrieval with the same encoder."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from spm.gnn.constructor import construct
from spm.gnn.encoder import encoder_of
from spm.gnn.models import model_of
from spm.registry import Registry
from spm.registry.expansion import Expansion
from spm.registry.lookup import Probes
from spm.registry.ranking import SIZE
from spm.registry.state import visible, vocabulary

STAGES = ("encoding", "visible fields", "frontier", "networks and order", "whole menu")
SEMANTIC = "semantic top 32"  # encoding and nearest tools: what the menu is compared with
T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """Milliseconds of each stage for each request, in rows."""

    engine: str
    tools: int
    stages: dict[str, list[float]]

    def at(self, stage: str, percent: float) -> float:
        """A percentile of a stage."""
        return float(np.percentile(self.stages[stage], percent))

    @property
    def ratio(self) -> float:
        """How many times the median menu costs the median semantic retrieval."""
        return self.at("whole menu", 50) / self.at(SEMANTIC, 50)


class _Watch:
    def __init__(self) -> None:
        self.stages: dict[str, list[float]] = {name: [] for name in (SEMANTIC, *STAGES)}

    def time(self, stage: str, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        found = work()
        self.stages[stage].append(1000 * (time.perf_counter() - start))
        return found


def measure(
    registry: Registry, requests: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Cost:
    """Build a menu for every request, each stage once alone and once as a whole.

    Semantic retrieval and menus take turns, so that a busy machine slows both alike.
    """
    store, watch = registry.store, _Watch()
    encoder, model, expansion = encoder_of(store), model_of(store), Expansion(store)
    words = vocabulary(store)
    registry.menu(requests[0])  # what is loaded once is not a request's
    for done, text in enumerate(requests, 1):
        watch.time(SEMANTIC, partial(_semantic, registry, text))
        rows = watch.time("encoding", partial(encoder.encode_clauses, [text]))[0]
        given = frozenset(watch.time("visible fields", partial(visible, text, words)))
        ask = partial(expansion.frontier, Probes.of(text, rows), given)
        frontier = watch.time("frontier", ask)
        watch.time("networks and order", partial(construct, model, frontier))
        watch.time("whole menu", partial(registry.menu, text))
        if progress:
            progress(done, len(requests))
    return Cost(store.engine, registry.status()["tools"], watch.stages)


def _semantic(registry: Registry, text: str) -> list[tuple[str, float]]:
    vector = encoder_of(registry.store).encode_requests([text])[0]
    return registry.store.nearest("tool", vector, SIZE)
