"""Arguments against schemas: agreeing with a real validator where both speak the same words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.calling.arguments import Invalid, check, parsed

KINDS = ["string", "integer", "number", "boolean", "array", "object", "null"]
scalars = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-9, 9) | st.text("ab", max_size=2)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


def objects(inner):
    return st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
            "additionalProperties": st.booleans(),
        },
    )


schemas = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(KINDS)
            | st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True),
            "enum": st.lists(scalars, min_size=1, max_size=3),
        },
    ),
    lambda inner: (
        objects(inner)
        | st.fixed_dictionaries({"type": st.just("array")}, optional={"items": inner})
    ),
    max_leaves=5,
)


def fits(value: Any, schema: Any) -> bool:
    try:
        check(value, schema)
    except Invalid:
        return False
    return True


@given(st.dictionaries(st.sampled_from("abc"), values, max_size=3), objects(schemas))
def test_the_check_agrees_with_a_validator(value, schema):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema)
    assert fits(value, schema) == validator.is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value", "good"),
    [
        ({"enum": ["a", "b"]}, "b", True),
        ({"enum": ["a", "b"]}, "c", False),
        ({"enum": [1]}, True, False),
        ({"enum": [0]}, False, False),
        ({"type": "integer"}, 3.0, True),
        ({"type": "integer"}, 3.5, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, True, False),
        ({"type": "string", "nullable": True}, None, True),
        ({"type": ["string", "null"]}, None, True),
        ({"type": "text"}, 1, True),  # a word that nobody knows forbids nothing
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], False),
        ({"$ref": "#/nowhere"}, 1, True),
    ],
)
def test_single_values(schema, value, good):
    assert fits({"x": value}, {"properties": {"x": schema}}) is good


@pytest.mark.parametrize(
    "schema", [{"required": "x"}, {"properties": []}, {"type": 7}, {"items": 3}, {"enum": "abc"}]
)
def test_a_schema_that_is_none_forbids_nothing(schema):
    assert fits({"x": [1]}, schema)


def test_problems_are_named_without_values():
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {"properties": {"c": {"type": "string"}}}},
        "required": ["d"],
        "additionalProperties": False,
    }
    with pytest.raises(Invalid) as problem:
        check({"a": "secret-1", "b": {"c": 5}, "e": "secret-2"}, schema)
    assert str(problem.value) == "'d' is required; 'a' must be integer; 'b.c' must be string"


@pytest.mark.parametrize("said", ["{", "[]", "3", '"a"', "NaN", '{"a": Infinity}', "[" * 99_999])
def test_what_is_no_object_is_refused(said):
    with pytest.raises(Invalid):
        parsed(said)


@pytest.mark.parametrize("said", [None, "", "  ", "{}", {}])
def test_no_arguments_are_an_empty_object(said):
    assert parsed(said) == {}
