import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import ManifestError
from spm.registry.importers.functions import (
    looks_like_functions,
    read_functions,
    subject,
)
from spm.registry.models import tool_id

DATA = Path(__file__).parents[3] / "data" / "formats"
FILES = sorted((DATA / "functions").glob("*.json"))


def load(name):
    return json.loads((DATA / "functions" / f"{name}.json").read_text(encoding="utf-8"))


def tools(source):
    return {tool.name: tool for tool in source.manifest.tools}


def function(name="get_order", **more):
    return {"type": "function", "name": name, "parameters": {"type": "object"}, **more}


def inputs(tool):
    return {field.name: field.required for field in tool.inputs}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_dialect_is_recognised_and_read(path):
    document = load(path.stem)
    assert looks_like_functions(document)
    source = read_functions(document, path.name)
    assert source.format == "functions"
    assert source.manifest.service.name == path.stem
    assert all(tool.description and tool.call for tool in source.manifest.tools)
    assert any("no outputs are known" in note for note in source.notes)


def test_optional_fields_of_strict_mode_are_those_that_may_be_null():
    order = tools(read_functions(load("openai-chat"), "chat.json"))["get_order"]
    assert inputs(order) == {"order_id": True, "currency": False, "note": False}
    assert order.input_schema["required"] == ["order_id", "currency", "note"]
    assert order.call == {"format": "functions", "name": "get_order"}


def test_a_function_without_parameters_takes_nothing():
    ping = tools(read_functions(load("openai-chat"), "chat.json"))["ping"]
    assert (ping.inputs, ping.input_schema) == ((), None)


def test_a_namespace_is_the_family_and_part_of_the_name_only_where_names_collide():
    found = tools(read_functions(load("openai-responses"), "r.json", service="desk"))
    assert set(found) == {"create_ticket", "crm.search", "wiki.search", "delete_customer"}
    assert found["delete_customer"].family == "crm"
    assert found["delete_customer"].effects == "destructive"
    assert found["wiki.search"].call == {
        "format": "functions",
        "name": "search",
        "namespace": "wiki",
    }


def test_namespaces_nest():
    inner = {"type": "namespace", "name": "b", "tools": [function()]}
    outer = {"type": "namespace", "name": "a", "tools": [inner]}
    (tool,) = read_functions([outer], "x").manifest.tools
    assert (tool.name, tool.family) == ("get_order", "a.b")


def test_tools_that_the_provider_runs_are_left_out_with_a_note():
    source = read_functions(load("anthropic"), "anthropic.json")
    assert set(tools(source)) == {"get_stock_price", "send_email"}
    assert any("provider runs it" in note and "web_search, bash" in note for note in source.notes)
    source = read_functions(load("openai-responses"), "r.json")
    assert any("free text" in note and "sql" in note for note in source.notes)


def test_a_declared_response_gives_outputs():
    response = {"type": "object", "properties": {"total": {"type": "number"}}}
    source = read_functions([function(response=response)], "x")
    assert [(o.name, o.of) for o in source.manifest.tools[0].outputs] == [("total", "order")]
    assert source.notes == ()


def test_dialects_mix():
    mixed = load("openai-chat") + load("anthropic")["tools"] + load("legacy")["functions"]
    assert len(read_functions(mixed, "mixed").manifest.tools) == 5


def test_one_function_alone_is_a_list_of_one():
    assert len(read_functions(function(), "x").manifest.tools) == 1


def test_the_first_of_two_equal_names_stays():
    source = read_functions([function(description="a"), function(description="b")], "x")
    assert tools(source)["get_order"].description == "a"
    assert any("same name" in note for note in source.notes)


def test_a_generic_argument_belongs_to_what_the_tool_is_about():
    schema = {
        "type": "object",
        "title": "get_orderArguments",
        "properties": {"id": {"type": "string"}, "address": {"type": "string"}},
    }
    (tool,) = read_functions([function(parameters=schema)], "x").manifest.tools
    assert {field.name: field.of for field in tool.inputs} == {"id": "order", "address": ""}


