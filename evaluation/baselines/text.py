"""Text alone: by meaning, by words, by both."""

import logging
from itertools import product
from typing import Any

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, named
from spm.evaluation.corpus import Corpus
from spm.evaluation.optional import package, versions
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Numbers
from spm.registry.frontier.frontier import cosines
from spm.registry.search.bm25 import terms

# BM25's saturation and length, about the package's own 1.5 and 0.75.
SATURATION = tuple(product((1.5, 0.9, 2.0, 3.0), (0.75, 0.4, 0.1)))
# Reciprocal rank fusion: its constant (60 in its paper), and how much words count in it.
FUSION = tuple(product((60, 20, 5), (0.5, 0.3, 0.7)))


class Dense:
    """The nearest documents."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus.library

    def menu(self, question: Question) -> list[str]:
        """By cosine, ties by id."""
        return named(self._library, best(self.scores(question)))

    def scores(self, question: Question) -> Numbers:
        """The cosine of each tool's document."""
        return cosines(self._library.vectors, question.vector)


class Words:
    """BM25 of the package bm25s, over the words that the registry's own search knows.

    Its own tokenizer does not take identifiers apart, which documents are full of.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus.library
        documents = [terms(document) for document in corpus.documents]
        indexes = {constants: _index(documents, *constants) for constants in SATURATION}
        self.constants = chosen(
            corpus,
            SATURATION,
            lambda question: terms(question.text),
            lambda asked, constants: best(_scores(indexes[constants], asked), found=True),
        )
        self._index = indexes[self.constants]

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("bm25s")

    def menu(self, question: Question) -> list[str]:
        """By BM25, ties by id; tools without a word of the request are not found."""
        return named(self._library, best(self.scores(question), found=True))

    def scores(self, question: Question) -> Numbers:
        """The score of each tool's document, 0 where no word is shared."""
        return _scores(self._index, terms(question.text))


class Hybrid:
    """Meaning and words together, by reciprocal rank fusion."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus.library
        self._dense, self._words = Dense(corpus), Words(corpus)
        self.constants = chosen(corpus, FUSION, self._look, self._order)

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("bm25s")

    def menu(self, question: Question) -> list[str]:
        """By fused rank, ties by id."""
        return named(self._library, self.ranked(question))

    def ranked(self, question: Question) -> list[int]:
        """Tools by number, best first."""
        return self._order(self._look(question), self.constants)

    def _look(self, question: Question) -> tuple[list[int], list[int]]:
        near = best(self._dense.scores(question))
        return near, best(self._words.scores(question), found=True)

    def _order(self, seen: tuple[list[int], list[int]], constants: tuple[int, float]) -> list[int]:
        constant, share = constants
        scores = np.zeros(len(self._library.tools))
        for ranking, weight in zip(seen, (1 - share, share), strict=True):
            scores[ranking] += weight / (constant + 1 + np.arange(len(ranking)))
        return best(scores, found=True)


def _index(documents: list[list[str]], saturation: float, length: float) -> Any:
    bm25s = package("bm25s", "bm25", "eval")
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it prints what it debugs
    index = bm25s.BM25(method="lucene", k1=saturation, b=length, dtype="float64")
    index.index(documents, show_progress=False)
    return index


def _scores(index: Any, asked: list[str]) -> Numbers:
    """Scores of all documents, rounded: their sums must not depend on the order of words."""
    known = [term for term in asked if term in index.vocab_dict]
    if not known:
        return np.zeros(index.scores["num_docs"])
    found: Numbers = np.round(index.get_scores(known), 6)
    return found
