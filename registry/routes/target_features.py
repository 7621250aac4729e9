"""What speaks for a candidate being what a clause of the request asks for, as named numbers.

Each number means the same in any library: texts are compared over the candidates, words are
weighed by how few candidates have them, acts and things are compared by kind and by name.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.map.verbs import READING, VerbKind, kind_of
from spm.registry.routes.purposes import Clause, Purpose, thing_named
from spm.registry.search.bm25 import terms

Numbers = NDArray[np.float64]

FEATURES = (
    "meaning",  # cosine to the request, standardised over the candidates
    "words",  # BM25 with the request, standardised
    "clause_meaning",  # cosine to the clause, standardised
    "clause_cosine",  # the same as it is
    "belief",  # the network's, standardised
    "said",  # share of the clause's telling words that the name and title have
    "unsaid",  # what the name and title tell that the request does not say
    "thing",  # how far the clause names what the tool acts on
    "object_said",  # the same share of the words of the first thing that the clause speaks of
    "thing_text",  # how far the best text about that thing is behind the best of all
    "own_verb",  # the clause's verb is in the tool's name, as far as its thing is named, too
    "same_kind", "near_kind", "other_kind",  # of act
    "reads_a_wish", "updates_a_wish",  # "the limit should be 5", and what the tool does
    "lists_many", "lists_one",  # a tool that lists, and its thing in the plural or the singular
    "service",  # how far the service's best texts are behind those of the best service
    "service_said",  # the request calls the tool's service by its name
)  # fmt: skip
# Those that compare what is done, not what it is done to.
ACTS = frozenset(
    (
        "same_kind",
        "near_kind",
        "other_kind",
        "reads_a_wish",
        "updates_a_wish",
        "lists_many",
        "lists_one",
    )
)
_AT = {name: number for number, name in enumerate(FEATURES)}
# Kinds that people say for one another: "get me the tickets" lists them.
_NEAR: dict[VerbKind, frozenset[VerbKind]] = {
    "list": READING, "search": READING, "get": READING,
    "create": frozenset(("update", "act")),
    "update": frozenset(("act", "create")),
    "delete": frozenset(("act", "update")),
    "act": frozenset(("update", "create", "delete")),
}  # fmt: skip
# "Give it a star" and "put a note there" leave it to the noun what is done.
_LIGHT = frozenset("make give put get take have do let set hand".split())
_ELSEWHERE = 0.7  # of a thing that another clause names
_WHOLE, _WORDS, _PART = 1.5, 0.7, 0.7  # how `text` adds up, as fused search does
_TOP = 5  # candidates by which a service is judged


def standardised(values: Floats | Numbers) -> Numbers:
    """Values with mean 0 and deviation 1, over the candidates."""
    exact = values.astype(np.float64)
    spread = exact.std(axis=0)
    found: Numbers = (exact - exact.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return found


@lru_cache(4_000)
def name_terms(name: str, title: str) -> frozenset[str]:
    """The words of a name and a title that say what a tool is about, not what it does."""
    return frozenset(term for term in terms(f"{name} {title}") if kind_of(term) is None)


@dataclass(frozen=True)
class Candidates:
    """The candidates of a request with what each is for.

    Attributes:
        frontier: their texts compared with the request's.
        purposes: of each, in the order of the frontier.
        names: of each, as `name_terms` gives them.
        belief: how far the network takes each for part of the answer.
    """

    frontier: Frontier
    purposes: Sequence[Purpose]
    names: Sequence[frozenset[str]]
    belief: Floats | None = None

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """How much a word tells: the fewer candidates have it in their names, the more."""
        count = Counter(word for name in self.names for word in name)
        return {word: math.log(1 + len(self.names) / n) for word, n in count.items()}

    @cached_property
    def text(self) -> Numbers:
        """Meaning and words together, of the whole request and of its best clause."""
        f = self.frontier
        parts = standardised(f.clauses) + _WORDS * standardised(f.clause_lexical)
        whole = _WHOLE * standardised(f.similarity) + standardised(f.lexical)
        found: Numbers = whole + _PART * parts.max(axis=1)
        return found

    def telling(self, words: frozenset[str]) -> float:
        """How much words tell together."""
        return sum(self.rarity.get(word, 0.0) for word in words)


def features(candidates: Candidates, clauses: Sequence[Clause]) -> Numbers:
    """The numbers of `FEATURES` for every candidate and clause, (n, clauses, features)."""
    frontier, width = candidates.frontier, len(clauses)
    found = np.zeros((len(candidates.purposes), width, len(FEATURES)))
    whole = {
        "meaning": standardised(frontier.similarity),
        "words": standardised(frontier.lexical),
        "thing_text": _thing_gap(candidates),
        "service": _service_gap(candidates),
    }
    if candidates.belief is not None:
        whole["belief"] = standardised(candidates.belief)
    for name, column in whole.items():
        found[:, :, _AT[name]] = column[:, None]
    found[:, :, _AT["clause_meaning"]] = standardised(frontier.clauses)[:, :width]
    found[:, :, _AT["clause_cosine"]] = frontier.clauses[:, :width]
    request = _Said.of(clauses)
    known = [candidates.telling(clause.terms) for clause in clauses]
    objects = [candidates.telling(clause.object) for clause in clauses]
    listed = {p.resource for p in candidates.purposes if p.verb in ("list", "search")}
    for row, purpose in enumerate(candidates.purposes):
        told = candidates.names[row]
        found[row, :, _AT["unsaid"]] = candidates.telling(told - request.terms)
        found[row, :, _AT["service_said"]] = purpose.service.lower() in request.written
        anywhere = _ELSEWHERE * thing_named(purpose, request.words)
        for at, clause in enumerate(clauses):
            here = candidates.telling(told & clause.terms)
            found[row, at, _AT["said"]] = here / known[at] if known[at] else 0.0
            thing = thing_named(purpose, clause.words)
            found[row, at, _AT["thing"]] = thing
            shared = candidates.telling(told & clause.object)
            found[row, at, _AT["object_said"]] = shared / objects[at] if objects[at] else 0.0
            noun = purpose.thing[-1] if purpose.resource in listed and purpose.thing else ""
            named = max(thing, anywhere)
            for feature, value in _act(purpose, clause, named, many=noun in clause.plurals):
                found[row, at, _AT[feature]] = value
        if purpose.verb in ("list", "search") and purpose.thing:
            noun = purpose.thing[-1]
            found[row, :, _AT["lists_many"]] = noun in request.plurals
            one = purpose.verb == "list" and noun in request.words - request.plurals
            found[row, :, _AT["lists_one"]] = one
    return found


@dataclass(frozen=True)
class _Said:
    """What all clauses say together."""

    words: frozenset[str]
    terms: frozenset[str]
    plurals: frozenset[str]
    written: frozenset[str]

    @classmethod
    def of(cls, clauses: Sequence[Clause]) -> "_Said":
        none = frozenset[str]()
        return cls(
            none.union(*(clause.words for clause in clauses)),
            none.union(*(clause.terms for clause in clauses)),
            none.union(*(clause.plurals for clause in clauses)),
            none.union(*(clause.written for clause in clauses)),
        )


def _act(purpose: Purpose, clause: Clause, thing: float, many: bool) -> Iterator[tuple[str, float]]:
    """How the act that a clause asks for and the tool's compare.

    Args:
        purpose: of the tool.
        clause: what is asked for.
        thing: how far the tool's thing is named.
        many: whether it is spoken of in the plural, and some tool lists it: who shows tickets
            lists them.
    """
    verb = clause.verb
    if verb is None:
        yield "reads_a_wish", float(clause.wish and purpose.verb in READING)
        yield "updates_a_wish", float(clause.wish and purpose.verb == "update")
        return
    own = verb.kind not in READING and verb.word in purpose.words
    kind = "list" if many and verb.kind == "get" else verb.kind
    same = purpose.verb == kind
    near = not same and purpose.verb in _NEAR[kind]
    sure = 0.5 if verb.word.partition(" ")[0] in _LIGHT else 1.0
    yield "own_verb", thing if own else 0.0
    yield "same_kind", sure * same
    yield "near_kind", sure * near
    yield "other_kind", sure * (not (own or same or near))


def _service_gap(candidates: Candidates) -> Numbers:
    """How far each candidate's service is behind the service whose texts fit best."""
    services = [purpose.service for purpose in candidates.purposes]
    texts: dict[str, list[float]] = defaultdict(list)
    for service, text in zip(services, candidates.text.tolist(), strict=True):
        texts[service].append(text)
    # A service with few candidates is judged as if its others were average.
    judged = {service: sum(sorted(found)[-_TOP:]) / _TOP for service, found in texts.items()}
    best = max(judged.values())
    return np.array([judged[service] - best for service in services])


def _thing_gap(candidates: Candidates) -> Numbers:
    """How far the best text about each candidate's thing is behind the best of all."""
    things = [p.resource or f"?{row}" for row, p in enumerate(candidates.purposes)]
    best: dict[str, float] = {}
    for thing, text in zip(things, candidates.text.tolist(), strict=True):
        best[thing] = max(text, best.get(thing, -math.inf))
    top = max(best.values())
    return np.array([best[thing] - top for thing in things])
