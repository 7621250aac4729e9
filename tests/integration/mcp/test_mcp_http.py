"""MCP over streamable HTTP: the SDK's client against the service, with tokens and sessions."""

import json
import threading
import time
from contextlib import contextmanager

import anyio
import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.errors import StoreLocked
from spm.registry.registry import Registry
from spm.service.app import create_app
from spm.service.settings import ServiceSettings
from spm.service.state import Service
from tests.support.backed import ROUTE, TOOLS, YES, accept

MENU = {"request": "Refund order 7", "k": 4}


class Site:
    """A server on the loopback, and tokens for it."""

    def __init__(self, backed, port):
        self.backed, self.url = backed, f"http://127.0.0.1:{port}"
        self.menu = f"/menus/{backed.menu}/mcp"

    def token(self, team="a", may=("read", "call"), **caller):
        who, name = Caller(team, **caller), f"bot-{time.monotonic_ns()}"
        until = time.monotonic() + 60
        while True:
            try:
                with Registry.open(str(self.backed.store)) as registry:
                    return api_tokens.create(registry.store, name, who, may=may)[0]
            except StoreLocked:  # the service records a run just now
                assert time.monotonic() < until
                time.sleep(0.1)

    def talk(self, path, what, token=None, mode="auto", **more):
        async def conversation():
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            with anyio.fail_after(60):
                async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                    transport = streamable_http_client(self.url + path, http_client=http)
                    async with Client(transport, mode=mode, **more) as client:
                        return await what(client)

        return anyio.run(conversation)

    def ask(self, method, path, token=None, **more):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= more.pop("headers", {})
        return httpx.request(method, self.url + path, headers=headers, timeout=60, **more)


