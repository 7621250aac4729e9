import copy
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import ManifestError
from spm.registry.importers.mcp import (
    is_mcp_server,
    looks_like_mcp,
    read_mcp_list,
    read_mcp_server,
)

DATA = Path(__file__).parents[3] / "data" / "formats" / "mcp"
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")


def load(version):
    return json.loads((DATA / f"{version}.json").read_text(encoding="utf-8"))


def tools(source):
    return {tool.name: tool for tool in source.manifest.tools}


def tool(name="get_order", **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def outputs(tool):
    return {field.name: field.type for field in tool.outputs}


def only(**more):
    return read_mcp_list([tool(**more)], "x").manifest.tools[0]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_recognised_and_read(version):
    document = load(version)
    assert looks_like_mcp(document)
    source = read_mcp_list(document, f"{version}.json")
    assert (source.format, source.name) == ("mcp", f"{version}.json")
    for found in source.manifest.tools:
        assert found.input_schema
        assert found.call
        assert found.input_schema["type"] == "object"
        assert (found.call["format"], found.call["tool"]) == ("mcp", found.name)


def test_2025_06_18_is_mapped():
    source = read_mcp_list(load("2025-06-18"), "weather.json")
    found = tools(source)
    weather = found["get_weather_data"]
    assert weather.title == "Weather Data Retriever"
    assert [(i.name, i.type, i.required) for i in weather.inputs] == [
        ("location", "string", True),
        ("days", "integer", False),
    ]
    assert weather.inputs[0].description == "City name or zip code"
    assert outputs(weather) == {"temperature": "number", "conditions": "string"}
    assert weather.output_schema["required"] == ["temperature", "conditions"]
    assert weather.call == {"format": "mcp", "server": "weather", "tool": "get_weather_data"}
    assert found["delete_station"].title == "Delete a station"


def test_effects_follow_the_annotations_and_their_defaults():
    source = read_mcp_list(load("2025-06-18"), "weather.json")
    assert {name: found.effects for name, found in tools(source).items()} == {
        "get_weather_data": "read",
        "delete_station": "destructive",
        "add_station": "write",
        "ping_station": "write",
    }
    (note,) = [note for note in source.notes if "No annotations" in note]
    assert note.endswith("(1): ping_station")


@pytest.mark.parametrize(
    ("annotations", "effects"),
    [
        # Nothing is stated, so names and texts tell: get_x reads.
        (None, "read"),
        ({}, "read"),
        ({"title": "T"}, "read"),
        ({"readOnlyHint": None}, "read"),
        ("write", "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "read"),
        ({"readOnlyHint": "yes"}, "destructive"),
        ({"openWorldHint": False}, "destructive"),
        ({"destructiveHint": True}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
    ],
    ids=repr,
)
def test_effects(annotations, effects):
    assert only(annotations=annotations).effects == effects


def test_2025_11_25_resolves_definitions_and_looks_through_wrapped_results():
    found = tools(read_mcp_list(load("2025-11-25"), "orders.json"))
    find = found["orders.find"]
    assert {"customer_id", "limit"} <= {field.name for field in find.inputs}
    assert outputs(find) == {"order_id": "string", "total": "number"}
    assert outputs(found["get_order_status"]) == {"order_status": "string"}
    assert found["get_order_status"].title == "Order status"


def test_2026_07_28_results_may_be_anything():
    source = read_mcp_list(load("2026-07-28"), "list.json")
    found = tools(source)
    assert outputs(found["get_customer_email"]) == {"customer_email": "string"}
    assert outputs(found["list_tags"]) == {"tags": "array"}
    assert outputs(found["find_orders_by_tag"]) == {"order_id": "string"}
    assert {i.name: i.required for i in found["get_customer_email"].inputs} == {
        "customer_id": False,
        "order_id": False,
    }


def test_the_server_names_itself_in_2026_07_28():
    source = read_mcp_list(load("2026-07-28"), "list.json")
    assert source.manifest.service.name == "example-shop"
    assert read_mcp_list(load("2026-07-28"), "x", service="mine").manifest.service.name == "mine"


@pytest.mark.parametrize("wrapped", [False, True])
def test_pages_are_joined(wrapped):
    pages = [{"tools": [tool("a")], "nextCursor": "1"}, {"tools": [tool("b")]}]
    if wrapped:
        pages = [{"jsonrpc": "2.0", "id": i, "result": page} for i, page in enumerate(pages)]
    assert looks_like_mcp(pages)
    source = read_mcp_list(pages, "x")
    assert list(tools(source)) == ["a", "b"]
    assert not any("incomplete" in note for note in source.notes)
    source = read_mcp_list(pages[:1], "x")
    assert any("incomplete" in note for note in source.notes)


def test_a_bare_list_of_tools_is_enough():
    assert looks_like_mcp([tool()])
    source = read_mcp_list([tool(), {"description": "nameless"}, None], "x")
    assert list(tools(source)) == ["get_order"]


@pytest.mark.parametrize("schema", [None, {}, [], "string", {"type": "object"}, True], ids=repr)
def test_a_result_without_fields_gives_none_and_a_note(schema):
    source = read_mcp_list([tool(outputSchema=schema)], "x")
    assert source.manifest.tools[0].outputs == ()
    assert any("no outputs are known (1): get_order" in note for note in source.notes)


def test_a_verb_alone_still_names_its_result():
    assert outputs(only(name="search", outputSchema={"type": "string"})) == {
        "search_result": "string"
    }


def test_references_that_lead_nowhere_are_noted():
    schema = {"type": "object", "properties": {"order": {"$ref": "#/$defs/None"}}}
    source = read_mcp_list([tool(inputSchema=schema)], "x")
    assert [field.name for field in source.manifest.tools[0].inputs] == ["order"]
    assert any("lead nowhere" in note for note in source.notes)


def test_references_to_elsewhere_are_not_followed():
    schema = {"$ref": "file:///etc/passwd", "properties": {"a": {"$ref": "https://example.com"}}}
    assert [field.name for field in only(inputSchema=schema).inputs] == ["a"]


def test_names_that_become_equal_are_one_tool():
    source = read_mcp_list([tool("get_order"), tool("get_\u200border", title="evil")], "x")
    assert tools(source)["get_order"].title == ""
    assert any("same name" in note for note in source.notes)
    assert any("Invisible" in note for note in source.notes)


@pytest.mark.parametrize("bad", [None, 3, "x", [], {}, {"name": 3}, tool(None), tool("//")])
def test_a_bad_tool_is_left_out_and_the_others_stay(bad):
    source = read_mcp_list({"tools": [bad, tool("good")]}, "x")
    assert list(tools(source)) == ["good"]
    assert any("Left out" in note for note in source.notes)


@pytest.mark.parametrize(
    "document",
    [None, 3, "x", [], {}, {"tools": None}, {"jsonrpc": "2.0", "id": 1, "result": None}, [[]]],
    ids=repr,
)
def test_what_is_no_list_is_refused(document):
    assert not looks_like_mcp(document)
    with pytest.raises(ManifestError, match=r"x\.json: not a tools/list result\."):
        read_mcp_list(document, "x.json")


def test_an_empty_list_is_refused():
    assert not looks_like_mcp({"tools": []})
    with pytest.raises(ManifestError, match="no tool in it"):
        read_mcp_list({"tools": []}, "x.json")


def test_a_saved_error_is_shown():
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}
    with pytest.raises(ManifestError, match="but an error: Method not found"):
        read_mcp_list(error, "x.json")


def test_function_lists_and_manifests_are_not_taken_for_mcp():
    assert not looks_like_mcp({"tools": [{"name": "a", "input_schema": {}}]})
    assert not looks_like_mcp({"spm": 1, "service": "a", "tools": [{"name": "a"}]})


@pytest.mark.parametrize(
    ("target", "live"),
    [
        ("mcp+stdio:python x.py", True),
        ("mcp+https://host/mcp", True),
        ("mcp+http://host/mcp", True),
        ("https://host/mcp", False),
        ("mcp.json", False),
    ],
)
def test_live_sources_are_recognised(target, live):
    assert is_mcp_server(target) is live


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("mcp+stdio:", "names no command"),
        ("mcp+stdio:python 'x", "No closing quotation"),
        ("mcp+http://example.com/mcp", "another machine"),
        ("mcp+http://127.0.0.1.example.com/mcp", "another machine"),
        ("mcp+http://10.0.0.1/mcp", "another machine"),
        ("mcp+https://user:hunter2@example.com/mcp", "carries credentials"),
        ("mcp+https:///mcp", "is not mcp"),
        ("mcp+https://host:99999/mcp", "is not an address"),
        ("mcp+https://[::1/mcp", "is not an address"),
        ("mcp+ftp://host/mcp", "is not mcp"),
        ("https://host/mcp", "is not mcp"),
    ],
)
def test_addresses_that_are_not_allowed(target, message):
    with pytest.raises(ManifestError, match=message) as caught:
        read_mcp_server(target)
    assert "hunter2" not in str(caught.value)


