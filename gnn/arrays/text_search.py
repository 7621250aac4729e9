"""Text search over a library: tools and trajectories, by meaning and by words."""

from dataclasses import dataclass

import numpy as np

from spm.gnn.arrays.library import Ints, Library
from spm.gnn.arrays.nearest_vectors import Mask, nearest, rough
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats
from spm.registry.search.bm25 import Numbers, Places, Weights, asked
from spm.registry.search.results import Probes
from spm.registry.search.scoring import WORDED, Evidence, Scored, score
from spm.registry.search.top import top
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


def find_tools(
    library: Library, probes: Probes, visible: VisibleRows = ALL_ROWS
) -> tuple[Scored[int], Weights]:
    """The tools that a request finds, and how rare each of its terms is among those visible."""
    weights = library.texts.weights(probes.all_terms, visible.tools)
    places, _ = _worded(library.texts.overlap(_of_whole(probes, weights), visible.tools), WORDED)
    found = {*places.tolist()}
    for near in near_tools(library, probes, visible.tools):
        found.update(near)
    rows = np.array(sorted(found), dtype=np.int64)
    vectors = rule.pad_vectors(library.vectors[rows], probes.vectors[0])
    owners, grams = library.grams.of_all(rows)
    evidence = Evidence(
        library.texts.scores(weights, rows, probes.terms),
        rule.clause_cosines(vectors, probes.vectors),
        grams.astype(np.uint32),
        owners,
    )
    return score(rows.tolist(), evidence, probes.grams), weights


def _of_whole(probes: Probes, weights: Weights) -> dict[str, float]:
    return {term: weights[term] for term in asked(probes.terms[0])}


def _worded(sums: Numbers, count: int) -> tuple[Places, Numbers]:
    """Where words found something, best first, and the sums there."""
    places = np.array(top(sums, count, np.flatnonzero(sums > 0)), dtype=np.intp)
    return places, sums[places]


def near_tools(library: Library, probes: Probes, seen: Mask | None) -> tuple[list[int], list[int]]:
    """The nearest to a request, and to any of its clauses, from one pass over all vectors."""
    vectors, asked = library.vectors, probes.vectors
    if not vectors.size:
        return [], []
    with stage(VECTORS):
        known = rough(vectors, asked)
        first = nearest(vectors, known.of(slice(1)), asked[:1], rule.LOOKUP, seen)
        if len(asked) == 1:
            return first, first
        return first, nearest(vectors, known.of(slice(1, None)), asked[1:], rule.LOOKUP, seen)


@dataclass(frozen=True)
class Remembered:
    """Trajectories with their scores."""

    rows: Ints
    similarity: Floats
    lexical: Floats
    ways: list[list[int]]

    def first(self, count: int) -> "Remembered":
        """The first so many of them."""
        if count >= len(self.rows):
            return self
        lists = self.rows[:count], self.similarity[:count], self.lexical[:count]
        return Remembered(*lists, self.ways[:count])


def remember(library: Library, probes: Probes, weights: Weights, seen: Mask | None) -> Remembered:
    """The nearest trajectories by meaning, and those that words found."""
    near: list[int] = []
    vector = probes.vectors[0]
    if library.request_vectors.size:
        with stage(VECTORS):
            vectors, question = library.request_vectors, vector[None, :]
            known = rough(vectors, question)
            near = nearest(vectors, known, question, rule.MEMORIES, seen)
    sums = library.request_texts.overlap(_of_whole(probes, weights), seen)
    worded, shared = _worded(sums, rule.MEMORIES)
    words = dict(zip(worded.tolist(), shared.tolist(), strict=True))
    rows = np.array(rule.remember(near, list(words)), dtype=np.int64)
    cosine = rule.cosines(library.request_vectors[rows], vector)
    return Remembered(
        rows,
        cosine.astype(np.float32),
        # A trajectory that only meaning found has no score of words, also where words know it.
        np.array([words.get(row, 0.0) for row in rows.tolist()], dtype=np.float32),
        [library.path(row) for row in rows],
    )
