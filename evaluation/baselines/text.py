"""Text alone: by meaning, by words, by both."""

import numpy as np

from spm.evaluation.corpus import Corpus
from spm.gnn.expansion import Question
from spm.registry.frontier import SIZE, cosines


class Dense:
    """The nearest documents."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus.library

    def menu(self, question: Question) -> list[str]:
        """By cosine, ties by id."""
        scores = cosines(self._library.vectors, question.vector)
        best = np.lexsort((np.arange(len(scores)), -scores))[:SIZE]
        return [self._library.tools[at] for at in best]
