"""Redaction: of an observed call only names and types of fields are kept, never a value.

Every importer reduces arguments and results here before it does anything else with them. Keys are
names only as long as they look like names: a key that looks like data would be a value.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

from spm.registry.catalog.fields import is_generic, singular
from spm.registry.catalog.naming import fold, invisible, words

MAX_NAMES = 200
MAX_KEY = 64
MAX_SIBLINGS = 50
MAX_REQUEST = 20_000  # what the Trace model takes
MAX_NESTING = 12  # lists and envelopes included, which do not count as depth
FEW = 5  # elements of a list that are looked at

# Wrappings: what is inside belongs to what is around them.
ENVELOPES = frozenset(
    "data result results item items response responses payload content contents record records "
    "value values object objects body attributes embedded edges node nodes entity entities list "
    "rows entries docs elements members collection hits d output return "
    "structured_content".split()
)
_NAME = re.compile(r"[@$_]*[^\W\d][\w.:$-]*")
_RUNS = re.compile(r"\d+")
_HEX = re.compile(r"(?=.*\d)[0-9a-fA-F-]{16,}")


class Mark(NamedTuple):
    """A value that can be recognised and not read."""

    field: str
    value: int
    words: int  # the same, as it would stand in a request


Marks = tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: whether it worked, and which fields went in and came out."""

    tool: str
    ok: bool = True
    takes: dict[str, str] = field(default_factory=dict)
    gives: dict[str, str] = field(default_factory=dict)
    start: int | None = None  # nanoseconds since 1970; orders the calls of one episode
    # By which values are recognised until the episode is whole; of no use to anybody else.
    took: Marks = field(default=(), compare=False, repr=False)
    gave: Marks = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Episode:
    """A request and the calls that answered it; the request is "" when none was recorded."""

    trace_id: str | None
    request: str
    calls: list[Call]
    success: bool = True
    source: str = ""
    time: datetime | None = None


def shape(value: object, depth: int = 3) -> dict[str, str]:
    """Reduce a JSON value, or JSON text, to the names and types of its fields.

    Nested fields go by their last name; a generic one takes the name of what it belongs to, so
    that `{"customer": {"id": 7}}` has a `customer_id`. A null says nothing and is left out.

    Args:
        value: whatever went into a tool or came out of it.
        depth: how many levels of named objects are looked at.
    """
    found: dict[str, str] = {}
    spelled: dict[str, str] = {}
    for name, member in fields(value, depth):
        kind = _kind(member)
        # orderId and order_id are one field; the first spelling stays.
        name = spelled.setdefault(fold(name), sys.intern(name))
        if found.setdefault(name, kind) == "integer" and kind == "number":
            found[name] = kind
        if len(found) == MAX_NAMES:
            break
    return found


def fields(value: object, depth: int = 3, few: int = FEW) -> Iterator[tuple[str, object]]:
    """Every named field below a value with what it holds, outermost first.

    Args:
        value: a JSON value, or JSON text.
        depth: how many levels of named objects are looked at.
        few: how many elements of a list are looked at.
    """
    yield from _fields(parsed(value), "", depth, MAX_NESTING, few)


