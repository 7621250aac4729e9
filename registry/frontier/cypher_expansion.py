"""Expands the frontier in Cypher: a search by meaning and words, then a walk along the graph.

What a caller may not see is left out before anything is scored or counted.
`gnn.arrays.array_expansion` applies the same rule to arrays; a test compares the two.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.naming import words
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats, Frontier, Memory, Rule, Start
from spm.registry.search.results import Look, Probes, Recalled
from spm.registry.store.interface import Row, Store

Ways = Mapping[tuple[str, ...], int]  # tools in the order in which they ran, and how often


@dataclass(frozen=True)
class Around:
    """What stands around the tools that a search found, best first.

    Attributes:
        near: observed neighbours.
        makers: producers of what they require.
        ways: of trajectories through them, for callers who do not see all of these; else empty.
    """

    near: list[str]
    makers: list[str]
    ways: dict[tuple[str, ...], int]


@dataclass(frozen=True)
class Reached:
    """The frontier of a request, what a menu shows of each candidate, and what is around them."""

    frontier: Frontier
    cards: dict[str, Row]
    around: Around


class Expansion:
    """Asks a store for the candidates of requests: a look, then a walk."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def frontier(
        self,
        probes: Probes,
        given: frozenset[str] = frozenset(),
        caller: Caller = EVERYTHING,
        must: tuple[str, ...] = (),
    ) -> Frontier:
        """Look and reach at once, where the fields that a request shows are known before."""
        return self.reach(probes, self.look(probes, caller), given, caller, must).frontier

    def look(self, probes: Probes, caller: Caller = EVERYTHING) -> Look:
        """Look a request up, as far as the caller sees."""
        return self._store.look(probes, rule.LOOKUP, rule.MEMORIES, caller)

    def reach(
        self,
        probes: Probes,
        look: Look,
        given: frozenset[str],
        caller: Caller = EVERYTHING,
        must: tuple[str, ...] = (),
        around: Around | None = None,
        sizes: Rule | None = None,
    ) -> Reached:
        """Collect candidates and what is known among them.

        Args:
            probes: the request.
            look: what `look` found for it and the same caller.
            given: fields that the request shows.
            caller: whose reach counts.
            must: ids of tools that come in before all others, where the caller may see them.
            around: what an earlier call reached for the same request, look, fields and sizes.
            sizes: how many of each source; the product's where none is given.
        """
        sizes = sizes or rule.PRODUCT
        same = rule.representatives(look.same)
        known = frozenset(same.get(name, name) for name in given)
        memories = rule.remember(look.recalled.near, list(look.recalled.words))[: sizes.memories]
        ways = [look.recalled.ways[node] for node in memories]
        start = rule.begin(look.tools.fused(sizes.words), ways, must, sizes)
        around = around or self._around(start, known, same, caller, sizes)
        rows = self._admitted(start, around, caller, len(must), sizes)
        vectors = self._store.vectors("tool", [row["id"] for row in rows])
        vectors = rule.pad_vectors(vectors, probes.vectors[0])
        place = {row["id"]: at for at, row in enumerate(rows)}
        said = look.tools.of(list(place))
        takes, gives = (_renamed(rows, column, same) for column in ("takes", "gives"))
        fields = sorted({name for names in (*takes, *gives) for name in names})
        frontier = Frontier(
            tools=list(place),
            similarity=rule.cosines(vectors, probes.vectors[0]).astype(np.float32),
            lexical=said[:, 0],
            vectors=vectors,
            request=probes.vectors[0],
            family=rule.codes(row["family"] for row in rows),
            service=rule.codes(row["service"] for row in rows),
            words=rule.name_overlap([frozenset(words(row["name"])) for row in rows]),
            takes=_incidence(takes, fields),
            gives=_incidence(gives, fields),
            given=np.array([name in known for name in fields], dtype=np.float32),
            frequency=np.array([row["frequency"] for row in rows], dtype=np.float32),
            entry=np.array([row["entry"] for row in rows], dtype=np.float32),
            precedes=_square(rows, "precedes", place),
            before=_square(rows, "before", place),
            memory=_memory(look.recalled, memories, rule.places(ways, place)),
            fields=fields,
            anchors=sizes.anchors,
            fused=rule.fused_scores(start.fused, place),
            clauses=rule.clause_cosines(vectors, probes.vectors[probes.parts]).astype(np.float32),
            clause_lexical=said[:, look.tools.parts],
        )
        return Reached(frontier, {row["id"]: row for row in rows}, around)

    def _around(
        self,
        start: Start[str],
        given: frozenset[str],
        same: dict[str, str],
        caller: Caller,
        sizes: Rule,
    ) -> Around:
        """Observed neighbours and producers, more than there is room for."""
        sources = [{"id": tool, "weight": weight} for tool, weight in start.sources.items()]
        ways: dict[tuple[str, ...], int] = {}
        if caller.restricted:
            # Edges also count trajectories that this caller may not see: they give nothing here.
            ways = self._ways(start.sources, caller)
            near = _neighbours(start.sources, ways, sizes.per_source)
        else:
            near = self._ids("neighbours", caller, sources=sources, per_source=sizes.per_source)
        makers = self._ids(
            "producers",
            caller,
            sources=sources,
            given=sorted(given | {name for name, stands in same.items() if stands in given}),
        )
        return Around(near, makers, ways)

    def _admitted(
        self, start: Start[str], around: Around, caller: Caller, spare: int, sizes: Rule
    ) -> list[Row]:
        """Who is let in, in order, with everything that is known of them."""
        chosen = rule.admit(start, around.near, around.makers, spare, sizes)
        asked = self._store.read("menu/candidates", ids=sorted(chosen), **caller.params())
        found = {row["id"]: row for row in asked}
        rows = [found[tool] for tool in chosen if tool in found][: sizes.size]
        if not caller.restricted:
            return self._ordered(rows)
        others = [tool for tool in found if tool not in start.sources]
        return _recounted(rows, around.ways | self._ways(others, caller))

    def _ordered(self, rows: Sequence[Row]) -> list[Row]:
        """Candidates with how often each ran before the others."""
        precedes: dict[str, list[tuple[str, float]]] = {row["id"]: [] for row in rows}
        before: dict[str, list[tuple[str, float]]] = {row["id"]: [] for row in rows}
        for row in self._store.read("menu/order", ids=sorted(precedes)):
            counted = precedes if row["edge"] == "PRECEDES" else before
            counted[row["id"]].append((row["other"], row["count"]))
        return [
            {**row, "precedes": precedes[row["id"]], "before": before[row["id"]]} for row in rows
        ]

    def _ids(self, name: str, caller: Caller, **params: object) -> list[str]:
        rows = self._store.read(f"menu/{name}", limit=2 * rule.SIZE, **params, **caller.params())
        return [row["id"] for row in rows]

    def _ways(self, tools: Iterable[str], caller: Caller) -> dict[tuple[str, ...], int]:
        """The ways of trajectories through some tools, and how many went each."""
        rows = self._store.read("menu/ways", ids=list(dict.fromkeys(tools)), **caller.params())
        return {tuple(row["way"]): row["count"] for row in rows}


