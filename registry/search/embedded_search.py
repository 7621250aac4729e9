"""Search of the embedded engine, by vector and by words, among visible nodes.

What a caller may not see must not change one byte of an answer: it is left out before anything is
counted or scored, and no score of an approximate or shared index is ever passed on. The same on
Neo4j is in `neo4j_search`.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.frontier.frontier import clause_cosines
from spm.registry.search import bm25
from spm.registry.search.bm25 import Codes, Found, Index, Places
from spm.registry.search.results import Look, Probes, Recalled
from spm.registry.search.scoring import WORDED, Evidence, Scored, end_to_end, score
from spm.registry.search.top import top
from spm.registry.store.interface import Kind, Row, Vector
from spm.registry.store.vector_files import VectorFiles
from spm.registry.timing import VECTORS, stage

CALLERS = 64
_VISIBLE = {"tool": "tools", "trajectory": "trajectories"}


@dataclass(frozen=True)
class _Texts:
    """All texts of a kind, in the order of their ids."""

    ids: list[str]
    index: Index
    grams: list[Codes]  # of tools

    def seen(self, visible: frozenset[str]) -> NDArray[np.bool_]:
        """Which of them are visible."""
        return np.fromiter((n in visible for n in self.ids), dtype=bool, count=len(self.ids))


class LocalSearch:
    """Searches of the embedded store: all in memory, all exact."""

    def __init__(self, read: Callable[..., list[Row]], files: VectorFiles) -> None:
        self.read = read
        self._files = files
        self._position: object = None
        self._seen: dict[tuple[Kind, Caller], frozenset[str]] = {}
        self._texts: dict[Kind, _Texts] = {}
        self._indexed: dict[tuple[Kind, bytes], _Texts] = {}

    def at(self, position: object) -> Self:
        """Forget what was kept of another state of the graph."""
        if position != self._position:
            self._seen, self._texts, self._position = {}, {}, position
        return self

    def look(self, probes: Probes, tools: int, trajectories: int, caller: Caller) -> Look:
        """Look a request up by meaning and by words."""
        state = self.read("state/registry")
        texts = self._of("tool")
        weights = texts.index.weights(probes.all_terms, texts.seen(self._visible("tool", caller)))
        pairs = filtered(self, caller).read("insight/same")
        return Look(
            revision=int(state[0]["revision"]) if state else 0,
            encoder=(state[0]["encoder"] or None) if state else None,
            same=[[row["field"], row["same"]] for row in pairs],
            tools=self._score(probes, weights, tools, caller),
            recalled=self._recall(probes, weights, trajectories, caller),
        )

    def _score(
        self, probes: Probes, weights: bm25.Weights, count: int, caller: Caller
    ) -> Scored[str]:
        """The tools that a request finds."""
        texts = self._of("tool")
        place = {node: at for at, node in enumerate(texts.ids)}
        found = {*self._worded("tool", probes.terms[0], weights, WORDED, caller)[0].tolist()}
        if self._fit("tool", probes.vectors):
            for part in (slice(0, 1), probes.parts):
                near = self.nearest("tool", probes.vectors[part], count, caller)
                found.update(place[node] for node, _ in near)
        places = np.array(sorted(found), dtype=np.intp)
        ids = [texts.ids[at] for at in places.tolist()]
        words = texts.index.scores(weights, places, probes.terms)
        grams, owners = end_to_end([texts.grams[at] for at in places.tolist()])
        evidence = Evidence(words, self._cosines("tool", ids, probes.vectors), grams, owners)
        return score(ids, evidence, probes.grams)

    def _cosines(self, kind: Kind, ids: Sequence[str], asked: Vector) -> bm25.Numbers:
        """A column for each vector that is asked for; zeros where nothing fits it."""
        if not self._fit(kind, asked):
            return np.zeros((len(ids), len(asked)))
        return clause_cosines(self._files.rows(kind, ids), asked)

    def _recall(
        self, probes: Probes, weights: bm25.Weights, count: int, caller: Caller
    ) -> Recalled:
        """The trajectories of a look."""
        whole = probes.vectors[:1]
        near = []
        if self._fit("trajectory", whole):
            near = [node for node, _ in self.nearest("trajectory", whole, count, caller)]
        places, sums = self._worded("trajectory", probes.terms[0], weights, count, caller)
        ids = self._of("trajectory").ids
        words = {ids[at]: float(sums[at]) for at in places.tolist()}
        known = list(dict.fromkeys([*near, *words]))
        ways: dict[str, list[str]] = {node: [] for node in known}
        for row in self.read("menu/remembered", ids=known):
            ways[row["trajectory"]].append(row["tool"])
        similarity = self._cosines("trajectory", known, whole)[:, 0].tolist()
        return Recalled(
            near,
            words,
            dict(zip(known, similarity, strict=True)),
            {node: list(dict.fromkeys(way)) for node, way in ways.items()},
        )

    def _worded(
        self,
        kind: Kind,
        terms: Sequence[str],
        weights: bm25.Weights,
        count: int,
        caller: Caller,
    ) -> tuple[Places, bm25.Numbers]:
        """Those that hold the rarest of some terms, best first, and the sum of all."""
        texts = self._of(kind)
        asked = {term: weights[term] for term in bm25.asked(terms)}
        sums = texts.index.overlap(asked, texts.seen(self._visible(kind, caller)))
        return np.array(top(sums, count, np.flatnonzero(sums > 0)), dtype=np.intp), sums

    def _fit(self, kind: Kind, vectors: Vector) -> bool:
        """Whether the vectors that are kept are as long; another encoder's are not."""
        return self._files.matrix(kind)[1].shape[1] in (0, vectors.shape[1])

    def nearest(self, kind: Kind, vector: Vector, count: int, caller: Caller) -> Found:
        """The nearest of those that are visible."""
        visible = self._visible(kind, caller)
        with stage(VECTORS):
            return self._files.nearest(kind, vector, count, visible)

    def matching(self, kind: Kind, terms: Sequence[str], count: int, caller: Caller) -> Found:
        """Those that are visible and hold any of the terms."""
        tools, texts = self._of("tool"), self._of(kind)
        weights = tools.index.weights(terms, tools.seen(self._visible("tool", caller)))
        places, sums = self._worded(kind, terms, weights, max(WORDED, count), caller)
        if kind == "trajectory":
            return [(texts.ids[at], float(sums[at])) for at in places[:count].tolist()]
        scores = texts.index.scores(weights, places, [terms])[:, 0]
        return bm25.best([texts.ids[at] for at in places.tolist()], scores, count)

    def _visible(self, kind: Kind, caller: Caller) -> frozenset[str]:
        if (kind, caller) not in self._seen:
            rows = self.read(f"access/{_VISIBLE[kind]}", **caller.params())
            kept = self._seen if len(self._seen) < CALLERS else {}
            self._seen = {**kept, (kind, caller): frozenset(row["id"] for row in rows)}
        return self._seen[kind, caller]

    def _of(self, kind: Kind) -> _Texts:
        """All texts of a kind; read again only when one of them has changed."""
        if kind not in self._texts:
            rows = self.read(f"vectors/{kind}_texts")
            said = [row["text"] for row in rows]
            key = (kind, _digest([text for row in rows for text in (row["id"], row["text"])]))
            found = self._indexed.get(key) or _indexed(kind, [row["id"] for row in rows], said)
            others = {k: v for k, v in self._indexed.items() if k[0] != kind}
            self._indexed = {**others, key: found}
            self._texts = {**self._texts, kind: found}
        return self._texts[kind]


def _indexed(kind: Kind, ids: list[str], texts: list[str]) -> _Texts:
    if kind == "trajectory":
        return _Texts(ids, Index(map(bm25.request_gains, texts)), [])
    return _Texts(ids, Index(map(bm25.tool_gains, texts)), [bm25.tool_grams(t) for t in texts])


def _digest(texts: list[str]) -> bytes:
    found = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "big") + data)
    return found.digest()
