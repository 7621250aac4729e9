"""Menus as providers take them: the registered definitions in order, under legal names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm.registry.menus.menu import Menu, MenuItem
from spm.registry.menus.provider_names import ANTHROPIC, MCP, OPENAI, Names, Rule

if TYPE_CHECKING:  # a menu in a table needs no definition, nor what checks them
    from spm.registry.models import OutputSpec, ToolSpec

Json = dict[str, Any]

# What both OpenAI and Anthropic refuse at the root of a schema of arguments.
ROOT_REFUSED = ("oneOf", "anyOf", "allOf", "enum", "not")
_SAID = frozenset({"description", "title", "$comment"})


@dataclass(frozen=True)
class Entry:
    """One tool of a menu with the name it gets and the definition that is registered."""

    item: MenuItem
    name: str
    spec: ToolSpec

    @property
    def description(self) -> str:
        """What a model reads about the tool."""
        return clean(self.spec.description or self.spec.title)

    @property
    def takes(self) -> Json:
        """The schema of the arguments: the registered one, or one made of the inputs."""
        if self.spec.input_schema is None:
            return _schema(self.spec.inputs)
        # Providers ask for an object with properties, also where there are no arguments.
        return {"type": "object", "properties": {}, **_said(self.spec.input_schema)}

    @property
    def gives(self) -> Json | None:
        """The registered schema of the result, if it is of an object.

        None is made of the outputs: a client would hold results against it that were never
        promised. Older clients refuse whole lists for a schema of anything but an object.
        """
        found: Json = _said(self.spec.output_schema or {})
        return found if found.get("type") == "object" else None


def openai(entry: Entry) -> Json:
    """A tool of OpenAI's Chat Completions."""
    function = {"name": entry.name, "description": entry.description, "parameters": entry.takes}
    return {"type": "function", "function": function}


def openai_responses(entry: Entry) -> Json:
    """A tool of OpenAI's Responses; not strict, because strict wants other schemas."""
    return {
        "type": "function",
        "name": entry.name,
        "description": entry.description,
        "parameters": entry.takes,
        "strict": False,
    }


def anthropic(entry: Entry) -> Json:
    """A tool of Anthropic's Messages."""
    return {
        "name": entry.name,
        "description": entry.description,
        "input_schema": entry.takes,
    }


def mcp(entry: Entry) -> Json:
    """A tool of an MCP `tools/list` result, with its rank where sorting cannot lose it."""
    item = entry.item
    found: Json = {"name": entry.name}
    if entry.spec.title:
        found["title"] = clean(entry.spec.title)
    found |= {"description": entry.description, "inputSchema": entry.takes}
    if (gives := entry.gives) is not None:
        found["outputSchema"] = gives
    read, destroys = item.effects == "read", item.effects == "destructive"
    found["annotations"] = {"readOnlyHint": read, "destructiveHint": destroys}
    found["_meta"] = {
        "spm/rank": item.rank,
        "spm/role": item.role,
        "spm/gives": item.gives,
        "spm/review": destroys,
    }
    return found


def _reference(entry: Entry) -> Json:
    return {"type": "tool_reference", "tool_name": entry.name}


def _found(tools: list[Json]) -> Json:
    """OpenAI's answer to a `tool_search_call`; the client puts the call's id in."""
    deferred = [{**tool, "defer_loading": True} for tool in tools]
    return {
        "type": "tool_search_output",
        "execution": "client",
        "call_id": None,
        "status": "completed",
        "tools": deferred,
    }


@dataclass(frozen=True)
class Provider:
    """How a provider takes a menu.

    Attributes:
        rule: which names it allows.
        write: what stands in the list for one tool.
        define: the definition that a model gets to see, which is what costs tokens.
        wrap: what the list is put into.
    """

    rule: Rule
    write: Callable[[Entry], Json]
    define: Callable[[Entry], Json]
    wrap: Callable[[list[Json]], Any] = list


# By the names of `formats.ProviderFormat`.
PROVIDERS: dict[str, Provider] = {
    "openai": Provider(OPENAI, openai, openai),
    "openai-responses": Provider(OPENAI, openai_responses, openai_responses),
    "anthropic": Provider(ANTHROPIC, anthropic, anthropic),
    "mcp": Provider(MCP, mcp, mcp, lambda tools: {"tools": tools}),
    "tool-reference": Provider(ANTHROPIC, _reference, anthropic),
    "tool-search-output": Provider(OPENAI, openai_responses, openai_responses, _found),
}
# Names in tables and JSON: those of the strictest, so that they are legal everywhere.
NEUTRAL = PROVIDERS["openai"]


def entries(items: list[MenuItem], names: Names, specs: dict[str, ToolSpec]) -> list[Entry]:
    """The tools of a menu with names and definitions, in order."""
    return [Entry(item, names.of[item.id], specs.get(item.id) or _bare(item)) for item in items]


def refused(menu: Menu, specs: dict[str, ToolSpec]) -> list[str]:
    """Tools whose schema has at its root what OpenAI and Anthropic refuse."""
    return [
        item.id
        for item in menu.items
        if item.id in specs and set(ROOT_REFUSED) & (specs[item.id].input_schema or {}).keys()
    ]


def _bare(item: MenuItem) -> ToolSpec:
    """What a menu knows of a tool whose definition is lost; not checked, and cleaned when said."""
    from spm.registry.models import InputSpec, ToolSpec

    inputs = tuple(InputSpec.model_construct(name=name) for name in item.needs)
    return ToolSpec.model_construct(
        name=item.name, title=item.title, description=item.description, inputs=inputs
    )


def _schema(fields: Iterable[OutputSpec]) -> Json:
    from spm.registry.models import InputSpec

    properties: dict[str, Json] = {}
    for spec in fields:
        said: Json = {"type": spec.type}
        if spec.type == "array":
            said["items"] = {}  # OpenAI refuses an array that does not say what of
        if spec.description:
            said["description"] = clean(spec.description)
        properties[spec.name] = said
    found: Json = {"type": "object", "properties": properties}
    required = [spec.name for spec in fields if isinstance(spec, InputSpec) and spec.required]
    return {**found, "required": required} if required else found


def clean(text: str) -> str:
    """Text as the registry accepts it."""
    from spm.registry.importers.references import clean

    return clean(text)


def _said(schema: Any) -> Any:
    """A schema as registered, but for what cannot be seen: there instructions could hide.

    Only texts that a model reads are cleaned; names, patterns and values must stay as they are.
    """
    if isinstance(schema, list):
        return [_said(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: clean(value) if key in _SAID and isinstance(value, str) else _said(value)
        for key, value in schema.items()
    }
