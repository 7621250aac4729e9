"""Which result an argument came from, and which equal values say nothing about it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.traces.data_flow import MANY, MAX_MARKS, flows, marks
from spm.registry.traces.redaction import Call, shape


def call(arguments=None, result=None, ok=True):
    return Call("t", ok, took=marks(arguments), gave=marks(result))


def found(*calls, request=""):
    return [f"{f.source}.{f.output}>{f.target}.{f.input}" for f in flows(request, calls)]


@pytest.mark.parametrize(
    ("result", "arguments", "expected"),
    [
        ({"customer": {"id": "C-77"}}, {"client": "C-77"}, "0.customer_id>1.client"),
        ({"data": [{"id": 1}, {"id": 4711}]}, {"ref": 4711}, "0.id>1.ref"),
        ({"order_ids": [4711, 4712]}, {"order": 4712}, "0.order_ids>1.order"),
        ({"id": 4711}, {"orders": [4712, 4711]}, "0.id>1.orders"),
        ({"id": 4711}, {"filter": {"client": 4711}}, "0.id>1.client"),
        ('{"id": "C-77"}', '{"client": "C-77"}', "0.id>1.client"),
        ({"id": 4711}, {"ref": "4711"}, "0.id>1.ref"),
        ({"id": 4711.0}, {"ref": 4711}, "0.id>1.ref"),
        ({"price": 19.99}, {"amount": 19.99}, "0.price>1.amount"),
        (
            {"structuredContent": {"id": "C-77"}, "content": [], "isError": False},
            {"client": "C-77"},
            "0.id>1.client",
        ),
    ],
)
def test_a_value_is_recognised_under_the_names_of_its_shapes(result, arguments, expected):
    assert found(call(result=result), call(arguments)) == [expected]
    output, taken = (part.partition(".")[2] for part in expected.split(">"))
    assert output in shape(result)
    assert taken in shape(arguments)


@pytest.mark.parametrize(
    "value",
    [True, False, None, "", "  ", "US", "en", 0, 7, -9, 10, 99, 4.5, "true", "None", "unknown",
     "--!--", {}, [], [[]], float("nan"), float("inf")],
)  # fmt: skip
def test_values_that_are_equal_by_chance_say_nothing(value):
    assert found(call(result={"a": value}), call({"b": value})) == []


@pytest.mark.parametrize("value", [100, -123, "JFK", "x-1-2", 1.25])
def test_three_letters_or_digits_are_enough(value):
    assert found(call(result={"a": value}), call({"b": value})) == ["0.a>1.b"]


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ("Where is order 4821?", 4821),
        ("Where is order #4821?", "4821"),
        ("Fly to new york", "New York"),
        ("Mail ann@example.com", "Ann@example.com"),
        ("Say: one two three four five six seven eight nine ten.",
         "one two three four five six seven eight nine ten."),
    ],
)  # fmt: skip
def test_what_the_request_says_came_from_the_user(request_, value):
    calls = call(result={"a": value}), call({"b": value})
    assert found(*calls, request=request_) == []
    assert found(*calls, request="Do it") == ["0.a>1.b"]
    assert found(*calls, request="48210 newyork annexample") == ["0.a>1.b"]


def test_a_result_that_echoes_an_argument_makes_nothing():
    first = call({"day": "2026-01-01"}, {"departure": "2026-01-01"})
    assert found(first, call({"check_in": "2026-01-01"})) == []
    source, echo = call(result={"id": "C-77"}), call({"ref": "C-77"}, {"customer": "C-77"})
    assert found(source, echo, call({"client": "C-77"})) == ["0.id>1.ref", "0.id>2.client"]


def test_of_several_results_the_same_name_wins_then_the_latest_then_the_outermost():
    one, two = call(result={"id": "C-77"}), call(result={"x": "C-77", "person": {"key": "C-77"}})
    assert found(one, two, call({"client": "C-77"})) == ["1.x>2.client"]
    assert found(one, two, call({"ID": "C-77"})) == ["0.id>2.ID"]
    assert found(one, two, call({"person_key": "C-77"})) == ["1.person_key>2.person_key"]


def test_failed_calls_neither_give_nor_take():
    good, bad = call(result={"id": "C-77"}), call(result={"id": "C-77"}, ok=False)
    assert found(bad, call({"client": "C-77"})) == []
    assert found(good, call({"client": "C-77"}, ok=False)) == []
    assert found(good, bad, call({"client": "C-77"})) == ["0.id>2.client"]


def test_only_earlier_results_count():
    assert found(call({"client": "C-77"}), call(result={"id": "C-77"})) == []
    assert found(call({"client": "C-77"}, {"id": "C-77"})) == []


def test_one_argument_is_one_flow_however_often_it_matches():
    assert found(call(result={"ids": [4711, 4712]}), call({"orders": [4711, 4712]})) == [
        "0.ids>1.orders"
    ]


def test_what_is_looked_at_is_bounded():
    hits = [{"id": 1_000 + i} for i in range(3 * MANY)]
    assert found(call(result=hits), call({"ref": 1_000 + MANY - 1})) == ["0.id>1.ref"]
    assert found(call(result=hits), call({"ref": 1_000 + MANY})) == []
    wide = [{f"field_{chr(97 + i)}": f"value {j} {i}" for i in range(26)} for j in range(100)]
    assert len(marks(wide)) == MAX_MARKS


def test_keys_that_are_data_name_no_field():
    assert found(call(result={"ann@example.com": "C-77"}), call({"client": "C-77"})) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text().map("hunter2".__add__),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "data", "items", "person"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_no_value_can_be_read_from_a_mark(value):
    assert "hunter2" not in repr([marks(value), marks(json.dumps(value))])
