"""OpenAPI of every version: what becomes of operations, and of documents that are not as agreed."""

import copy
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.errors import ManifestError
from spm.registry.importers.inline_refs import MAX_SCHEMA
from spm.registry.importers.openapi import read_openapi
from spm.registry.importers.references import load_document
from spm.registry.importers.source import Link, Source

DATA = Path(__file__).parents[3] / "data" / "formats" / "openapi"
DOCUMENTS = {
    path.name: load_document(path) for path in sorted(DATA.iterdir()) if "arazzo" not in path.name
}


def read(name):
    source = read_openapi(DOCUMENTS[name], name)
    return source, {tool.name: tool for tool in source.manifest.tools}


def named(fields):
    return {field.name: field for field in fields}


def one(operation, path="/things", method="post", **document):
    """The tool of a document with one operation."""
    operation = {"responses": {}, **operation}
    found = read_openapi(
        {"openapi": "3.1.0", "info": {}, "paths": {path: {method: operation}}, **document}, "one"
    )
    return found.manifest.tools[0], found


def test_swagger_2():
    source, tools = read("shop-2.0.json")
    assert source.manifest.service.name == "shop-old"
    assert list(tools) == ["listOrders", "createOrder", "post_receipts"]
    listing = tools["listOrders"]
    assert (listing.title, listing.family, listing.scopes) == ("List orders", "Orders", ())
    assert {n: f.required for n, f in named(listing.inputs).items()} == {
        "page": False,
        "status": False,
    }
    assert {n: f.of for n, f in named(listing.outputs).items()} == {
        "id": "order",
        "customer_id": "",
        "placed": "",
    }
    assert {n: f.required for n, f in named(tools["createOrder"].inputs).items()} == {
        "customer_id": True,
        "placed": False,
    }
    assert named(tools["post_receipts"].inputs)["scan"].required
    assert tools["createOrder"].call == {
        "format": "openapi",
        "method": "POST",
        "path": "/orders",
        "server": "https://shop.example/v1",
        "body": "application/json",
    }


def test_openapi_3_0():
    source, tools = read("shop-3.0.yaml")
    assert source.manifest.service.owner == "Shop team"
    assert {name: tool.effects for name, tool in tools.items()} == {
        "listOrders": "read",
        "createOrder": "write",
        "getOrder": "read",
        "deleteOrder": "destructive",
        "sendReceipt": "write",
        "post_orders_search": "read",
    }
    assert named(tools["listOrders"].inputs)["locale"].required is False
    found = named(tools["listOrders"].outputs)
    assert (found["id"].of, found["customer_id"].of, found["email"].of) == ("order", "", "customer")
    assert not {"next_cursor", "total_count", "secret", "data"} & set(found)
    created = named(tools["createOrder"].inputs)
    assert created["customer"].required
    assert created["email"].required
    assert created["id"].of == "customer"  # the order's own id is read-only
    assert "coupon" not in created
    assert named(tools["getOrder"].inputs)["id"].of == "order"
    assert tools["deleteOrder"].status == "deprecated"
    assert [tools[n].scopes for n in ("listOrders", "getOrder", "deleteOrder", "sendReceipt")] == [
        ("orders:read",),
        (),
        ("orders:write",),
        (),  # basic authentication has no scopes
    ]
    assert tools["deleteOrder"].outputs == ()  # its only schema is the error's
    assert tools["getOrder"].call["server"] == "https://eu.shop.example/v2"
    assert tools["listOrders"].call["parameters"]["locale"] == "header"
    assert tools["listOrders"].version is None


def test_links_become_edges():
    source, _ = read("shop-3.0.yaml")
    assert set(source.links) == {
        Link("createOrder", "id", "getOrder", "id"),
        Link("createOrder", "id", "deleteOrder", "id"),
        Link("createOrder", "X-Order", "sendReceipt", "id"),
        Link("createOrder", "email", "sendReceipt", "email"),
        Link("getOrder", "id", "deleteOrder", "id"),
    }


def test_what_was_not_mapped_is_said_once_for_all():
    notes = "\n".join(read("shop-3.0.yaml")[0].notes)
    assert "No JSON response, so no outputs are known (2): deleteOrder, post_orders_search" in notes
    assert "Callbacks are not tools" in notes
    assert "Links to operations that are not here (1): createOrder" in notes
    assert "without an operationId" in notes
    assert "circular or large were shortened" in notes
    assert "Webhooks are not tools" in "\n".join(read("shop-3.1.yaml")[0].notes)