def _memory(recalled: Recalled, ids: list[str], steps: NDArray[np.int64]) -> Memory:
    return Memory(
        ids,
        np.array([recalled.similarity[node] for node in ids], dtype=np.float32),
        np.array([recalled.words.get(node, 0.0) for node in ids], dtype=np.float32),
        steps,
    )


def _neighbours(sources: Mapping[str, int], ways: Ways, per_source: int) -> list[str]:
    """What the edges would say if nobody had gone other ways: up to so many of each source."""
    counts: dict[str, Counter[str]] = {tool: Counter() for tool in sources}
    for way, count in ways.items():
        for first, second in pairwise(way):
            for tool, other in ((first, second), (second, first)):
                if tool in counts and tool != other:
                    counts[tool][other] += count
    scores: Counter[str] = Counter()
    for tool, weight in sources.items():
        for other in rule.ranked(counts[tool])[:per_source]:
            scores[other] += weight
    return rule.ranked(scores)


def _recounted(rows: Sequence[Row], ways: Ways) -> list[Row]:
    """Candidates with their counts taken from these ways."""
    frequency: Counter[str] = Counter()
    entry: Counter[str] = Counter()
    precedes: dict[str, Counter[str]] = {row["id"]: Counter() for row in rows}
    before: dict[str, Counter[str]] = {row["id"]: Counter() for row in rows}
    for way, count in ways.items():
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
