"""The text by which a tool is found, part by part."""

from typing import Any

import pytest

from spm.registry.catalog import search_text
from spm.registry.catalog.search_text import PARTS, first_sentences, plain, search_parts
from spm.registry.models import InputSpec, OutputSpec, ToolSpec


def parts_of(**said):
    return dict(zip(PARTS, search_parts(ToolSpec(**{"name": "a", **said})), strict=True))


def values_of(schema):
    return parts_of(input_schema=schema)["values"]


def test_what_each_part_holds():
    assert parts_of(
        name="getOrder",
        title="Order lookup",
        description="Finds **one** order. See [the guide](http://x). More text. And more.",
        family="fulfilment",
        inputs=(
            InputSpec(name="state", required=False, description="Only orders in this state."),
            InputSpec(name="orderId", description="The <b>number</b> on the bill. Ten digits."),
            InputSpec(name="page", required=False, description="Steers the call."),
        ),
        outputs=(OutputSpec(name="total"),),
        input_schema={"properties": {"state": {"enum": ["open", "sentBack"]}}},
        call={"path": "/shop/orders/{orderId}"},
    ) == {
        "title": "Order lookup",
        "name": "get order",
        "path and tag": "shop orders fulfilment",
        "first sentences": "Finds one order. See the guide",
        "inputs": "order id, state",
        "told of inputs": "The number on the bill. Only orders in this state",
        "values": "open, sent back",
    }


def test_what_was_said_is_not_said_again():
    said = parts_of(
        name="get_order",
        title="Get order",
        description="Get order.",
        family="order",
        call={"path": "/order"},
    )
    assert [*said.values()] == ["Get order", "", "", "", "", "", ""]


def test_answers_are_no_part_of_it():
    said = parts_of(
        outputs=(OutputSpec(name="zebra", description="A zebra."),),
        output_schema={"properties": {"zebra": {"enum": ["zebra"]}}},
    )
    assert "zebra" not in " ".join(said.values())


def test_each_part_is_bounded():
    words = "several words " * 1_000
    inputs = tuple(
        InputSpec(name=f"input {number}", description=f"{number} {words}") for number in range(200)
    )
    listed = {f"p{n}": {"enum": [f"value {n} {m}" for m in range(50)]} for n in range(50)}
    said = parts_of(
        name="n " * 127,
        title=words,
        description=words,
        family="tag " * 60,
        inputs=inputs,
        input_schema={"properties": listed},
        call={"path": "/part" * 1_000},
    )
    assert len(said["title"]) <= search_text.TITLE
    assert len(said["name"]) <= search_text.NAME
    assert len(said["path and tag"]) <= 2 * search_text.PATH + 1
    assert len(said["first sentences"]) <= search_text.SUMMARY
    assert len(said["inputs"].split(", ")) == search_text.INPUTS
    assert search_text.DESCRIPTIONS / 2 < len(said["told of inputs"]) <= search_text.DESCRIPTIONS
    assert search_text.VALUES / 2 < len(said["values"]) <= search_text.VALUES
    assert len({value.split()[1] for value in said["values"].split(", ")}) > 1  # of several inputs


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"a": {"enum": ["x", 1, None, "y"]}}}, "x, y"),
        ({"properties": {"a": {"items": {"enum": ["x"]}}}}, "x"),
        ({"properties": {"a": {"anyOf": [{"enum": ["x"]}, {"oneOf": [{"enum": ["y"]}]}]}}}, "x, y"),
        ({"properties": {"a": {"properties": {"b": {"enum": ["x"]}}}}}, "x"),
        ({"properties": {"a": {"enum": ["x"]}, "b": {"enum": ["y"]}}, "required": ["b"]}, "y, x"),
        ({"properties": {"sort": {"enum": ["up", "down"]}}}, ""),
        ({"properties": {"a": {"enum": ["x", "x"]}, "b": {"enum": ["x"]}}}, "x"),
    ],
    ids=["texts", "items", "choices", "inside", "required-first", "steering", "once"],
)
def test_values_to_choose_from(schema, expected):
    assert values_of(schema) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": 1, "enum": "x", "items": [1], "anyOf": {"a": 1}},
        {"properties": {"a": 1, "b": None}, "required": [["a"], 1]},
        {"anyOf": [None, 1, "x"]},
    ],
)
def test_a_schema_that_is_none_has_no_values(schema):
    assert values_of(schema) == ""


def test_only_so_much_of_a_schema_is_looked_at():
    deep: dict[str, Any] = {"enum": ["x"]}
    for _ in range(2_000):
        deep = {"items": deep}
    assert [*search_text._values({"properties": {"a": deep}})] == []
    many: dict[str, Any] = {f"p{n}": {"type": "string"} for n in range(10_000)}
    assert values_of({"properties": {**many, "z": {"enum": ["x"]}}}) == ""


def test_markup_goes():
    assert plain("Use `x` <b>now</b>, see [here](http://y)") == "Use x now , see here"


def test_only_the_first_sentences():
    assert first_sentences("One. Two. Three.") == "One. Two."
    assert len(first_sentences("word " * 500)) <= 300