@contextmanager
def running(backed, monkeypatch, tmp_path, **settings):
    file = tmp_path / "backends.yaml"
    file.write_text(json.dumps(backed.backends.model_dump(mode="json", exclude_defaults=True)))
    monkeypatch.setenv("SPM_BACKENDS", str(tmp_path / "nowhere.yaml"))  # the setting goes before
    told = ServiceSettings(store=str(backed.store), backends=str(file), seconds=60, **settings)
    service = Service(told)
    config = uvicorn.Config(create_app(service), port=0, log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Site(backed, server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def site(backed, monkeypatch, tmp_path):
    with running(backed, monkeypatch, tmp_path) as found:
        yield found


def opening(version):
    """The first frame of an older client."""
    who = {"name": "t", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": who}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


async def names(client):
    return client.protocol_version, [tool.name for tool in (await client.list_tools()).tools]


def test_the_registry_and_a_menu_in_both_eras(site):
    token = site.token()
    offered = ["build_menu", "find_path", "explain_menu", "search_tools"]
    listed = [tool.partition("/")[2] for tool in TOOLS]
    for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
        assert site.talk("/mcp", names, token, mode) == (version, offered)
        assert site.talk(site.menu, names, token, mode) == (version, listed)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_older_versions_are_agreed_on_as_they_are_asked_for(site, version):
    kinds = {"Accept": "application/json, text/event-stream"}
    for path in ("/mcp", site.menu):
        answer = site.ask("POST", path, site.token(), json=opening(version), headers=kinds)
        text = answer.text.partition("data: ")[2] or answer.text
        assert json.loads(text)["result"]["protocolVersion"] == version


def test_a_menu_is_frozen_and_served_over_http_alone(site):
    token = site.token()
    made = site.ask("POST", "/v1/menus/frozen", token, json=MENU)
    assert made.status_code == 201, made.text
    menu = made.json()
    again = site.ask("POST", "/v1/menus/frozen", token, json=MENU).json()
    assert again["id"] == menu["id"]
    _, listed = site.talk(menu["mcp"], names, token)
    assert listed == [item["alias"] for item in menu["items"]]
    rows = site.ask("GET", "/v1/menus/frozen", token).json()
    assert {row["id"] for row in rows} == {menu["id"], site.backed.menu}
    assert site.ask("GET", f"/v1/menus/frozen/{menu['id']}", token).json() == again
    assert site.ask("DELETE", f"/v1/menus/frozen/{menu['id']}", token).status_code == 204
    assert site.ask("GET", f"/v1/menus/frozen/{menu['id']}", token).status_code == 404
    assert site.ask("POST", menu["mcp"], token, json={}).status_code == 404


def test_another_team_finds_neither_menu_nor_route(site):
    other = site.token("b")
    for method, path in (
        ("GET", f"/v1/menus/frozen/{site.backed.menu}"),
        ("DELETE", f"/v1/menus/frozen/{site.backed.menu}"),
        ("GET", f"/v1/menus/frozen/{site.backed.menu}/search?q=refund"),
        ("POST", site.menu),
    ):
        answer = site.ask(method, path, other, **({"json": {}} if method == "POST" else {}))
        assert answer.status_code == 404, path
        assert "refund_payment" not in answer.text
    assert site.ask("GET", "/v1/menus/frozen", other).json() == []
    assert site.ask("POST", site.menu, "spm_nonsense", json={}).status_code == 401


def test_a_call_needs_the_permission_to_call(site):
    async def call(client):
        return await client.call_tool("find_payment", {"order_id": "7"})

    looks = site.talk(site.menu, call, site.token(may=("read",)))
    assert looks.is_error
    assert "'call'" in looks.content[0].text
    assert site.backed.reached() == []
    calls = site.talk(site.menu, call, site.token())
    assert calls.structured_content == {"payment_id": "pay-7"}
    (asked,) = site.backed.reached()
    assert asked == {"tool": "find_payment", "order_id": "7"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_person_is_asked_over_http(site, mode):
    async def call(client):
        return await client.call_tool("refund_payment", {"payment_id": "p1"})

    how, seen = accept(YES)
    assert not site.talk(site.menu, call, site.token(), mode, **how).is_error
    assert len(seen) == 1
    how, _ = accept(ElicitResult(action="decline"))
    assert site.talk(site.menu, call, site.token(), mode, **how).is_error
    assert len(site.backed.reached()) == 1


def test_several_workers_keep_no_sessions_and_refuse_what_they_cannot_ask(
    backed, monkeypatch, tmp_path
):
    async def call(client):
        return await client.call_tool("refund_payment", {"payment_id": "p1"})

    with running(backed, monkeypatch, tmp_path, workers=2) as site:
        how, seen = accept(YES)
        old = site.talk(site.menu, call, site.token(), "legacy", **how)
        assert old.is_error
        assert "spm menus approve" in old.content[0].text
        assert seen == []
        assert not site.talk(site.menu, call, site.token(), "auto", **how).is_error
        assert len(seen) == 1


def test_a_session_is_of_one_token_and_one_menu(site):
    kinds = {"Accept": "application/json, text/event-stream"}
    token = site.token()
    opened = site.ask("POST", site.menu, token, json=opening("2025-11-25"), headers=kinds)
    mine = {**kinds, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert site.ask("POST", site.menu, token, json=ready, headers=mine).status_code == 202
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    for stranger in (site.token(), site.token("b")):
        answer = site.ask("POST", site.menu, stranger, json=listing, headers=mine)
        assert answer.status_code == 404
    other = site.ask("POST", "/v1/menus/frozen", token, json=MENU).json()["mcp"]
    assert site.ask("POST", other, token, json=listing, headers=mine).status_code == 404
    assert site.ask("POST", site.menu, token, json=listing, headers=mine).status_code == 200


def test_too_many_sessions_are_sent_away_politely(backed, monkeypatch, tmp_path):
    monkeypatch.setattr("spm.service.mcp.http.SESSIONS", 1)
    with running(backed, monkeypatch, tmp_path) as site:
        token, kinds = site.token(), {"Accept": "application/json, text/event-stream"}
        first = site.ask("POST", site.menu, token, json=opening("2025-11-25"), headers=kinds)
        assert first.status_code == 200
        second = site.ask("POST", site.menu, token, json=opening("2025-11-25"), headers=kinds)
        assert second.status_code == 429
        assert second.headers["retry-after"] == "60"


def test_the_end_of_a_session_and_of_the_service_record_runs(backed, monkeypatch, tmp_path):
    async def call(client):
        await client.call_tool("find_payment", {"order_id": "7"})

    def recorded():
        with Registry.open(str(backed.store)) as registry:
            return len(registry.cypher("MATCH (j:Trajectory) RETURN j.id AS id").rows)

    with running(backed, monkeypatch, tmp_path) as site:
        token = site.token()
        site.talk(site.menu, call, token, "legacy")  # ends with a DELETE
        until = time.monotonic() + 60
        while recorded() < 1 and time.monotonic() < until:
            time.sleep(0.2)
        assert recorded() == 1
        site.talk(site.menu, call, token, "auto")  # has no session that could end
        assert recorded() == 1
    assert recorded() == 2


def test_streams_that_never_end_are_not_offered(site):
    for path in ("/mcp", site.menu):
        answer = site.ask("GET", path, site.token(), headers={"Accept": "text/event-stream"})
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST, DELETE"


@pytest.mark.parametrize("format", ["tool-reference", "tool-search-output", "anthropic"])
def test_a_search_in_a_menu_answers_members_only(site, format):
    path = f"/v1/menus/frozen/{site.backed.menu}/search"
    found = site.ask(
        "GET", path, site.token(), params={"q": "give the money back", "limit": 2, "format": format}
    )
    assert found.status_code == 200, found.text
    listed = found.json()
    if format == "tool-search-output":
        assert listed["type"] == "tool_search_output"
        assert listed["execution"] == "client"
        listed = listed["tools"]
        assert all(tool["defer_loading"] for tool in listed)
    called = [tool.get("tool_name") or tool.get("name") for tool in listed]
    assert set(called) <= {tool.partition("/")[2] for tool in TOOLS}
    assert "refund_payment" in called
    if format == "tool-reference":
        assert listed[0].keys() == {"type", "tool_name"}


def test_the_same_search_over_mcp(site):
    async def search(client):
        asked = {"query": "refund", "menu": site.backed.menu, "format": "tool-reference"}
        return await client.call_tool("search_tools", asked)

    mine = site.talk("/mcp", search, site.token()).structured_content
    assert {tool["id"] for tool in mine["tools"]} <= set(TOOLS)
    assert ROUTE[-1] in {tool["id"] for tool in mine["tools"]}
    theirs = site.talk("/mcp", search, site.token("b"))
    assert theirs.is_error
    assert "refund" not in theirs.content[0].text
