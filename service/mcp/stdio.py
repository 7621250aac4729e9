"""MCP over standard input and output: one client, one caller, until the client hangs up."""

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from spm.registry.access import Caller
from spm.service.mcp.desk import OwnDesk
from spm.service.mcp.server import registry_server


def serve(location: str | None, caller: Caller) -> None:
    """Serve the registry's own tools; returns when standard input ends."""

    async def served() -> None:
        desk = OwnDesk(location)
        try:
            await converse(registry_server(desk, lambda context: caller))
        finally:
            await desk.close()

    anyio.run(served)


async def converse(server: Server[Any]) -> None:
    """Speak until the other side hangs up."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
