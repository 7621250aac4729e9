"""The arguments of a call: text that a model wrote, held against the schema that it was shown.

Checked is what decides whether a call can be made at all: an object, with everything that is
required, of the right types. What a schema says in other words (formats, ranges, alternatives) is
the tool's own business.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

MAX_DEPTH = 16
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Invalid(Exception):
    """Arguments with which a tool cannot be called; says why without repeating a value."""


def parsed(said: object) -> dict[str, Any]:
    """The object that a model wrote; nothing at all stands for no arguments.

    Raises:
        Invalid: it is no JSON object.
    """
    if said is None or (isinstance(said, str) and not said.strip()):
        return {}
    if isinstance(said, str):
        try:
            said = json.loads(said, parse_constant=_refused)
        except (ValueError, RecursionError):
            raise Invalid("they are not valid JSON") from None
    if not isinstance(said, dict):
        raise Invalid("they are not a JSON object")
    return said


def check(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Hold arguments against a schema.

    Raises:
        Invalid: they do not fit; names up to three reasons.
    """
    problems = list(_problems(arguments, schema, "", MAX_DEPTH))
    if problems:
        raise Invalid("; ".join(problems[:3]))


def _problems(value: Any, schema: Any, place: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth == 0:
        return
    wanted = _wanted(schema)
    if wanted and not any(_is(value, kind) for kind in wanted):
        yield f"{_named(place)} must be {' or '.join(wanted)}"
        return
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(_same(value, other) for other in allowed):
        yield f"{_named(place)} must be one of the listed values"
    if isinstance(value, Mapping):
        yield from _members(value, schema, place, depth)
    elif isinstance(value, list):
        for element in value:
            yield from _problems(element, schema.get("items"), f"{place}[]", depth - 1)


def _members(
    value: Mapping[str, Any], schema: Mapping[str, Any], place: str, depth: int
) -> Iterator[str]:
    known = schema.get("properties")
    known = known if isinstance(known, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in value:
            yield f"{_named(_below(place, str(name)))} is required"
    for name, member in value.items():
        if name in known:
            yield from _problems(member, known[name], _below(place, name), depth - 1)
        elif schema.get("additionalProperties") is False:
            yield f"{_named(_below(place, name))} is not an argument"


def _wanted(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema allows; none when it does not say, or not in known words."""
    said = schema.get("type")
    listed = said if isinstance(said, list) else [said]
    kinds = [kind for kind in listed if isinstance(kind, str) and kind in _TYPES]
    if len(kinds) < len(listed):
        return []
    return [*kinds, "null"] if schema.get("nullable") is True else kinds


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # which Python counts among the integers
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _same(value: Any, other: Any) -> bool:
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _named(place: str) -> str:
    return repr(place[:80]) if place else "the object"


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
