"""A process that serves menus from one store and times each: `python -m … STORE [queries]`.

It is asked by JSON lines and answers by them, so that several can take turns and each one's memory
is its own. Nothing is imported that a serving process would not import.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed.machine import memory
from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.model_store import model_of
from spm.gnn.ranker import LearnedRanker, default
from spm.registry.errors import SpmError
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.garbage import collect_rarely
from spm.registry.menus.menu import SIZE, Ranker
from spm.registry.registry import Registry
from spm.registry.search.results import Probes
from spm.registry.timing import listening

MENU, SEMANTIC, FRONTIER, MEMORY = "menu", "semantic", "frontier", "memory"
QUERIES = "queries"


class Semantic:
    """What a menu is compared with: encode the request, multiply once, keep the best 32."""

    def __init__(self, registry: Registry) -> None:
        self._encoder = encoder_of(registry.store)
        self._ids = [row["id"] for row in registry.tools()]
        # Turned: for one vector that is the fastest way in single precision.
        self._columns = np.ascontiguousarray(registry.store.vectors("tool", self._ids).T)

    def top(self, text: str) -> list[tuple[str, float]]:
        """The nearest tools, best first."""
        scores = self._encoder.encode_clauses([text])[0][0] @ self._columns
        size = min(SIZE, len(scores))
        best = np.argpartition(-scores, size - 1)[:size]
        return [(self._ids[at], float(scores[at])) for at in best[np.argsort(-scores[best])]]


class Desk:
    """Answers what the other process asks."""

    def __init__(self, registry: Registry, *, queries: bool = False) -> None:
        self._registry = registry
        self._expansion = Expansion(registry.store)
        self._ranker = default(registry) if not queries else _without_snapshot(registry)
        self._semantic: Semantic | None = None

    def answer(self, what: str, text: str) -> dict[str, Any]:
        """Do one thing and say how long it took."""
        if what == MEMORY:
            return memory()
        if what == MENU:
            return timed(lambda: self._registry.menu(text, ranker=self._ranker))
        if what == FRONTIER:
            return self._frontier(text)
        if self._semantic is None:  # only now: a serving process does not hold this second copy
            self._semantic = Semantic(self._registry)
        semantic = self._semantic
        return timed(lambda: semantic.top(text))

    def _frontier(self, text: str) -> dict[str, Any]:
        """Ask the database itself for the candidates of a request that is encoded already."""
        probes = Probes.of(text, encoder_of(self._registry.store).encode_clauses([text])[0])
        return timed(lambda: self._expansion.frontier(probes))


def _without_snapshot(registry: Registry) -> Ranker:
    store = registry.store
    return LearnedRanker(store, lambda: encoder_of(store), lambda: model_of(store))


def timed(work: Callable[[], object]) -> dict[str, Any]:
    """Milliseconds of wall and CPU time of a work, and of its stages."""
    stages: dict[str, float] = {}

    def hear(name: str, ms: float) -> None:
        stages[name] = stages.get(name, 0.0) + ms

    with listening(hear):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        taken = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": 1000 * taken[0], "cpu": 1000 * taken[1], "stages": stages}


def main() -> None:
    """Open the store, then answer line by line until nobody asks any more."""
    collect_rarely()  # as spm serve does
    try:
        with Registry.open(sys.argv[1]) as registry:
            status = registry.status()
            _say({"engine": status["engine"], "tools": status["tools"]})
            desk = Desk(registry, queries=QUERIES in sys.argv[2:])
            for line in sys.stdin:
                what, text = json.loads(line)
                _say(desk.answer(what, text))
    except SpmError as error:
        _say({"failed": str(error)})


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
