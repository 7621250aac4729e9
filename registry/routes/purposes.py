"""What tools are for, and what the clauses of a request ask for: an act on a thing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from spm.registry.catalog.fields import singular
from spm.registry.map.verbs import RequestVerb, VerbKind, request_verbs, wishes
from spm.registry.request.clauses import clauses
from spm.registry.request.search_words import searched_text
from spm.registry.routes.admission import name_words
from spm.registry.routes.tool_map import MapCard
from spm.registry.search.bm25 import terms

# Where the name of a thing ends, and what stands in it without naming anything.
_ENDS = frozenset(
    "of in on for from to with by at as into onto about under behind that which who whose where "
    "when is are was were be been has have had did do does can could should must will would may "
    "and or but so because than off out up down away".split()
)
_SKIPPED = frozenset(
    "the a an this that these those my our your his her its their any some all every each many "
    "much me us you it them him please new last latest newest first only "
    "still also just not no there one".split()
)
# Stand where a thing would be named, and name none.
_NOTHING = frozenset("everything anything something all stuff thing rid rest lot".split())
_WORD = re.compile(r"[A-Za-z]+")


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

    @cached_property
    def thing(self) -> list[str]:
        """The words of the resource, without its service; empty where none is known."""
        return [word for word in self.resource.rpartition("/")[2].split("_") if word]


@dataclass(frozen=True)
class Clause:
    """A part of a request.

    Attributes:
        words: in the singular, and pairs of them joined ("statefulset").
        verb: by which it asks; None where it only tells.
        terms: the words that text search knows.
        plurals: the singulars of those that stand in the plural.
        wish: whether it says how something should be ("the limit should be 5").
        object: the words of what it speaks of first: "the check runs" of "show the check runs on
            the last commit".
        things: those of them that are nouns: no names of somebody ("kick Ann out").
        written: the words as they stand there, in lower case.
        span: where it begins and ends in the request.
    """

    words: frozenset[str]
    verb: RequestVerb | None
    terms: frozenset[str] = frozenset()
    plurals: frozenset[str] = frozenset()
    wish: bool = False
    object: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    span: tuple[int, int] = (0, 0)


def read_clauses(request: str, count: int) -> list[Clause]:
    """The clauses of a request as the frontier knows them, each with its words and its verb."""
    searched = searched_text(request)
    verbs = request_verbs(request)
    found = []
    for begin, end in clauses(searched)[:count]:
        said = [word.lower() for word in _WORD.findall(request[begin:end])]
        verb = next((verb for verb in verbs if begin <= verb.begin < end), None)
        spoken_of = _object(searched[verb.begin if verb else begin : end], bool(verb))
        lowered = [word.lower() for word in spoken_of]
        found.append(
            Clause(
                frozenset(map(singular, said)) | _joined(said),
                verb,
                frozenset(terms(searched[begin:end])),
                frozenset(one for word in said if (one := singular(word)) != word),
                wishes(request[begin:end]),
                frozenset(map(singular, lowered)) | _joined(lowered),
                frozenset(singular(word) for word in spoken_of if word.islower()) - _NOTHING,
                frozenset(said),
                (begin, end),
            )
        )
    return found


def _object(text: str, verb: bool) -> list[str]:
    """The words of the first thing that a text speaks of, from its verb or from its beginning."""
    found: list[str] = []
    for number, chunk in enumerate(text.split()):
        if verb and number == 0:
            continue
        written = chunk.strip("()[]\"'.,;:!?").removesuffix("'s")
        word = written.lower()
        if word in _ENDS and found:
            break
        if word.isalpha() and word not in _SKIPPED and word not in _ENDS:
            found.append(written)
        if found and chunk[-1] in ".,;:!?":
            break
    return found


def _joined(said: Sequence[str]) -> frozenset[str]:
    """Neighbouring words as one: people write "stateful set" where a tool says statefulset."""
    return frozenset(a + singular(b) for a, b in pairwise(said))


def thing_named(purpose: Purpose, said: frozenset[str]) -> float:
    """How far words name the thing that a tool acts on: 1 for all of it, less for its noun."""
    named = purpose.thing
    if not named:
        return 0.0
    if said.issuperset(named) or "".join(named) in said:
        return 1.0
    return 1 / 3 if named[-1] in said else 0.0
