"""Transition expansion: AutoTool's inertia graph, walked before the first call instead of during.

AutoTool (Jia and Li, 2025) predicts the next tool by how often it followed the last ones and by
how well it fits the agent's thought, and asks the model where both are weak. Here the thought is
the request, nobody is asked, and the walk goes on until the menu is full.
"""

from itertools import product

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, joined, named, scaled
from spm.evaluation.baselines.text import Dense
from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Ints, Library, Numbers
from spm.registry.menus.menu import SIZE

# How much the text counts against inertia, and how many of the last tools have any: 1 is a walk;
# as many as the menu holds, and it spreads from all of them and from the usual beginnings.
CONSTANTS = tuple(product((0.3, 0.2, 0.5, 0.7, 0.9), (SIZE, 1)))


class Inertia:
    """Which tool follows which, as probabilities; repeated calls of one tool do not count."""

    def __init__(self, library: Library) -> None:
        counts = library.followers
        firsts = np.repeat(np.arange(len(library.tools)), np.diff(counts.starts))
        weights = np.where(firsts == counts.others, 0.0, counts.counts)
        totals = np.bincount(firsts, weights, len(library.tools))
        self._starts, self._others = counts.starts, counts.others
        self._shares: Numbers = weights / np.maximum(totals[firsts], 1e-12)
        begun = library.entries.astype(np.float64)
        self.entry: Numbers = begun / max(1.0, float(begun.sum()))

    def after(self, tool: int) -> tuple[Ints, Numbers]:
        """The tools that followed one, and how often they did."""
        span = slice(self._starts[tool], self._starts[tool + 1])
        return self._others[span], self._shares[span]


class Transitions:
    """A walk along what usually comes next."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        self._inertia = Inertia(corpus.library)
        self.constants = chosen(corpus, CONSTANTS, self._dense.scores, self._order)

    def menu(self, question: Question) -> list[str]:
        """Tools in the order of the walk, then by text."""
        order = self._order(self._dense.scores(question), self.constants)
        return named(self._library, order)

    def _order(self, text: Numbers, constants: tuple[float, int]) -> list[int]:
        share, window = constants
        fits, drawn = share * scaled(text), self._inertia.entry.copy()
        placed: list[int] = []
        while len(placed) < min(SIZE, len(text)):
            scores = np.round((1 - share) * drawn + fits, 9)
            scores[placed] = -np.inf
            placed.append(int(scores.argmax()))  # of equals the first: ties by id
            if window < SIZE:  # who came before these is forgotten
                drawn[:] = 0.0
            for tool in placed[-window:] if window < SIZE else placed[-1:]:
                others, shares = self._inertia.after(tool)
                drawn[others] = np.maximum(drawn[others], shares)
        return joined(placed, best(text))
