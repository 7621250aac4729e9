"""How each engine finds nodes by vector and by words, among those that a caller may see.

What a caller may not see must not change one byte of an answer: it is left out before anything is
counted or scored, and no score of an approximate or shared index is ever passed on.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from spm.registry import lexical
from spm.registry.access import Caller
from spm.registry.store import Kind, Row, Store, Vector, rank
from spm.registry.vectors import VectorFiles

Found = list[tuple[str, float]]
Spoken = list[tuple[str, list[float]]]
# Up to so many vectors the server compares all, which was measured to take as long as its
# approximate search; beyond, only for callers from whom something is hidden.
EXHAUSTIVE = 20_000
EXPLORE = 1_000
GROWTH = 8
# The server orders by single precision; so many more than wanted make up for that.
MARGIN = 32
CALLERS = 64
_VISIBLE = {"tool": "tools", "trajectory": "trajectories"}


class ServerSearch:
    """Searches on Neo4j, by its indexes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._measured: dict[tuple[Kind, Caller], tuple[int, int, int]] = {}

    def nearest(self, kind: Kind, vector: Vector, count: int, caller: Caller) -> Found:
        """Take the nearest of all, in growing numbers, until enough of them are visible.

        Asked for as many as there are, the index compares every vector instead of walking its
        graph. So hidden nodes cannot change which visible ones are found.
        """
        if vector.ndim == 2:
            return self._nearest_of(kind, vector, count, caller)
        total = self._store.read("vectors/totals")[0][kind]
        everything = total if caller.restricted or total <= EXHAUSTIVE else 0
        window, wanted = max(EXPLORE, 4 * count), count + MARGIN
        while True:
            rows = self._store.read(
                f"vectors/{kind}_nearest",
                explore=max(window, everything),
                window=window,
                count=wanted,
                vector=vector.tolist(),
                **caller.params(),
            )
            if len(rows) == wanted or window >= total:
                break
            window *= GROWTH
        matrix = np.array([row["vector"] for row in rows], dtype=np.float32)
        return rank([row["id"] for row in rows], matrix, vector, count)

    def _nearest_of(self, kind: Kind, vectors: Vector, count: int, caller: Caller) -> Found:
        """Who is among the nearest of all rows is among the nearest of one of them."""
        near = [dict(self.nearest(kind, row, count, caller)) for row in vectors]
        ids = sorted({node for found in near for node in found})
        return rank(ids, self.vectors(kind, ids), vectors, count)

    def matching(self, kind: Kind, terms: Sequence[str], count: int, caller: Caller) -> Found:
        """Let the full-text index find what holds any of the terms; score that here."""
        return [(node, scores[0]) for node, scores in self.spoken(kind, [terms], count, caller)]

    def spoken(
        self, kind: Kind, asked: Sequence[Sequence[str]], count: int, caller: Caller
    ) -> Spoken:
        """Find what holds any term of any list; score it by each."""
        wanted = sorted({term for terms in asked for term in lexical.asked(terms)})
        if not wanted:
            return []
        found = self._store.read(
            f"vectors/{kind}_matching", query=lucene(wanted), **caller.params()
        )[0]
        postings, lengths = lexical.scan(wanted, map(str.split, found["terms"]))
        where = dict(zip(wanted, postings, strict=True))
        measures = self._measures(kind, caller)
        parts = [[where[term] for term in lexical.asked(terms)] for terms in asked]
        scores = np.stack([lexical.bm25(part, lengths, *measures) for part in parts], axis=1)
        return lexical.best_of(found["ids"], scores, lexical.united(postings), count)

    def _measures(self, kind: Kind, caller: Caller) -> tuple[int, int]:
        """How many nodes and terms are visible; counted once for each state of the graph."""
        revision = self._store.read("state/registry")[0]["revision"]
        known = self._measured.get((kind, caller))
        if known is None or known[0] != revision:
            row = self._store.read(f"vectors/{kind}_measures", **caller.params())[0]
            known = (revision, row["nodes"], row["total"])
            kept = self._measured if len(self._measured) < CALLERS else {}
            self._measured = {**kept, (kind, caller): known}
        return known[1:]

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The rows of these nodes."""
        rows = self._store.read(f"vectors/{kind}_vectors", ids=sorted(set(ids)))
        found = np.zeros((len(ids), rows[0]["width"] if rows else 0), dtype=np.float32)
        there = {row["id"]: row["vector"] for row in rows if row["vector"]}
        for place, node in enumerate(ids):
            if node in there:
                found[place] = there[node]
        return found


def lucene(terms: Sequence[str]) -> str:
    """A query of Lucene for any of the terms: in quotes nothing but quotes has a meaning."""
    return " ".join('"' + t.replace("\\", "\\\\").replace('"', '\\"') + '"' for t in terms)


class LocalSearch:
    """Searches of the embedded store: all in memory, all exact."""

    def __init__(self, read: Callable[..., list[Row]], files: VectorFiles) -> None:
        self._read = read
        self._files = files
        self._position: object = None
        self._seen: dict[tuple[Kind, Caller], frozenset[str]] = {}
        self._texts: dict[Kind, tuple[list[str], lexical.Index]] = {}
        self._indexes: dict[tuple[Kind, bytes], lexical.Index] = {}

    def at(self, position: object) -> Self:
        """Forget what was kept of another state of the graph."""
        if position != self._position:
            self._seen, self._texts, self._position = {}, {}, position
        return self

    def nearest(self, kind: Kind, vector: Vector, count: int, caller: Caller) -> Found:
        """The nearest of those that are visible."""
        return self._files.nearest(kind, vector, count, self._visible(kind, caller))

    def matching(self, kind: Kind, terms: Sequence[str], count: int, caller: Caller) -> Found:
        """Those that are visible and hold any of the terms."""
        return [(node, scores[0]) for node, scores in self.spoken(kind, [terms], count, caller)]

    def spoken(
        self, kind: Kind, asked: Sequence[Sequence[str]], count: int, caller: Caller
    ) -> Spoken:
        """Those that are visible and hold any term of any list, with the score of each list."""
        visible = self._visible(kind, caller)
        ids, index = self._index(kind)
        seen = np.fromiter((node in visible for node in ids), dtype=bool, count=len(ids))
        found = [index.scores(terms, seen) for terms in asked]
        scores = np.stack([score for score, _ in found], axis=1)
        matched = np.unique(np.concatenate([places for _, places in found]))
        return lexical.best_of(ids, scores, matched, count)

    def _visible(self, kind: Kind, caller: Caller) -> frozenset[str]:
        if (kind, caller) not in self._seen:
            rows = self._read(f"access/{_VISIBLE[kind]}", **caller.params())
            kept = self._seen if len(self._seen) < CALLERS else {}
            self._seen = {**kept, (kind, caller): frozenset(row["id"] for row in rows)}
        return self._seen[kind, caller]

    def _index(self, kind: Kind) -> tuple[list[str], lexical.Index]:
        """The index of all texts; made again only when one of them has changed."""
        if kind not in self._texts:
            rows = self._read(f"vectors/{kind}_texts")
            texts = [row["text"] for row in rows]
            key = (kind, _digest(texts))
            index = self._indexes.get(key) or lexical.Index(map(lexical.terms, texts))
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
