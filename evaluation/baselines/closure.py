"""Dependency closure from vector seeds: Graph RAG-Tool Fusion on declared fields.

Graph RAG-Tool Fusion (Lumer and others, 2025) takes the nearest tools and walks depth first
through a hand-made graph of dependencies. Here the graph is what tools declare: who makes a field
that another requires. The reranking by a model is left out.
"""

from itertools import product

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, joined, named
from spm.evaluation.baselines.text import Dense
from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Library, Numbers

# How many seeds, makers per field and dependencies per seed; and whether dependencies stand
# before who needs them, or behind as published.
CONSTANTS = tuple(product((3, 1, 5, 10, 20), (1, 2), (16, 2, 4), (True, False)))


class Closure:
    """The nearest tools, each with everything that it depends on."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        self.constants = chosen(corpus, CONSTANTS, self._look, self._order)

    def menu(self, question: Question) -> list[str]:
        """Seeds with their dependencies, then by text."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> tuple[Numbers, "Makers"]:
        text = self._dense.scores(question)
        return text, Makers(self._library, text, question.given)

    def _order(
        self, seen: tuple[Numbers, "Makers"], constants: tuple[int, int, int, bool]
    ) -> list[int]:
        text, makers = seen
        seeds, per_field, limit, before = constants
        near = best(text)
        found: list[int] = []
        for seed in near[:seeds]:
            found = joined(found, self._closed(seed, makers, per_field, limit, before))
        return joined(found, near)

    def _closed(
        self, seed: int, makers: "Makers", per_field: int, limit: int, before: bool
    ) -> list[int]:
        """A tool and what it depends on, depth first."""
        order: list[int] = []
        reached = {seed}

        def visit(tool: int) -> None:
            if not before:
                order.append(tool)
            for maker in makers.of(tool, per_field):
                if maker not in reached and len(reached) <= limit:
                    reached.add(maker)
                    visit(maker)
            if before:
                order.append(tool)

        visit(seed)
        return order


class Makers:
    """Who makes what a tool requires and the request does not show; the nearest to it first."""

    def __init__(self, library: Library, text: Numbers, given: frozenset[str]) -> None:
        self._library, self._text = library, text
        self._given = {library.same.get(name, name) for name in given}
        self._known: dict[int, list[int]] = {}

    def of(self, tool: int, count: int) -> list[int]:
        """Of each required field in turn, its first makers."""
        fields = self._library.takes[tool].tolist()
        return [
            maker
            for name in fields
            if self._library.fields[name] not in self._given
            for maker in self._ranked(name)[:count]
        ]

    def _ranked(self, name: int) -> list[int]:
        if name not in self._known:
            makers = self._library.makers[name]
            self._known[name] = makers[best(self._text[makers], len(makers))].tolist()
        return self._known[name]
