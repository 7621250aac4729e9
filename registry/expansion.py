"""The frontier from a store, for one caller: lookups by meaning and words, then one walk in Cypher.

What a caller may not see is left out before anything is scored or counted. `gnn.expansion` is the
same rule on arrays, for training.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spm.registry import frontier as rule
from spm.registry.access import EVERYTHING, Caller
from spm.registry.frontier import Floats, Frontier, Memory, Start
from spm.registry.lexical import terms
from spm.registry.naming import words
from spm.registry.store import Row, Store


@dataclass(frozen=True)
class _Remembered:
    """Trajectories with their scores, and which fields are one."""

    ids: list[str]
    similarity: Floats
    lexical: Floats
    ways: list[list[str]]
    same: dict[str, str]


class Expansion:
    """Asks a store for the candidates of requests."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def frontier(
        self,
        text: str,
        vector: Floats,
        given: frozenset[str],
        caller: Caller = EVERYTHING,
        must: tuple[str, ...] = (),
    ) -> Frontier:
        """Collect candidates and what is known among them.

        Args:
            text: the request.
            vector: what the store's encoder makes of it.
            given: fields that the request shows.
            caller: whose reach counts.
            must: ids of tools that come in before all others, where the caller may see them.
        """
        asked = terms(text)
        near = self._store.nearest("tool", vector, rule.LOOKUP, caller)
        worded = dict(self._store.matching("tool", asked, rule.LOOKUP, caller))
        memory = self._remember(asked, vector, caller)
        start = rule.begin([tool for tool, _ in near], list(worded), memory.ways, must)
        known = frozenset(memory.same.get(name, name) for name in given)
        rows = self._walk(start, known, memory.same, caller)
        place = {row["id"]: at for at, row in enumerate(rows)}
        vectors = rule.filled(self._store.vectors("tool", list(place)), vector)
        takes, gives = (_renamed(rows, column, memory.same) for column in ("takes", "gives"))
        fields = sorted({name for names in (*takes, *gives) for name in names})
        return Frontier(
            tools=list(place),
            similarity=rule.cosines(vectors, vector).astype(np.float32),
            lexical=np.array([worded.get(tool, 0.0) for tool in place], dtype=np.float32),
            vectors=vectors,
            request=vector,
            family=rule.codes(row["family"] for row in rows),
            service=rule.codes(row["service"] for row in rows),
            words=[frozenset(words(row["name"])) for row in rows],
            takes=_incidence(takes, fields),
            gives=_incidence(gives, fields),
            given=np.array([name in known for name in fields], dtype=np.float32),
            frequency=np.array([row["frequency"] for row in rows], dtype=np.float32),
            entry=np.array([row["entry"] for row in rows], dtype=np.float32),
            precedes=_square(rows, "precedes", place),
            before=_square(rows, "before", place),
            memory=Memory(
                memory.ids, memory.similarity, memory.lexical, rule.places(memory.ways, place)
            ),
            fields=fields,
            anchors=rule.ANCHORS,
            fused=rule.fused_scores(start.fused, place),
        )

    def _remember(self, asked: list[str], vector: Floats, caller: Caller) -> _Remembered:
        """The nearest trajectories by meaning and by words, with their steps."""
        near = dict(self._store.nearest("trajectory", vector, rule.MEMORIES, caller))
        worded = dict(self._store.matching("trajectory", asked, rule.MEMORIES, caller))
        ids = rule.remember(list(near), list(worded))
        if others := [node for node in ids if node not in near]:
            found = rule.cosines(self._store.vectors("trajectory", others), vector)
            near |= dict(zip(others, found.tolist(), strict=True))
        known = self._store.read("menu/remembered", ids=ids)[0]
        ways: dict[str, list[str]] = {node: [] for node in ids}
        for node, tool in known["steps"]:
            ways[node].append(tool)
        return _Remembered(
            ids=ids,
            similarity=np.array([near[node] for node in ids], dtype=np.float32),
            lexical=np.array([worded.get(node, 0.0) for node in ids], dtype=np.float32),
            ways=[list(dict.fromkeys(way)) for way in ways.values()],
            same=rule.representatives(known["same"]),
        )

    def _walk(
        self, start: Start[str], given: frozenset[str], same: dict[str, str], caller: Caller
    ) -> list[Row]:
        """Who is let in, in order, with everything but vectors."""
        found = self._store.read(
            "menu/frontier_seen" if caller.restricted else "menu/frontier",
            sources=[{"id": tool, "weight": weight} for tool, weight in start.sources.items()],
            kept=start.kept,
            fallback=start.fallback,
            given=sorted(given),
            same=[{"field": name, "stands": same[name]} for name in sorted(same)],
            per_source=rule.PER_SOURCE,
            neighbours=rule.NEIGHBOURS,
            producers=rule.PRODUCERS,
            size=rule.SIZE,
            **caller.params(),
        )
        return found


def _renamed(rows: Sequence[Row], column: str, same: dict[str, str]) -> list[set[str]]:
    """The fields of each tool, those that are the same under one name."""
    return [{same.get(name, name) for name in row[column]} for row in rows]


def _incidence(used: Sequence[set[str]], fields: Sequence[str]) -> Floats:
    column = {name: at for at, name in enumerate(fields)}
    found = np.zeros((len(used), len(fields)), dtype=np.float32)
    for at, names in enumerate(used):
        found[at, [column[name] for name in names]] = 1.0
    return found


def _square(rows: Sequence[Row], column: str, place: dict[str, int]) -> Floats:
    found = np.zeros((len(rows), len(rows)), dtype=np.float32)
    for at, row in enumerate(rows):
        for other, count in row[column]:
            found[at, place[other]] = count
    return found
