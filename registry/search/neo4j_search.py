"""Search on Neo4j: its indexes find nodes, scores are made here as the embedded engine makes them.

What a caller may not see must not change one byte of an answer. By words, Lucene adds up weights
that come with the question, and nothing that it counts itself. By vector, all nodes are compared
for callers from whom something is hidden; in this process from its fourth search on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.frontier.frontier import clause_cosines, cosines
from spm.registry.search import bm25
from spm.registry.search.audiences import recount, uncount
from spm.registry.search.embedded_search import CALLERS
from spm.registry.search.results import Look, Probes, Recalled
from spm.registry.search.scoring import WORDED, Evidence, Scored, end_to_end, score
from spm.registry.search.vector_memory import Kept, VectorMemory
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
# Searches after which a process keeps up to so many vectors of a kind itself: to read them takes as
# long as a few searches. `spm menu` asks the index.
REMEMBER_AFTER, REMEMBERED = 3, 20_000
# So many more than wanted, because the server compares vectors in single precision.
MARGIN = 16
# More are asked for, because some are not visible, or are equal; and how that grows.
SPARE, GROWTH = 1_024, 8


@dataclass(frozen=True)
class Statistics:
    """What the rarity of terms is made of, for one caller: a row of `search/statistics`."""

    row: Row

    @cached_property
    def _held(self) -> dict[str, int]:
        return dict(self.row["held"])

    def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """How rare terms are among the tools that the caller sees."""
        nodes = self.row["tools"]
        return {term: bm25.rarity(nodes, self._held.get(term, 0)) for term in bm25.asked(terms)}

    def query(self, terms: Sequence[str]) -> str:
        """A query of Lucene whose score is the sum of the weights of the terms that a node holds.

        A range of one term has a constant score, the boost behind it. Terms are letters and digits;
        nothing else is in a text, or means anything to Lucene.
        """
        return " ".join(
            f"terms:[{term} TO {term}]^{weight}"
            for term, weight in self.weights(terms).items()
            if term.isalnum()
        )

    def every(self, kind: Kind) -> int:
        """How many nodes of a kind there are, also those that the caller does not see."""
        return int(self.row[f"every_{kind}"])


class ServerSearch:
    """Searches on Neo4j, by its indexes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._same: dict[tuple[int, Caller], list[list[str]]] = {}
        self._memories: dict[Kind, VectorMemory] = {
            "tool": VectorMemory(store, "tool"),
            "trajectory": VectorMemory(store, "trajectory"),
        }
        self._seen: dict[Caller, tuple[Kept, NDArray[np.bool_]]] = {}
        self._looks = 0

    def look(self, probes: Probes, tools: int, trajectories: int, caller: Caller) -> Look:
        """Look a request up by meaning and by words."""
        known = self._statistics(probes.all_terms, caller)
        self._looks += 1
        revision = int(known.row["revision"] or 0)
        return Look(
            revision=revision,
            encoder=known.row["encoder"] or None,
            same=self._same_fields(revision, caller),
            tools=self._score(probes, known, tools, caller),
            recalled=self._recall(probes, known, trajectories, caller),
        )

    def _score(self, probes: Probes, known: Statistics, count: int, caller: Caller) -> Scored[str]:
        """The tools that a request finds."""
        worded = self._tools_by_words(probes.terms[0], known, caller, WORDED)
        if kept := self._kept("tool", known, probes):
            ids, rows = self._near_tools(kept, probes, worded, count, caller)
        else:
            near = self._tools_by_vector(probes.vectors, known, caller, count)
            rows = {row["id"]: row for row in self._read([*worded, *near], caller)}
            vectors = [(node, rows[node]["vector"]) for node in dict.fromkeys(near) if node in rows]
            ids = {node for node in worded if node in rows}
            for part in (slice(0, 1), probes.parts):
                ids |= {node for node, _ in _nearest(vectors, probes.vectors[part], count)}
        found = [rows[node] for node in sorted(ids)]
        grams, owners = end_to_end([np.frombuffer(r["grams"] or b"", "<u4") for r in found])
        cosines = clause_cosines(
            stacked([row["vector"] for row in found], probes.vectors.shape[1]), probes.vectors
        )
        words = scores_of(found, known.weights(probes.all_terms), probes.terms)
        return score(sorted(ids), Evidence(words, cosines, grams, owners), probes.grams)

    def _kept(self, kind: Kind, known: Statistics, probes: Probes) -> Kept | None:
        """The vectors that this process keeps; None: ask the index."""
        if self._looks <= REMEMBER_AFTER or known.every(kind) > REMEMBERED:
            return None
        state = int(known.row["revision"] or 0), known.row["encoder"] or None
        return self._memories[kind].of(state, probes.vectors.shape[1])

    def _near_tools(
        self, kept: Kept, probes: Probes, worded: Sequence[str], count: int, caller: Caller
    ) -> tuple[set[str], dict[str, Row]]:
        """The tools that words found, and the nearest; what scores of them are made of."""
        seen = self._shown(kept, caller)
        parts = (probes.vectors[:1], probes.vectors[probes.parts])
        near = [node for part in parts for node in kept.nearest(part, count, seen)]
        rows = {row["id"]: row for row in self._read([*worded, *near], caller)}
        return {node for node in (*worded, *near) if node in rows}, rows

    def _shown(self, kept: Kept, caller: Caller) -> NDArray[np.bool_]:
        """Which of these tools a caller sees, read once for each state of the graph and caller.

        To ask for the nearest of all until enough are visible would take the longer the more hidden
        ones are near.
        """
        found = self._seen.get(caller)
        if found is None or found[0] is not kept:
            shown = {row["id"] for row in self._store.read("access/tools", **caller.params())}
            found = kept, np.array([node in shown for node in kept.ids], dtype=np.bool_)
            others = self._seen if len(self._seen) < CALLERS else {}
            self._seen = {**others, caller: found}
        return found[1]

    def _near_trajectories(
        self, kept: Kept, asked: Vector, count: int, caller: Caller
    ) -> list[list[Any]]:
        """The nearest trajectories, as `_trajectories_by_vector` finds them."""
        window = count + MARGIN
        while True:
            found = kept.nearest(asked, window)
            read = self._store.read("search/trajectories_seen", ids=found, **caller.params())
            rows = {row["id"]: [row["id"], 0.0, row["vector"], row["way"]] for row in read}
            near = [rows[node] for node in found if node in rows][:count]
            if len(near) >= count or window >= len(kept.ids):
                return near
            window *= GROWTH

    def _recall(self, probes: Probes, known: Statistics, count: int, caller: Caller) -> Recalled:
        """The trajectories that a request finds."""
        asked = probes.vectors[:1]
        worded = self._trajectories_by_words(probes.terms[0], known, caller, count)
        # Which trajectories a team sees takes long to read for all; the index asks for those near.
        if not caller.restricted and (kept := self._kept("trajectory", known, probes)):
            near = self._near_trajectories(kept, asked, count, caller)
        else:
            near = self._trajectories_by_vector(asked[0], known, caller, count)
        rows = {row[0]: row for row in (*near, *worded)}
        first = [node for node, _ in _nearest([(row[0], row[2]) for row in near], asked, count)]
        words = {row[0]: row[1] for row in worded}
        ids = list(dict.fromkeys([*first, *words]))
        similarity = cosines(stacked([rows[node][2] for node in ids], asked.shape[1]), asked[0])
        return Recalled(
            first,
            words,
            dict(zip(ids, similarity.tolist(), strict=True)),
            {node: list(dict.fromkeys(rows[node][3])) for node in ids},
        )

    def nearest(self, kind: Kind, vector: Vector, count: int, caller: Caller) -> bm25.Found:
        """The nearest to the vector, or to any of its rows."""
        asked, known = np.atleast_2d(vector), self._statistics([], caller)
        if kind == "tool":
            ids = self._tools_by_vector(asked, known, caller, count)
            rows = self._read(ids, caller)
            return _nearest([(row["id"], row["vector"]) for row in rows], asked, count)
        lists = (self._trajectories_by_vector(row, known, caller, count) for row in asked)
        found = {row[0]: row[2] for rows in lists for row in rows}
        return _nearest(list(found.items()), asked, count)

    def matching(self, kind: Kind, terms: Sequence[str], count: int, caller: Caller) -> bm25.Found:
        """Those that hold any of the terms."""
        known = self._statistics(bm25.asked(terms), caller)
        if kind == "trajectory":
            rows = self._trajectories_by_words(terms, known, caller, count)
            return [(row[0], row[1]) for row in rows]
        found = self._read(self._tools_by_words(terms, known, caller, max(WORDED, count)), caller)
        scores = scores_of(found, known.weights(terms), [terms])[:, 0]
        return bm25.best([row["id"] for row in found], scores, count)

    def _read(self, ids: Sequence[str], caller: Caller) -> list[Row]:
        """What scores of tools are made of, in the order of their ids."""
        wanted = sorted(set(ids))
        return self._store.read("search/tools_found", ids=wanted, **caller.params())

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The rows of these nodes."""
        rows = self._store.read(f"vectors/{kind}_vectors", ids=sorted(set(ids)))
        there = {row["id"]: row["vector"] for row in rows}
        found = stacked([there.get(node) for node in ids])
        if found.size or not len(found):
            return found
        (width, *_) = [row["width"] for row in self._store.read(f"vectors/{kind}_width")] or [0]
        return stacked([None] * len(found), width)

    def _statistics(self, terms: Sequence[str], caller: Caller) -> Statistics:
        (row,) = self._store.read("search/statistics", terms=terms, **caller.params())
        return Statistics(row)

    def _same_fields(self, revision: int, caller: Caller) -> list[list[str]]:
        """Which fields are one, read once for each state of the graph and caller."""
        if (revision, caller) not in self._same:
            kept = self._same if len(self._same) < CALLERS else {}
            pairs = filtered(self._store, caller).read("insight/same")
            same = [[row["field"], row["same"]] for row in pairs]
            self._same = {**kept, (revision, caller): same}
        return self._same[revision, caller]

    def _tools_by_words(
        self, terms: Sequence[str], known: Statistics, caller: Caller, count: int
    ) -> list[str]:
        """The ids of tools."""
        if not (query := known.query(terms)):
            return []
        return self._found("search/tools_by_words", known.every("tool"), count, caller, words=query)

    def _tools_by_vector(
        self, vectors: Vector, known: Statistics, caller: Caller, count: int
    ) -> list[str]:
        """The ids of tools."""
        every = known.every("tool")
        return self._found(
            "search/tools_by_vector",
            every,
            count + MARGIN,
            caller,
            vectors=vectors.tolist(),
            explored=_explored(every, count + MARGIN, caller),
        )

    def _trajectories_by_words(
        self, terms: Sequence[str], known: Statistics, caller: Caller, count: int
    ) -> list[Any]:
        """Trajectories with the weight of their terms, their vector and their tools."""
        if not (query := known.query(terms)):
            return []
        every = known.every("trajectory")
        return self._found("search/trajectories_by_words", every, count, caller, words=query)

    def _trajectories_by_vector(
        self, vector: Vector, known: Statistics, caller: Caller, count: int
    ) -> list[Any]:
        """Trajectories with the server's score, their vector and their tools."""
        every, window = known.every("trajectory"), count + MARGIN
        return self._found(
            "search/trajectories_by_vector",
            every,
            window,
            caller,
            vector=vector.tolist(),
            explored=_explored(every, window, caller),
        )

    def _found(
        self, name: str, every: int, window: int, caller: Caller, **params: object
    ) -> list[Any]:
        """Ask an index; again for more where a list ended too early or among equals."""
        limit = SPARE + window
        while True:
            (row,) = self._store.read(name, limit=limit, window=window, **params, **caller.params())
            if not row["more"] or limit > every:
                return list(row["found"])
            limit *= GROWTH


