"""A real MCP backend for the tests of forwarding: python mcp_shop.py stdio|http LOG.

Every call is written to LOG, so that tests can tell what really reached it.
"""

import json
import sys
from pathlib import Path

from mcp_server import serve_http  # type: ignore[import-not-found]  # beside this script
from typing_extensions import TypedDict


class Payment(TypedDict):
    payment_id: str


def build(log):
    import os

    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import ToolAnnotations

    server = MCPServer("pay", version="1.0")
    reads = ToolAnnotations(read_only_hint=True)

    def note(**said):
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")

    @server.tool(annotations=reads)
    def find_payment(order_id: str) -> Payment:
        """Find the payment of an order."""
        note(tool="find_payment", order_id=order_id)
        return {"payment_id": f"pay-{order_id}"}

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    def refund_payment(payment_id: str) -> str:
        """Give the money of a payment back. Cannot be undone."""
        note(tool="refund_payment", payment_id=payment_id)
        return f"refunded {payment_id}"

    @server.tool(annotations=reads)
    def broken_payment(payment_id: str) -> str:
        """Always fails."""
        raise ToolError("the ledger is closed")

    @server.tool(annotations=reads)
    def silent_payment(payment_id: str) -> str:
        """Says nothing."""
        return ""

    @server.tool(annotations=reads)
    def dying_payment(payment_id: str) -> str:
        """Takes the whole server down."""
        note(tool="dying_payment")
        os._exit(1)

    return server


def main(mode: str, log: str) -> None:
    server = build(Path(log))
    serve_http(server) if mode == "http" else server.run("stdio")


if __name__ == "__main__":
    main(*sys.argv[1:])
