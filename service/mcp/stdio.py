"""MCP over standard input and output: one client, one caller, until the client hangs up."""

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from spm.registry.access.caller import Caller
from spm.registry.calling.backends import Backends
from spm.registry.menus import frozen
from spm.service.mcp.call_forwarding import Forwarding
from spm.service.mcp.menu_server import INSTRUCTIONS, MenuServer
from spm.service.mcp.registry_server import registry_server
from spm.service.mcp.trace_recording import Recorder
from spm.service.settings import ServiceSettings
from spm.service.state import Service

SECONDS = 60.0  # one client waits alone, and its first menu loads everything


def serve(location: str | None, caller: Caller) -> None:
    """Serve the registry's own tools; returns when standard input ends."""

    async def served() -> None:
        desk = _service(location)
        try:
            await converse(registry_server(desk, lambda context: caller))
        finally:
            desk.close()

    anyio.run(served)


def serve_menu(location: str | None, caller: Caller, menu: str, backends: Backends) -> None:
    """Serve one frozen menu; returns when standard input ends and the calls are recorded.

    Raises:
        UnknownMenu: there is none of that id for this caller.
    """

    async def served() -> None:
        desk = _service(location)
        try:
            known = (await desk.ask(lambda r: frozen.get(r.store, menu, caller))).menu
            forwarding, recorder = Forwarding(backends), Recorder(desk)
            made = MenuServer(
                desk, forwarding, recorder, lambda context: known.id, lambda context: caller
            )
            route = known.names.route(list(known.route))
            async with forwarding.sessions.running(), recorder.running():
                await converse(made.server(f"{INSTRUCTIONS} The route: {route}"))
        finally:
            desk.close()

    anyio.run(served)


def _service(location: str | None) -> Service:
    return Service(ServiceSettings(store=location, seconds=SECONDS))


async def converse(server: Server[Any]) -> None:
    """Speak until the other side hangs up."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
