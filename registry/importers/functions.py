"""Read the function lists that are given to models: OpenAI, Anthropic, and mixtures of the two.

The MCP and the Python importer build their tools here too, because every one of them has a name,
a description and JSON Schemas. Nothing here opens a file or a connection.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from spm.registry.catalog.effects import of_function
from spm.registry.catalog.naming import fold, words
from spm.registry.errors import ManifestError
from spm.registry.importers.json_schema import MAX_TEXT, Schemas
from spm.registry.importers.nouns import singular
from spm.registry.importers.references import MAX_DEPTH, Notes, References, clean
from spm.registry.importers.source import Source
from spm.registry.models import InputSpec, Manifest, OutputSpec, ServiceSpec, ToolSpec

MAX_NAME = 256
SUFFIXES = (".json", ".yaml", ".yml")

# Verbs that a name's subject stands beside. The subject names outputs, which are content, so this
# list stays as it is; what a tool does is decided by `registry/catalog/effects.py`.
VERBS = frozenset(
    "get list find search read lookup look check count fetch show describe view browse retrieve "
    "inspect preview compare calculate compute estimate is has delete del remove rm drop cancel "
    "purge destroy erase wipe clear reset revoke terminate kill uninstall truncate overwrite "
    "unlink discard create add set update send make post put patch insert upsert write edit change "
    "modify rename move copy generate build run execute start stop submit book reserve register "
    "upload download export import convert translate extract parse format save store open "
    "close".split()
)
IDENTITIES = frozenset("id ids uid uuid guid key ref reference slug code number name".split())
# What follows these words says how the thing is found, not what it is: user_by_email is a user.
QUALIFIERS = frozenset("by for from with in at".split())


def looks_like_functions(document: object) -> bool:
    """Whether a document is a list of function definitions."""
    return any(_is_function(tool) for tool in _listed(document))


def read_functions(document: object, name: str, service: str | None = None) -> Source:
    """Read a list of OpenAI or Anthropic tools.

    Args:
        document: the parsed JSON.
        name: where it comes from, for messages; without `service` also names the service.
        service: who provides the tools.

    Raises:
        ManifestError: it is no such list, or no tool of it can be used.
    """
    notes = Notes()
    found = list(_functions(_listed(document), "", notes))
    count = Counter(function.name for function in found)
    tools = [_tool(function, count[function.name] > 1, notes) for function in found]
    for tool in tools:
        if tool and not tool.outputs:
            notes.add("Nothing is said about results, so no outputs are known", tool.name)
    return assemble(name, "functions", service or service_name(name), tools, notes)


def define(
    name: object,
    notes: Notes,
    *,
    input_schema: object = None,
    output_schema: object = None,
    **more: Any,
) -> ToolSpec | None:
    """Make a tool of what a source says; None and a note when it cannot be used.

    Effects that the source does not state are those that name and texts tell.
    """
    shown = name if isinstance(name, str) else repr(name)[:40]
    label = " ".join(_text(name, shown, notes).split())
    if not fold(label) or len(label) > MAX_NAME:
        notes.add("Left out, because the name cannot be used", shown)
        return None
    for key in ("title", "description", "family"):
        more[key] = _text(more.get(key), shown, notes)
    if "effects" not in more:
        decided = of_function(label, more["title"], more["description"])
        more |= {"effects": decided.effects, "effects_reason": decided.reason}
        more["effects_derived"] = True
    try:
        takes = plain(input_schema) if isinstance(input_schema, dict) else None
        gives = plain(output_schema) if isinstance(output_schema, dict) else None
        return ToolSpec(
            **more,
            name=label,
            inputs=tuple(_inputs(takes, label, notes)),
            outputs=tuple(_outputs(gives, label, notes)),
            input_schema=takes,
            output_schema=gives,
        )
    except (ManifestError, ValidationError) as error:
        notes.add(f"Left out, because it is not valid: {_reason(error)}", shown)
        return None


def assemble(
    name: str, form: str, service: str, tools: Iterable[ToolSpec | None], notes: Notes
) -> Source:
    """Make a source of the tools, each name once.

    Raises:
        ManifestError: there is nothing to register, or the service has no usable name.
    """
    kept: dict[str, ToolSpec] = {}
    for tool in tools:
        if tool is not None and kept.setdefault(tool.name, tool) is not tool:
            notes.add("Left out, because an earlier tool has the same name", tool.name)
    if not kept:
        why = "".join(f"\n  {sentence}" for sentence in notes.sentences())
        raise ManifestError(f"{name}: no tool in it can be registered.{why}")
    try:
        manifest = Manifest(spm=1, service=ServiceSpec(name=service), tools=tuple(kept.values()))
    except ValidationError as error:
        raise ManifestError(f"{name} is not valid: {_reason(error)}.") from error
    return Source(name, form, manifest, notes=notes.sentences())


def subject(tool: str) -> str:
    """What a tool is about, if it says: `get_customer_email` is about customer_email."""
    parts = words(tool)
    if parts and parts[0] in VERBS:
        parts = parts[1:]
    elif parts and parts[-1] in VERBS:  # orders.find
        parts = parts[:-1]
    cut = next((i for i, part in enumerate(parts) if i and part in QUALIFIERS), len(parts))
    return "_".join(parts[:cut])


def service_name(name: str) -> str:
    """A service's name from the name of a file or a server."""
    path = PurePath(name)
    known = path.stem if path.suffix.lower() in SUFFIXES else name
    return " ".join(clean(known).replace("/", "-").split())[:MAX_NAME]


