"""Order without a network: text tools in the order of the training paths; one template for all.

Both are the ablations of the State-Path paper, with statistics where it has a learned order.
"""

from collections import Counter
from itertools import product

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, joined, named
from spm.evaluation.baselines.text import Dense, Hybrid
from spm.evaluation.corpus import Corpus
from spm.evaluation.optional import versions
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Library, Numbers

# How many of the leading tools are put in order, and how much their rank counts against it.
LEAD = tuple(product((8, 4, 16, 32), (1.0, 0.0, 0.3, 3.0, 10.0)))
# Which template, and how much of it.
TEMPLATES = tuple(product(("path", "tools"), (8, 1, 2, 4, 16, 24)))


class TextOrder:
    """The tools of the hybrid, in the order in which training paths used them."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._hybrid = corpus.library, Hybrid(corpus)
        self.constants = chosen(corpus, LEAD, self._look, self._order)

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("bm25s")

    def menu(self, question: Question) -> list[str]:
        """The leading tools in path order, the others by text."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> tuple[list[int], Numbers]:
        ranked = self._hybrid.ranked(question)
        most = max(lead for lead, _ in LEAD)
        return ranked, precedence(self._library, ranked[:most])

    def _order(self, seen: tuple[list[int], Numbers], constants: tuple[int, float]) -> list[int]:
        (ranked, earlier), (lead, weight) = seen, constants
        size = min(lead, len(ranked))
        left, order = list(range(size)), []
        while left:
            # Who comes before the others that are left, on average; its rank speaks against it.
            ahead = earlier[np.ix_(left, left)].mean(axis=1) - weight * np.array(left) / size
            order.append(left.pop(int(np.round(ahead, 9).argmax())))
        return joined([ranked[at] for at in order], ranked)


class Template:
    """One path for every request, then the nearest tools."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        usual = {"path": usual_path, "tools": usual_tools}
        self._templates = {
            (kind, length): usual[kind](corpus.library, length) for kind, length in TEMPLATES
        }
        self.constants = chosen(corpus, TEMPLATES, self._dense.scores, self._order)

    def menu(self, question: Question) -> list[str]:
        """The template, then by text."""
        return named(self._library, self._order(self._dense.scores(question), self.constants))

    def _order(self, text: Numbers, constants: tuple[str, int]) -> list[int]:
        return joined(self._templates[constants], best(text))


def precedence(library: Library, tools: list[int]) -> Numbers:
    """Who comes first in training paths: log((c(i≺j) + 1) / (c(j≺i) + 1)), above 0 if i does."""
    numbers = np.array(tools, dtype=np.int64)
    place = np.full(len(library.tools), -1)
    place[numbers] = np.arange(len(tools))
    owner, other, count = library.later.of_all(numbers)
    inside = place[other] >= 0
    counts = np.zeros((len(tools), len(tools)))
    counts[owner[inside], place[other[inside]]] = count[inside]
    found: Numbers = np.log((counts + 1) / (counts.T + 1))
    return found


def usual_path(library: Library, length: int) -> list[int]:
    """The most frequent training path, then the next ones; of equals the one with the first ids."""
    counted = Counter(tuple(library.path(row)) for row in range(len(library.trajectories)))
    ranked = sorted(counted, key=lambda path: (-counted[path], path))
    return joined(*ranked, count=length)


def usual_tools(library: Library, length: int) -> list[int]:
    """The most frequent tools, in the order of their mean place in the training paths."""
    frequent = best(library.frequency.astype(np.float64), length, found=True)
    sizes = np.diff(library.ways.starts)
    owner, tools = library.ways.of_all(np.arange(len(sizes)))
    place = (np.arange(len(tools)) - library.ways.starts[owner]) / sizes[owner]
    total = np.bincount(tools, place, len(library.tools))
    mean = np.round(total / np.maximum(library.frequency, 1), 9)
    return sorted(frequent, key=lambda tool: (mean[tool], tool))
