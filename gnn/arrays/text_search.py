"""Text search over a library: tools and trajectories, by meaning and by words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.bm25_top import leading
from spm.gnn.arrays.library import Ints, Library
from spm.gnn.arrays.nearest_vectors import Mask, nearest, rough
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats, Floats64
from spm.registry.request.clauses import clauses
from spm.registry.search.bm25 import DIGITS, terms
from spm.registry.search.top import kth, top
from spm.registry.timing import VECTORS, stage

NOBODY: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class VisibleRows:
    """Masks of the tools and trajectories that a search may find; None stands for all of them.

    Attributes:
        tools: True for those that the caller sees.
        trajectories: likewise.
    """

    tools: Mask | None = None
    trajectories: Mask | None = None

    def without(self, rows: Ints, size: int) -> Mask | None:
        """The mask of visible trajectories, without some rows."""
        if not len(rows):
            return self.trajectories
        seen = np.ones(size, bool) if self.trajectories is None else self.trajectories.copy()
        seen[rows] = False
        return seen


ALL_ROWS = VisibleRows()


@dataclass(frozen=True)
class WordHits:
    """What words find, best first."""

    rows: list[int]
    scores: Floats64  # (rows, clauses) BM25

    def of(self, wanted: Sequence[int]) -> Floats:
        """The scores of some, 0 for those that words did not find."""
        found = np.zeros((len(wanted), self.scores.shape[1]), dtype=np.float32)
        place = {row: at for at, row in enumerate(self.rows)}
        there = [(at, place[row]) for at, row in enumerate(wanted) if row in place]
        if there:
            rows, places = zip(*there, strict=True)
            found[list(rows)] = self.scores[list(places)]
        return found


@dataclass(frozen=True)
class Heard:
    """What the words of a request find.

    Attributes:
        whole: tools, for the request.
        parts: tools, for any of its clauses; one clause is the whole.
        memories: trajectories.
        several: whether there is more than one clause.
    """

    whole: WordHits
    parts: WordHits
    memories: WordHits
    several: bool


def hear(
    library: Library,
    text: str,
    visible: VisibleRows = ALL_ROWS,
    *,
    parted: bool,
    without: Ints = NOBODY,
) -> Heard:
    """Look a request up by its words.

    Args:
        library: what there is.
        text: the request.
        visible: what may be found.
        parted: whether its clauses are looked up, too.
        without: trajectories that are not found.
    """
    whole = terms(text)
    parts = [terms(text[a:b]) for a, b in clauses(text)] if parted else []
    parts = parts if len(parts) > 1 else []
    places, sums = leading(library.texts, [whole, *parts], rule.LOOKUP, visible.tools)
    found = worded(sums[:1], rule.LOOKUP, places)
    seen = visible.without(without, len(library.trajectories))
    return Heard(
        found,
        worded(sums[1:], rule.LOOKUP, places) if parts else found,
        worded(library.request_texts.sums([whole], seen), rule.MEMORIES),
        bool(parts),
    )


def worded(sums: Floats64, count: int, places: NDArray[np.intp] | None = None) -> WordHits:
    """The best by any row of scores, equal ones by number, with all their rounded scores.

    Only those that may be among the best are rounded and sorted: of a large library a few.
    `places` says which documents the columns of scores are of, where not all have one.
    """
    best = sums.max(axis=0) if len(sums) > 1 else sums[0]
    found = np.flatnonzero(best > 0)  # of numbers it would take ten times as long
    if len(found) > count:
        there = best[found]
        found = found[there >= kth(there, count) - 2 * 10.0**-DIGITS]
    scores = np.round(sums[:, found].T, DIGITS)
    first = top(scores.max(axis=1, initial=0), count)
    rows = found[first] if places is None else places[found[first]]
    return WordHits(rows.tolist(), scores[first])


def near_tools(
    library: Library, whole: Floats, parts: Floats, seen: Mask | None
) -> tuple[list[int], list[int]]:
    """The nearest to a request, and to any of its clauses, from one pass over all vectors.

    Args:
        library: what there is.
        whole: the request's vector.
        parts: those of its clauses, where there are several; none: one clause is the whole.
        seen: which tools may be found.
    """
    vectors, asked = library.vectors, np.concatenate([whole[None, :], parts])
    if not vectors.size:
        return [], []
    with stage(VECTORS):
        known = rough(vectors, library.coarse, asked)
        first = nearest(vectors, known.of(slice(1)), asked[:1], rule.LOOKUP, seen)
        if not len(parts):
            return first, first
        return first, nearest(vectors, known.of(slice(1, None)), parts, rule.LOOKUP, seen)


@dataclass(frozen=True)
class Remembered:
    """Trajectories with their scores."""

    rows: Ints
    similarity: Floats
    lexical: Floats
    ways: list[list[int]]


def remember(library: Library, hits: WordHits, vector: Floats, seen: Mask | None) -> Remembered:
    """The nearest trajectories by meaning, and those that words found."""
    near: list[int] = []
    if library.request_vectors.size:
        with stage(VECTORS):
            vectors, question = library.request_vectors, vector[None, :]
            known = rough(vectors, library.request_coarse, question)
            near = nearest(vectors, known, question, rule.MEMORIES, seen)
    rows = np.array(rule.remember(near, hits.rows), dtype=np.int64)
    cosine = rule.cosines(library.request_vectors[rows], vector)
    return Remembered(
        rows,
        cosine.astype(np.float32),
        # A trajectory that only meaning found has no score of words, also where words know it.
        hits.of(rows.tolist())[:, 0],
        [library.path(row) for row in rows],
    )
