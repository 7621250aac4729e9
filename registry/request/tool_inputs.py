"""The inputs of tools with what their schemas say, for the values of a request.

Read out of the definitions that the store keeps anyway: a menu looks at a dozen candidates, and a
definition takes less than a tenth of a millisecond to parse. So no second copy has to be written,
migrated and exported.
"""

import json
import re
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from spm.registry.catalog.fields import canonical, singular
from spm.registry.catalog.naming import fold
from spm.registry.map.verbs import kind_of
from spm.registry.request.input_nouns import Input

MOST_SCHEMAS = 2_000  # properties that are looked at in one definition
DEEPEST = 8
_TEXT = 300  # characters of a description
_SEVERAL = 100  # values of an enumeration
_PARAMETER = re.compile(r"\{([^{}]*)\}")
_OWN = frozenset(("name", "id", "key", "slug", "title", "identifier", "uid", "uuid"))

Identities = Mapping[str, tuple[str, str]]


@lru_cache(512)
def parse_inputs(
    definition: str, taken: tuple[tuple[str, str, str], ...], acts: str, tool: str
) -> tuple[Input, ...]:
    """The inputs of a definition as the store keeps it.

    Args:
        definition: of a tool, as JSON.
        taken: field, resource and role of each input that identifies something.
        acts: the resource that the tool acts on.
        tool: its id.
    """
    identities = {field: (_name(resource), role) for field, resource, role in taken}
    return tuple(inputs_of(json.loads(definition), identities, _name(acts), tool))


def _name(resource: str) -> str:
    return resource.rpartition("/")[2]


def inputs_of(
    definition: Mapping[str, Any], taken: Identities, acts: str = "", tool: str = ""
) -> list[Input]:
    """The inputs of one definition.

    Args:
        definition: of a tool, as `ToolSpec.definition()` gives it.
        taken: the resource and the role of each field that identifies something.
        acts: the resource that the tool acts on.
        tool: its id.
    """
    call = definition.get("call") or {}
    route = str(call.get("path", ""))
    segments, joins = _segments(route), _joins(route)
    places = call.get("parameters") or {}
    schemas = _Walk(definition.get("input_schema") or {}).found
    found = []
    for spec in definition.get("inputs", ()):
        name = str(spec["name"])
        field = canonical(name, spec.get("of") or definition.get("family", ""))
        path, schema = schemas.get(fold(name), (name, {}))
        place = str(places.get(name, "body" if call.get("path") else ""))
        resource, role = taken.get(field, ("", ""))
        nouns = [segments[name]] if name in segments else []
        own = path.rpartition(".")[2] in _OWN and path.rpartition(".")[0] in ("", "metadata")
        if own and place != "path":
            nouns += [acts, _last_segment(route)]
        items = _items(schema)
        found.append(
            Input(
                name=name,
                field=field,
                resource=resource,
                role=role,
                type=str(spec.get("type", "string")),
                format=str(items.get("format", "")),
                pattern=str(items.get("pattern", "")),
                enum=_texts(items.get("enum")),
                examples=(*_texts(items.get("examples")), *_texts([items.get("example")])),
                description=str(spec.get("description", ""))[:_TEXT],
                required=bool(spec.get("required", True)),
                place=place,
                path=path,
                nouns=tuple(dict.fromkeys(noun for noun in nouns if noun)),
                joins=joins.get(name, ""),
                depth=max(route.find("{" + name + "}"), 0),
                tool=tool,
            )
        )
    return found


def _items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a schema says of a value, or an array's of its items."""
    inner = schema.get("items")
    return inner if isinstance(inner, dict) and "enum" not in schema else schema


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(values: object) -> tuple[str, ...]:
    return tuple(
        str(value)
        for value in _list(values)[:_SEVERAL]
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value)
    )


def _segments(route: str) -> dict[str, str]:
    """The noun in front of each parameter of a path: `/orders/{id}` has the id of an order."""
    found = {}
    parts = route.split("/")
    for before, part in pairwise(parts):
        match = _PARAMETER.fullmatch(part)
        noun = singular(fold(before))
        if match and noun and "{" not in before and not (noun == before and kind_of(noun)):
            found[match[1]] = noun
    return found


def _joins(route: str) -> dict[str, str]:
    """Parameters that directly follow another in a path: both are one key."""
    found = {}
    parts = route.split("/")
    for before, part in pairwise(parts):
        one, two = _PARAMETER.fullmatch(before), _PARAMETER.fullmatch(part)
        if one and two:
            found[two[1]] = one[1]
    return found


def _last_segment(route: str) -> str:
    named = [part for part in route.split("/") if part and "{" not in part]
    return singular(fold(named[-1])) if named else ""


class _Walk:
    """Finds each property of a schema by its name, the outer ones first."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self.found: dict[str, tuple[str, Mapping[str, Any]]] = {}
        queue: deque[tuple[Mapping[str, Any], tuple[str, ...]]] = deque([(schema, ())])
        seen = 0
        while queue and seen < MOST_SCHEMAS:
            parent, path = queue.popleft()
            for name, raw in self._properties(parent).items():
                seen += 1
                sub = self._follow(raw)
                here = (*path, str(name))
                self._keep(here, sub)
                if len(here) < DEEPEST:
                    queue.append((sub, here))

    def _keep(self, path: tuple[str, ...], schema: Mapping[str, Any]) -> None:
        said = (".".join(path), schema)
        self.found.setdefault(fold(path[-1]), said)
        if len(path) > 1:  # a second one of this name: its owner stands in front
            self.found.setdefault(f"{singular(fold(path[-2]))}_{fold(path[-1])}", said)

    def _properties(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(DEEPEST):
            properties = schema.get("properties")
            if isinstance(properties, dict):
                return properties
            items = schema.get("items")
            if not isinstance(items, dict):
                break
            schema = self._follow(items)
        return {}

    def _follow(self, schema: object) -> Mapping[str, Any]:
        """What a schema comes down to; alternatives are their first that says something."""
        for _ in range(DEEPEST):
            if not isinstance(schema, dict):
                return {}
            reference = schema.get("$ref")
            choices = [
                choice
                for word in ("anyOf", "oneOf", "allOf")
                for choice in _list(schema.get(word))
                if isinstance(choice, dict) and choice.get("type") != "null"
            ]
            if isinstance(reference, str):
                schema = self._at(reference)
            elif choices and not {"type", "properties", "enum"} & schema.keys():
                schema = choices[0]
            else:
                return schema
        return {}

    def _at(self, reference: str) -> object:
        node: object = self._root
        for part in reference.removeprefix("#").strip("/").split("/"):
            node = node.get(part) if isinstance(node, dict) else None
        return node