def parsed(value: object) -> object:
    """The JSON value that a text holds, when it holds an object or a list; else the value."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None  # prose that begins with a bracket has no fields


def is_name(key: object) -> bool:
    """Whether a key looks like the name of a field rather than like data.

    Identifiers, numbers, dates, addresses, tokens and anything with a space are data.
    """
    if not isinstance(key, str) or len(key) > MAX_KEY or not _NAME.fullmatch(key):
        return False
    runs = _RUNS.findall(key)
    digits = sum(map(len, runs))
    if _HEX.fullmatch(key) or len(runs) > 3 or any(len(run) > 4 for run in runs):
        return False
    if len(key) > 8 and digits * 3 > len(key):
        return False
    parts = words(key)
    return 0 < len(parts) <= 8 and all(len(part) <= 32 for part in parts)


def tool_name(value: object) -> str:
    """The name of a tool as the registry accepts it, or "" when it cannot be one."""
    name = value.strip() if isinstance(value, str) else ""
    usable = len(name) <= 256 and name.isprintable() and not invisible(name) and fold(name)
    return name if usable else ""


def clean(value: object, limit: int = MAX_REQUEST) -> str:
    """Text that can be stored: within the limit, and without halves of surrogate pairs."""
    text = value[:limit] if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode().strip()


def moment(nanoseconds: int | None) -> datetime | None:
    """A time since 1970 as UTC; None for what cannot be one, also for 0, which means unset."""
    # The Trace model ends with the year 9998.
    if not nanoseconds or not 0 < nanoseconds < 253_370_764_800 * 10**9:
        return None
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def _fields(
    value: object, owner: str, depth: int, room: int, few: int
) -> Iterator[tuple[str, object]]:
    """Fields below a value, outermost first, so that a limit cuts the deepest."""
    if room == 0:
        return
    if isinstance(value, list | tuple):
        for element in value[:few]:
            yield from _fields(element, owner, depth, room - 1, few)
    elif isinstance(value, dict):
        inner = _content(value)
        if inner is not value:
            yield from _fields(inner, owner, depth, room - 1, few)
        elif depth > 0:
            yield from _members(value, owner, depth, room, few)


def _content(value: dict[object, object]) -> object:
    """What a message or a content block wraps (MCP, Anthropic, LangChain), else the value."""
    if value.get("type") in ("text", "input_text", "output_text") and "text" in value:
        return parsed(value["text"])
    if isinstance(value.get("content"), list) and {"isError", "structuredContent"} & set(value):
        return [value.get("structuredContent"), value["content"]]
    if "tool_call_id" in value and "content" in value:
        return parsed(value["content"])
    return value


def _members(
    value: dict[object, object], owner: str, depth: int, room: int, few: int
) -> Iterator[tuple[str, object]]:
    keys = _names(value)
    below: list[tuple[object, str, int]] = []
    for key in keys:
        member = value[key]
        if fold(key) in ENVELOPES:
            member = parsed(member)
            if _holds_fields(member):
                below.append((member, owner, depth))
                continue
        if kind := _kind(member):
            name = _qualified(key, owner)
            yield name, member
            below.append((member, _element(name) if kind == "array" else name, depth - 1))
    if len(keys) < len(value):  # a map keyed by data: its values are like the elements of a list
        rest = (member for key, member in value.items() if key not in keys)
        below.extend((member, owner, depth) for member in islice(rest, few))
    for member, noun, deep in below:
        yield from _fields(member, noun, deep, room - 1, few)


def _holds_fields(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(isinstance(element, dict | list | tuple) for element in value[:FEW])
    return isinstance(value, dict)


def _names(value: dict[object, object]) -> dict[str, None]:
    """The keys that are names, in order; none of them when most of their siblings are data."""
    names = [key for key in value if isinstance(key, str) and is_name(key)]
    if len(names) * 2 < len(value):
        return {}
    if len(names) > MAX_SIBLINGS:
        alike = Counter(_likeness(value[key]) for key in names)
        names = [key for key in names if alike[_likeness(value[key])] <= MAX_SIBLINGS]
    return dict.fromkeys(names)


def _likeness(value: object) -> object:
    return frozenset(map(str, value)) if isinstance(value, dict) else _kind(value)


def _kind(value: object) -> str:
    if isinstance(value, bool):  # before int, of which bool is a kind
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list | tuple) else ""


def _qualified(key: str, owner: str) -> str:
    if not owner or not (is_generic(key) or fold(key) in ENVELOPES) or len(owner) > 2 * MAX_KEY:
        return key
    return f"{owner}_{key.lstrip('@$_')}"


def _element(noun: str) -> str:
    """What an element of a list is called: those of `line_items` are of the kind line_item."""
    head, joint, last = noun.rpartition("_")
    return f"{head}{joint}{singular(last)}"
