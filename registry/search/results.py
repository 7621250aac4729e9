"""The query of a search and its result: the first half of a frontier."""

from collections.abc import Sequence
from dataclasses import dataclass

from spm.registry.frontier.frontier import Floats
from spm.registry.request.clauses import clauses
from spm.registry.search.bm25 import terms

WHOLE = slice(0, 1)


@dataclass(frozen=True)
class Probes:
    """A request to look up: the whole, and its clauses where it has several.

    Attributes:
        vectors: a row for the whole, then one for each clause.
        terms: the terms of each.
    """

    vectors: Floats
    terms: Sequence[Sequence[str]]

    @classmethod
    def of(cls, text: str, rows: Floats) -> "Probes":
        """A request with what `Encoder.encode_clauses` makes of it; one clause is the whole."""
        parts = [text[begin:end] for begin, end in clauses(text)] if len(rows) > 2 else []
        return cls(rows[: 1 + len(parts)], [terms(part) for part in (text, *parts)])

    @property
    def parts(self) -> slice:
        """Which of them are the clauses."""
        return slice(1 if len(self.terms) > 1 else 0, None)


@dataclass(frozen=True)
class Hits:
    """What was found, best first.

    Attributes:
        near: by meaning.
        worded: by words, with a score for each list of terms.
    """

    near: list[str]
    worded: dict[str, list[float]]

    def words(self) -> list[str]:
        """The ids that words found."""
        return list(self.worded)

    def ids(self) -> list[str]:
        """All ids, each once."""
        return list(dict.fromkeys([*self.near, *self.worded]))


@dataclass(frozen=True)
class Recalled:
    """Trajectories that a request found.

    Attributes:
        hits: which.
        similarity: the cosine of each.
        ways: the distinct tools of each, in the order in which they first ran.
    """

    hits: Hits
    similarity: dict[str, float]
    ways: dict[str, list[str]]


@dataclass(frozen=True)
class Look:
    """All that a store finds for a request and a caller before the graph is walked.

    Attributes:
        revision: the registry's, 0 before anything was written.
        encoder: who made the vectors; None while there are none.
        same: pairs of fields that a person declared to be the same.
        whole: tools that the whole request found.
        parts: tools that any of its clauses found.
        recalled: trajectories that the whole request found.
    """

    revision: int
    encoder: str | None
    same: list[list[str]]
    whole: Hits
    parts: Hits
    recalled: Recalled


NOTHING = Look(0, None, [], Hits([], {}), Hits([], {}), Recalled(Hits([], {}), {}, {}))
