"""Models of the answers, for the description at /openapi.json.

The bytes themselves come from the registry, as on the command line; tests hold the two together.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from typing_extensions import TypedDict

from spm.registry.insight.paths import Path, Plan
from spm.registry.menus.check import Result, Verdict
from spm.registry.menus.menu import Menu, WhyNot
from spm.service import problems
from spm.service.problems import MEDIA_TYPE, ProblemDetails

WhyNotAnswer = WhyNot
# What every route can answer: who asks, how much, how fast, and whether the store is there.
COMMON = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503, 504)
_KINDS = {kind.status: kind for kind in vars(problems).values() if isinstance(kind, problems.Kind)}
_WAIT = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


@dataclass(frozen=True)
class MenuAnswer(Menu):
    """A menu in the format json; the other formats are documents of the named provider."""

    names: dict[str, str] = field(default_factory=dict)
    route_line: str = ""
    review: list[str] = field(default_factory=list)
    tokens: int | None = None


class McpTools(TypedDict):
    """The format mcp: a `tools/list` result."""

    tools: list[dict[str, Any]]


class ToolSearchOutput(TypedDict):
    """The format tool-search-output: OpenAI's answer to a `tool_search_call`."""

    type: Literal["tool_search_output"]
    tools: list[dict[str, Any]]


# In the format json; then the documents of providers: lists of definitions, or one around them.
MenuDocument = MenuAnswer | ToolSearchOutput | McpTools | list[dict[str, Any]]
TEXTS = {kind: {"schema": {"type": "string"}} for kind in ("text/plain", "text/markdown")}


@dataclass(frozen=True)
class ToolRow:
    """A tool in a list."""

    id: str
    name: str
    title: str
    description: str
    version: str
    status: str
    effects: str
    effects_reason: str
    effects_by: str | None
    service: str
    family: str | None
    frequency: int


@dataclass(frozen=True)
class ToolPage:
    """A page of tools; `next` is what to ask for `after`, as long as there are more."""

    tools: list[ToolRow]
    total: int
    next: str | None


@dataclass(frozen=True)
class FieldRow:
    """A field: how many tools make it, take it, and cannot do without it."""

    field: str
    type: str | None
    aliases: list[str] | None
    producers: int
    consumers: int
    required: int
    same: list[str]


@dataclass(frozen=True)
class PathAnswer:
    """Ways from one tool to another, or a plan."""

    paths: list[Path]
    plan: Plan | None


@dataclass(frozen=True)
class CheckAnswer(Verdict):
    """How golden requests fared, all together and each."""

    results: list[Result]


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route can answer with, besides what is common to all."""
    found: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*COMMON, *statuses}):
        kind = _KINDS[status]
        found[status] = {
            "description": kind.title,
            "content": {
                MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}}
            },
        }
        if status in (429, 503):
            found[status]["headers"] = _WAIT
    return found
