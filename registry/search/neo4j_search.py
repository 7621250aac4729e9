"""How Neo4j finds nodes by vector and by words: all that a request needs in one query.

What a caller may not see must not change one byte of an answer. The server only chooses which nodes
may be among the best, out of those that are visible; the scores that count are made here, as the
embedded engine makes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spm.registry.access.caller import Caller
from spm.registry.frontier.frontier import cosines
from spm.registry.search import bm25
from spm.registry.search.embedded_search import CALLERS, Found, TermScores
from spm.registry.search.results import WHOLE, Hits, Look, Probes, Recalled
from spm.registry.store.interface import (
    Kind,
    Row,
    Store,
    Transaction,
    Vector,
    appoint,
    claim,
    rank,
)

# Up to so many vectors the server compares all, which was measured to take as long as its
# approximate search; beyond, only for callers from whom something is hidden.
EXHAUSTIVE = 20_000
ALL = 2**31 - 2
EXPLORE = 1_000
GROWTH = 8
# So many more than wanted are asked for, because the server compares in single precision; and how
# far its cosines can be from the exact ones.
MARGIN = 32
ERROR = 1e-5


@dataclass(frozen=True)
class _Wanted:
    """How many nodes of a kind are wanted, and for which vectors and lists of terms."""

    kind: Kind
    count: int
    vectors: range
    lists: range

    def params(self, measured: tuple[int, int, int]) -> dict[str, Any]:
        """What the query takes."""
        return {
            "name": self.kind,
            "limit": self.count + MARGIN,
            "vectors": list(self.vectors),
            "lists": list(self.lists),
            "nodes": measured[1],
            "total": measured[2],
        }


class ServerSearch:
    """Searches on Neo4j, by its indexes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._measured: dict[tuple[Kind, Caller], tuple[int, int, int]] = {}

    def look(self, probes: Probes, tools: int, trajectories: int, caller: Caller) -> Look:
        """Look a request up by meaning and by words."""
        all_, first = range(len(probes.terms)), range(1)
        near, past = self._find(
            probes,
            [
                _Wanted("tool", tools, all_, all_),
                _Wanted("trajectory", trajectories, first, first),
            ],
            caller,
        )
        whole = near.hits(WHOLE, tools)
        return Look(
            revision=int(near.row["revision"] or 0),
            encoder=near.row["encoder"] or None,
            same=near.row["same"],
            whole=whole,
            parts=near.hits(probes.parts, tools) if len(all_) > 1 else whole,
            recalled=past.recalled(trajectories),
        )

    def nearest(self, kind: Kind, vector: Vector, count: int, caller: Caller) -> Found:
        """The nearest to the vector, or to any of its rows."""
        probes = Probes(np.atleast_2d(vector), [])
        wanted = _Wanted(kind, count, range(len(probes.vectors)), range(0))
        return self._find(probes, [wanted], caller)[0].nearest(probes.vectors, count)

    def matching(self, kind: Kind, terms: Sequence[str], count: int, caller: Caller) -> Found:
        """Those that hold any of the terms."""
        probes = Probes(np.zeros((0, 0), dtype=np.float32), [terms])
        wanted = _Wanted(kind, count, range(0), range(1))
        found = self._find(probes, [wanted], caller)[0].by_terms(WHOLE, count)
        return [(node, scores[0]) for node, scores in found]

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The rows of these nodes."""
        rows = self._store.read(f"vectors/{kind}_vectors", ids=sorted(set(ids)))
        there = {row["id"]: row["vector"] for row in rows}
        return stacked([there.get(node) for node in ids], rows[0]["width"] if rows else 0)

    def walk(self, params: dict[str, object]) -> tuple[list[Row], Vector]:
        """The candidates of a frontier and their vectors, which come with them."""
        rows = self._store.read("menu/frontier", **params)
        return rows, stacked([row["vector"] for row in rows])

    def _find(self, probes: Probes, wanted: list[_Wanted], caller: Caller) -> list["_Nodes"]:
        """Look through a window of the nearest; in the rare case that it may not do, a wider one.

        Asked for as many as there are, the index compares every vector instead of walking its
        graph. So hidden nodes cannot change which visible ones are found.
        """
        window = max(EXPLORE, *(4 * one.count for one in wanted))
        while True:
            rows = self._read(probes, wanted, window, caller)
            found = [_Nodes(probes, one, rows[one.kind]) for one in wanted]
            if all(nodes.enough(window) for nodes in found):
                return found
            window *= GROWTH

    def _read(
        self, probes: Probes, wanted: list[_Wanted], window: int, caller: Caller
    ) -> dict[Kind, Row]:
        known = [self._measured.get((one.kind, caller), (-1, 0, 0)) for one in wanted]
        rows = self._store.read(
            "vectors/lookup",
            kinds=[one.params(it) for one, it in zip(wanted, known, strict=True)],
            vectors=probes.vectors.tolist(),
            terms=_terms(probes.terms),
            k1=bm25.K1,
            b=bm25.B,
            window=window,
            exhaustive=ALL if caller.restricted else EXHAUSTIVE,
            measured=known[0][0] if len({revision for revision, *_ in known}) == 1 else -1,
            **caller.params(),
        )
        if any(probes.terms):
            self._keep(rows, caller)
        return {row["kind"]: row for row in rows}

    def _keep(self, rows: list[Row], caller: Caller) -> None:
        """How many nodes and terms are visible is counted once for each state of the graph."""
        kept = self._measured if len(self._measured) < CALLERS else {}
        fresh = {
            (row["kind"], caller): (row["revision"], row["nodes"], row["total"])
            for row in rows
            if row["revision"] is not None
        }
        self._measured = {**kept, **fresh}


@dataclass(frozen=True)
class _Nodes:
    """Nodes of one kind that may be among the best: a row of `vectors/lookup`."""

    probes: Probes
    wanted: _Wanted
    row: Row

    @cached_property
    def _ids(self) -> list[str]:
        return [node[0] for node in self.row["found"]]

    @cached_property
    def _matrix(self) -> Vector:
        vectors = [node[2] for node in self.row["found"]]
        return stacked(vectors, self.probes.vectors.shape[1])

    @cached_property
    def _postings(self) -> tuple[dict[str, tuple[bm25.Posting, int]], bm25.Numbers]:
        """Where each term stands and how many visible nodes hold it; the lengths of all texts."""
        terms = _distinct(self.probes.terms)
        texts = [(node[1] or "").split() for node in self.row["found"]]
        found, lengths = bm25.scan(terms, texts)
        held = self.row["held"] or [0] * len(terms)
        return dict(zip(terms, zip(found, held, strict=True), strict=True)), lengths

    def hits(self, part: slice, count: int) -> Hits:
        """What some of the probes found."""
        near = self.nearest(self.probes.vectors[part], count)
        return Hits([node for node, _ in near], dict(self.by_terms(part, count)))

    def nearest(self, vectors: Vector, count: int) -> Found:
        """The nearest to any of the vectors."""
        there = np.flatnonzero(self._matrix.any(axis=1)).tolist()
        return rank([self._ids[at] for at in there], self._matrix[there], vectors, count)

    def by_terms(self, part: slice, count: int) -> TermScores:
        """The best by any of these lists of terms, with the score of each."""
        where, lengths = self._postings
        scores, matched = [], []
        for terms in self.probes.terms[part]:
            postings = [where[term][0] for term in bm25.asked(terms)]
            held = [where[term][1] for term in bm25.asked(terms)]
            measures = self.row["nodes"], self.row["total"]
            scores.append(bm25.bm25(postings, lengths, *measures, held))
            matched.extend(postings)
        return bm25.best_of(self._ids, np.stack(scores, axis=1), bm25.united(matched), count)

    def recalled(self, count: int) -> Recalled:
        """What the first probe found, as trajectories."""
        hits = self.hits(WHOLE, count)
        ids = hits.ids()
        cosine = dict(zip(self._ids, cosines(self._matrix, self.probes.vectors[0]), strict=True))
        ways = {node[0]: list(dict.fromkeys(node[3])) for node in self.row["found"]}
        return Recalled(
            hits, {node: float(cosine[node]) for node in ids}, {node: ways[node] for node in ids}
        )

    def enough(self, window: int) -> bool:
        """Whether none outside the window can be nearer than those that are wanted."""
        for at, size, lowest in self.row["near"]:
            if size < window:  # there were no more among those that the index looked at
                if self.row["explored"] < self.row["every"]:
                    return False
            else:
                last = self.nearest(self.probes.vectors[at : at + 1], self.wanted.count)[-1][1]
                if last <= 2 * lowest - 1 + ERROR:  # the index maps cosines to 0 … 1
                    return False
        return True


def stacked(vectors: Sequence[bytes | None], width: int | None = None) -> Vector:
    """Vectors as they come from the server, as rows.

    As bytes a driver reads them fifty times faster than number by number. Rows of another width
    than wanted, or of none, are zeros.
    """
    rows = [np.frombuffer(v or b"", dtype="<f4") for v in vectors]
    width = max(map(len, rows), default=0) if width is None else width
    nothing = np.zeros(width, dtype=np.float32)
    return np.array(
        [row if len(row) == width else nothing for row in rows], dtype=np.float32
    ).reshape(len(rows), width)


def put(tx: Transaction, kind: Kind, rows: list[Row], encoder: str) -> dict[str, Any]:
    """Put a batch of vectors on their nodes; see `Store.put_vectors`."""
    claimed = claim(tx, encoder)
    tx.run(f"vectors/{kind}_set", rows=rows)
    return {"vectors": len(rows), **claimed}


def forget(tx: Transaction, encoder: str) -> dict[str, Any]:
    """Take all vectors off their nodes; see `Store.forget_vectors`."""
    for kind in ("tool", "trajectory"):
        tx.run(f"vectors/{kind}_forget")
    return appoint(tx, encoder)


def written(
    ids: Sequence[str], texts: Sequence[str], digests: Sequence[str], vectors: Vector
) -> list[Row]:
    """Rows for `vectors/…_set`."""
    return [
        {
            "id": node,
            "digest": digest,
            "terms": " ".join(bm25.terms(text)),
            "vector": vector.tolist(),
            "bytes": vector.astype("<f4").tobytes(),
        }
        for node, text, digest, vector in zip(ids, texts, digests, vectors, strict=True)
    ]


def lucene(term: str) -> str:
    """A query of Lucene for a term: in quotes nothing but quotes has a meaning."""
    return '"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _distinct(lists: Sequence[Sequence[str]]) -> list[str]:
    return sorted({term for terms in lists for term in bm25.asked(terms)})


def _terms(lists: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The terms as the query takes them: for Lucene, between spaces, and in which lists."""
    asked = [set(bm25.asked(terms)) for terms in lists]
    return [
        {
            "query": lucene(term),
            "spaced": f" {term} ",
            "lists": [at for at, terms in enumerate(asked) if term in terms],
        }
        for term in _distinct(lists)
    ]
