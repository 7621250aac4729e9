"""JSON Schema, also OpenAPI's dialects of it, to the fields that a tool takes and gives.

A schema says how values nest; the registry wants to know which things they are. So nesting is
flattened, envelopes are looked through, and a generic name gets the noun that it belongs to.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from spm.registry.catalog.fields import is_control
from spm.registry.importers.nouns import belongs, fold, noun, singular
from spm.registry.importers.references import Notes, References, clean
from spm.registry.models import FieldType, InputSpec, OutputSpec
from spm.registry.traces.redaction import ENVELOPES

Resolve = Callable[[str], object]

MAX_FIELDS = 200
MAX_NESTING = 3  # of owners: order.customer.address.street is one too deep
MAX_REFERENCES = 5  # of owners: only what a key refers to is taken from that deep
SMALL = 4  # properties of an object that by its name alone refers to something
MAX_LEVELS = 8  # of anything, envelopes and arrays of arrays too
MAX_TRAIL = 40  # of references and alternatives that stand for one another
MAX_VISITS = 5_000  # of properties for one tool
# Schemas looked at in one document.
MAX_WORK = 10_000_000
MAX_TEXT = 20_000
EXAMPLES = 2  # that are kept of a value
LONGEST_EXAMPLE = 60  # characters

_IDS = frozenset("id ids uuid uuids guid slug sha".split())
_NAMES = frozenset("name key code number".split())
_TYPES = frozenset(get_args(FieldType))
_MORE = frozenset(
    "format enum const default pattern minimum maximum minLength maxLength minItems maxItems "
    "uniqueItems multipleOf nullable".split()
)
_OF_VALUE = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def input_fields(schema: object, resolve: Resolve | None = None) -> list[InputSpec]:
    """The fields of an arguments schema; nested ones are required only if all around them are.

    Args:
        schema: a JSON Schema, normally of an object.
        resolve: answers the value at a `$ref`, or None; without it, references are followed
            inside the schema itself.
    """
    schemas = Schemas(resolve or References(schema))
    return [cast(InputSpec, found.spec) for found in schemas.fields(schema, inputs=True)]


def output_fields(schema: object, resolve: Resolve | None = None) -> list[OutputSpec]:
    """The fields of a result schema; paging and credentials are no results.

    Args:
        schema: a JSON Schema; of an array, the fields are those of its items.
        resolve: as for `input_fields`.
    """
    schemas = Schemas(resolve or References(schema))
    return [found.spec for found in schemas.fields(schema, inputs=False)]


@dataclass
class Shape:
    """What a schema comes down to when references and alternatives are followed."""

    kind: str = ""
    noun: str = ""
    description: str = ""
    properties: dict[str, object] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    items: object = None
    kinds: tuple[str, ...] = ()  # the nouns of alternatives: an item is a file or a folder
    # What else the schema says of its value, in the words of JSON Schema 2020-12.
    more: dict[str, Any] = field(default_factory=dict)
    read_only: bool = False
    write_only: bool = False
    deprecated: bool = False

    def absorb(self, other: "Shape") -> None:
        """Add what another schema says that holds at the same time; the first word stays."""
        self.kind = self.kind or other.kind
        self.noun = self.noun or other.noun
        self.description = self.description or other.description
        self.items = other.items if self.items is None else self.items
        self.kinds = self.kinds or other.kinds
        for name, schema in other.properties.items():
            self.properties.setdefault(name, schema)
        self.required |= other.required
        self.more = {**other.more, **self.more}
        self.read_only |= other.read_only
        self.write_only |= other.write_only
        self.deprecated |= other.deprecated

    @property
    def type(self) -> FieldType:
        """The nearest of the six types."""
        kind = self.kind or ("object" if self.properties else "array" if self.items else "string")
        return cast(FieldType, kind)


@dataclass(frozen=True)
class Found:
    """A field, the property names that lead to it, and its schema as it is written."""

    spec: OutputSpec
    path: tuple[str, ...]
    schema: object = None


@dataclass(frozen=True)
class _Parent:
    """An object whose properties are to be looked at."""

    shape: Shape
    owner: str
    path: tuple[str, ...] = ()
    required: bool = True
    depth: int = 1


class Schemas:
    """The schemas of one document: followed once, with a bound on the work in all."""

    def __init__(
        self,
        resolve: Resolve,
        notes: Notes | None = None,
        ambiguous: frozenset[str] = frozenset(),
        named: frozenset[str] = frozenset(),
    ) -> None:
        self._resolve = resolve
        self._ambiguous, self._named = ambiguous, named
        self.notes = notes or Notes()
        self._known: dict[str, Shape] = {}
        # By identity, each with its schema, so that no identity is given away twice.
        self._shapes: dict[int, tuple[object, Shape]] = {}
        self._fields: dict[tuple[str, bool, str], list[Found]] = {}
        self._specs: dict[tuple[object, ...], OutputSpec] = {}
        self._work = 0

    def shape(self, schema: object, trail: tuple[str, ...] = ()) -> Shape:
        """Follow references and alternatives until the properties are known."""
        if id(schema) in self._shapes and not trail:
            return self._shapes[id(schema)][1]
        self._work += 1
        if not isinstance(schema, dict) or len(trail) > MAX_TRAIL or self._work > MAX_WORK:
            return Shape()
        reference = schema.get("$ref")
        if isinstance(reference, str) and len(schema) == 1:
            return self._referred(reference, trail)
        own = self._own(schema, (*trail, ""))
        if isinstance(reference, str):
            own.absorb(self._referred(reference, trail))
        if not trail:
            self._shapes[id(schema)] = (schema, own)
        return own

    def _referred(self, reference: str, trail: tuple[str, ...]) -> Shape:
        if reference in trail:
            self.notes.add("Schemas that stand for themselves", reference)
            return Shape(kind="object")
        if reference not in self._known:
            shape = self.shape(self._resolve(reference), (*trail, reference))
            self._known[reference] = replace(
                shape, noun=noun(reference, self._ambiguous, self._named) or shape.noun
            )
        return self._known[reference]

    def _own(self, schema: dict[str, Any], trail: tuple[str, ...]) -> Shape:
        properties, required = schema.get("properties"), schema.get("required")
        shape = Shape(
            kind=_kind(schema),
            noun=noun(schema.get("title")),
            description=self.text(schema.get("description")),
            properties=dict(properties) if isinstance(properties, dict) else {},
            required={r for r in _listed(required) if isinstance(r, str)},
            items=schema.get("items", schema.get("itemSchema")),
            more={word: schema[word] for word in _MORE if word in schema} | _examples(schema),
            read_only=schema.get("readOnly") is True,
            write_only=schema.get("writeOnly") is True,
            deprecated=schema.get("deprecated") is True,
        )
        self._work += len(shape.properties)
        for part in _listed(schema.get("allOf")):
            shape.absorb(self.shape(part, trail))
        for word in ("oneOf", "anyOf"):
            if choices := [self.shape(c, trail) for c in _listed(schema.get(word)) if not _null(c)]:
                shape.absorb(self._either(choices))
        for word in ("then", "else"):
            if word in schema:
                shape.absorb(replace(self.shape(schema[word], trail), required=set()))
        self._work += len(shape.properties)
        return shape

    def _either(self, choices: list[Shape]) -> Shape:
        if len(choices) == 1:
            return choices[0]
        either = Shape()
        for choice in choices:
            either.absorb(choice)
        either.kinds = tuple(dict.fromkeys(c.noun for c in choices if c.noun and c.properties))
        either.noun = choices[0].noun if len({choice.noun for choice in choices}) == 1 else ""
        either.kind = "object" if either.properties else either.kind
        either.more = {}
        either.required = set.intersection(*(choice.required for choice in choices))
        either.read_only = all(choice.read_only for choice in choices)
        either.write_only = all(choice.write_only for choice in choices)
        either.deprecated = all(choice.deprecated for choice in choices)
        return either

    def items(self, shape: Shape) -> Shape:
        """What an array is an array of; everything else is what it is."""
        for _ in range(MAX_LEVELS):
            if shape.properties or shape.items is None or isinstance(shape.items, bool):
                break
            inner = shape.items[0] if isinstance(shape.items, list) and shape.items else shape.items
            below = self.shape(inner)
            shape = below if below.noun else replace(below, noun=shape.noun)
        return shape

    def fields(self, schema: object, *, inputs: bool, owner: str = "") -> list[Found]:
        """The fields of an object, or of the objects in an array, the outer ones first.

        Args:
            schema: what to look at.
            inputs: whether the fields are taken or given.
            owner: whose generic names these are when the schema has no name.
        """
        reference = schema.get("$ref") if isinstance(schema, dict) and len(schema) == 1 else None
        if not isinstance(reference, str):
            return self._collected(schema, inputs, owner)
        key = (reference, inputs, owner)
        if key not in self._fields:
            self._fields[key] = self._collected(schema, inputs, owner)
        return self._fields[key]

    def _collected(self, schema: object, inputs: bool, owner: str) -> list[Found]:
        root = self.items(self.shape(schema))
        chosen = _Chosen()
        parents = deque([_Parent(root, root.noun or owner)])
        visits = 0
        while parents:
            parent = parents.popleft()
            for name, sub in _ordered(parent.shape):
                visits += 1
                if len(chosen.found) >= MAX_FIELDS or visits > MAX_VISITS:
                    self.notes.add(f"Only the first {MAX_FIELDS} fields of a tool are kept")
                    return chosen.found
                parents.extend(self._visit(parent, name, self.shape(sub), inputs, chosen))
        return chosen.found

    def _visit(
        self, parent: _Parent, name: str, shape: Shape, inputs: bool, chosen: "_Chosen"
    ) -> Iterator[_Parent]:
        """Keep a property as a field, and hand on what is inside it."""
        required = parent.required and name in parent.shape.required
        noise = is_control(name)
        if (shape.read_only or (shape.deprecated and not required)) and inputs:
            return
        if inputs and _is_constant(shape):
            return
        if not inputs and (shape.write_only or noise):
            return
        if noise and parent.depth > 1:
            return
        path = (*parent.path, name)
        inner = self.items(shape)
        envelope = bool(inner.properties) and fold(name) in ENVELOPES
        if parent.depth > MAX_NESTING and not (inner.properties or _refers(name, parent.shape)):
            return
        if not envelope and (parent.depth == 1 or not inner.properties):
            spec = self._spec(parent, name, shape, inputs, required and not noise)
            if spec:
                chosen.add(Found(spec, path, parent.shape.properties[name]), parent.owner)
        if inner.properties and len(path) < MAX_LEVELS:
            own = parent.owner if envelope else singular(fold(name))
            depth = parent.depth if envelope else parent.depth + 1
            if depth <= (MAX_REFERENCES if inputs else MAX_NESTING):
                own = inner.noun or own if envelope or inner is not shape else own
                yield _Parent(inner, own, path, required, depth)

    def _spec(
        self, parent: _Parent, name: str, shape: Shape, inputs: bool, required: bool
    ) -> OutputSpec | None:
        label = " ".join(clean(name).split())
        if not fold(label) or len(label) > 256:
            self.notes.add("Properties whose name cannot be used", label)
            return None
        of = belongs(label, parent.owner, nested=parent.depth > 1)
        said = (label, shape.type, shape.description, of, required if inputs else None)
        if said not in self._specs:
            values: dict[str, Any] = {"name": label, "type": shape.type, "of": of}
            values["description"] = shape.description
            self._specs[said] = (
                InputSpec(**values, required=required) if inputs else OutputSpec(**values)
            )
        return self._specs[said]

    def text(self, value: object, limit: int = MAX_TEXT) -> str:
        """A text that the registry accepts, or nothing."""
        if not isinstance(value, str):
            return ""
        cleaned = clean(value)
        if len(cleaned) > limit:
            self.notes.add(f"Texts cut to {limit:,} characters", cleaned[:40])
        elif len(cleaned) < len(value.replace("\r\n", "\n")):
            self.notes.add("Invisible characters removed from texts", cleaned[:40])
        return cleaned[:limit].strip()


def _is_constant(shape: Shape) -> bool:
    """Whether there is one value only: nobody has to say or make the `type` of JSON:API."""
    values = shape.more.get("enum")
    return "const" in shape.more or (isinstance(values, list) and len(values) == 1)


class _Chosen:
    """The fields kept so far, each folded name once."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self._owners: dict[str, str] = {}

    def add(self, found: Found, owner: str) -> None:
        spec, key = found.spec, fold(found.spec.name)
        if key in self._owners:
            # A second `id`, of something else: its full name is the one with the owner in front.
            if not spec.of or self._owners[key] == owner:
                return
            spec = spec.model_copy(update={"name": f"{spec.of}_{key}"[:256], "of": ""})
            key = fold(spec.name)
            if key in self._owners:
                return
        self._owners[key] = owner
        self.found.append(replace(found, spec=spec))


