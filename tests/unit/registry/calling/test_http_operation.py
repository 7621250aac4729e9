"""Calls of OpenAPI operations: values go where they belong and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.calling.arguments import Invalid
from spm.registry.calling.backends import HttpBackend
from spm.registry.calling.callable_tool import NotCalled, Tool
from spm.registry.calling.http_operation import prepare
from spm.registry.models import ToolSpec

BASE = HttpBackend(base_url="https://api.example/v1")


def tool(**call):
    made = {"format": "openapi", "method": "POST", "path": "/orders/{id}", **call}
    return Tool("orders/x", ToolSpec(name="x", call=made), {})


def body(ready):
    assert ready.data is not None
    return json.loads(ready.data)


def test_every_argument_goes_to_its_place():
    where = {"id": "path", "page": "query", "X-Run": "header"}
    ready = prepare(
        BASE,
        tool(parameters=where, body="application/json"),
        {"id": "a b", "page": 2, "X-Run": "r", "note": "n", "deep": {"x": [1]}},
    )
    assert (ready.method, ready.url) == ("POST", "https://api.example/v1/orders/a%20b?page=2")
    assert ready.headers == {"X-Run": "r", "Content-Type": "application/json"}
    assert body(ready) == {"note": "n", "deep": {"x": [1]}}


def test_a_body_that_is_no_object_and_a_form():
    whole = tool(parameters={"id": "path"}, body="application/json")
    assert body(prepare(BASE, whole, {"id": "1", "body": [1, 2]})) == [1, 2]
    form = tool(parameters={"id": "path"}, body="application/x-www-form-urlencoded")
    ready = prepare(BASE, form, {"id": "1", "a": "x y", "b": True})
    assert ready.data == b"a=x+y&b=true"


def test_without_a_description_the_address_gets_tool_and_arguments():
    bare = Tool("shop/find", ToolSpec(name="find"), {})
    ready = prepare(BASE, bare, {"a": 1})
    assert (ready.method, ready.url) == ("POST", "https://api.example/v1")
    assert body(ready) == {"tool": "shop/find", "arguments": {"a": 1}}


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_a_path_value_cannot_be_a_step(value):
    with pytest.raises(Invalid, match="path"):
        prepare(BASE, tool(parameters={"id": "path"}), {"id": value})


def test_a_missing_path_value_is_said():
    with pytest.raises(Invalid, match="'id' is required"):
        prepare(BASE, tool(parameters={"id": "path"}), {})


@pytest.mark.parametrize("path", ["orders", "//evil.example/x", "/a/../../b", "/a//b", ""])
def test_a_registered_path_cannot_leave_the_address(path):
    with pytest.raises(NotCalled, match="path"):
        prepare(BASE, tool(path=path, parameters={}), {})


@pytest.mark.parametrize(
    "name", ["Authorization", "host", "Cookie", "X-A: b\r\nX", "content-length"]
)
def test_headers_that_speak_for_others_are_refused(name):
    with pytest.raises(NotCalled, match="header"):
        prepare(BASE, tool(path="/x", parameters={name: "header"}), {name: "v"})


@pytest.mark.parametrize("value", ["a\r\nX: y", "ü", "\x00"])
def test_a_header_value_is_one_line_of_plain_text(value):
    with pytest.raises(Invalid, match="header"):
        prepare(BASE, tool(path="/x", parameters={"X-A": "header"}), {"X-A": value})


def test_cookies_are_not_sent():
    with pytest.raises(NotCalled, match="cookies"):
        prepare(BASE, tool(path="/x", parameters={"s": "cookie"}), {"s": "v"})


anything = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.integers(), st.booleans()
)


@given(value=anything, query=st.lists(anything, max_size=3))
def test_no_value_changes_where_a_request_goes(value, query):
    try:
        ready = prepare(
            BASE, tool(parameters={"id": "path", "q": "query"}), {"id": value, "q": query}
        )
    except Invalid:
        return
    start, _, rest = ready.url.partition("https://api.example/v1/orders/")
    segment = rest.partition("?")[0]
    assert start == ""
    assert "/" not in segment
    assert segment not in (".", "..")
    assert ready.url.isascii()
    assert not set(ready.url) & set(" \r\n#")
