"""Malformed frames on every MCP endpoint: an answer each time, never a 5xx, never a leak."""

import json
import shutil
import sys
from copy import copy

import anyio
import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.catalog.fields import canonical
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.data.frames import body, frame, headers
from tests.integration.mcp.test_mcp_http import running

CANARY = "zebrafinch"


@pytest.fixture(scope="module")
def asked(backed_once, tmp_path_factory, encoder):
    """A site with a tool, a field and a frozen menu of another team, all named after a bird."""
    folder = tmp_path_factory.mktemp("frames")
    backed = copy(backed_once)
    backed.store = shutil.copytree(backed_once.store, folder / "store")
    tool = {
        "name": f"{CANARY}_tool", "description": f"Hidden {CANARY}.", "owner": "b",
        "visibility": "team", "inputs": [{"name": f"{CANARY}_id"}],
        "outputs": [{"name": f"{CANARY}_out"}],
    }  # fmt: skip
    with Registry.open(str(backed.store)) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": CANARY, "tools": [tool]}))
        registry.encode(encoder)
        secret = api_tokens.create(registry.store, "bot", Caller("a"), may=("read", "call"))[0]
    with pytest.MonkeyPatch.context() as patch, running(backed, patch, folder) as site:
        bearer = {"Authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=site.url, headers=bearer, timeout=60) as client:
            yield client, ("/mcp", site.menu)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["POST", "POST", "POST", "DELETE", "GET", "PUT"]),
       at=st.integers(0, 1), body=body, headers=headers)  # fmt: skip
def test_no_frame_breaks_or_leaks(asked, method, at, body, headers):
    client, paths = asked
    answer = client.request(method, paths[at], content=body, headers=headers)
    assert answer.status_code < 500, (answer.status_code, body, headers)
    assert CANARY not in answer.text
    assert CANARY not in str(answer.headers)


NAMES = [f"{CANARY}_tool", f"{CANARY}/{CANARY}_tool", f"{CANARY}_to", f"{CANARY}_id"]


@pytest.mark.parametrize("name", NAMES)
def test_who_asks_for_another_teams_tool_by_name_learns_nothing(asked, name):
    client, paths = asked
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    questions = [
        ("build_menu", {"request": name, "done": [name]}),
        ("build_menu", {"request": name, "state": [name], "format": "mcp"}),
        ("find_path", {"to": name}),
        ("find_path", {"to": "refund_payment", "have": [name]}),
        ("find_path", {"from": name, "to": "refund_payment"}),
        ("explain_menu", {"request": "x", "tool": name}),
        ("search_tools", {"query": name}),
        ("search_tools", {"query": "x", "service": name, "family": name}),
        ("search_tools", {"query": "x", "menu": name}),
        (name, {}),
    ]
    for tool, arguments in questions:
        frame = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta},
        }  # fmt: skip
        routing = {"Mcp-Method": "tools/call", "Mcp-Name": tool}
        kinds = {"Accept": "application/json, text/event-stream",
                 "MCP-Protocol-Version": "2026-07-28", **routing}  # fmt: skip
        answer = client.post(paths[0], json=frame, headers=kinds)
        assert answer.status_code == 200, answer.text
        # What was asked for may be repeated, as it came or folded; nothing else may be said.
        said = answer.text.replace(name, "").replace(canonical(name), "").lower()
        assert CANARY not in said, answer.text


def test_the_child_process_outlives_what_it_is_sent(backed):
    """Every line that it writes is JSON-RPC, and after all the noise it still answers."""
    noise: list[str] = []

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(frame)
    def collect(value):
        noise.append(json.dumps(value))

    collect()
    noise += ["", "{", "null", "[]", '"x"', "[" * 2_000, '{"id": 1e999}', "\x00"]

    async def talk():
        command = [sys.executable, "-m", "spm.cli", "mcp", "--store", str(backed.store)]
        opening = {
            "jsonrpc": "2.0", "id": "open", "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }  # fmt: skip
        last = {"jsonrpc": "2.0", "id": "last", "method": "tools/list"}
        begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        lines = [json.dumps(opening), json.dumps(begun), *noise, json.dumps(last)]
        async with await anyio.open_process(command) as process:
            assert process.stdin
            assert process.stdout
            found, rest = [], b""
            with anyio.fail_after(60):
                await process.stdin.send(("\n".join(lines) + "\n").encode("utf-8", "replace"))
                async for piece in process.stdout:
                    *whole, rest = (rest + piece).split(b"\n")
                    found += [json.loads(line) for line in whole]
                    if any(message.get("id") == "last" for message in found):
                        break
                await process.stdin.aclose()
                code = await process.wait()
            return found, code

    found, code = anyio.run(talk)
    by_id = {str(message.get("id")): message for message in found}
    assert by_id["open"]["result"]["protocolVersion"] == "2025-06-18"
    assert len(by_id["last"]["result"]["tools"]) == 4
    assert all(message["jsonrpc"] == "2.0" for message in found)
    assert code == 0
