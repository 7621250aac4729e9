"""Search of the embedded engine, by vector and by words, among visible nodes.

What a caller may not see must not change one byte of an answer: it is left out before anything is
counted or scored, and no score of an approximate or shared index is ever passed on. The same on
Neo4j is in `neo4j_search`.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.frontier.frontier import cosines
from spm.registry.search import bm25
from spm.registry.search.results import WHOLE, Hits, Look, Probes, Recalled
from spm.registry.store.interface import Kind, Row, Vector
from spm.registry.store.vector_files import VectorFiles
from spm.registry.timing import VECTORS, stage

Found = list[tuple[str, float]]
TermScores = list[tuple[str, list[float]]]
CALLERS = 64
_VISIBLE = {"tool": "tools", "trajectory": "trajectories"}


class LocalSearch:
    """Searches of the embedded store: all in memory, all exact."""

    def __init__(self, read: Callable[..., list[Row]], files: VectorFiles) -> None:
        self.read = read
        self._files = files
        self._position: object = None
        self._seen: dict[tuple[Kind, Caller], frozenset[str]] = {}
        self._texts: dict[Kind, tuple[list[str], bm25.Index]] = {}
        self._indexes: dict[tuple[Kind, bytes], bm25.Index] = {}

    def at(self, position: object) -> Self:
        """Forget what was kept of another state of the graph."""
        if position != self._position:
            self._seen, self._texts, self._position = {}, {}, position
        return self

    def look(self, probes: Probes, tools: int, trajectories: int, caller: Caller) -> Look:
        """Look a request up by meaning and by words."""
        state = self.read("state/registry")
        whole = self._hits("tool", probes, WHOLE, tools, caller)
        several = len(probes.terms) > 1
        return Look(
            revision=int(state[0]["revision"]) if state else 0,
            encoder=(state[0]["encoder"] or None) if state else None,
            whole=whole,
            parts=self._hits("tool", probes, probes.parts, tools, caller) if several else whole,
            **self._recall(probes, trajectories, caller),
        )

    def _hits(self, kind: Kind, probes: Probes, part: slice, count: int, caller: Caller) -> Hits:
        vectors = probes.vectors[part]
        near = self.nearest(kind, vectors, count, caller) if self._fit(kind, vectors) else []
        return Hits(
            [node for node, _ in near],
            dict(self._by_terms(kind, probes.terms[part], count, caller)),
        )

    def _recall(self, probes: Probes, count: int, caller: Caller) -> dict[str, Any]:
        """The trajectories of a look, and the fields that are one."""
        hits = self._hits("trajectory", probes, WHOLE, count, caller)
        ids = hits.ids()
        ways: dict[str, list[str]] = {node: [] for node in ids}
        for row in self.read("menu/remembered", ids=ids):
            ways[row["trajectory"]].append(row["tool"])
        fit = self._fit("trajectory", probes.vectors)
        found = self._files.rows("trajectory", ids) if fit else np.zeros((len(ids), 0), np.float32)
        similarity = cosines(found, probes.vectors[0]).tolist()
        recalled = Recalled(
            hits,
            dict(zip(ids, similarity, strict=True)),
            {node: list(dict.fromkeys(way)) for node, way in ways.items()},
        )
        pairs = filtered(self, caller).read("insight/same")
        return {"same": [[row["field"], row["same"]] for row in pairs], "recalled": recalled}

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
        return [(node, scores[0]) for node, scores in self._by_terms(kind, [terms], count, caller)]

    def _by_terms(
        self, kind: Kind, asked: Sequence[Sequence[str]], count: int, caller: Caller
    ) -> TermScores:
        """Those that are visible and hold any term of any list, with the score of each list."""
        visible = self._visible(kind, caller)
        ids, index = self._index(kind)
        seen = np.fromiter((node in visible for node in ids), dtype=bool, count=len(ids))
        found = [index.scores(terms, seen) for terms in asked]
        scores = np.stack([score for score, _ in found], axis=1)
        matched = np.unique(np.concatenate([places for _, places in found]))
        return bm25.best_of(ids, scores, matched, count)

    def _visible(self, kind: Kind, caller: Caller) -> frozenset[str]:
        if (kind, caller) not in self._seen:
            rows = self.read(f"access/{_VISIBLE[kind]}", **caller.params())
            kept = self._seen if len(self._seen) < CALLERS else {}
            self._seen = {**kept, (kind, caller): frozenset(row["id"] for row in rows)}
        return self._seen[kind, caller]

    def _index(self, kind: Kind) -> tuple[list[str], bm25.Index]:
        """The index of all texts; made again only when one of them has changed."""
        if kind not in self._texts:
            rows = self.read(f"vectors/{kind}_texts")
            texts = [row["text"] for row in rows]
            key = (kind, _digest(texts))
            index = self._indexes.get(key) or bm25.Index(map(bm25.terms, texts))
            others = {k: v for k, v in self._indexes.items() if k[0] != kind}
            self._indexes = {**others, key: index}
            self._texts = {**self._texts, kind: ([row["id"] for row in rows], index)}
        return self._texts[kind]


def _digest(texts: list[str]) -> bytes:
    found = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "big") + data)
    return found.digest()
