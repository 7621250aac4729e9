"""Which values of a request become which inputs, by the schemas at hand.

The documents here are of APIs that no rule was written for: a help desk, a shop, a hospital, a code
host, a chat and a cluster, each with a few operations in the style of its kind.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.access.caller import EVERYTHING
from spm.registry.importers.openapi import read_openapi
from spm.registry.models import tool_id
from spm.registry.registry import Registry
from spm.registry.request.safe_patterns import is_match, safe_pattern
from spm.registry.request.tool_inputs import inputs_of
from spm.registry.request.values import Input, assign, matches, read_values
from spm.registry.routes.tool_map import CypherMap

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def at(name: str, kind: str = "string", place: str = "query", **more: Any) -> dict[str, Any]:
    required = place == "path" or more.pop("required", False)
    text = more.pop("description", "")
    schema = {"type": kind, **more}
    return {
        "name": name,
        "in": place,
        "required": required,
        "description": text,
        "schema": schema,
    }


def takes(
    *parameters: dict[str, Any], body: dict[str, Any] | None = None, required: tuple[str, ...] = ()
) -> dict[str, Any]:
    operation: dict[str, Any] = {"parameters": list(parameters), "responses": {"200": {}}}
    if body:
        schema = {"type": "object", "properties": body, "required": list(required)}
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return operation


TICKET = at("ticketId", place="path")
OWNER, REPO = at("owner", place="path"), at("repo", place="path")
CHANNEL = at("channel", description="ID of the channel", required=True)
NAME = at("name", place="path")
NAMESPACE = at("namespace", place="path", description="object name and auth scope")
SKU = at("sku", place="path", pattern="^[A-Z]{2,4}-\\d{3,6}$")
PROJECT = at("id", place="path", description="The ID or URL-encoded path of the project")
PATHS = {
    "/tickets": {
        "get": takes(at("status", enum=["open", "pending", "solved"]), at("limit", "integer")),
        "post": takes(
            body={
                "subject": TEXT,
                "requester_id": TEXT,
                "priority": {"type": "string", "enum": ["low", "normal", "urgent"]},
            },
            required=("subject", "requester_id"),
        ),
    },
    "/tickets/{ticketId}": {"get": takes(TICKET)},
    "/tickets/{ticketId}/assignment": {"put": takes(TICKET, body={"assignee_id": TEXT})},
    "/tickets/{ticketId}/comments": {"post": takes(TICKET, body={"body": TEXT})},
    "/users/search": {"get": takes(at("email", required=True))},
    "/orders/{order_id}": {"get": takes({**at("order_id", place="path"), "example": "ord_8sK2"})},
    "/orders/{order_id}/refunds": {
        "post": takes(
            at("order_id", place="path"),
            body={"amount": {"type": "number"}, "currency": TEXT},
            required=("amount",),
        )
    },
    "/products/{sku}": {"get": takes(SKU)},
    "/customers/{customer}": {"get": takes(at("customer", place="path"))},
    "/customers/{customer}/subscriptions/{subscription_exposed_id}": {
        "delete": takes(at("customer", place="path"), at("subscription_exposed_id", place="path"))
    },
    "/patients": {"get": takes(at("ward"), at("born_after", format="date"))},
    "/appointments": {
        "post": takes(
            body={"patient_id": WHOLE, "doctor_id": WHOLE, "room": TEXT},
            required=("patient_id", "doctor_id"),
        )
    },
    "/repos/{owner}/{repo}": {"get": takes(OWNER, REPO)},
    "/repos/{owner}/{repo}/pull_requests/{pull_number}": {
        "get": takes(OWNER, REPO, at("pull_number", "integer", "path"))
    },
    "/repos/{owner}/{repo}/branches/{branch}": {
        "get": takes(OWNER, REPO, at("branch", place="path"))
    },
    "/repos/{owner}/{repo}/releases/tags/{tag}": {
        "get": takes(OWNER, REPO, at("tag", place="path"))
    },
    "/projects/{id}/merge_requests/{merge_request_iid}": {
        "get": takes(PROJECT, at("merge_request_iid", "integer", "path"))
    },
    "/chat.post": {
        "post": takes(
            at("channel", description="Channel to send to: an encoded ID, or a name."),
            at("text"),
        )
    },
    "/pins.list": {"get": takes(CHANNEL)},
    "/conversations.topic": {"post": takes(CHANNEL, at("topic"))},
    "/namespaces/{namespace}/statefulsets/{name}": {"delete": takes(NAME, NAMESPACE)},
    "/accounts/{account_id_or_slug}/boards/{boardIdOrKey}": {
        "get": takes(at("account_id_or_slug", place="path"), at("boardIdOrKey", place="path"))
    },
    "/namespaces/{namespace}/statefulsets": {
        "post": takes(
            NAMESPACE,
            body={
                "metadata": {"type": "object", "properties": {"name": TEXT}},
                "spec": {"type": "object", "properties": {"replicas": WHOLE}},
            },
        )
    },
}
DOCUMENT = {"openapi": "3.0.0", "info": {"title": "any", "version": "1"}, "paths": PATHS}


@pytest.fixture(scope="module")
def tools() -> dict[str, list[Input]]:
    """The inputs of every operation, by method and path."""
    source = read_openapi(DOCUMENT, "any", "any")
    found = {}
    for tool in source.manifest.tools:
        reading = (source.readings or {})[tool.name]
        taken = {
            name: (identity.resource, identity.role) for name, identity in reading.takes.items()
        }
        call = tool.call or {}
        identity = tool_id("any", tool.name)
        inputs = inputs_of(tool.definition(), taken, reading.resource, identity)
        found[f"{call['method']} {call['path']}"] = inputs
    return found


def given_by(tools: dict[str, list[Input]], operation: str, request: str) -> dict[str, str]:
    found = assign(read_values(request), tools[operation])
    paths = {one.name: one.path for one in tools[operation]}
    return {paths[name]: value.text for name, value in found.items()}


SAID = [
    ("GET /tickets/{ticketId}", "Show ticket 17", {"ticketId": "17"}),
    ("GET /tickets/{ticketId}", "what about ticket no. 8f3?", {"ticketId": "8f3"}),
    ("GET /tickets", "list open tickets, the last 20", {"status": "open", "limit": "20"}),
    (
        "POST /tickets",
        'urgent ticket: subject "VPN down", requester 4471',
        {"priority": "urgent", "subject": "VPN down", "requester_id": "4471"},
    ),
    (
        "PUT /tickets/{ticketId}/assignment",
        "assign ticket 12 to 91",
        {"ticketId": "12", "assignee_id": "91"},
    ),
    (
        "POST /tickets/{ticketId}/comments",
        'reply "we are on it" to ticket 88',
        {"ticketId": "88", "body": "we are on it"},
    ),
    ("GET /users/search", "who is lee@contoso.test?", {"email": "lee@contoso.test"}),
    ("GET /orders/{order_id}", "where is ord_77Ab now", {"order_id": "ord_77Ab"}),
    (
        "POST /orders/{order_id}/refunds",
        "refund $30 on order 4821",
        {"order_id": "4821", "amount": "30", "currency": "USD"},
    ),
    ("GET /products/{sku}", "is TSH-00412 there? I need 40 by Friday", {"sku": "TSH-00412"}),
    ("GET /customers/{customer}", "open cus_Q4t7 please", {"customer": "cus_Q4t7"}),
    (
        "DELETE /customers/{customer}/subscriptions/{subscription_exposed_id}",
        "end sub_1Pw of cus_Q4t7",
        {"customer": "cus_Q4t7", "subscription_exposed_id": "sub_1Pw"},
    ),
    (
        "GET /patients",
        "patients on ward C3 born after 1954-02-11",
        {"ward": "C3", "born_after": "1954-02-11"},
    ),
    (
        "POST /appointments",
        "book patient 5512 with doctor 31 in room B204",
        {"patient_id": "5512", "doctor_id": "31", "room": "B204"},
    ),
    ("GET /repos/{owner}/{repo}", "show umbra/gateway", {"owner": "umbra", "repo": "gateway"}),
    (
        "GET /repos/{owner}/{repo}/pull_requests/{pull_number}",
        "is PR #208 in umbra/gateway merged?",
        {"owner": "umbra", "repo": "gateway", "pull_number": "208"},
    ),
    (
        "GET /repos/{owner}/{repo}/branches/{branch}",
        "branch release/2 of umbra/gateway",
        {"owner": "umbra", "repo": "gateway", "branch": "release/2"},
    ),
    (
        "GET /repos/{owner}/{repo}/releases/tags/{tag}",
        "notes of v0.9.1 in umbra/gateway",
        {"owner": "umbra", "repo": "gateway", "tag": "v0.9.1"},
    ),
    (
        "GET /projects/{id}/merge_requests/{merge_request_iid}",
        "show MR !45 in group/webapp",
        {"id": "group/webapp", "merge_request_iid": "45"},
    ),
    (
        "POST /chat.post",
        'post "deploy done" to #night-shift',
        {"channel": "night-shift", "text": "deploy done"},
    ),
    (
        "POST /conversations.topic",
        'set the topic of C07HARBR1 to "Shift 06:00"',
        {"channel": "C07HARBR1", "topic": "Shift 06:00"},
    ),
    (
        "DELETE /namespaces/{namespace}/statefulsets/{name}",
        "delete the stateful set ledger in namespace billing-eu",
        {"name": "ledger", "namespace": "billing-eu"},
    ),
    (
        "DELETE /namespaces/{namespace}/statefulsets/{name}",
        "delete stateful set ledger from the billing-eu namespace",
        {"name": "ledger", "namespace": "billing-eu"},
    ),
    (
        "DELETE /namespaces/{namespace}/statefulsets/{name}",
        "drop billing-eu/ledger now",
        {"name": "ledger", "namespace": "billing-eu"},
    ),
    (
        "GET /accounts/{account_id_or_slug}/boards/{boardIdOrKey}",
        "show board OPS-1 of account acme or any",
        {"account_id_or_slug": "acme", "boardIdOrKey": "OPS-1"},
    ),
    (
        "POST /namespaces/{namespace}/statefulsets",
        "create the stateful set ledger-db in ns finance: 3 replicas",
        {"metadata.name": "ledger-db", "namespace": "finance", "spec.replicas": "3"},
    ),
]


@pytest.mark.parametrize(("operation", "request_text", "expected"), SAID)
def test_values_become_the_inputs_that_they_fit(tools, operation, request_text, expected):
    assert given_by(tools, operation, request_text) == expected


TRAPS = [
    ("GET /tickets/{ticketId}", "delete the 3 oldest tickets"),
    ("GET /tickets/{ticketId}", "what did the customer say on 12 May 2024?"),
    ("GET /tickets/{ticketId}", "how many tickets cost us more than 500 EUR, 20% or so?"),
    ("GET /tickets/{ticketId}", 'tickets that say "ticket is broken since 5 days"'),
    ("GET /customers/{customer}", "which customers paid 1,500 USD within 48h"),
    ("GET /customers/{customer}", "what does the customer Freya Lindqvist owe us"),
    ("GET /pins.list", "what is pinned in #harbor-ops?"),  # an id is wanted, not a name
    ("PUT /tickets/{ticketId}/assignment", "assign the ticket to whoever is on call"),
    ("GET /repos/{owner}/{repo}", "am I watching this repo? 12 people do"),
    ("DELETE /namespaces/{namespace}/statefulsets/{name}", "drop the old stateful set"),
    ("GET /repos/{owner}/{repo}", "self-hosted runners of our repo"),
]


@pytest.mark.parametrize(("operation", "request_text"), TRAPS)
def test_amounts_dates_counts_and_names_give_no_ids(tools, operation, request_text):
    assert given_by(tools, operation, request_text) == {}


ANOTHER = {
    "17": "98",
    "umbra/gateway": "acme/web",
    "cus_Q4t7": "cus_ZZ81",
    "billing-eu": "pay-us",
    "#208": "#4",
    "lee@contoso.test": "kim@acme.test",
    "C07HARBR1": "C99ABCDE2",
    "5512": "77",
    "$30": "$7",
    "v0.9.1": "v3.0",
}


def test_other_values_give_the_same_inputs(tools):
    for operation, request, expected in SAID:
        for old, new in ANOTHER.items():
            if old in request:
                found = given_by(tools, operation, request.replace(old, new))
                assert found.keys() == expected.keys(), (request, new)


def test_tools_of_a_route_share_values(tools):
    inputs = tools["GET /users/search"] + tools["POST /tickets"]
    found = assign(read_values("Open a ticket for jane@acme.com about a printer"), inputs)
    assert {name: value.text for name, value in found.items()} == {"email": "jane@acme.com"}


def test_a_list_takes_several_values():
    invited = Input("users", description="A comma separated list of user IDs", resource="user")
    found = matches(read_values("invite U07ANNA1Q and U07BENJ2Q"), [invited])
    assert [match.value.text for match in found] == ["U07ANNA1Q", "U07BENJ2Q"]


def test_inputs_are_read_out_of_a_store(tmp_path, tools):
    with Registry.open(str(tmp_path / "store")) as registry:
        source = read_openapi(DOCUMENT, "any", "any")
        registry.register(source.manifest, readings=source.readings)
        ids = [row["id"] for row in registry.store.read("tools/names")]
        found = CypherMap(registry.store, EVERYTHING).inputs([*ids, "any/nothing"])
    assert found.keys() == set(ids)
    for name in ("get_products_sku", "get_repos_owner_repo", "post_tickets"):
        mine = found[f"any/{name}"]
        (same,) = [i for i in tools.values() if i and i[0].tool == f"any/{name}"]
        assert list(mine) == same


def test_what_a_schema_says_is_kept(tools):
    (sku,) = tools["GET /products/{sku}"]
    assert (sku.pattern, sku.place, sku.required) == ("^[A-Z]{2,4}-\\d{3,6}$", "path", True)
    (order,) = tools["GET /orders/{order_id}"]
    assert order.examples == ("ord_8sK2",)
    repo = tools["GET /repos/{owner}/{repo}"][1]
    assert repo.joins == "owner"
    replicas = tools["POST /namespaces/{namespace}/statefulsets"][-1]
    assert (replicas.name, replicas.path) == ("replicas", "spec.replicas")


def test_references_and_alternatives_of_functions_are_followed():
    schema = {
        "properties": {"shelf": {"$ref": "#/$defs/S"}, "kind": {"anyOf": [{"enum": ["new"]}]}},
        "$defs": {"S": {"type": "string", "pattern": "^S-\\d+$"}, "C": {"$ref": "#/$defs/C"}},
    }
    inputs = [{"name": "shelf"}, {"name": "kind"}]
    shelf, kind = inputs_of({"inputs": inputs, "input_schema": schema}, {})
    assert shelf.pattern == "^S-\\d+$"
    assert kind.enum == ("new",)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a|aa)+$",
        "(a|a)(a|a)(a|a)(a|a)(a|a)",
        "a?a?a?a?a?a?aaaaaa",
        "(.*)(.*)(.*)(.*)x",
        "(?=a)b",
        "(a)\\1",
        "(",
        "a" * 500,
        "a{99999}",
        "",
    ],
)
def test_patterns_that_might_be_slow_are_refused(pattern):
    assert safe_pattern(pattern) is None
    assert not is_match(pattern, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")


def test_a_plain_pattern_is_matched_as_a_whole():
    assert is_match("^cus_[A-Za-z0-9]+$", "cus_Q4t7")
    assert not is_match("^cus_[A-Za-z0-9]+$", "cus_")
    assert not is_match("\\d+", "1" * 65)


@given(st.text(max_size=300))
def test_any_text_is_read_the_same_way_twice(text):
    found = read_values(text)
    assert found == read_values(text)
    for value in found:
        assert 0 <= value.begin < value.end <= len(text)
        if value.kind not in ("quoted", "name"):
            assert value.text in text[value.begin : value.end]


@given(st.text(max_size=80))
def test_hostile_schemas_and_requests_end_in_no_error(tools, text):
    hostile = Input(text, text, text, text, description=text, pattern=text, enum=(text,))
    for inputs in ([hostile], [*tools["POST /tickets"], hostile]):
        first = matches(read_values(f"show {text} ticket 5"), inputs)
        assert first == matches(read_values(f"show {text} ticket 5"), inputs)


def test_work_is_linear_in_the_length():
    """No pattern tries a text again from each of its characters: the values are bounded too."""
    for piece in (
        "issue 5 in a/b ",
        "a",
        '"',
        "'",
        "1.",
        "a-",
        " ",
        "#",
        "a@",
        "+1 (",
        "a=",
        "A b",
    ):
        text = piece * (100_000 // len(piece))
        assert len(read_values(text)) <= 1_000
