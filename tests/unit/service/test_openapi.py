"""The service describes itself: completely, in valid schemas, and as it really answers."""

import json
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from spm.registry import demo

ORDER = {"request": "Refund order 991"}
AS_JSON = {"Content-Type": "application/json"}
GOLDEN = json.dumps({"request": demo.REQUEST, "path": ["lookup_order"]})
MAIL = {"spm": 1, "service": "mail", "tools": [{"name": "send"}]}
ASKED = [
    ("post", "/v1/menus", "/v1/menus", {"json": {"request": demo.REQUEST}}, 200),
    *(
        ("post", "/v1/menus", "/v1/menus", {"json": {**ORDER, "format": shape}}, 200)
        for shape in ("openai", "mcp", "tool-search-output", "tool-reference", "names", "markdown")
    ),
    ("post", "/v1/menus", "/v1/menus", {"json": {**ORDER, "token_budget": 500}}, 200),
    ("post", "/v1/menus", "/v1/menus", {"json": {**ORDER, "done": ["nothing"]}}, 404),
    ("post", "/v1/menus", "/v1/menus", {"content": b"{"}, 415),
    ("post", "/v1/menus", "/v1/menus", {}, 422),
    ("post", "/v1/menus", "/v1/menus", {"content": b"{", "headers": AS_JSON}, 400),
    ("post", "/v1/menus/why-not", "/v1/menus/why-not", {"json": {**ORDER, "tool": "x"}}, 404),
    ("post", "/v1/menus/why-not", "/v1/menus/why-not",
     {"json": {**ORDER, "tool": "lookup_order"}}, 200),
    ("get", "/v1/tools", "/v1/tools?limit=3", {}, 200),
    ("get", "/v1/tools", "/v1/tools?limt=3", {}, 422),
    ("get", "/v1/tools/{tool}", "/v1/tools/lookup_order", {}, 200),
    ("get", "/v1/tools/{tool}", "/v1/tools/nothing", {}, 404),
    ("get", "/v1/fields", "/v1/fields", {}, 200),
    ("get", "/v1/paths", "/v1/paths?from=lookup_order&to=send_email_receipt", {}, 200),
    ("get", "/v1/paths", "/v1/paths?have=order_id&to=send_email_receipt", {}, 200),
    ("get", "/v1/impact/{name}", "/v1/impact/lookup_order", {}, 200),
    ("get", "/v1/atlas", "/v1/atlas", {}, 200),
    ("get", "/v1/atlas", "/v1/atlas?visible=nothing", {}, 404),
    ("post", "/v1/check", "/v1/check", {"content": GOLDEN}, 200),
    ("post", "/v1/traces", "/v1/traces", {"content": b"{"}, 422),
    ("get", "/v1/graph", "/v1/graph", {}, 200),
    ("get", "/v1/sources", "/v1/sources", {}, 200),
    ("post", "/v1/sources", "/v1/sources", {"json": {"document": MAIL, "dry_run": True}}, 200),
    ("post", "/v1/sources", "/v1/sources", {"json": {"document": {}}}, 422),
    ("post", "/v1/sources", "/v1/sources", {"content": b"{"}, 415),
    ("post", "/v1/cypher", "/v1/cypher", {"json": {"saved": "effects"}}, 200),
    ("post", "/v1/cypher", "/v1/cypher", {"json": {"query": "CREATE (x)"}}, 422),
    ("get", "/healthz", "/healthz", {}, 200),
    ("get", "/readyz", "/readyz", {}, 200),
    ("get", "/metrics", "/metrics", {}, 200),
    ("get", "/metrics", "/metrics", {"headers": {"Authorization": "Bearer x"}}, 401),
]  # fmt: skip


@pytest.fixture(scope="module")
def described(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(described):
    return [
        (method, path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def test_it_is_openapi_and_every_schema_is_valid(described):
    assert described["openapi"] == "3.1.0"
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert len({o["operationId"] for *_, o in operations(described)}) == len(operations(described))


def test_every_reference_leads_somewhere(described):
    def references(value):
        if isinstance(value, dict):
            yield from [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            value = list(value.values())
        for part in value if isinstance(value, list) else []:
            yield from references(part)

    found = set(references(described))
    assert found
    for reference in found:
        at: Any = described
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]


def test_every_route_tells_of_its_problems_and_of_tokens(described):
    for method, path, operation in operations(described):
        assert operation.get("description"), path
        assert operation["security"], path
        if path == "/healthz":
            continue
        responses = operation["responses"]
        assert {"401", "403", "413", "422", "429", "500", "503", "504"} <= set(responses), path
        for status, response in responses.items():
            assert response["description"]
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"], (method, path)
    busy = described["paths"]["/v1/menus"]["post"]["responses"]["429"]
    assert "Retry-After" in busy["headers"]


@pytest.mark.parametrize(
    ("method", "route", "path", "sent", "status"), ASKED, ids=[a[2] for a in ASKED]
)
def test_answers_are_as_described(client, described, method, route, path, sent, status):
    answer = client.request(method, path, **sent)
    assert answer.status_code == status, answer.text
    response = described["paths"][route][method]["responses"][str(status)]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in response["content"]
    assert answer.headers["x-request-id"]
    if "json" not in kind:
        return
    schema = {**response["content"][kind]["schema"], "components": described["components"]}
    known = Registry().with_resource("", DRAFT202012.create_resource(schema))
    Draft202012Validator(schema, registry=known).validate(answer.json())


def test_every_route_says_in_a_sentence_what_it_is_for(client):
    """People read it at /docs; the name of a function is no sentence."""
    paths = client.get("/openapi.json").json()["paths"]
    said = {f"{m} {at}": one["summary"] for at, ms in paths.items() for m, one in ms.items()}
    for route, summary in said.items():
        assert len(summary.split()) > 2, (route, summary)
        assert summary[-1] not in ".:", (route, summary)
