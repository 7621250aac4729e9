"""Which tools the verbs of a request let into its route, whoever proposes them.

Verbs decide safety: a request that only reads changes nothing, and a tool that destroys needs a
verb of its own kind. Questions, conditions and languages that are not understood have none.
"""

from dataclasses import dataclass
from functools import lru_cache

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.map.verbs import READING, RequestVerb, infinitive, request_verbs, wipes
from spm.registry.request.language import in_english
from spm.registry.request.search_words import without_courtesies
from spm.registry.routes.tool_map import Feeder

# What a menu says of a request that it did not read.
NOT_UNDERSTOOD = "the language of the request was not understood"
NO_VERB = "no verb of the request was recognised"


@dataclass(frozen=True)
class Admission:
    """What a request's own verbs allow."""

    verbs: tuple[RequestVerb, ...]

    @classmethod
    def of(cls, request: str) -> "Admission":
        """Read the verbs of a request.

        Words that may name things in English say nothing in another language.
        """
        verbs = tuple(request_verbs(request))
        named = verbs and not any(verb.word for verb in verbs)
        return cls(() if named and not in_english(request, verbs=False) else verbs)

    @property
    def reads(self) -> bool:
        """Whether the request has verbs and each of them reads."""
        return bool(self.verbs) and all(verb.kind in READING for verb in self.verbs)

    def admits(self, effects: str, name: frozenset[str]) -> bool:
        """Whether a tool may stand in the route.

        Args:
            effects: of the tool.
            name: the words of its name, as `name_words` gives them; a verb that is among them asks
                for that tool, of whatever kind it is ("merge …" and merge_branches).
        """
        if effects == "read":
            return True
        if self.reads:
            return False
        if effects != "destructive":
            return True
        gone = any(map(wipes, name))  # "Cancel ticket 17" does not ask for purgeTicket
        return any(
            (verb.destroys and not (gone and verb.only_ends))
            or (verb.kind not in READING and verb.word in name)
            for verb in self.verbs
        )

    def may_make(self, feeder: Feeder) -> bool:
        """Whether a tool may run only to make an input, where whoever asks allows writes.

        They allow it for requests that read, too: a report is made before it is shown. What
        cannot be undone still needs a verb of its kind.
        """
        name = feeder.producer.partition("/")[2]
        return feeder.effects != "destructive" or self.admits(feeder.effects, name_words(name))


def unread(request: str, admission: Admission) -> str:
    """Why a request was not understood; "" where it was, or where it can do no harm."""
    if admission.reads:
        return ""
    if not in_english(without_courtesies(request), verbs=bool(admission.verbs)):
        return NOT_UNDERSTOOD
    return "" if admission.verbs else NO_VERB


@lru_cache(8_000)
def name_words(name: str) -> frozenset[str]:
    """The words of a tool's name, as infinitives and in the singular."""
    spelled = words(name)
    return frozenset({singular(word) for word in spelled} | {infinitive(w) or w for w in spelled})