def test_invisible_and_control_characters_are_removed_with_a_note():
    schema = {
        "type": "object",
        "description": "a\u200bb",
        "properties": {
            "or\u200bder_id": {"type": "string", "description": "the\u202e number\x00\ud800"},
            "kind": {"enum": ["\ta", "\u200b"]},
        },
    }
    bad = function("get\u200b_order", description="Se\u00adcret\r\norders", parameters=schema)
    source = read_functions([bad], "x")
    (tool,) = source.manifest.tools
    assert tool.call
    assert tool.input_schema
    assert (tool.name, tool.description) == ("get_order", "Secret\norders")
    assert "order_id" in inputs(tool)
    assert any("Invisible characters" in note for note in source.notes)
    # What is called keeps its true name; what a model reads is clean; constants stay.
    assert tool.call["name"] == "get\u200b_order"
    assert tool.input_schema["description"] == "ab"
    assert tool.input_schema["properties"]["kind"] == {"enum": ["\ta", "\u200b"]}
    assert tool.content_hash("x")


def test_texts_that_are_too_long_are_cut():
    source = read_functions([function(description="x" * 30_000)], "x")
    assert len(source.manifest.tools[0].description) == 20_000
    assert any("cut" in note for note in source.notes)


@pytest.mark.parametrize(
    "document",
    [None, 1, "x", [], {}, {"tools": None}, {"tools": []}, {"functions": {}}, [[]], [None, 1]],
    ids=repr,
)
def test_what_is_no_list_of_functions_is_refused(document):
    assert not looks_like_functions(document)
    with pytest.raises(ManifestError, match="no tool in it can be registered"):
        read_functions(document, "x.json")


@pytest.mark.parametrize(
    "bad",
    [
        function(None),
        function(3),
        function(""),
        function("\u200b"),
        function("x" * 300),
        function(["get"]),
        {"type": "function"},
        {"type": "function", "function": "get_order"},
        {"type": ["function"], "name": "x"},
        {"type": "namespace", "name": "x", "tools": {}},
        "get_order",
    ],
    ids=lambda bad: repr(bad)[:60],
)
def test_a_bad_tool_is_left_out_and_the_others_stay(bad):
    source = read_functions([bad, function("good")], "x")
    assert list(tools(source)) == ["good"]
    assert any("Left out" in note for note in source.notes)


@pytest.mark.parametrize(
    "schema",
    [None, [], "object", 3, {"type": 3}, {"properties": []}, {"required": "all"}],
    ids=repr,
)
@pytest.mark.parametrize("strict", [True, None])
def test_a_bad_schema_means_unknown_inputs(schema, strict):
    (tool,) = read_functions([function(parameters=schema, strict=strict)], "x").manifest.tools
    assert tool.inputs == ()


def test_a_schema_that_is_too_deep_is_left_out():
    deep: dict[str, object] = {}
    for _ in range(2_000):
        deep = {"properties": {"a": deep}}
    source = read_functions([function(parameters=deep), function("good")], "x")
    assert list(tools(source)) == ["good"]
    assert any("deeper" in note for note in source.notes)


def test_a_service_without_a_usable_name_is_refused():
    with pytest.raises(ManifestError, match="letter or a digit"):
        read_functions([function()], "…")
    with pytest.raises(ManifestError, match="'/'"):
        read_functions([function()], "x", service="a/b")
    assert (
        read_functions([function()], "lists/shop.tools.json").manifest.service.name == "shop.tools"
    )


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("get_customer_email", "customer_email"),
        ("listOrders", "orders"),
        ("orders.find", "orders"),
        ("get_user_by_email", "user"),
        ("current_time", "current_time"),
        ("search", ""),
    ],
)
def test_a_tool_is_about_its_noun(name, about):
    assert subject(name) == about


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    for key, item in value.items() if isinstance(value, dict) else ():
        yield from places(item, (*path, key))
    for index, item in enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, index))


def mutated(document, data):
    """The document with up to three places replaced by anything, doubled or gone."""
    document = {"": copy.deepcopy(document)}
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in places(document) if p]))
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        if data.draw(st.booleans()) and len(path) > 1:
            del parent[path[-1]]
        else:
            parent[path[-1]] = data.draw(JSON)
    return document[""]


@given(st.sampled_from(FILES), st.data())
def test_a_broken_document_gives_a_source_or_a_manifest_error(path, data):
    document = mutated(load(path.stem), data)
    looks_like_functions(document)
    try:
        source = read_functions(document, path.name)
    except ManifestError:
        return
    for tool in source.manifest.tools:
        assert tool.content_hash(source.manifest.service.name)
        assert tool_id(source.manifest.service.name, tool.name)