def _refers(name: str, around: Shape) -> bool:
    """Whether a deep property is a key: an id, or what names a thing in a small object."""
    last = fold(name).rpartition("_")[2]
    return last in _IDS or (last in _NAMES and len(around.properties) <= SMALL)


def _ordered(shape: Shape) -> list[tuple[str, object]]:
    known = [(name, sub) for name, sub in shape.properties.items() if isinstance(name, str)]
    # Where not all of them have room, the required ones come first.
    if len(known) > MAX_FIELDS:
        known.sort(key=lambda item: item[0] not in shape.required)
    return known


def _kind(schema: dict[str, Any]) -> str:
    named = [t for t in _listed(schema.get("type")) if isinstance(t, str) and t != "null"]
    if isinstance(schema.get("type"), str):
        named = [schema["type"]]
    if named:
        return named[0] if named[0] in _TYPES else "string"
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    values = _listed(schema.get("enum")) or ([schema["const"]] if "const" in schema else [])
    return _OF_VALUE.get(type(values[0]), "string") if values else ""


def _examples(schema: dict[str, Any]) -> dict[str, Any]:
    """A few short examples: they show the form of an id. OpenAPI has a list, a map or one."""
    raw = schema.get("examples", schema.get("example"))
    listed = list(raw.values()) if isinstance(raw, dict) else _listed(raw) or [raw]
    values = [item.get("value") if isinstance(item, dict) else item for item in listed[:10]]
    short = [
        value
        for value in values
        if (isinstance(value, str) and 0 < len(value) <= LONGEST_EXAMPLE)
        or (isinstance(value, int) and not isinstance(value, bool))
    ]
    return {"examples": short[:EXAMPLES]} if short else {}


def _null(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
