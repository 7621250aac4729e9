"""The words beside a value as phrases that a noun of an input may be: joined, in the singular.

They depend on the request alone, so they are made once and compared with the inputs of all tools.
"""

import re
from collections.abc import Iterator, Sequence

from spm.registry.catalog.fields import singular

LONGEST = 4  # words of a noun
_LABELS = frozenset("no nr number id key code name".split())  # with id 5
_JOINTS = _LABELS | frozenset(": = ( is was called named a an the #".split())
_STOPS = frozenset((".", "?", "!", "\n"))
_RUN = 3  # words of an option
_NO_LETTERS = re.compile(r"[\W_]+")

Words = Sequence[str]


def letters(text: str) -> str:
    """A text without what joins its words: invite_only and `invite only` are the same."""
    return _NO_LETTERS.sub("", text).lower()


def joined(said: Words) -> str:
    """Words as one, the last in the singular."""
    last = singular(said[-1]).replace("isation", "ization") if said else ""
    return "".join((*said[:-1], last))


def leading(before: Words) -> Iterator[tuple[int, int, str]]:
    """Nouns that may stand before a value: how many joints away, of how many words, and the noun.

    `ticket no. 5`, `user with id 5`.
    """
    for at in range(min(len(before), LONGEST + 1)):
        for count in range(1, LONGEST + 1):
            yield at, count, _ending(before, at, count)
        if not _is_joint(before, at):
            return


def trailing(after: Words) -> Iterator[tuple[int, str]]:
    """Nouns that may stand behind a value: `the billing-eu namespace`, `3 replicas`."""
    for count in range(1, min(len(after), LONGEST) + 1):
        yield count, joined(after[:count])


def spelled(before: Words) -> Iterator[str]:
    """Names of several words directly before a value: `change type removed`."""
    for count in range(2, LONGEST + 1):
        yield _ending(before, 0, count)


def distant(before: Words) -> Iterator[frozenset[str]]:
    """All nouns that end so many words before a value, in the same sentence."""
    for at, word in enumerate(before):
        if word in _STOPS:
            return
        yield frozenset(_ending(before, at, count) for count in range(1, LONGEST + 1))


def runs(text: str, after: Words) -> Iterator[tuple[int, str, str]]:
    """A text with words behind it: how many, all of it, and its letters."""
    for more in range(_RUN):
        if not all(map(str.isalnum, after[:more])):
            return
        whole = " ".join((text, *after[:more]))
        yield more, whole, letters(whole)


def _ending(before: Words, at: int, count: int) -> str:
    return joined(tuple(reversed(before[at : at + count])))


def _is_joint(before: Words, at: int) -> bool:
    """Whether a word may stand between a noun and its value."""
    if before[at] == "with":
        return at > 0 and before[at - 1] in _LABELS
    if before[at] == ".":
        return tuple(before[at + 1 : at + 2]) in (("no",), ("nr",))
    return before[at] in _JOINTS
