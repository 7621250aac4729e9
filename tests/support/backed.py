"""A registry whose tools have real backends, and clients with a person behind them."""

import json
import shutil
import sys
from copy import copy
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp_types import ElicitResult

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.rules import visible_tools
from spm.registry.calling.backends import Backends
from spm.registry.importers.mcp import read_mcp_server
from spm.registry.importers.openapi import read_openapi
from spm.registry.menus import frozen
from spm.registry.menus.menu import Ask, Menu, MenuItem
from spm.registry.registry import Registry
from spm.service.mcp.call_forwarding import Forwarding
from spm.service.mcp.menu_server import MenuServer
from spm.service.mcp.trace_recording import Recorder
from spm.service.settings import ServiceSettings
from spm.service.state import Service
from tests.data.scripted_http import api

SHOP = Path(__file__).parents[1] / "data" / "workers" / "mcp_shop.py"
REQUEST = "Refund order 7"
ROUTE = ["orders/getOrder", "pay/find_payment", "pay/refund_payment"]
TOOLS = [*ROUTE, "pay/broken_payment", "pay/silent_payment", "pay/dying_payment"]
A = Caller("a")
TEXT = {"type": "string"}
ORDERS = {
    "openapi": "3.1.0",
    "info": {"title": "orders", "version": "1"},
    "servers": [{"url": "https://orders.example/v1"}],
    "paths": {
        "/orders/{order_id}": {
            "get": {
                "operationId": "getOrder",
                "parameters": [
                    {"name": "order_id", "in": "path", "required": True, "schema": TEXT},
                    {"name": "expand", "in": "query", "schema": {"type": "array"}},
                    {"name": "X-Trace", "in": "header", "schema": TEXT},
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "content": {
                            "application/json": {
                                "schema": {"type": "object", "properties": {"order_id": TEXT}}
                            }
                        },
                    }
                },
            }
        }
    },
}


class Setting:
    """A store with tools of two real backends, and one frozen menu of team a."""

    def __init__(self, folder, server, encoder):
        self.store, self.api, self.log = folder / "store", server, folder / "log.jsonl"
        self.command = [sys.executable, str(SHOP), "stdio", str(self.log)]
        with Registry.open(str(self.store)) as registry:
            registry.add(read_openapi(ORDERS, "orders.json"))
            registry.add(read_mcp_server(f"mcp+stdio:{' '.join(self.command)}"))
            registry.encode(encoder)
            self.menu = self.frozen(registry)
        self.backends = Backends.model_validate(
            {
                "services": {
                    "orders": {"http": {"base_url": f"{server.url}/v1", "auth_env": "ORDERS_KEY"}},
                    "pay": {"mcp": {"command": self.command}, "approve": "elicitation"},
                }
            }
        )

    def frozen(self, registry, caller=A):
        cards = visible_tools(registry.store, TOOLS, EVERYTHING)
        items = [
            MenuItem(
                rank, tool, cards[tool]["name"], "", "",
                "target" if tool == ROUTE[-1] else "backup", cards[tool]["effects"], {}, [], 0.0, {}
            )
            for rank, tool in enumerate(TOOLS, 1)
        ]  # fmt: skip
        menu = Menu(REQUEST, [], ROUTE, items, "prior", "", 0, 0.0, 1)
        return frozen.freeze(registry.store, Ask(REQUEST, caller=caller), menu).menu.id

    def talk(self, what, caller=A, menu=None, mode="auto", **client):
        """Have a conversation with the menu, in this process; the backends are real."""

        async def conversation():
            service = Service(ServiceSettings(store=str(self.store), seconds=60))
            forwarding, recorder = Forwarding(self.backends), Recorder(service)
            server = MenuServer(
                service, forwarding, recorder, lambda _: menu or self.menu, lambda _: caller
            ).server()
            try:
                with anyio.fail_after(60):
                    async with forwarding.sessions.running(), recorder.running():
                        async with Client(server, mode=mode, **client) as opened:
                            return await what(opened)
            finally:
                service.close()

        return anyio.run(conversation)

    def call(self, name, arguments, **how):
        """One call; the result and what its text says."""

        async def once(client):
            return await client.call_tool(name, arguments)

        found = self.talk(once, **how)
        text = found.content[0].text
        return found, json.loads(text) if text.startswith("{") else text

    def reached(self):
        """What the MCP backend was really asked."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def accept(answer):
    """A client with a person behind it."""
    seen = []

    async def ask(context, params):
        seen.append(params.message)
        return answer

    return {"elicitation_callback": ask}, seen


YES = ElicitResult(action="accept", content={"approve": True})


@pytest.fixture(scope="module")
def backed_once(tmp_path_factory, encoder):
    with api() as server:
        yield Setting(tmp_path_factory.mktemp("menus"), server, encoder)


@pytest.fixture
def backed(backed_once, tmp_path, monkeypatch):
    """A copy whose registry a test may change."""
    monkeypatch.setenv("ORDERS_KEY", "k-secret")
    backed_once.log.write_text("")
    backed_once.api.requests.clear()
    backed_once.api.replies.clear()
    backed_once.api.pause = 0.0
    found = copy(backed_once)
    found.store = shutil.copytree(backed_once.store, tmp_path / "store")
    return found
