"""Resources read from the definitions that a store keeps of OpenAPI operations.

A definition has the method, the path, the places of parameters and both schemas, but not the names
of schemas. Most of those come back from its fields: an `id` of a pod says that the object around it
is a pod. So this reads nearly what the document itself would give, and never more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spm.registry.importers.json_schema import Schemas
from spm.registry.importers.nouns import fold
from spm.registry.importers.openapi_operations import owner_of
from spm.registry.importers.openapi_resources import Input, ResourceReader
from spm.registry.importers.references import References
from spm.registry.map.resources import Reading
from spm.registry.models import OutputSpec, ToolSpec
from spm.registry.traces.redaction import ENVELOPES

Path = tuple[str, ...]  # the properties that lead to an object


@dataclass
class _Stored:
    """An operation as its definition tells of it."""

    name: str
    method: str
    path: str
    tool: ToolSpec
    operation: dict[str, Any] = field(default_factory=dict)


def read_definitions(tools: Sequence[ToolSpec]) -> dict[str, Reading]:
    """What the OpenAPI operations among these tools do to which resources, by tool name.

    Args:
        tools: all tools of one service; those of other formats are left out.
    """
    operations = [found for tool in tools if (found := _operation(tool))]
    schemas = Schemas(References({}))
    responses = {o.name: _named(schemas, o.tool, o.path) for o in operations}
    reader = ResourceReader(schemas, operations, responses)
    return {o.name: reader.read(o, _inputs(schemas, o.tool)) for o in operations}


def _operation(tool: ToolSpec) -> _Stored | None:
    call = tool.call or {}
    method, path = call.get("method"), call.get("path")
    if call.get("format") != "openapi" or not (isinstance(method, str) and isinstance(path, str)):
        return None
    return _Stored(tool.name, method.lower(), path, tool)


def _inputs(schemas: Schemas, tool: ToolSpec) -> list[Input]:
    """The inputs of a tool, with the place of each and the names that lead to it."""
    places = (tool.call or {}).get("parameters") or {}
    schema = tool.input_schema or {}
    properties = schema.get("properties") or {}
    fields = {one.spec.name: one for one in schemas.fields(schema, inputs=True)}
    found = []
    for spec in tool.inputs:
        read = fields.get(spec.name)
        path = read.path if read else (spec.name,)
        single = len(path) == 1
        place = places.get(path[0], "body") if single else "body"
        own = properties.get(path[0]) if single or not read else read.schema
        found.append(Input(spec.name, path, place, spec.type, spec.description, own))
    return found


def _named(schemas: Schemas, tool: ToolSpec, path: str) -> object:
    """The schema of an answer, whose objects have the names that the tool's outputs tell of."""
    if not tool.output_schema:
        return None
    there = {one.spec.name: one.path for one in schemas.fields(tool.output_schema, inputs=False)}
    told: dict[Path, str] = {}
    for spec in tool.outputs:
        if spec.of and spec.name in there:
            told.setdefault(there[spec.name][:-1], spec.of)
    if told.get(()) == owner_of(path):  # of an object without a name the path says as much
        del told[()]
    lost = [spec for spec in tool.outputs if spec.name not in there]
    return _written_again(tool.output_schema, told, _Lost(lost), ())


class _Lost:
    """The outputs that a schema no longer shows, because it was too large to be kept whole."""

    def __init__(self, specs: list[OutputSpec]) -> None:
        self._specs = specs

    def take(self) -> dict[str, Any]:
        """An object of them, once."""
        specs, self._specs = self._specs, []
        if not specs:
            return {}
        properties = {
            spec.name: {"type": spec.type, "description": spec.description} for spec in specs
        }
        title = next((spec.of for spec in specs if spec.of), "")
        return {"properties": properties, **({"title": title} if title else {})}


def _written_again(schema: Any, told: dict[Path, str], lost: _Lost, at: Path) -> Any:
    """A schema with the names of its objects, and with what was cut out of its list or envelope."""
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("properties"), dict):
        inner = {
            name: _written_again(sub, told, lost, (*at, name))
            for name, sub in schema["properties"].items()
        }
        title = {"title": told[at]} if at in told else {}
        return {**schema, "properties": inner, **title}
    if "items" in schema:
        return {**schema, "items": _written_again(schema["items"], told, lost, at)}
    cut = not at or fold(at[-1]) in ENVELOPES
    if cut and schema.get("type") == "array":
        return {**schema, "items": {"type": "object", **lost.take()}}
    return {**schema, **lost.take()} if cut and schema.get("type") == "object" else schema
