"""One frozen menu as an MCP server, and a client that lists it and follows its route.

    python examples/mcp_client.py --have order_id=4821 "Email the receipt for order 4821"

The client starts the server (this file with --serve) over stdio; point any other host at the same
command. There is no model here: arguments come from --have and from earlier results.
"""

import argparse
import json
import os
import shlex
import sys
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent
from shop import Run, answer

import spm


def server(menu: spm.Menu) -> Server[Any]:
    """A server of exactly the tools of a menu, in order; each tool's `_meta` has its rank."""
    listed = ListToolsResult.model_validate(menu.to("mcp"))
    names, specs = menu.names("mcp"), menu.definitions()

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return listed

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        tool = names.get(params.name)  # the way back from name to tool
        spec = specs.get(tool or "")
        known = {"error": f"the menu has no tool {params.name!r}"}
        result = answer(spec, params.arguments or {}) if spec else known
        return CallToolResult(
            content=[TextContent(type="text", text=json.dumps(result))],
            structured_content=result,
            is_error="error" in result,
            _meta={"spm/tool": tool},
        )

    return Server("menu", on_list_tools=list_tools, on_call_tool=call_tool)


async def offer(store: str | None, request: str) -> None:
    """Build the menu once and serve it over stdio."""
    with spm.open(store) as registry:
        made = server(registry.menu(request))
    async with stdio_server() as (reading, writing):
        await made.run(reading, writing, made.create_initialization_options())


async def follow(command: list[str], run: Run, values: dict[str, Any]) -> bool:
    """List the menu and call its route; False when a step could not run."""
    started = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(started)) as client:
        tools = (await client.list_tools()).tools
        for tool in sorted(tools, key=lambda tool: (tool.meta or {})["spm/rank"]):
            about = tool.meta or {}
            print(about["spm/rank"], about["spm/role"], tool.name, file=sys.stderr)
            if about["spm/role"] == "backup":
                continue
            wanted = tool.input_schema.get("properties", {})
            arguments = {name: values[name] for name in wanted if name in values}
            if about["spm/review"] and not run.approved(tool.name, arguments):
                return False
            result = await client.call_tool(tool.name, arguments)
            ran = (result.meta or {}).get("spm/tool") or tool.name
            found = run.record(ran, arguments, result.structured_content)
            if result.is_error:
                return False
            values |= found
    return True


def main() -> None:
    """Follow a menu's route, or serve the menu."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("request", help="what the menu is for, in quotes")
    options.add_argument("--store", help="a folder or a Neo4j address; default: as spm itself")
    options.add_argument("--serve", action="store_true", help="be the server")
    options.add_argument("--command", help="how to start another server of a menu")
    options.add_argument("--have", action="append", default=[], help="a known value: FIELD=VALUE")
    options.add_argument("--yes", action="store_true", help="run destructive tools unasked")
    given = options.parse_args()
    if given.serve:
        anyio.run(offer, given.store, given.request)
        return
    where = ["--store", given.store] if given.store else []
    itself = [sys.executable, __file__, "--serve", *where, given.request]
    values = dict(pair.split("=", 1) for pair in given.have)
    run = Run(given.request, "examples/mcp_client.py", given.yes)
    command = shlex.split(given.command) if given.command else itself
    finished = anyio.run(follow, command, run, values)
    if run.steps:
        print(run.trace(finished=finished))
    raise SystemExit(not finished)


if __name__ == "__main__":
    main()