def test_without_the_sdk_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ManifestError, match=r"pip install 'spm-registry\[mcp\]'"):
        read_mcp_server("mcp+stdio:python server.py")


PLAIN = [None, True, -1, 0.5, float("nan"), "", "x", "\u200b", "\ud800", "x" * 30_000, [], [None]]
SCHEMAS = [{}, {"": {}}, {"$ref": "#"}, {"$ref": 3}, {"type": ["null"]}, {"anyOf": [{"$ref": "#"}]}]
VALUES = st.sampled_from([*PLAIN, *SCHEMAS])


def holders(value):
    keys = list(value) if isinstance(value, dict) else []
    for key in range(len(value)) if isinstance(value, list) else keys:
        yield value, key
        yield from holders(value[key])


@given(st.sampled_from(VERSIONS), st.data())
def test_a_broken_document_gives_a_source_or_a_manifest_error(version, data):
    document = copy.deepcopy(load(version))
    for _ in range(data.draw(st.integers(1, 4))):
        if places := list(holders(document)):
            parent, key = data.draw(st.sampled_from(places))
            if data.draw(st.booleans()):
                parent[key] = copy.deepcopy(data.draw(VALUES))
            else:
                del parent[key]
    looks_like_mcp(document)
    try:
        source = read_mcp_list(document, "x.json")
    except ManifestError:
        return
    for found in source.manifest.tools:
        assert found.content_hash(source.manifest.service.name)
