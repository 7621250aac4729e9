"""What text alone finds in a library in memory: tools and trajectories, by meaning and by words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.gnn.library import Ints, Library
from spm.registry import frontier as rule
from spm.registry.frontier import Floats, Floats64
from spm.registry.lexical import marked
from spm.registry.stages import VECTORS, stage

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Sight:
    """What may be found; None stands for all of the library.

    Attributes:
        tools: True for those that are seen.
        trajectories: likewise.
    """

    tools: Mask | None = None
    trajectories: Mask | None = None

    def without(self, rows: Ints, size: int) -> Mask | None:
        """The trajectories that are seen, some left out."""
        if not len(rows):
            return self.trajectories
        seen = np.ones(size, bool) if self.trajectories is None else self.trajectories.copy()
        seen[rows] = False
        return seen


EVERYTHING = Sight()


@dataclass(frozen=True)
class Text:
    """What text finds, for a request or for its clauses: the best for any of them."""

    near: list[int]
    worded: list[int]
    scores: Floats64  # (tools, clauses) BM25

    def spoken(self, tools: list[int]) -> Floats:
        """The scores of some tools, 0 for those that words did not find."""
        there = np.isin(tools, self.worded)
        return (self.scores[tools] * there[:, None]).astype(np.float32)


def find_tools(
    library: Library, asked: Sequence[list[str]], vectors: Floats, sight: Sight = EVERYTHING
) -> tuple[Text, Text]:
    """Look up a request and its clauses, which come behind it; one clause is the whole."""
    whole, clauses = slice(0, 1), slice(1, None)
    with stage(VECTORS):
        parts = (whole, clauses) if len(asked) > 1 else (whole,)
        near = _near(library.vectors, vectors, parts, sight.tools)
    found = [library.texts.scores(words, sight.tools) for words in asked]
    scores = np.stack([score for score, _ in found], axis=1)

    def text(near: list[int], part: slice) -> Text:
        matched = marked(len(scores), [places for _, places in found[part]])
        worded = top(scores[:, part].max(axis=1), matched, rule.LOOKUP)
        return Text(near, worded, scores[:, part])

    first = text(near[0], whole)
    return first, text(near[1], clauses) if len(asked) > 1 else first


def _near(
    vectors: Floats, asked: Floats, parts: Sequence[slice], seen: Mask | None
) -> list[list[int]]:
    """The nearest for each part of what is asked, from one pass over all vectors."""
    if not vectors.size:
        return [[] for _ in parts]
    rough = vectors @ asked.T
    return [
        nearest(vectors, rough[:, part].max(axis=1), asked[part], rule.LOOKUP, seen)
        for part in parts
    ]


@dataclass(frozen=True)
class Remembered:
    """Trajectories with their scores."""

    rows: Ints
    similarity: Floats
    lexical: Floats
    ways: list[list[int]]


def remember(library: Library, asked: list[str], vector: Floats, seen: Mask | None) -> Remembered:
    """The nearest trajectories by meaning and by words."""
    words, matched = library.request_texts.scores(asked, seen)
    near: list[int] = []
    if library.request_vectors.size:
        with stage(VECTORS):
            rough = library.request_vectors @ vector
            near = nearest(library.request_vectors, rough, vector[None, :], rule.MEMORIES, seen)
    worded = top(words, matched, rule.MEMORIES)
    rows = np.array(rule.remember(near, worded), dtype=np.int64)
    cosine = rule.cosines(library.request_vectors[rows], vector)
    # A trajectory that only meaning found has no score of words, also where words know it.
    found = np.where(np.isin(rows, worded), words[rows], 0)
    return Remembered(
        rows,
        cosine.astype(np.float32),
        found.astype(np.float32),
        [library.path(row) for row in rows],
    )


def nearest(
    vectors: Floats, rough: Floats, asked: Floats, count: int, seen: Mask | None = None
) -> list[int]:
    """The rows nearest to any that is asked for, equal ones by number (the order of their ids).

    Args:
        vectors: all rows.
        rough: what a quick pass says of each; exact scores decide among those that may be best.
        asked: what is looked for.
        count: how many.
        seen: which may be found; None: all.
    """
    blank = np.flatnonzero(rough == 0)  # rows of zeros are no vectors: stores do not find them
    blank = blank[~vectors[blank].any(axis=1)]
    if seen is None and not len(blank):
        there = np.arange(len(rough))
    else:
        open_ = np.ones(len(rough), dtype=bool) if seen is None else seen.copy()
        open_[blank] = False
        there = np.flatnonzero(open_)
    if len(there) > count:
        lowest = np.partition(rough[there], -count)[-count]
        there = there[rough[there] >= lowest - 1e-4]
    exact = rule.likeness(vectors[there], asked).max(axis=1)
    return there[top(exact, np.arange(len(there)), count)].tolist()


def top(scores: Floats64, found: NDArray[np.intp], count: int) -> list[int]:
    """The best of those that were found, equal ones by number."""
    if len(found) > count:
        lowest = np.partition(scores[found], -count)[-count]
        found = found[scores[found] >= lowest]
    return found[np.lexsort((found, -scores[found]))[:count]].tolist()
