"""Dynamic dependency retrieval, asked before the first call: it follows its own plan.

Dynamic Tool Dependency Retrieval (Patel and others, 2026) retrieves anew before every call, by the
request and the calls so far, with dependencies learned from demonstrations. Here nobody calls: the
best tool of each step is taken for called, and the menu is what the steps retrieved. Dependencies
are counted in the demonstrations of similar requests; no next-tool model is trained.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.memory import nearest, votes
from spm.evaluation.baselines.ranks import best, joined, named
from spm.evaluation.baselines.text import Dense
from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Ints, Numbers
from spm.registry.menus.menu import PREFIX, SIZE

DEMONSTRATIONS = 64
# By how much cosine a demonstration counts e times less, how many tools a step retrieves, and how
# many of each step stand in front: 1 is the plan itself.
CONSTANTS = tuple(product((0.1, 0.05, 0.03, 0.2), (4, 8), (2, 1, 4)))
# What text adds: it decides among tools that demonstrations say nothing of.
TEXT = 0.01


@dataclass(frozen=True)
class _Seen:
    """What similar requests did: one row per step of each demonstration."""

    text: Numbers
    rows: Ints  # the demonstrations
    distance: Numbers  # how much farther each is than the nearest
    owner: Ints  # which demonstration a step belongs to
    tool: Ints
    next: Ints  # the tool of the following step, -1 at the end
    first: Ints  # the tools that demonstrations begin with


class Dynamic:
    """Steps of a plan, each retrieved by the request and the step before."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        self.constants = chosen(corpus, CONSTANTS, self._look, self._order)

    def menu(self, question: Question) -> list[str]:
        """What each step retrieved, then what similar requests used, then text."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> _Seen:
        rows, similarity = nearest(self._library, question, DEMONSTRATIONS)
        owner, tool = self._library.ways.of_all(rows)
        last = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
        starts = self._library.ways.starts[rows]
        return _Seen(
            text=self._dense.scores(question),
            rows=rows,
            distance=similarity.max(initial=0.0) - similarity,
            owner=owner,
            tool=tool,
            next=np.where(last, -1, np.roll(tool, -1)),
            first=self._library.ways.values[starts],
        )

    def _order(self, seen: _Seen, constants: tuple[float, int, int]) -> list[int]:
        scale, count, lead = constants
        weights = np.exp(-seen.distance / scale)
        used = votes(self._library, seen.rows, weights) / max(weights.sum(), 1e-12)
        steps = self._steps(seen, weights, used, max(count, lead))
        retrieved = joined(*(step[:count] for step in steps))
        menu = joined(retrieved, best(used + TEXT * seen.text))
        inside = set(menu[:SIZE])
        front = joined(*(step[:lead] for step in steps))
        return joined([tool for tool in front if tool in inside], menu)

    def _steps(self, seen: _Seen, weights: Numbers, used: Numbers, count: int) -> list[list[int]]:
        """What is retrieved for each step of the plan; the first of a step is taken for called."""
        plan: list[int] = []
        steps: list[list[int]] = []
        while len(plan) < min(PREFIX, len(used)):
            scores = self._next(seen, weights, used, plan)
            scores[plan] = -np.inf
            steps.append(best(scores, min(count, len(used) - len(plan))))
            plan.append(steps[-1][0])
        return steps

    def _next(self, seen: _Seen, weights: Numbers, used: Numbers, plan: list[int]) -> Numbers:
        """How likely each tool is next; where demonstrations end, what is left of their tools."""
        size = len(used)
        if not plan:
            likely = np.bincount(seen.first, weights, size)
        else:
            here = (seen.tool == plan[-1]) & (seen.next >= 0)
            likely = np.bincount(seen.next[here], weights[seen.owner[here]], size)
            likely[plan] = 0.0
        total = likely.sum()
        return (likely / total if total > 0 else used) + TEXT * seen.text
