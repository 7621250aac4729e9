"""Sources over HTTP: for one's own team, whole or not at all."""

from typing import Any

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry

DESK: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Help desk"},
    "servers": [{"url": "https://desk.example"}],
    "paths": {
        "/tickets": {"get": {"operationId": "listTickets", "responses": {}}},
        "/tickets/{id}": {"get": {"operationId": "getTicket", "responses": {}}},
    },
}
LIST = [{"name": "send", "input_schema": {"type": "object"}}]  # names no service
MAIL = {"spm": 1, "service": "mail", "tools": [{"name": "send", "description": "Send a mail."}]}


@pytest.fixture
def issue(shop_copy):
    """Make headers with a token of a team."""

    def make(team="support", may=("read", "register"), **caller):
        with Registry.open(str(shop_copy)) as registry:
            name = f"{team}-{'-'.join(may)}-{len(api_tokens.tokens(registry.store))}"
            secret, _ = api_tokens.create(registry.store, name, Caller(team, **caller), may=may)
        return {"Authorization": f"Bearer {secret}"}

    return make


def test_a_team_registers_for_itself_and_sees_it(serve, shop_copy, issue):
    support, other = issue(), issue("sales")
    client = serve(shop_copy)
    body = {"document": DESK, "visibility": "team", "scopes": ["desk"]}
    plan = client.post("/v1/sources", json={**body, "dry_run": True}, headers=support)
    assert plan.status_code == 200, plan.text
    assert plan.json()["added"] == ["help-desk/listTickets", "help-desk/getTicket"]
    assert client.get("/v1/tools?service=help-desk", headers=support).json()["total"] == 0
    done = client.post("/v1/sources", json=body, headers=support).json()
    assert (done["added"], done["revision"]) == (plan.json()["added"], None)
    tool = client.get("/v1/tools/help-desk/getTicket", headers=support).json()["tool"]
    assert (tool["owner"], tool["visibility"], tool["scopes"]) == ("support", "team", ["desk"])
    assert client.get("/v1/tools/help-desk/getTicket", headers=other).status_code == 404
    menu = client.post("/v1/menus", json={"request": "Show ticket 17"}, headers=support).json()
    assert "help-desk/getTicket" in [item["id"] for item in menu["items"]]
    again = client.post("/v1/sources", json={"document": DESK}, headers=support).json()
    assert (len(again["unchanged"]), again["reowned"]) == (2, [])
    changed = {**DESK, "paths": {"/tickets": {"get": {"operationId": "listTickets",
               "summary": "List", "responses": {}}}}}  # fmt: skip
    shown = {"document": changed, "dry_run": True}
    difference = client.post("/v1/sources", json=shown, headers=support).json()
    assert difference["changes"]["help-desk/listTickets"][0]["what"] == "description"
    assert difference["missing"] == ["help-desk/getTicket"]


def test_services_are_listed_as_far_as_they_are_seen(serve, shop_copy, issue):
    support, sales = issue(), issue("sales")
    client = serve(shop_copy)
    before = client.get("/v1/sources", headers=sales).content
    client.post("/v1/sources", json={"document": MAIL, "visibility": "team"}, headers=support)
    rows = {row["service"]: row for row in client.get("/v1/sources", headers=support).json()}
    assert rows["mail"] == {"service": "mail", "origin": "", "owners": ["support"], "tools": 1}
    assert rows["orders"]["tools"] > 1
    assert client.get("/v1/sources", headers=sales).content == before


def test_a_service_of_others_is_refused_and_nothing_is_written(serve, shop_copy, issue):
    support = issue()
    client = serve(shop_copy)
    before = client.get("/v1/tools").content
    document = {**MAIL, "service": "orders"}
    for dry_run in (True, False):
        sent = {"document": document, "dry_run": dry_run}
        refused = client.post("/v1/sources", json=sent, headers=support)
        assert refused.status_code == 403
        assert "'orders' is there already and belongs to others" in refused.json()["detail"]
    assert client.get("/v1/tools").content == before
    named = client.post("/v1/sources", json={**sent, "service": "my-orders"}, headers=support)
    assert named.json()["added"] == ["my-orders/send"]


def test_nobody_registers_for_another_team_or_without_the_permission(serve, shop_copy, issue):
    support, reader = issue(), issue(may=("read",))
    writer = issue(may=("register",))
    client = serve(shop_copy)
    body = {"document": MAIL, "owner": "sales"}
    assert client.post("/v1/sources", json=body, headers=support).status_code == 403
    refused = client.post("/v1/sources", json={"document": MAIL}, headers=reader)
    assert (refused.status_code, "'register'" in refused.json()["detail"]) == (403, True)
    own = {**MAIL, "tools": [{**MAIL["tools"][0], "owner": "sales"}]}  # type: ignore[index]
    assert client.post("/v1/sources", json={"document": own}, headers=writer).status_code == 200
    assert client.get("/v1/sources", headers=writer).status_code == 403
    found = client.get("/v1/tools/mail/send").json()["tool"]
    assert found["owner"] == "support"
    operator = client.post("/v1/sources", json={**body, "service": "post"}).json()
    assert operator["added"] == ["post/send"]
    assert client.get("/v1/tools/post/send").json()["tool"]["owner"] == "sales"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, "body.document"),
        ({"document": MAIL, "owner": ""}, 422, "body.owner"),
        ({"document": MAIL, "visibility": "all"}, 422, "body.visibility"),
        ({"document": MAIL, "extra": 1}, 422, "body.extra"),
        ({"document": {"x": 1}}, 422, "no known format"),
        ({"document": {"x": 1}}, 422, "known format."),
        ({"document": LIST}, 422, "who provides the tools"),
        ({"document": {**MAIL, "tools": []}}, 422, "not valid"),
        ({"document": DESK, "format": "mcp"}, 422, ""),
        ({"document": MAIL, "scopes": ["a\nb"]}, 422, "The scope"),
        ({"document": MAIL, "visibility": "team"}, 422, "has no owner"),
    ],
)
def test_what_cannot_be_used_is_told_and_nothing_is_written(client, body, status, words):
    before = client.get("/v1/tools").content
    answer = client.post("/v1/sources", json=body)
    assert answer.status_code == status, answer.text
    assert words in answer.json()["detail"]
    assert "/tmp" not in answer.text
    assert client.get("/v1/tools").content == before


def test_a_list_is_of_the_service_that_is_said(serve, shop_copy):
    client = serve(shop_copy)
    done = client.post("/v1/sources", json={"document": LIST, "service": "post"}).json()
    assert done["added"] == ["post/send"]
    unknown = client.post("/v1/sources", json={"document": {"x": 1}}).json()
    assert "`format`" in unknown["next"]


def test_bodies_are_bounded_and_references_are_not_followed(serve, shop_copy, issue):
    client = serve(shop_copy, intake_bytes=20_000)
    deep = '{"document": ' + "[" * 5_000 + "]" * 5_000 + "}"
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/sources", content=deep, headers=headers).status_code == 422
    large = {"document": {**MAIL, "x": "y" * 30_000}}
    assert client.post("/v1/sources", json=large).status_code == 413
    outside = {"$ref": "file:///etc/passwd"}
    path = {"get": {"operationId": "op", "responses": {}, "parameters": [outside]}}
    done = client.post("/v1/sources", json={"document": {**DESK, "paths": {"/x": path}}}).json()
    assert "references to other documents are off" in str(done["notes"])
