"""Requests made out of a registry's own verbs and resources, of which it is known what they ask.

They are no test of how well menus fit: whatever the tools are, some things must hold.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from spm.registry.catalog.naming import with_article, words
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

Asks = Literal["read", "change", "destroy", "unknown"]
SEED = 24
VALUES = (17, 98, 4711)  # that must not matter

# {one} is a resource, {a} the same with its article, {many} more of it, {n} a value.
_READ = (
    "Show {one} {n}",
    "List the {many}",
    "Which {many} are there?",
    "Get the details of {one} {n}",
    "What is the status of {one} {n}?",
    "Why was {one} {n} deleted?",
    "Find the deleted {many}",
    "Who cancelled {one} {n}?",
    "Should we remove {one} {n}?",
)
_CHANGE: Mapping[str, tuple[str, ...]] = {
    "create": ("Create {a}", "Add {a} for jane@acme.example"),
    "update": ("Update {one} {n}", "Change the name of {one} {n}"),
    "act": ("Send {one} {n} to jane@acme.example",),
}
_DESTROY = ("Delete {one} {n}", "Remove {one} {n}", "Cancel {one} {n}")
# Nothing in them is read as a verb; all of them ask to delete.
_UNKNOWN = (
    "Lösche bitte alle {one} von Kunde {n}",
    "{one} {n} を削除してください",
    "Supprimez le {one} {n} s'il vous plaît",
    "the deletion of {one} {n}",
)
# Nobody has tools about it: what destroys something else is not meant.
_FOREIGN = ("Delete quokka {n}", "Remove the quokka", "Cancel quokka {n}")
_POLITE = ("Please {0}", "Could you {0}?", "I need you to {0}")


@dataclass(frozen=True)
class SampleRequest:
    """A request with what it asks for.

    Attributes:
        text: the request.
        asks: what it may do at most; "unknown" where no verb can be read, or no tool is about it.
        alike: other values and other courtesies: the same verb and nouns, so the same route.
    """

    text: str
    asks: Asks
    alike: tuple[str, ...] = ()


def sample_requests(store: Reader, count: int, seed: int = SEED) -> list[SampleRequest]:
    """Make requests for the tools of a registry; the same ones for the same registry.

    Args:
        store: where the tools are.
        count: how many, as far as there are so many different ones.
        seed: which ones.
    """
    chance = random.Random(seed)
    purposes = store.read("insight/purposes")
    named = [(row["verb"] or "", noun) for row in purposes if (noun := _noun(row))]
    nouns = sorted({noun for _, noun in named})
    changed = sorted(set(named))
    chance.shuffle(nouns)
    chance.shuffle(changed)
    kinds = (
        _filled(_READ, nouns, "read"),
        _filled(_DESTROY, nouns, "destroy"),
        _changes(changed),
        _filled(_UNKNOWN, nouns, "unknown"),
        _filled(_FOREIGN, nouns[:1], "unknown"),
        _filled(_READ[::-1], nouns, "read"),
    )
    turns = chain.from_iterable(zip_longest(*kinds))
    found: dict[str, SampleRequest] = {}
    for request in turns:
        if len(found) >= count:
            break
        if request is not None:
            found.setdefault(request.text, request)
    return list(found.values())


def _noun(row: Row) -> str:
    """What people call the thing that a tool is for; "" where it is no word that they would say."""
    said = words(row["resource"] or row["family"] or "") or words(row["name"])[-1:]
    return " ".join(said) if all(word.isalpha() for word in said) else ""


def _filled(templates: Sequence[str], nouns: Sequence[str], asks: Asks) -> Iterator[SampleRequest]:
    """Every template with every noun, so that neighbours differ in both."""
    for turn in range(len(templates)):
        for at, noun in enumerate(nouns):
            yield _request(templates[(at + turn) % len(templates)], noun, asks)


def _changes(purposes: Sequence[tuple[str, str]]) -> Iterator[SampleRequest]:
    for turn in range(2):
        for verb, noun in purposes:
            templates = _CHANGE.get(verb, ())
            if turn < len(templates):
                yield _request(templates[turn], noun, "change")


def _request(template: str, noun: str, asks: Asks) -> SampleRequest:
    text, *others = (_fill(template, noun, value) for value in VALUES)
    alike = [other for other in others if other != text]
    if asks != "unknown" and not template.endswith("?"):
        plain = text[0].lower() + text[1:]
        alike += [polite.format(plain) for polite in _POLITE]
    return SampleRequest(text, asks, tuple(alike))


def _fill(template: str, noun: str, value: int) -> str:
    return template.format(one=noun, many=_plural(noun), a=with_article(noun), n=value)


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
