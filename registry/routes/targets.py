"""The targets of a request: for each of its clauses the tool that the clause asks for.

Text finds candidates; verbs and resources decide between them. "Show ticket 17" is about a ticket
and reads, so a tool that purges tickets is no target, however well its text fits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier.frontier import Frontier
from spm.registry.map.verbs import READING, RequestVerb, VerbKind, kind_of
from spm.registry.routes.admission import Admission, name_words
from spm.registry.routes.tool_map import MapCard

Scores = NDArray[np.float64]
MEANING, WORDS, WHOLE = 1.5, 1.0, 0.5  # of standardised cosines, of BM25, of the whole request
SAME_VERB, SAME_KIND, NEAR_KIND, OTHER_KIND = 1.5, 1.0, 0.3, -1.0
RESOURCE, PART = 1.5, 0.5  # the resource is named, or its last word is
NEVER = -1e3
# Kinds that people say for one another: "get me the tickets" lists them.
_NEAR: dict[VerbKind, frozenset[VerbKind]] = {
    "list": READING, "search": READING, "get": READING,
    "create": frozenset(("update", "act")),
    "update": frozenset(("act", "create")),
    "delete": frozenset(("act", "update")),
    "act": frozenset(("update", "create", "delete")),
}  # fmt: skip


@dataclass(frozen=True)
class Purpose:
    """What a tool is for."""

    verb: VerbKind
    resource: str  # with its service in front
    effects: str
    service: str
    words: frozenset[str]  # of its name, as infinitives and in the singular

    @classmethod
    def of(cls, card: MapCard, name: str) -> "Purpose":
        """The purpose of a tool, from its card and its name."""
        return cls(card.verb, card.resource, card.effects, card.service, name_words(name))


@dataclass(frozen=True)
class Clause:
    """A part of a request: its words in the singular, and the verb by which it asks."""

    words: frozenset[str]
    verb: RequestVerb | None


def standardised(values: NDArray[np.float32]) -> Scores:
    """Values with mean 0 and deviation 1, over the candidates."""
    exact = values.astype(np.float64)
    spread = exact.std(axis=0)
    found: Scores = (exact - exact.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return found


def target_scores(
    frontier: Frontier,
    clauses: Sequence[Clause],
    purposes: Mapping[str, Purpose],
    admission: Admission,
) -> Scores:
    """How well each candidate is what each clause asks for, (n, clauses).

    Args:
        frontier: the candidates.
        clauses: of the request, as many as the frontier has.
        purposes: of the candidates.
        admission: what the verbs of the request allow.
    """
    whole = MEANING * standardised(frontier.similarity) + WORDS * standardised(frontier.lexical)
    found = np.zeros((len(frontier.tools), len(clauses)))
    for at in range(len(clauses)):
        text = MEANING * standardised(frontier.clauses[:, at])
        text = text + WORDS * standardised(frontier.clause_lexical[:, at])
        found[:, at] = text + WHOLE * whole
    for row, tool in enumerate(frontier.tools):
        purpose = purposes[tool]
        admitted = admission.admits(purpose.effects, purpose.words)
        for at, clause in enumerate(clauses):
            found[row, at] += _fit(purpose, clause) if admitted else NEVER
    return found


def _fit(purpose: Purpose, clause: Clause) -> float:
    return _verb_fit(purpose, clause.verb) + _resource_fit(purpose, clause.words)


def _names(purpose: Purpose, verb: RequestVerb | None) -> bool:
    """Whether a verb that changes something is the tool's own: "merge …" and merge_branches."""
    return verb is not None and verb.kind not in READING and verb.word in purpose.words


def _verb_fit(purpose: Purpose, verb: RequestVerb | None) -> float:
    if verb is None:
        return 0.0
    if _names(purpose, verb):
        return SAME_VERB
    if verb.kind == purpose.verb:
        return SAME_KIND
    return NEAR_KIND if purpose.verb in _NEAR[verb.kind] else OTHER_KIND


def _resource_fit(purpose: Purpose, said: frozenset[str]) -> float:
    named = purpose.resource.rpartition("/")[2].split("_")
    if not named[-1]:
        return 0.0
    if said.issuperset(named):
        return RESOURCE
    joined = "".join(named)
    return RESOURCE if joined in said else PART if named[-1] in said else 0.0


def agrees(purpose: Purpose, verb: RequestVerb | None, said: frozenset[str]) -> bool:
    """Whether a tool surely does what is asked: the same kind of act, on a thing that is named.

    Args:
        purpose: of the tool.
        verb: by which the request asks.
        said: all words of the request, in the singular.
    """
    if verb is None:
        return False
    reads = verb.kind in READING and purpose.verb in READING
    if not (verb.word in purpose.words or verb.kind == purpose.verb or reads):
        return False
    spelled = purpose.words & (said | {verb.word})
    if len(spelled) >= max(2, len(purpose.words) - 1):
        return True
    # A question names no act: that its thing is named says little about what it wants to know,
    # unless the tool is about nothing else.
    if verb.question:
        things = {word for word in purpose.words if kind_of(word) is None}
        return bool(things) and things <= said
    return _resource_fit(purpose, said) >= RESOURCE
