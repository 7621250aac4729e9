"""The vote baseline: tools that similar requests used."""

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, named
from spm.evaluation.baselines.text import Dense
from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Ints, Library, Numbers
from spm.registry.frontier.frontier import cosines

NEIGHBOURS = 10
WEIGHTS = (1.0, 0.1, 0.3, 3.0)


class Vote:
    """The nearest documents, and the tools of the ten nearest training requests."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus.library
        self._dense = Dense(corpus)
        self.constants = chosen(corpus, WEIGHTS, self._look, self._order)

    def menu(self, question: Question) -> list[str]:
        """By cosine plus votes, ties by id."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> tuple[Numbers, Numbers]:
        rows, similarity = nearest(self._library, question, NEIGHBOURS)
        return self._dense.scores(question), votes(self._library, rows, similarity)

    def _order(self, seen: tuple[Numbers, Numbers], weight: float) -> list[int]:
        return best(seen[0] + weight * seen[1])


def nearest(library: Library, question: Question, count: int) -> tuple[Ints, Numbers]:
    """The trajectories whose requests are nearest, and their cosines; none below nothing."""
    similarity = cosines(library.request_vectors, question.vector)
    rows = np.array(best(similarity, count), dtype=np.int64)
    return rows, np.maximum(similarity[rows], 0.0)


def votes(library: Library, rows: Ints, weights: Numbers) -> Numbers:
    """What each tool gets from those trajectories that used it."""
    owner, tools = library.ways.of_all(rows)
    return np.bincount(tools, weights[owner], len(library.tools)).astype(np.float64)
