"""The frontier from a store, for one caller: lookups by meaning and words, then a walk in Cypher.

What a caller may not see is left out before anything is scored or counted. `gnn.expansion` is the
same rule on arrays, for training.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spm.registry import frontier as rule
from spm.registry.access import EVERYTHING, Caller
from spm.registry.clauses import clauses as clauses_of
from spm.registry.frontier import Floats, Frontier, Memory, Start
from spm.registry.lexical import terms
from spm.registry.naming import words
from spm.registry.store import Row, Store

Ways = Sequence[tuple[Sequence[str], int]]  # tools in the order in which they ran, and how often


@dataclass(frozen=True)
class _Remembered:
    """Trajectories with their scores, and which fields are one."""

    ids: list[str]
    similarity: Floats
    lexical: Floats
    ways: list[list[str]]
    same: dict[str, str]


@dataclass(frozen=True)
class _Parts:
    """Tools that the clauses of a request found, by meaning and by words."""

    near: list[str]
    worded: dict[str, list[float]]  # with the score of each clause
    count: int  # of clauses

    def scores(self, tools: list[str]) -> Floats:
        """The scores of words, 0 for those that words did not find."""
        silent = [0.0] * self.count
        found = [self.worded.get(tool, silent) for tool in tools]
        return np.array(found, dtype=np.float32).reshape(len(tools), self.count)


def _rows(vector: Floats, clauses: Floats | None) -> Floats:
    return vector[None, :] if clauses is None else clauses


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
        clauses: Floats | None = None,
    ) -> Frontier:
        """Collect candidates and what is known among them.

        Args:
            text: the request.
            vector: what the store's encoder makes of it.
            given: fields that the request shows.
            caller: whose reach counts.
            must: ids of tools that come in before all others, where the caller may see them.
            clauses: the vectors of the request's clauses; None stands for one, the whole.
        """
        asked = terms(text)
        near = self._store.nearest("tool", vector, rule.LOOKUP, caller)
        worded = dict(self._store.matching("tool", asked, rule.LOOKUP, caller))
        parts = self._parts(text, near, worded, clauses, caller)
        memory = self._remember(asked, vector, caller)
        found = [[tool for tool, _ in near], list(worded), parts.near, list(parts.worded)]
        start = rule.begin(found, memory.ways, must)
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
            clauses=rule.likeness(vectors, _rows(vector, clauses)).astype(np.float32),
            spoken=parts.scores(list(place)),
        )

    def _parts(
        self,
        text: str,
        near: list[tuple[str, float]],
        worded: dict[str, float],
        vectors: Floats | None,
        caller: Caller,
    ) -> _Parts:
        """What the clauses of the request find, each asked alone."""
        if vectors is None or len(vectors) == 1:
            return _Parts([tool for tool, _ in near], {t: [s] for t, s in worded.items()}, 1)
        close = self._store.nearest("tool", vectors, rule.LOOKUP, caller)
        asked = [terms(text[begin:end]) for begin, end in clauses_of(text)]
        spoken = dict(self._store.spoken("tool", asked, rule.LOOKUP, caller))
        return _Parts([tool for tool, _ in close], spoken, len(vectors))

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
        if not caller.restricted:
            return self._admit(start, given, same, caller, rule.NEIGHBOURS)
        # Edges also count trajectories that this caller may not see, so nothing is taken from them.
        ways = self._ways(start.sources, caller)
        start = rule.joined(start, _neighbours(start.sources, ways))
        rows = self._admit(start, given, same, caller, 0)
        return _recounted(rows, self._ways([row["id"] for row in rows], caller))

    def _admit(
        self,
        start: Start[str],
        given: frozenset[str],
        same: dict[str, str],
        caller: Caller,
        neighbours: int,
    ) -> list[Row]:
        return self._store.read(
            "menu/frontier",
            sources=[{"id": tool, "weight": weight} for tool, weight in start.sources.items()],
            kept=start.kept,
            fallback=start.fallback,
            given=sorted(given),
            same=[{"field": name, "stands": same[name]} for name in sorted(same)],
            per_source=rule.PER_SOURCE,
            neighbours=neighbours,
            producers=rule.PRODUCERS,
            size=rule.SIZE,
            **caller.params(),
        )

    def _ways(self, tools: Iterable[str], caller: Caller) -> Ways:
        rows = self._store.read("menu/ways", ids=list(tools), **caller.params())
        return [(row["way"], row["count"]) for row in rows]


def _neighbours(sources: Mapping[str, int], ways: Ways) -> list[str]:
    """What the edges would say if nobody had gone other ways: up to four of each source."""
    counts: dict[str, Counter[str]] = {tool: Counter() for tool in sources}
    for way, count in ways:
        for first, second in pairwise(way):
            for tool, other in ((first, second), (second, first)):
                if tool in counts and tool != other:
                    counts[tool][other] += count
    scores: Counter[str] = Counter()
    for tool, weight in sources.items():
        for other in rule.ranked(counts[tool])[: rule.PER_SOURCE]:
            scores[other] += weight
    return rule.ranked(scores)


def _recounted(rows: Sequence[Row], ways: Ways) -> list[Row]:
    """Candidates with their counts taken from these ways."""
    frequency: Counter[str] = Counter()
    entry: Counter[str] = Counter()
    precedes: dict[str, Counter[str]] = {row["id"]: Counter() for row in rows}
    before: dict[str, Counter[str]] = {row["id"]: Counter() for row in rows}
    for way, count in ways:
        distinct = list(dict.fromkeys(way))
        entry[way[0]] += count
        for first, second in pairwise(way):
            if first in precedes:
                precedes[first][second] += count
        for at, tool in enumerate(distinct):
            frequency[tool] += count
            if tool in before:
                before[tool].update(dict.fromkeys(distinct[at + 1 :], count))
    return [
        {
            **row,
            "frequency": frequency[row["id"]],
            "entry": entry[row["id"]],
            "precedes": precedes[row["id"]].items(),
            "before": before[row["id"]].items(),
        }
        for row in rows
    ]


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
            if other in place:
                found[at, place[other]] = count
    return found
