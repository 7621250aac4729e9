"""The query of a search and its result: the first half of a frontier."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spm.registry.frontier.frontier import Floats
from spm.registry.request.clauses import clauses
from spm.registry.search.bm25 import Codes, asked, grams, stems
from spm.registry.search.scoring import Scored


@dataclass(frozen=True)
class Probes:
    """A request to look up: the whole, and its clauses where it has several.

    Attributes:
        vectors: a row for the whole, then one for each clause.
        terms: the terms of each.
        grams: those of the whole.
    """

    vectors: Floats
    terms: Sequence[Sequence[str]]
    grams: Codes

    @classmethod
    def of(cls, text: str, rows: Floats) -> "Probes":
        """A request with what `Encoder.encode_clauses` makes of it; one clause is the whole."""
        parts = [text[begin:end] for begin, end in clauses(text)] if len(rows) > 2 else []
        lists = [stems(part) for part in (text, *parts)]
        return cls(rows[: 1 + len(parts)], lists, grams(text))

    @property
    def parts(self) -> slice:
        """Which of them are the clauses."""
        return slice(1 if len(self.terms) > 1 else 0, None)

    @property
    def all_terms(self) -> list[str]:
        """The terms of the whole and of the clauses, each once."""
        return sorted({term for terms in self.terms for term in asked(terms)})


@dataclass(frozen=True)
class Recalled:
    """Trajectories that a request found.

    Attributes:
        near: the nearest by meaning, best first.
        words: those that words found, best first, with the rarity of what they share with it.
        similarity: the cosine of each.
        ways: the distinct tools of each, in the order in which they first ran.
    """

    near: list[str]
    words: dict[str, float]
    similarity: dict[str, float]
    ways: dict[str, list[str]]


@dataclass(frozen=True)
class Look:
    """All that a store finds for a request and a caller before the graph is walked.

    Attributes:
        revision: the registry's, 0 before anything was written.
        encoder: who made the vectors; None while there are none.
        same: pairs of fields that a person declared to be the same.
        tools: what the request found.
        recalled: trajectories that the whole request found.
    """

    revision: int
    encoder: str | None
    same: list[list[str]]
    tools: Scored[str]
    recalled: Recalled


_NONE = np.zeros(0)
NOTHING = Look(0, None, [], Scored([], _NONE, _NONE[:, None], _NONE), Recalled([], {}, {}, {}))
