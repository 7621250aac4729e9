"""One frozen menu as an MCP server: exactly its tools, in order, and calls that reach them."""

import logging
from collections.abc import Callable, Hashable
from importlib.metadata import version
from typing import Any

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from spm.registry.access.caller import Caller
from spm.registry.errors import SpmError
from spm.registry.menus import frozen
from spm.registry.menus.frozen import Frozen
from spm.registry.registry import Registry
from spm.service.mcp import approvals
from spm.service.mcp.call_forwarding import Forwarding, Made, definition, offered, refused, said
from spm.service.mcp.registry_calls import RegistryCalls
from spm.service.mcp.registry_server import refused as not_called
from spm.service.mcp.registry_server import told
from spm.service.mcp.trace_recording import Recorder
from spm.service.problems import Problem

log = logging.getLogger("spm.service.mcp")
Context = ServerRequestContext[Any, Any]
INSTRUCTIONS = (
    "The tools of one menu, in the order in which they can run; each tool's _meta has its rank. "
    "Tools that cannot be undone wait for a person."
)


class MenuServer:
    """Serves frozen menus; which one, and who asks, is decided for every request."""

    def __init__(
        self,
        desk: RegistryCalls,
        forwarding: Forwarding,
        recorder: Recorder,
        menu_of: Callable[[Context], str],
        caller_of: Callable[[Context], Caller],
        session_of: Callable[[Context], str] = lambda context: "",
        may_call: Callable[[Context], str] = lambda context: "",
    ) -> None:
        """Prepare.

        Args:
            desk: where the registry is asked.
            forwarding: who runs tools.
            recorder: who remembers calls.
            menu_of: the id of the menu that a request is for.
            caller_of: who asks.
            session_of: what the calls of one run have in common.
            may_call: why who asks may not call tools; empty when they may.
        """
        self._desk, self._forwarding, self._recorder = desk, forwarding, recorder
        self._menu_of, self._caller_of, self._session_of = menu_of, caller_of, session_of
        self._may_call = may_call

    def server(self, instructions: str = INSTRUCTIONS) -> Server[Any]:
        """The server, for any transport."""
        return Server(
            "spm-menu",
            version=version("spm-registry"),
            title="A menu of spm",
            instructions=instructions,
            # The SDK would list all tools before each call, to look for arguments in headers.
            get_tool_input_schema=lambda name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del params
        menu, caller = self._menu_of(context), self._caller_of(context)

        def work(registry: Registry) -> dict[str, Any]:
            known = frozen.get(registry.store, menu, caller).menu
            tools = [definition(entry) for entry in offered(registry.store, known, caller)]
            said = {
                "spm/menu": known.id,
                "spm/route": known.names.route(list(known.route)),
                "spm/withdrawn": len(known.items) - len(tools),
            }
            return {"tools": tools, "_meta": said}

        try:
            return ListToolsResult.model_validate(await self._desk.ask(work))
        except frozen.UnknownMenu:
            return ListToolsResult(tools=[])
        except (SpmError, Problem) as error:
            raise MCPError(INTERNAL_ERROR, told(error)) from error

    async def _call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        if why := self._may_call(context):
            return not_called(why)
        try:
            made = await self._called(context, params)
        except (SpmError, Problem) as error:
            log.warning("A call failed: %s", error)
            made = refused("exception", told(error))
        except Exception:  # whatever it is, the client gets an answer and no words of this machine
            log.exception("A call failed")
            made = refused("exception", "the service failed")
        return made.answer if isinstance(made, Made) else made

    async def _called(
        self, context: Context, params: CallToolRequestParams
    ) -> Made | InputRequiredResult:
        menu, caller = self._menu_of(context), self._caller_of(context)
        arguments = params.arguments or {}
        known, ready = await self._desk.ask(
            lambda registry: self._checked(registry, menu, caller, params.name, arguments)
        )
        if known is None or isinstance(ready, Made):
            return self._noted(context, known, caller, arguments, ready)
        tool = ready.tool
        if tool.spec.effects == "destructive":
            verdict = await approvals.decide(
                context, params, self._desk, menu, tool.id, elicit=ready.elicits
            )
            if isinstance(verdict, InputRequiredResult):
                return verdict
            if not verdict:
                told = approvals.refusal(menu, tool.id, arguments)
                return self._noted(
                    context, known, caller, arguments, said("declined", told, tool.id)
                )
        made = await self._forwarding.make(ready, arguments)
        return self._noted(context, known, caller, arguments, made)

    def _checked(
        self, registry: Registry, menu: str, caller: Caller, name: str, arguments: dict[str, Any]
    ) -> tuple[Frozen | None, Any]:
        try:
            known = frozen.get(registry.store, menu, caller).menu
        except frozen.UnknownMenu:
            return None, refused("missing tool", repr(name))
        return known, self._forwarding.ready(registry.store, known, caller, name, arguments)

    def _noted(
        self, context: Context, known: Frozen | None, caller: Caller, arguments: Any, made: Made
    ) -> Made:
        """The same, written down: only calls that reached a tool are part of a trajectory."""
        if known is not None and made.tool is not None:
            key: Hashable = (known.id, caller.team, self._session_of(context))
            if made.reached:
                self._recorder.note(key, known, made.tool, arguments, made.result, made.ok)
            else:
                self._recorder.touch(key)
        return made
