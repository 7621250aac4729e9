"""The registry as an MCP server, asked by the SDK's own client over a real child process."""

import sys
from typing import Any

import anyio
import mcp
from jsonschema import Draft202012Validator

from spm.registry import demo


def talk(store: Any, what: Any, *options: str, mode: str = "auto", **more: Any) -> Any:
    """Start `spm mcp` and have a conversation with it."""

    async def conversation() -> Any:
        command = [sys.executable, "-m", "spm.cli", "mcp", "--store", str(store), *options]
        server = mcp.StdioServerParameters(command=command[0], args=command[1:])
        with anyio.fail_after(60):
            async with mcp.Client(server, mode=mode, **more) as client:
                return await what(client)

    return anyio.run(conversation)


def test_four_tools_with_schemas_for_both_directions(shop_copy):
    async def ask(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["build_menu", "find_path", "explain_menu", "search_tools"]
        for name, arguments in {
            "build_menu": {"request": demo.REQUEST, "k": 6, "format": "tool-reference"},
            "find_path": {"to": "send_email_receipt", "have": ["order_id"]},
            "explain_menu": {"request": demo.REQUEST, "tool": "cancel_order"},
            "search_tools": {"query": "refund an order", "limit": 3, "format": "anthropic"},
        }.items():
            Draft202012Validator.check_schema(tools[name].input_schema)
            Draft202012Validator(tools[name].input_schema).validate(arguments)
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
            assert answer.content[0].text
            Draft202012Validator(tools[name].output_schema).validate(answer.structured_content)
        menu = await client.call_tool("build_menu", {"request": demo.REQUEST, "k": 6})
        return client.protocol_version, menu.structured_content

    version, menu = talk(shop_copy, ask)
    assert version == "2026-07-28"
    assert menu["route"][-1] == "messaging/send_email_receipt"
    assert [item["rank"] for item in menu["items"]] == list(range(1, 7))
