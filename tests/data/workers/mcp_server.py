"""A real MCP server for the tests, and some that misbehave: python mcp_server.py MODE."""

import socket
import sys
import time

from typing_extensions import TypedDict


class Order(TypedDict):
    order_id: str
    total: float


class Receipt(TypedDict):
    receipt_id: str
    order: Order


def build():
    from mcp.server.mcpserver import MCPServer
    from mcp_types import ToolAnnotations

    server = MCPServer("test/shop", version="1.0")

    @server.tool(title="Find an order", annotations=ToolAnnotations(read_only_hint=True))
    def find_order(customer_id: str, newest: bool = True) -> Order:
        """Find an order of a customer."""
        return {"order_id": customer_id, "total": float(newest)}

    @server.tool(annotations=ToolAnnotations(destructive_hint=False))
    def create_receipt(order_id: str) -> Receipt:
        """Make a receipt."""
        return {"receipt_id": "1", "order": {"order_id": order_id, "total": 1.0}}

    @server.tool()
    def get_customer_email(customer_id: str) -> str:
        """The address of a customer."""
        return f"{customer_id}@example.com"

    return server


def paged():
    """Three pages of one tool each, and then the same cursor for ever."""
    from mcp.server.lowlevel import Server
    from mcp_types import ListToolsResult, Tool

    async def list_tools(context, params):
        page = int(params.cursor or 0) if params else 0
        tool = Tool(name=f"tool_{page}", input_schema={"type": "object"})
        return ListToolsResult(tools=[tool], next_cursor=str(min(page + 1, 2)))

    return Server("paged", on_list_tools=list_tools)


def serve_http(server):
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    uvicorn.Server(config).run(sockets=[listener])


def serve_lowlevel(server):
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve():
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def main(mode):
    if mode == "dies":
        sys.exit("the database is gone")
    if mode == "hangs":
        time.sleep(600)
    if mode == "garbage":
        print("<html>this is no MCP server</html>", flush=True)
        time.sleep(600)
    if mode == "chatty":
        print("Welcome to the shop!", flush=True)
    if mode == "paged":
        serve_lowlevel(paged())
    elif mode == "http":
        serve_http(build())
    else:
        build().run("stdio")


if __name__ == "__main__":
    main(sys.argv[1])
