"""What text alone finds in a library in memory: tools and trajectories, by meaning and by words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spm.gnn.library import Ints, Library
from spm.gnn.nearness import Mask, nearest, products, top
from spm.registry import frontier as rule
from spm.registry.frontier import Floats, Floats64
from spm.registry.lexical import DIGITS
from spm.registry.stages import VECTORS, stage


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
    scores: Floats64  # (worded, clauses) BM25

    def spoken(self, tools: list[int]) -> Floats:
        """The scores of some tools, 0 for those that words did not find."""
        found = np.zeros((len(tools), self.scores.shape[1]), dtype=np.float32)
        place = {tool: at for at, tool in enumerate(self.worded)}
        there = [(at, place[tool]) for at, tool in enumerate(tools) if tool in place]
        if there:
            rows, places = zip(*there, strict=True)
            found[list(rows)] = self.scores[list(places)]
        return found


def find_tools(
    library: Library, asked: Sequence[list[str]], vectors: Floats, sight: Sight = EVERYTHING
) -> tuple[Text, Text]:
    """Look up a request and its clauses, which come behind it; one clause is the whole."""
    whole, clauses = slice(0, 1), slice(1, None)
    parts = (whole, clauses) if len(asked) > 1 else (whole,)
    with stage(VECTORS):
        near = _near(library, vectors, parts, sight.tools)
    sums = library.texts.sums(asked, sight.tools)
    found = [
        Text(tools, *worded(sums[part], rule.LOOKUP))
        for tools, part in zip(near, parts, strict=True)
    ]
    return found[0], found[-1]


def worded(sums: Floats64, count: int) -> tuple[list[int], Floats64]:
    """The best by any row of scores, equal ones by number, with all their rounded scores.

    Only those that may be among the best are rounded and sorted: of a large library a few.
    """
    rough = sums.max(axis=0) if len(sums) > 1 else sums[0]
    found = np.flatnonzero(rough > 0)  # of numbers it would take ten times as long
    if len(found) > count:
        there = rough[found]
        lowest = np.partition(there, -count)[-count]
        found = found[there >= lowest - 2 * 10.0**-DIGITS]
    scores = np.round(sums[:, found].T, DIGITS)
    best = top(scores.max(axis=1, initial=0), np.arange(len(found)), count)
    return found[best].tolist(), scores[best]


def _near(
    library: Library, asked: Floats, parts: Sequence[slice], seen: Mask | None
) -> list[list[int]]:
    """The nearest for each part of what is asked, from one pass over all vectors."""
    vectors = library.vectors
    if not vectors.size:
        return [[] for _ in parts]
    rough = products(vectors, library.columns, asked)
    return [nearest(vectors, rough[part], asked[part], rule.LOOKUP, seen) for part in parts]


@dataclass(frozen=True)
class Remembered:
    """Trajectories with their scores."""

    rows: Ints
    similarity: Floats
    lexical: Floats
    ways: list[list[int]]


def remember(library: Library, asked: list[str], vector: Floats, seen: Mask | None) -> Remembered:
    """The nearest trajectories by meaning and by words."""
    spoken, scores = worded(library.request_texts.sums([asked], seen), rule.MEMORIES)
    near: list[int] = []
    if library.request_vectors.size:
        with stage(VECTORS):
            known, question = library.request_vectors, vector[None, :]
            rough = products(known, library.request_columns, question)
            near = nearest(known, rough, question, rule.MEMORIES, seen)
    rows = np.array(rule.remember(near, spoken), dtype=np.int64)
    cosine = rule.cosines(library.request_vectors[rows], vector)
    # A trajectory that only meaning found has no score of words, also where words know it.
    said = dict(zip(spoken, scores[:, 0].tolist(), strict=True))
    found = np.array([said.get(row, 0.0) for row in rows.tolist()])
    return Remembered(
        rows,
        cosine.astype(np.float32),
        found.astype(np.float32),
        [library.path(row) for row in rows],
    )
