"""Forwards a call of a frozen menu to the backend, after it was checked again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
from mcp_types import CallToolResult, TextContent

from spm.registry.access.caller import Caller
from spm.registry.access.rules import visible_tools
from spm.registry.calling.arguments import Invalid, check
from spm.registry.calling.backends import Backend, Backends, HttpBackend
from spm.registry.calling.callable_tool import Failed, NotCalled, Tool
from spm.registry.calling.http_operation import perform
from spm.registry.calling.mcp_sessions import Sessions
from spm.registry.calling.observations import Observation, Outcome, observation, standard
from spm.registry.catalog.tools import definitions
from spm.registry.errors import InputError
from spm.registry.menus.frozen import Frozen, FrozenItem
from spm.registry.menus.providers import Entry, entries, mcp
from spm.registry.store.interface import Store

Json = dict[str, Any]
MAX_RESULT = 1_000_000  # characters of a result as JSON
MAX_ARGUMENTS = 1_000_000


@dataclass(frozen=True)
class Ready:
    """A call that may be made."""

    tool: Tool
    backend: Backend
    elicits: bool = False  # the client may approve it, where it needs approval


@dataclass(frozen=True)
class Made:
    """What became of a call: what the client gets, and what the trace learns from."""

    answer: CallToolResult
    result: object = None
    ok: bool = False
    tool: str | None = None
    reached: bool = False


@dataclass
class Forwarding:
    """Who runs tools, and the connections to them."""

    backends: Backends = field(default_factory=Backends)
    sessions: Sessions = field(default_factory=Sessions)

    def ready(
        self, store: Store, menu: Frozen, caller: Caller, name: str, arguments: Json
    ) -> Ready | Made:
        """Check everything that can be known before the call; runs on a registry.

        What the caller does not see any more, and what is not as it was frozen, cannot be called.
        """
        item = next((item for item in menu.items if item.alias == name), None)
        entry = next(iter(offered(store, menu, caller, item)), None) if item else None
        if entry is None:
            return refused("missing tool", repr(name))
        tool = Tool(entry.item.id, entry.spec, entry.takes)
        try:
            if len(json.dumps(arguments)) > MAX_ARGUMENTS:
                raise Invalid(f"they are longer than {MAX_ARGUMENTS:,} characters")
            check(arguments, tool.takes)
        except Invalid as error:
            return refused("invalid arguments", str(error), tool.id)
        service = tool.id.partition("/")[0]
        backend = self.backends.of(service, tool.spec.call)
        if backend is None:
            return refused("not called", f"nobody is set up to run tools of {service!r}", tool.id)
        return Ready(tool, backend, self.backends.elicits(service))

    async def make(self, ready: Ready, arguments: Json) -> Made:
        """Make the call; whatever goes wrong becomes a standard observation."""
        tool, backend = ready.tool, ready.backend
        try:
            if isinstance(backend, HttpBackend):
                with anyio.fail_after(backend.timeout + 1):
                    result = await anyio.to_thread.run_sync(
                        perform, backend, tool, arguments, abandon_on_cancel=True
                    )
                return _plain(tool, result)
            called = str((tool.spec.call or {}).get("tool") or tool.spec.name)
            return _passed_on(tool, await self.sessions.call(backend, called, arguments))
        except Invalid as error:
            return refused("invalid arguments", str(error), tool.id)
        except TimeoutError:
            return refused("exception", f"no answer within {backend.timeout:g} seconds", tool.id)
        except NotCalled as error:
            return refused("not called", str(error).rstrip("."), tool.id)
        except Failed as error:
            return refused("exception", str(error).rstrip("."), tool.id)
        except InputError:  # a credential is missing, which is nobody's business but the operator's
            return refused("not called", "its backend is not set up completely", tool.id)


def offered(
    store: Store, menu: Frozen, caller: Caller, only: FrozenItem | None = None
) -> list[Entry]:
    """The tools of a frozen menu that this caller can still call, as they were frozen."""
    wanted = [only] if only else list(menu.items)
    cards = visible_tools(store, [item.id for item in wanted], caller)
    gone = set(menu.withdrawn(cards))
    there = [item for item in wanted if item.id not in gone]
    specs = definitions(store, [item.id for item in there])
    items = [item.item(specs[item.id].description, specs[item.id].title) for item in there]
    return entries(items, menu.names, specs)


def definition(entry: Entry) -> Json:
    """A tool as `tools/list` shows it.

    Only MCP servers promise that results keep the schema; of an API it describes what is usual,
    and clients would refuse whatever differs.
    """
    found = mcp(entry)
    if (entry.spec.call or {}).get("format") != "mcp":
        found.pop("outputSchema", None)
    return found


def refused(outcome: Outcome, detail: str = "", tool: str | None = None) -> Made:
    """A call that did not work, in the words that every run gets."""
    found = standard(outcome, detail)
    return Made(_answer(found), tool=tool, reached=found.reached)


def said(outcome: Outcome, message: str, tool: str) -> Made:
    """A call that was not made, in words of its own."""
    text = json.dumps({"error": outcome, "message": message})
    return Made(_answer(Observation(outcome, text)), tool=tool)


def _answer(found: Observation, structured: object = None) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=found.text)],
        structured_content=structured,
        is_error=found.outcome != "ok",
    )


def _plain(tool: Tool, result: object) -> Made:
    """A result of HTTP: JSON or text."""
    found = observation(result)
    if found.outcome != "ok":
        return refused(found.outcome, tool=tool.id)
    short = isinstance(result, dict) and len(json.dumps(result)) <= MAX_RESULT
    return Made(_answer(found, result if short else None), result, True, tool.id, True)


def _passed_on(tool: Tool, came: CallToolResult) -> Made:
    """A result of an MCP server, as it came unless it is an error, empty or endless."""
    text = " ".join(block.text for block in came.content if isinstance(block, TextContent))
    if came.is_error:
        return refused(
            "exception", " ".join(text.split()).rstrip(".") or "it said no more", tool.id
        )
    if not text.strip() and not _holds(came):
        return refused("empty response", tool=tool.id)
    if len(came.model_dump_json()) > MAX_RESULT:
        return refused("exception", f"the answer is longer than {MAX_RESULT:,} characters", tool.id)
    result: Any = came.structured_content if came.structured_content is not None else _json(text)
    answer = CallToolResult(content=came.content, structured_content=came.structured_content)
    return Made(answer, result, True, tool.id, True)


def _holds(came: CallToolResult) -> bool:
    """Whether there is anything besides text; the SDK wraps a mere nothing into `result`."""
    said = came.structured_content
    inside = [*said.values()] if isinstance(said, dict) else [said]
    other = any(not isinstance(block, TextContent) for block in came.content)
    return other or any(value not in (None, "", [], {}) for value in inside)


def _json(text: str) -> object:
    """What a text says when it is JSON: its fields teach the trace, its values are not kept."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping | list) else None