def plain(value: object, depth: int = 0) -> Any:
    """A copy of a JSON value that can be stored, with the texts for the model cleaned.

    Raises:
        ManifestError: nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise ManifestError(f"nested deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        return {_utf8(str(key)): _member(key, item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else _utf8(str(value))


def _member(key: object, value: object, depth: int) -> Any:
    # Names, patterns and constants must stay what they are; these are only read, by the model.
    if key in ("title", "description") and isinstance(value, str):
        return clean(value)
    return plain(value, depth)


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _inputs(schema: dict[str, Any] | None, tool: str, notes: Notes) -> Iterator[InputSpec]:
    # SDKs make the title of the arguments from the function's name: it names no thing.
    untitled = {key: value for key, value in (schema or {}).items() if key != "title"}
    owner = singular(subject(tool))
    for field in _schemas(schema, notes).fields(untitled, inputs=True, owner=owner):
        spec = field.spec
        # get_order(id) takes the id of an order; send_email(address) not the address of an email.
        if len(field.path) == 1 and spec.of == owner and fold(spec.name) not in IDENTITIES:
            spec = spec.model_copy(update={"of": ""})
        if isinstance(spec, InputSpec):
            yield spec


def _outputs(schema: dict[str, Any] | None, tool: str, notes: Notes) -> Iterator[OutputSpec]:
    """The fields of a result; one that is no object becomes one field, named after the tool."""
    schemas = _schemas(schema, notes)
    owner, whole = singular(subject(tool)), subject(tool) or f"{fold(tool)}_result"
    fields = [field.spec for field in schemas.fields(schema, inputs=False, owner=owner)]
    shape = schemas.shape(schema)
    if not fields and not shape.properties and shape.kind not in ("", "object"):
        fields = [OutputSpec(name=whole, type=shape.type, description=shape.description)]
    # SDKs wrap what is no object as {"result": …}. If that name stayed, all tools would seem to
    # produce the same thing.
    if [field.name for field in fields] == ["result"]:
        fields = [fields[0].model_copy(update={"name": whole, "of": ""})]
    yield from fields


def _schemas(schema: object, notes: Notes) -> Schemas:
    references = References(schema)
    references.notes = notes
    return Schemas(references, notes)


def _text(value: object, tool: str, notes: Notes) -> str:
    if not isinstance(value, str):
        return ""
    text = clean(value)
    if text != value.replace("\r\n", "\n"):
        notes.add("Invisible characters were removed", tool)
    if len(text) > MAX_TEXT:
        notes.add(f"Texts were cut to {MAX_TEXT:,} characters", tool)
    return text[:MAX_TEXT]


def _reason(error: ManifestError | ValidationError) -> str:
    if isinstance(error, ManifestError):
        return str(error).rstrip(".")
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg'].removeprefix('Value error, ')}".lstrip(": ")


@dataclass(frozen=True)
class _Function:
    """One definition, out of its wrapping."""

    name: str
    body: dict[str, Any]
    namespace: str


def _is_function(tool: object) -> bool:
    if not isinstance(tool, dict):
        return False
    kind = tool.get("type")
    if kind == "function":
        return isinstance(tool.get("function", tool), dict)
    if kind == "namespace":
        return isinstance(tool.get("tools"), list)
    # Anthropic and the old OpenAI list give no type at all.
    schemas = (tool.get("input_schema"), tool.get("parameters"))
    return isinstance(tool.get("name"), str) and any(isinstance(s, dict) for s in schemas)


def _listed(document: object) -> list[Any]:
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        for key in ("tools", "functions"):
            if isinstance(document.get(key), list):
                return list(document[key])
        return [document] if _is_function(document) else []
    return []


def _functions(
    tools: list[Any], namespace: str, notes: Notes, depth: int = 0
) -> Iterator[_Function]:
    for tool in tools:
        body = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(body, dict):
            notes.add("Left out, because it is not an object", repr(tool)[:40])
            continue
        kind = tool.get("type") or "function"
        name = str(body.get("name", kind))
        if kind == "namespace" and isinstance(tool.get("tools"), list) and depth < MAX_DEPTH:
            space = f"{namespace}.{clean(name)}" if namespace else clean(name)
            yield from _functions(tool["tools"], space, notes, depth + 1)
        elif kind == "custom" and "input_schema" not in tool:
            notes.add("Left out, because it takes free text and no fields", name)
        elif kind in ("function", "custom"):
            yield _Function(name, body, namespace)
        else:
            notes.add("Left out, because the provider runs it itself", name)


def _tool(function: _Function, collides: bool, notes: Notes) -> ToolSpec | None:
    body, space = function.body, function.namespace
    call = {"format": "functions", "name": _utf8(function.name)}
    tool = define(
        f"{space}.{function.name}" if collides and space else body.get("name"),
        notes,
        description=body.get("description"),
        family=space,
        input_schema=body.get("parameters") or body.get("input_schema"),
        output_schema=body.get("response"),  # Gemini's word; the two others have none
        call={**call, "namespace": space} if space else call,
    )
    return _loosened(tool) if tool and body.get("strict") is True else tool


def _loosened(tool: ToolSpec) -> ToolSpec:
    # Strict mode demands that every field is "required"; an optional one may then be null.
    properties = (tool.input_schema or {}).get("properties")
    known = properties if isinstance(properties, dict) else {}
    optional = {name for name, schema in known.items() if _nullable(schema)}
    inputs = tuple(
        field.model_copy(update={"required": False}) if field.name in optional else field
        for field in tool.inputs
    )
    return tool.model_copy(update={"inputs": inputs})


def _nullable(schema: object) -> bool:
    if not isinstance(schema, dict):
        return False
    kinds, choices = schema.get("type"), schema.get("anyOf")
    return (isinstance(kinds, list) and "null" in kinds) or (
        isinstance(choices, list) and {"type": "null"} in choices
    )
