"""Tool names that callers write: the command line, HTTP and MCP resolve them by one rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.service.mcp.registry_server import registry_server
from spm.service.settings import ServiceSettings
from spm.service.state import Service
from tests.data.visibility import run_command
from tests.support.serving import Visitor, serving

TOOLS: dict[str, Any] = {
    "spm": 1,
    "service": "shop",
    "tools": [
        {"name": "find_order", "description": "Find an order", "outputs": [{"name": "order_id"}]},
        {
            "name": "cancel_order",
            "description": "Cancel an order",
            "effects": "write",
            "inputs": [{"name": "order_id"}],
            "outputs": [{"name": "receipt_id"}],
        },
        {"name": "audit", "description": "Audit", "visibility": "private", "owner": "b"},
        {"name": "pay", "description": "Pay", "scopes": ["money"]},
    ],
}
READER = Caller("a", ("mail",), read_only=True)
OPTIONS = ["--as", "a", "--scopes", "mail", "--read-only"]
REQUEST = "Find the order and cancel it"


@dataclass(frozen=True)
class Doors:
    """The same question at each of the three; answers are decoded JSON, or None for unknown."""

    client: Visitor
    secret: str
    store: str

    def menus(self, **question: Any) -> list[Any]:
        """What the command line, HTTP and MCP answer."""
        return [self.cli(question), self.http(question), self.mcp(question)]

    def cli(self, question: dict[str, Any]) -> Any:
        options = [word for name in question.get("done", ()) for word in ("--done", name)]
        options += ["--why-not", question["tool"]] if "tool" in question else []
        command = ["menu", REQUEST, "--json", *options, *OPTIONS, "--store", self.store]
        code, out, err = run_command(command)
        assert code == 0 or b"No tool named" in err, err
        return json.loads(out) if code == 0 else None

    def http(self, question: dict[str, Any]) -> Any:
        path = "/v1/menus/why-not" if "tool" in question else "/v1/menus"
        headers = {"Authorization": f"Bearer {self.secret}"}
        answer = self.client.post(path, json={"request": REQUEST, **question}, headers=headers)
        assert answer.status_code in (200, 404), answer.text
        return answer.json() if answer.status_code == 200 else None

    def mcp(self, question: dict[str, Any]) -> Any:
        async def ask() -> Any:
            server = registry_server(self.client.service, lambda context: READER)
            async with mcp.Client(server) as client:
                tool = "explain_menu" if "tool" in question else "build_menu"
                return await client.call_tool(tool, {"request": REQUEST, **question})

        answer = anyio.run(ask)
        assert not answer.is_error or "No tool named" in answer.content[0].text
        if answer.is_error:
            return None
        found = answer.structured_content
        return found["why_not"] if "tool" in question else found


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, encoder: Any) -> Iterator[Doors]:
    folder: Path = tmp_path_factory.mktemp("names") / "store"
    with Registry.open(str(folder)) as registry:
        registry.register(Manifest.model_validate(TOOLS))
        registry.encode(encoder)
        secret = api_tokens.create(registry.store, "reader", READER)[0]
    with serving(Service(ServiceSettings(store=str(folder)))) as client:
        yield Doors(client, secret, str(folder))


@pytest.mark.parametrize("name", ["cancel_order", "shop/cancel_order", "cancelOrder"])
def test_who_may_only_read_may_say_what_ran(doors: Doors, name: str) -> None:
    """Its outputs are known then, and the menu is the same everywhere."""
    found = doors.menus(done=[name])
    for menu in found:
        assert [item["id"] for item in menu["items"]] == ["shop/find_order"]
        assert "receipt_id" in menu["state"]
    assert found[0]["items"] == found[1]["items"] == found[2]["items"]


def test_the_operator_may_say_that_a_withdrawn_tool_ran(tmp_path: Path, encoder: Any) -> None:
    old: dict[str, Any] = {"name": "old", "description": "Old", "status": "deprecated"}
    old["outputs"] = [{"name": "parcel_id"}]
    with Registry.open(str(tmp_path)) as registry:
        registry.register(Manifest.model_validate({**TOOLS, "tools": [*TOOLS["tools"], old]}))
        registry.encode(encoder)
        assert registry.menu(REQUEST, done=["old"]).state == ["parcel_id"]


@pytest.mark.parametrize("name", ["audit", "shop/audit", "pay", "nothing"])
def test_what_is_hidden_otherwise_cannot_be_named(doors: Doors, name: str) -> None:
    assert doors.menus(done=[name]) == [None, None, None]


def test_who_may_only_read_learns_why_a_tool_that_writes_is_absent(doors: Doors) -> None:
    found = doors.menus(tool="cancel_order")
    assert found[0] == found[1] == found[2]
    assert found[0]["reasons"] == ["Its effects are write."]


@pytest.mark.parametrize(("name", "reason"), [("audit", "visible to b only"), ("pay", "money")])
def test_only_the_operator_learns_why_a_hidden_tool_is_absent(
    doors: Doors, name: str, reason: str
) -> None:
    """At the command line `--as` says whose menu it is, not who asks."""
    operator, *others = doors.menus(tool=name)
    assert reason in operator["reasons"][0]
    assert others == [None, None]


@pytest.mark.parametrize("path", ["tools/cancel_order", "impact/cancel_order", "paths?to=audit"])
def test_every_other_name_is_one_of_a_visible_tool(doors: Doors, path: str) -> None:
    headers = {"Authorization": f"Bearer {doors.secret}"}
    assert doors.client.get(f"/v1/{path}", headers=headers).status_code == 404