def _explored(every: int, window: int, caller: Caller) -> int:
    """How many nodes a vector index is asked for; all of them make its answer exact."""
    return every + 1 if caller.restricted or every <= EXHAUSTIVE else SPARE + window


def scores_of(
    rows: Sequence[Row], weights: bm25.Weights, queries: Sequence[Sequence[str]]
) -> bm25.Numbers:
    """A column of BM25 for each query, from the terms that are kept with tools.

    Tools that an earlier spm wrote have no gains until they are encoded again: words find nothing.
    """
    places: dict[str, list[int]] = {term: [] for term in weights}
    gains: dict[str, list[float]] = {term: [] for term in weights}
    for place, row in enumerate(rows):
        held = np.frombuffer(row["gains"] or b"", "<f4").tolist()
        for term, gain in zip((row["terms"] or "").split(), held, strict=False):
            if term in weights:
                places[term].append(place)
                gains[term].append(weights[term] * gain)
    found = {
        term: (np.array(places[term], dtype=np.intp), np.array(gains[term])) for term in weights
    }
    return bm25.summed(found, len(rows), queries)


def _nearest(found: Sequence[Any], asked: Vector, count: int) -> bm25.Found:
    """The nearest to any of the vectors that are asked for, out of pairs of id and vector."""
    matrix = stacked([vector for _, vector in found], asked.shape[1])
    there = np.flatnonzero(matrix.any(axis=1)).tolist()
    return rank([found[at][0] for at in there], matrix[there], asked, count)


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
    ids = [row["id"] for row in rows] if kind == "tool" else []
    uncount(tx, ids)
    tx.run(f"vectors/{kind}_set", rows=rows)
    recount(tx, ids)
    return {"vectors": len(rows), **claimed}


def forget(tx: Transaction, encoder: str) -> dict[str, Any]:
    """Take all vectors off their nodes; see `Store.forget_vectors`."""
    for kind in ("tool", "trajectory"):
        tx.run(f"vectors/{kind}_forget")
    return appoint(tx, encoder)


def written(
    kind: Kind, ids: Sequence[str], texts: Sequence[str], digests: Sequence[str], vectors: Vector
) -> list[Row]:
    """Rows for `vectors/…_set`."""
    return [
        {
            "id": node,
            "digest": digest,
            **_words(kind, text),
            "vector": vector.tolist(),
            "bytes": vector.astype("<f4").tobytes(),
        }
        for node, text, digest, vector in zip(ids, texts, digests, vectors, strict=True)
    ]


def _words(kind: Kind, text: str) -> Row:
    """What a node is found and scored by, besides its vector."""
    gains = bm25.tool_gains(text) if kind == "tool" else bm25.request_gains(text)
    grams = bm25.tool_grams(text) if kind == "tool" else bm25.grams("")
    return {
        "terms": " ".join(gains),
        "gains": np.array(list(gains.values()), "<f4").tobytes(),
        "grams": grams.astype("<u4").tobytes(),
    }