def test_openapi_3_1():
    _, tools = read("shop-3.1.yaml")
    assert list(tools) == ["getPayment", "refund", "refund_2"]
    payment = named(tools["getPayment"].outputs)
    assert (payment["brand"].of, payment["amount"].type) == ("method", "number")
    assert payment["amount"].description == "What was paid"
    assert {n: f.required for n, f in named(tools["refund"].inputs).items()} == {
        "payment_id": True,
        "amount": False,
        "lines": False,
    }


def test_openapi_3_2():
    _, tools = read("shop-3.2.json")
    assert {n: t.effects for n, t in tools.items()} == {
        "queryProducts": "read",
        "linkProducts": "write",
    }
    assert list(named(tools["queryProducts"].inputs)) == ["colour"]
    for tool in tools.values():
        assert [(f.name, f.of) for f in tool.outputs] == [("sku", ""), ("name", "product")]
    assert tools["queryProducts"].call["server"] == "https://shop.example"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_need_no_other_document(name):
    for tool in read(name)[1].values():
        for schema in (tool.input_schema, tool.output_schema):
            text = json.dumps(schema)
            assert "$ref" not in text
            assert len(text) < 2 * MAX_SCHEMA
    assert read(name)[1] == read(name)[1]


def test_the_arguments_are_one_schema():
    schema = read("shop-3.0.yaml")[1]["sendReceipt"].input_schema
    assert sorted(schema["required"]) == ["email", "id"]
    assert schema["properties"] == {"id": {"type": "integer"}, "email": {"type": "string"}}
    nullable = read("shop-3.0.yaml")[1]["createOrder"].input_schema["properties"]["note"]
    assert nullable == {"type": ["string", "null"]}


def test_a_body_that_is_no_object_is_one_argument():
    content = {"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}}
    tool, _ = one({"requestBody": {"required": True, "content": content}})
    assert [(f.name, f.type, f.required) for f in tool.inputs] == [("body", "array", True)]
    assert tool.input_schema["properties"]["body"]["items"] == {"type": "integer"}


def test_what_has_one_value_only_is_no_input_but_is_sent():
    properties = {"type": {"enum": ["vessel"]}, "v": {"const": 1}, "name": {"type": "string"}}
    schema = {"properties": properties, "required": ["type", "name"]}
    tool, _ = one({"requestBody": {"content": {"application/json": {"schema": schema}}}})
    assert [field.name for field in tool.inputs] == ["name"]
    assert sorted(tool.input_schema["required"]) == ["name", "type"]


def test_an_object_without_properties_is_no_argument():
    form = {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {}}}}
    tool, _ = one({"requestBody": {"content": form}}, method="get")
    assert tool.inputs == ()
    open_one = {"application/json": {"schema": {"properties": {}, "additionalProperties": True}}}
    tool, _ = one({"requestBody": {"content": open_one}})
    assert [field.name for field in tool.inputs] == ["body"]


@pytest.mark.parametrize(("said", "required"), [({}, True), ({"required": False}, False)])
def test_a_body_that_leaves_it_open_needs_what_its_schema_requires(said, required):
    schema = {"properties": {"slot_id": {"type": "string"}}, "required": ["slot_id"]}
    tool, _ = one({"requestBody": {**said, "content": {"application/json": {"schema": schema}}}})
    assert [(f.name, f.required) for f in tool.inputs] == [("slot_id", required)]
    assert tool.input_schema.get("required", []) == (["slot_id"] if required else [])


def test_a_huge_schema_is_shortened():
    many = {f"field_{n}": {"type": "string", "description": "x" * 50} for n in range(10_000)}
    content = {"application/json": {"schema": {"type": "object", "properties": many}}}
    start = time.process_time()
    tool, source = one(
        {"requestBody": {"content": content}, "responses": {200: {"content": content}}}
    )
    assert time.process_time() - start < 60
    assert (len(tool.inputs), len(tool.outputs)) == (200, 200)
    assert tool.output_schema == {"type": "object"}
    assert "first 200 fields" in "\n".join(source.notes)


@pytest.mark.parametrize(
    "name", ["class", "$ref", "paths", "get", "注文一覧", "заказ", "a/b", "__init__"]
)
def test_operations_may_be_called_anything(name):
    assert one({"operationId": name})[0].name == name


