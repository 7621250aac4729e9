"""Values that stand without their noun, in the manner of trackers, error monitors and clouds."""

from typing import Any

import pytest

from spm.registry.importers.openapi import read_openapi
from spm.registry.models import tool_id
from spm.registry.request.tool_inputs import inputs_of
from spm.registry.request.values import Input, assign, read_values

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
MANY: dict[str, Any] = {"type": "array", "items": TEXT}


def at(name: str, text: str = "", place: str = "path", **schema: Any) -> dict[str, Any]:
    found = {"name": name, "in": place, "required": place == "path", "description": text}
    return found | {"schema": schema or TEXT}


def takes(*parameters: dict[str, Any], **body: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {"parameters": list(parameters), "responses": {"200": {}}}
    if body:
        required = [name for name, schema in body.items() if schema.get("x")]
        schema = {"type": "object", "properties": body, "required": required}
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return operation


ORG = at("organization_id_or_slug", "The ID or slug of the organization the resource belongs to.")
PROJECT = at("project_id_or_slug", "The ID or slug of the project.")
USER = at("username", "The handle for the account.")
KEY = at("projectIdOrKey", "The project ID or project key (case sensitive).")
ISSUE = at("issueIdOrKey", "The ID or key of the issue.")
EVENT = at(
    "event_id", "The ID of the event, or 'latest'.", type="string", enum=["latest", "oldest"]
)
ENVIRONMENT = at("environment", "The name of environments to filter by.", "query", **MANY)
SEARCHED = at("filter_term", "Limits the results to groups whose name starts with it.", "query")
LIMIT = at("limit", "", "query", **WHOLE)
REGION = {"type": "string", "example": "nyc3", "description": "The slug of the region"}
SLEEP = {"type": "integer", "description": "How long to sleep (in minutes)"}
PLAN = {"type": "string", "enum": ["daily", "weekly"]}
MOMENT = {"type": "string", "format": "date-time"}
SCOPE = at("scope", type="string", enum=["global", "enterprise"])
PATHS: dict[str, Any] = {
    "/organizations/{organization_id_or_slug}/": {"get": takes(ORG)},
    "/organizations/{organization_id_or_slug}/monitors/": {
        "get": takes(ORG, ENVIRONMENT),
        "post": takes(ORG, name={**TEXT, "x": 1}),
    },
    "/projects/{organization_id_or_slug}/{project_id_or_slug}/": {
        "get": takes(ORG, PROJECT),
        "delete": takes(ORG, PROJECT),
    },
    "/organizations/{organization_id_or_slug}/issues/{issue_id}/events/{event_id}/": {
        "get": takes(ORG, at("issue_id", "The ID of the issue."), EVENT),
    },
    "/organizations/{organization_id_or_slug}/releases/{version}/": {
        "put": takes(
            ORG,
            at("version", "The version identifier of the release"),
            ref={**TEXT, "description": "An optional commit reference of the release."},
            dateReleased={**TEXT, "format": "date-time"},
            commits={"type": "array", "items": {"properties": {"timestamp": MOMENT}}},
        )
    },
    "/organizations/{organization_id_or_slug}/monitors/{monitor_id_or_slug}/": {
        "put": takes(ORG, at("monitor_id_or_slug", "The ID or slug."), name=TEXT)
    },
    "/files/{file_id}/metadata/{scope}/{template_key}": {
        "post": takes(at("file_id", "Its ID"), SCOPE, at("template_key", "The name of it."))
    },
    "/embeddings": {"post": takes(model={**TEXT, "example": "qwen3-embedding-0.6b"})},
    "/rest/api/project/{projectIdOrKey}": {"get": takes(KEY)},
    "/rest/api/issue/{issueIdOrKey}/assignee": {"put": takes(ISSUE)},
    "/users/{username}/usage": {"get": takes(USER)},
    "/groups": {"get": takes(SEARCHED, LIMIT)},
    "/device_pinners/{device_pinner_id}": {
        "delete": takes(at("device_pinner_id", "The ID of the device pin."))
    },
    "/folders/{folder_id}/copy": {
        "post": takes(
            at("folder_id", "The ID of the folder."),
            name=TEXT,
            parent={"type": "object", "properties": {"id": TEXT}},
        )
    },
    "/ai_agents/{agent_id}": {
        "put": takes(
            at("agent_id", "The ID of the agent."),
            type={"type": "string", "enum": ["ai_agent"]},
            name=TEXT,
        )
    },
    "/droplets": {
        "post": takes(
            region=REGION,
            size={"type": "string", "example": "s-1vcpu-1gb", "description": "The slug of a size"},
            backup_policy={"type": "object", "properties": {"plan": PLAN}},
        )
    },
    "/registries/{registry}/images/{image}/tags/{tag}": {
        "delete": takes(at("registry", "Its name"), at("image", "Its name"), at("tag"))
    },
    "/load": {
        "get": takes(
            at("pool_id", "The ID of the pool", "query"),
            at("start", "When the window begins", "query"),
            at("end", "When the window ends", "query"),
            LIMIT,
        )
    },
    "/gateways/{gateway_id}": {
        "put": takes(
            at("gateway_id", "The ID of the gateway"),
            udp_timeout_seconds=WHOLE,
            tcp_timeout_seconds=WHOLE,
        )
    },
    "/uploads": {"post": takes(file_name=TEXT)},
    "/sleeps": {"post": takes(sleep=SLEEP)},
    "/instruments": {"post": takes(label={**TEXT, "x": 1}, room={**TEXT, "x": 1})},
    "/accounts/{account}": {"get": takes(at("account", "Whose it is."))},
}
DOCUMENT = {"openapi": "3.0.0", "info": {"title": "any", "version": "1"}, "paths": PATHS}
ABOUT_ORG = "GET /organizations/{organization_id_or_slug}/"
MONITORS = "GET /organizations/{organization_id_or_slug}/monitors/"
SHOW = "GET /projects/{organization_id_or_slug}/{project_id_or_slug}/"
EVENTS = "GET /organizations/{organization_id_or_slug}/issues/{issue_id}/events/{event_id}/"
ORG_ID, SLUG = "organization_id_or_slug", "project_id_or_slug"
COPY = "POST /folders/{folder_id}/copy"


@pytest.fixture(scope="module")
def tools() -> dict[str, list[Input]]:
    """The inputs of every operation, by method and path."""
    source = read_openapi(DOCUMENT, "any", "any")
    found = {}
    for tool in source.manifest.tools:
        reading = (source.readings or {})[tool.name]
        taken = {name: (one.resource, one.role) for name, one in reading.takes.items()}
        call = tool.call or {}
        inputs = inputs_of(tool.definition(), taken, reading.resource, tool_id("any", tool.name))
        found[f"{call['method']} {call['path']}"] = inputs
    return found


def given_by(tools: dict[str, list[Input]], operation: str, request: str) -> dict[str, str]:
    found = assign(read_values(request), tools[operation])
    paths = {one.name: one.path for one in tools[operation]}
    return {paths[name]: value.text for name, value in found.items()}


SAID = [
    # The number is of an instrument, not of a room for a new one; without its noun it may be.
    ("POST /instruments", "add instrument 3f2b8c1e-9a52-4a1c-8f5e-0d1c2b3a4f5e", {}),
    ("POST /instruments", "add 3f2b8c1e-9a52-4a1c-8f5e-0d1c2b3a4f5e",
     {"room": "3f2b8c1e-9a52-4a1c-8f5e-0d1c2b3a4f5e"}),
    (ABOUT_ORG, "what do you know about the acme organization?", {ORG_ID: "acme"}),
    (ABOUT_ORG, "show me the settings of lumen", {ORG_ID: "lumen"}),
    (ABOUT_ORG, "lumen's settings please", {ORG_ID: "lumen"}),
    (MONITORS, "which monitors run at quillpress in production?",
     {ORG_ID: "quillpress", "environment": "production"}),
    (MONITORS, "all of acme's monitors", {ORG_ID: "acme"}),
    ("POST /organizations/{organization_id_or_slug}/monitors/",
     "add a monitor called nightly-sync to quillpress",
     {ORG_ID: "quillpress", "name": "nightly-sync"}),
    (SHOW, "who looks after acme's storefront project?", {ORG_ID: "acme", SLUG: "storefront"}),
    (SHOW, "show lumen/checkout-web", {ORG_ID: "lumen", SLUG: "checkout-web"}),
    (SHOW, "show checkout-web in lumen", {ORG_ID: "lumen", SLUG: "checkout-web"}),
    (SHOW, "show lumen's checkout-web", {ORG_ID: "lumen", SLUG: "checkout-web"}),
    (SHOW, "is checkout-web hidden? our company is lumen", {ORG_ID: "lumen", SLUG: "checkout-web"}),
    (SHOW, "what is inside of checkout-web kept?", {SLUG: "checkout-web"}),
    (ABOUT_ORG, "settings at northwind compared", {ORG_ID: "northwind"}),
    (ABOUT_ORG, "settings please, we are brightpath", {ORG_ID: "brightpath"}),
    ("DELETE /registries/{registry}/images/{image}/tags/{tag}", "untag v1.4.2 in lakeside/api",
     {"registry": "lakeside", "image": "api", "tag": "v1.4.2"}),
    ("GET /load", "load of pool 7 from 1620683817 to 1620705417",
     {"pool_id": "7", "start": "1620683817", "end": "1620705417"}),
    ("GET /load", "load of pool 7 between 2026-01-01 and 2026-02-01, 25 rows",
     {"pool_id": "7", "start": "2026-01-01", "end": "2026-02-01", "limit": "25"}),
    ("PUT /gateways/{gateway_id}", "gateway 4 drops TCP after 60 seconds",
     {"gateway_id": "4", "tcp_timeout_seconds": "60"}),
    ("PUT /gateways/{gateway_id}", "box 990121 dropped UDP after 60 seconds",
     {"gateway_id": "990121", "udp_timeout_seconds": "60"}),
    (SHOW, "how is checkout-web doing?", {SLUG: "checkout-web"}),
    ("DELETE /projects/{organization_id_or_slug}/{project_id_or_slug}/",
     "drop old-landing from quillpress, unused for 90 days",
     {ORG_ID: "quillpress", SLUG: "old-landing"}),
    (EVENTS, "latest event of issue 5093321 at lumen",
     {ORG_ID: "lumen", "issue_id": "5093321", "event_id": "latest"}),
    (EVENTS, "event 9fac2ceed9344f2bbfdd1fdacb0ed9b1 of issue 77 in org lumen",
     {ORG_ID: "lumen", "issue_id": "77", "event_id": "9fac2ceed9344f2bbfdd1fdacb0ed9b1"}),
    ("PUT /organizations/{organization_id_or_slug}/releases/{version}/",
     "release web@4.12.0 of lumen went out on 2026-03-02",
     {ORG_ID: "lumen", "version": "web@4.12.0", "dateReleased": "2026-03-02"}),
    ("PUT /organizations/{organization_id_or_slug}/releases/{version}/",
     "release 4.12.0 of lumen", {ORG_ID: "lumen", "version": "4.12.0"}),
    ("PUT /organizations/{organization_id_or_slug}/monitors/{monitor_id_or_slug}/",
     "stop lumen's cron monitor nightly-backup",
     {ORG_ID: "lumen", "monitor_id_or_slug": "nightly-backup"}),
    ("PUT /organizations/{organization_id_or_slug}/monitors/{monitor_id_or_slug}/",
     'rename the cron monitor nightly-backup of the org lumen to "all"',
     {ORG_ID: "lumen", "monitor_id_or_slug": "nightly-backup", "name": "all"}),
    ("POST /files/{file_id}/metadata/{scope}/{template_key}",
     "tag file 880142 with the global properties template",
     {"file_id": "880142", "scope": "global", "template_key": "properties"}),
    ("POST /embeddings", "embed it with qwen3-embedding-0.6b", {"model": "qwen3-embedding-0.6b"}),
    ("GET /rest/api/project/{projectIdOrKey}", "open project OPS", {"projectIdOrKey": "OPS"}),
    ("PUT /rest/api/issue/{issueIdOrKey}/assignee", "OPS-117 is mine", {"issueIdOrKey": "OPS-117"}),
    ("GET /users/{username}/usage", "how much has mbrandt burned?", {"username": "mbrandt"}),
    ("GET /groups", "find groups starting with Market, 20 at most",
     {"filter_term": "Market", "limit": "20"}),
    ("GET /groups", "no more than 5 groups matching ops-eu",
     {"filter_term": "ops-eu", "limit": "5"}),
    ("DELETE /device_pinners/{device_pinner_id}", "unpin the device 9921 please",
     {"device_pinner_id": "9921"}),
    (COPY, "copy folder 5512 into 8830 under the name Q3 drafts",
     {"folder_id": "5512", "parent.id": "8830", "name": "Q3 drafts"}),
    (COPY, "copy folder 5512 and call it Harbour wiki",
     {"folder_id": "5512", "name": "Harbour wiki"}),
    ("PUT /ai_agents/{agent_id}", "rename AI agent 1441 to Contract Helper",
     {"agent_id": "1441", "name": "Contract Helper"}),
    ("POST /droplets", "one in fra1, size s-2vcpu-4gb, weekly backups",
     {"region": "fra1", "size": "s-2vcpu-4gb", "backup_policy.plan": "weekly"}),
    ("POST /uploads", "put tour.mov there", {"file_name": "tour.mov"}),
    ("POST /sleeps", "be quiet for 30 minutes", {"sleep": "30"}),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "request_text", "expected"), SAID)
