"""Which result an argument came from: values are recognised while a trace is read, then forgotten.

Until a trace is whole, a value is kept as a hash that Python keys anew in every process: enough to
see it again, nothing to read back. What leaves this module are names of fields and places of calls.

Chance makes values equal, too. These say nothing about where an argument came from:

- booleans, null and words for them, and what has fewer than three letters or digits: unrelated
  quantities, ratings, page sizes, hours and codes such as `US` are often equal, and identifiers
  are rarely that short;
- what the request says, because the user gave it;
- what was an argument before it was in a result, and what a call returns of its own arguments,
  because such a result only echoes it.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from spm.registry.catalog.naming import fold
from spm.registry.traces.redaction import Call, Mark, Marks, fields

MANY = 50  # elements of a list that are looked at: an agent may take any hit of a search
MAX_MARKS = 500  # of one call's arguments or result
LEAST = 3  # letters and digits
LONGEST = 8  # words by which a value is looked for in a request
_PLAIN = frozenset("true false yes none null nil nan undefined unknown".split())
_WORD = re.compile(r"\w+")


class Flow(NamedTuple):
    """An argument of a call that stood in the result of an earlier one."""

    source: int
    output: str
    target: int
    input: str


def marks(value: object) -> Marks:
    """Mark the values of a call's arguments or result under the names that its shape has."""
    found: dict[Mark, None] = {}
    for name, member in fields(value, few=MANY):
        for text in _telling(member):
            found[Mark(sys.intern(name), hash(text), hash(_opening(text)))] = None
            if len(found) == MAX_MARKS:
                return tuple(found)
    return tuple(found)


def flows(request: str, calls: Sequence[Call]) -> list[Flow]:
    """Find for each argument the result it came from.

    Of several results with the same value, one that names it as the argument does explains it best;
    else the latest call, and there the outermost field.
    """
    seen: dict[int, list[tuple[int, str]]] = {}
    known: set[int] = set()
    said: set[int] | None = None
    found: dict[Flow, None] = {}
    for place, call in enumerate(calls):
        for mark in call.took:
            if mark.value not in seen:
                known.add(mark.value)
                continue
            said = _said(request) if said is None else said
            if call.ok and mark.words not in said:
                source, output = _origin(seen[mark.value], mark.field)
                found[Flow(source, output, place, mark.field)] = None
        echoed = known | {mark.value for mark in call.took}
        for mark in call.gave if call.ok else ():
            if mark.value not in echoed:
                seen.setdefault(mark.value, []).append((place, mark.field))
    return list(found)


def _origin(places: list[tuple[int, str]], wanted: str) -> tuple[int, str]:
    alike = [place for place in places if fold(place[1]) == fold(wanted)]
    latest = places[-1][0]
    return alike[-1] if alike else next(place for place in places if place[0] == latest)


def _telling(value: object) -> Iterator[str]:
    """The texts of a value, or of the elements of a list, that are not equal by mere chance."""
    for one in value[:MANY] if isinstance(value, list | tuple) else (value,):
        text = _text(one)
        if sum(map(str.isalnum, text[:64])) >= LEAST and text.casefold() not in _PLAIN:
            yield text


def _text(value: object) -> str:
    """A number and the text that spells it are one: identifiers change their type on the way."""
    if isinstance(value, float) and isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 256:
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _opening(text: str) -> str:
    return " ".join(_WORD.findall(text[:400].casefold())[:LONGEST])


def _said(request: str) -> set[int]:
    """Everything of up to eight words that a request says."""
    words = _WORD.findall(request.casefold())
    return {
        hash(" ".join(words[start:end]))
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1)
    }