def test_invisible_characters_and_long_texts_are_mended_with_a_note():
    tool, source = one(
        {
            "operationId": "pay\u200bNow\x07",
            "description": "a\u202eb" + "x" * 30_000,
            "tags": ["t\x00"],
        }
    )
    assert (tool.name, len(tool.description), tool.family) == ("payNow", 20_000, "t")
    assert "Texts cut to 20,000 characters" in "\n".join(source.notes)
    assert len(one({"operationId": "x" * 1_000})[0].name) == 256


@pytest.mark.parametrize(
    ("path", "method", "name", "effects"),
    [
        ("/orders/search", "post", None, "read"),
        ("/orders", "post", "searchOrders", "read"),
        ("/orders", "post", "getOrCreateOrder", "write"),
        ("/orders", "post", "deleteOrders", "destructive"),
        ("/", "get", "GET_TerminateInstances", "destructive"),
        ("/", "get", "GET_CreateVolume", "write"),
        ("/orders", "patch", "patchOrder", "write"),
        ("/orders", "head", "headOrder", "read"),
    ],
)
def test_effects(path, method, name, effects):
    operation = {"operationId": name} if name else {}
    assert one(operation, path, method)[0].effects == effects


def test_remote_references_are_refused_unless_a_loader_is_given():
    content = {"application/json": {"schema": {"$ref": "http://169.254.169.254/x#/A"}}}
    operation = {"responses": {"200": {"content": content}}}
    tool, source = one(operation)
    assert tool.outputs == ()
    assert "references to other documents are off" in "\n".join(source.notes)
    asked = []

    def remote(address):
        asked.append(address)
        return {"A": {"properties": {"sku": {}}}}

    document = {"openapi": "3.0.0", "paths": {"/x": {"get": operation}}}
    found = read_openapi(document, "x", remote=remote).manifest.tools[0]
    assert [f.name for f in found.outputs] == ["sku"]
    assert asked == ["http://169.254.169.254/x"]


@pytest.mark.parametrize(
    "document",
    [
        None, [], "openapi", {}, {"openapi": "4.0"}, {"swagger": "1.2", "paths": {}},
        {"openapi": "3.0.0"}, {"openapi": "3.0.0", "paths": []}, {"openapi": "3.0.0", "paths": {}},
        {"openapi": "3.0.0", "paths": {"/x": {"get": []}}}, {"openapi": {"a": 1}, "paths": {}},
        {"openapi": "3.0.0", "paths": {"/x": {"$ref": "#/paths/~1x"}}},
    ],
)  # fmt: skip
def test_what_is_no_document_or_has_no_operation_is_refused(document):
    with pytest.raises(ManifestError, match="here: "):
        read_openapi(document, "here")


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


WRONG: list[Any] = [
    *(None, 0, -1.5, True, "", "x", "\ud800\x00", [], {}, [None], [[]], {"": None}, {"$ref": "#"}),
    *({"$ref": 5}, {"$ref": "#/paths"}, {"$ref": "x.json"}, float("inf"), "x" * 30_000),
]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_wrong_values_in_every_place_give_tools_or_one_kind_of_error(name):
    for number, path in enumerate(places(DOCUMENTS[name])):
        mutated(DOCUMENTS[name], [(path, WRONG[number % len(WRONG)])])


def mutated(document, changes):
    """Read a copy with values put in other places; nothing but ManifestError may come of it."""
    changed = copy.deepcopy(document)
    for path, value in changes:
        target = changed
        try:
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = copy.deepcopy(value)
        except (LookupError, TypeError):
            continue
    start = time.process_time()
    try:
        source = read_openapi(changed, "mutated")
    except ManifestError:
        source = None
    assert time.process_time() - start < 60
    if source is not None:
        assert isinstance(source, Source)
        for tool in source.manifest.tools:
            tool.content_hash("service")


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_mutated_documents_give_tools_or_one_kind_of_error(data):
    document = DOCUMENTS[data.draw(st.sampled_from(sorted(DOCUMENTS)))]
    known = list(places(document))
    values = st.sampled_from(WRONG) | st.sampled_from(known).map(lambda path: at(document, path))
    changes = st.tuples(st.sampled_from(known), values)
    mutated(document, data.draw(st.lists(changes, min_size=1, max_size=6)))


def at(value, path):
    for key in path:
        value = value[key]
    return value