def test_values_without_a_noun_are_found(tools, operation, request_text, expected):
    assert given_by(tools, operation, request_text) == expected


TRAPS = [
    (ABOUT_ORG, "what changed in production yesterday?"),
    (ABOUT_ORG, "which settings are there for testing, in total?"),
    (ABOUT_ORG, "the customer's settings"),
    (ABOUT_ORG, "any cross-region organization will do"),
    (ABOUT_ORG, "which PVCs are the old ones"),
    (ABOUT_ORG, "all organizations labelled for us"),
    (ABOUT_ORG, "we keep user_id, and nothing else, in user_id"),
    (ABOUT_ORG, "we are waiting for follow-up in self-hosted regions"),
    (ABOUT_ORG, "how many settings are in real-time, read-only mode"),
    ("PUT /gateways/{gateway_id}", "gateways drop it after 60 seconds"),  # which timeout?
    ("PUT /gateways/{gateway_id}", "since 2024 the gateway has had 10500 users"),
    (ABOUT_ORG, "today's changes on Monday in March"),
    (ABOUT_ORG, "settings for members of our organization"),
    (ABOUT_ORG, "a connected account's organization in read only mode"),
    (SHOW, "show me the project, it failed 3 times in 2 hours"),
    (SHOW, "how are things in lumen?"),  # the organization or the project: nobody knows
    (SHOW, "checkout-web, old-landing and nightly-sync"),
    ("GET /users/{username}/usage", "how much is used? 2000 are included"),
    ("GET /users/{username}/usage", "what was shop.acme.io used for"),
    ("DELETE /device_pinners/{device_pinner_id}", "unpin the 3 devices"),
    ("DELETE /device_pinners/{device_pinner_id}", "unpin the device, 40 others are left"),
    ("PUT /ai_agents/{agent_id}", "what can an AI agent do?"),
    ("POST /sleeps", "it happened 30 minutes ago"),
    ("POST /sleeps", "it weighs 30 kilos"),
    ("GET /accounts/{account}", "what happened in lumen?"),  # a key is wanted, not a name
    ("POST /droplets", "is there a weekly newsletter?"),
]


@pytest.mark.parametrize(("operation", "request_text"), TRAPS)
def test_words_that_name_nothing_give_nothing(tools, operation, request_text):
    assert given_by(tools, operation, request_text) == {}


def test_an_address_ends_where_its_sentence_ends():
    found = read_values("write to lee@contoso.test. Not to web@4.12.0")
    assert [v.text for v in found if v.kind == "email"] == ["lee@contoso.test"]


def test_of_two_inputs_that_fit_the_one_that_a_call_cannot_do_without_comes_first():
    said = "The version identifier of the release"
    version = Input("version", resource="release", description=said, required=True, place="path")
    other = Input("ref", resource="release", description="A commit reference", place="body")
    found = assign(read_values("mark release web@4.12.0 as done"), [other, version])
    assert {name: value.text for name, value in found.items()} == {"version": "web@4.12.0"}
    found = assign(read_values("mark release 4.12.0 as done"), [other, version])
    assert {name: value.text for name, value in found.items()} == {"version": "4.12.0"}
