"""The registry as an MCP server: four tools that only read."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel, ValidationError

from spm.registry.access.caller import Caller
from spm.registry.calling.observations import standard
from spm.registry.errors import SpmError
from spm.registry.registry import Registry
from spm.service.mcp import answers, search
from spm.service.mcp.question_models import ExplainQuestion, PathQuestion, SearchQuestion
from spm.service.mcp.registry_calls import RegistryCalls
from spm.service.problems import Problem, problem_of
from spm.service.routes.menus import MenuQuestion

log = logging.getLogger("spm.service.mcp")
Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Caller]
INSTRUCTIONS = (
    "spm knows tools, what each needs and gives, and what agents did. Ask build_menu before you "
    "choose tools: it answers the few that a request needs, in an order that can run."
)
# The list is the same for everybody and changes only with the program.
HINTS: Mapping[Any, CacheHint] = {"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")}


@dataclass(frozen=True)
class Offer:
    """One tool of the server.

    Attributes:
        title: for people.
        question: the model of its arguments, which is also their schema.
        answer: runs it as a caller.
        gives: the schema of what it answers.
    """

    title: str
    question: type[BaseModel]
    answer: Callable[[Registry, Caller, Any], answers.Answer]
    gives: Callable[[], dict[str, Any]]


OFFERS = {
    "build_menu": Offer("Build a menu", MenuQuestion, answers.build_menu, answers.menu_schema),
    "find_path": Offer("Find a path", PathQuestion, answers.find_path, answers.path_schema),
    "explain_menu": Offer(
        "Explain a menu", ExplainQuestion, answers.explain_menu, answers.explanation_schema
    ),
    "search_tools": Offer(
        "Search tools", SearchQuestion, search.search_tools, search.search_schema
    ),
}


def registry_server(desk: RegistryCalls, caller_of: CallerOf) -> Server[Any]:
    """The server of the four tools; who asks is decided for every call."""
    listed = ListToolsResult(tools=[_tool(name, offer) for name, offer in OFFERS.items()])

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del context, params
        return listed

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        offer = OFFERS.get(params.name)
        if offer is None:
            return refused(standard("missing tool", repr(params.name)).text)
        try:
            question = offer.question.model_validate(params.arguments or {})
        except ValidationError as error:
            return refused(standard("invalid arguments", reasons(error)).text)
        who = caller_of(context)
        try:
            found = await desk.ask(lambda registry: offer.answer(registry, who, question))
        except (SpmError, Problem) as error:
            return refused(standard("exception", told(error)).text)
        except Exception:  # whatever it is, the client gets an answer and no words of this machine
            log.exception("%s failed", params.name)
            return refused(standard("exception", "the service failed").text)
        return CallToolResult(
            content=[TextContent(type="text", text=found.text)],
            structured_content=found.structured,
        )

    return Server(
        "spm",
        version=version("spm-registry"),
        title="spm: a tool registry for agents",
        instructions=INSTRUCTIONS,
        cache_hints=HINTS,
        get_tool_input_schema={tool.name: tool.input_schema for tool in listed.tools}.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def refused(text: str) -> CallToolResult:
    """A call that did not work, in words for the model."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def told(error: SpmError | Problem) -> str:
    """What a client may know of an error, as over HTTP: no places of this machine."""
    known = error if isinstance(error, Problem) else problem_of(error)
    return f"{known.detail} {known.next}".rstrip(".")


def reasons(error: ValidationError) -> str:
    """What is wrong with arguments, without repeating a value."""
    found = error.errors(include_input=False, include_url=False, include_context=False)
    said = [f"{'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in found]
    return "; ".join(said[:3])


def _tool(name: str, offer: Offer) -> Tool:
    schema = offer.question.model_json_schema()
    return Tool(
        name=name,
        title=offer.title,
        description=schema.pop("description", "").strip(),
        input_schema=schema,
        output_schema=offer.gives(),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
