import json
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.traces.redaction import (
    MAX_NAMES,
    Call,
    Episode,
    clean,
    is_name,
    moment,
    shape,
    tool_name,
)

TYPES = {"string", "integer", "number", "boolean", "array", "object"}
SECRET = "hunter2"
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text().map(SECRET.__add__)
KEYS = st.sampled_from(["id", "name", "data", "items", "orders", "customer", "type", "text"])


def nested(keys: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    return st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=12,
    )


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"order_id": 7, "paid": True, "sum": 1.5}, "order_id:integer paid:boolean sum:number"),
        ({"customer": {"id": "x"}}, "customer:object customer_id:string"),
        ({"orders": [{"id": 1}, {"id": 2}]}, "orders:array order_id:integer"),
        ({"categories": [{"name": "x"}]}, "categories:array category_name:string"),
        ({"boxes": [{"code": "x"}]}, "boxes:array box_code:string"),
        ({"status": [{"code": "x"}]}, "status:array status_code:string"),
        ({"customer": {"email": "x"}}, "customer:object customer_email:string"),
        ({"data": {"results": [{"id": 1}]}}, "id:integer"),
        ({"order": {"data": {"id": 1}}}, "order:object order_id:integer"),
        ({"result": "done"}, "result:string"),
        ({"items": ["a", "b"]}, "items:array"),
        ({"order": {"items": []}}, "order:object order_items:array"),
        ({"result": '{"id": 1}'}, "id:integer"),
        ('[{"a": 1}, {"b": 2.0}]', "a:integer b:number"),
        ([{"a": 1}, {"a": 2.5}], "a:number"),
        ([{"a": 1}, {"a": "x"}], "a:integer"),
        ({"orderId": 1, "order_id": 2}, "orderId:integer"),
        ({"a": None}, ""),
        ({"_id": 1, "@type": "x", "$ref": "x"}, "_id:integer @type:string $ref:string"),
        ({"user": {"_id": 1}}, "user:object user_id:integer"),
        ({"a": {"b": {"c": {"d": 1}}}}, "a:object b:object c:object"),
        ("just text", ""),
        ("{broken", ""),
        ("[" * 100_000, ""),
        ("[" + "9" * 5_000 + "]", ""),
        (7, ""),
        (None, ""),
        ({"when": datetime.now(UTC)}, ""),
    ],
)
def test_values_become_names_and_types(value, fields):
    assert " ".join(f"{name}:{kind}" for name, kind in shape(value).items()) == fields


@pytest.mark.parametrize(
    "value",
    [
        {"content": [{"type": "text", "text": '{"id": 1}'}], "isError": False},
        {"content": [], "structuredContent": {"id": 1}},
        [{"type": "text", "text": "prose"}, {"type": "text", "text": '{"id": 1}'}],
        {"content": '{"id": 1}', "tool_call_id": "c1", "name": "x", "status": "success"},
    ],
)
def test_the_wrapping_of_protocols_is_looked_through(value):
    assert shape(value) == {"id": "integer"}


def test_depth_counts_named_objects_only():
    assert shape({"data": [[{"a": {"b": 1}}]]}, depth=1) == {"a": "object"}
    assert shape({"a": 1}, depth=0) == {}


def test_only_the_first_elements_are_looked_at():
    assert shape([{}] * 5 + [{"late": 1}]) == {}


@pytest.mark.parametrize(
    "key",
    [
        "9b2d5a1c-7f54-4a4e-9f0e-1d2c3b4a5968",
        "c0ffee5a1c7f544a",
        "deadbeef-cafe-1234",
        "17",
        "2024-05-01",
        "ann@example.com",
        "+49 170 1234567",
        "order_123456",
        "DE89370400440532",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "a1b2c3d4e",
        "https://example.com/x",
        "Ann Miller",
        "x" * 65,
        "x" * 40,
        "dGhpc0lzQVNlY3JldFRva2VuV2l0aG91dERpZ2l0cw",
        "",
        "_",
        "a\n",
        "a\u200bb",
        "\ud800",
        7,
        None,
    ],
)
def test_keys_that_look_like_data_are_no_names(key):
    assert not is_name(key)
    assert shape({key: 1}) == {}


@pytest.mark.parametrize(
    "key",
    "id orderId order-id sha256 iso8601 base64 p95 address_line_1 dc:title a.b größe 名前 "
    "x-request-id iso_3166_1_alpha_2 numberOfSeatsInTheSecondRow".split(),
)
def test_ordinary_keys_are_names(key):
    assert is_name(key)


def test_a_map_keyed_by_data_is_a_list_of_its_values():
    people = {f"person{chr(97 + i // 26)}{chr(97 + i % 26)}": {"age": i} for i in range(51)}
    assert shape({"people": people}) == {"people": "object", "age": "integer"}
    assert shape({"people": people, "total": 51})["total"] == "integer"
    few = {"ann@example.com": {"age": 1}, "bob@example.com": {"age": 2}, "carol": {"age": 3}}
    assert shape(few) == {"age": "integer"}


def test_a_wide_record_of_many_types_keeps_the_rare_ones():
    wide = {f"col{chr(97 + i // 26)}{chr(97 + i % 26)}": "x" for i in range(60)} | {"total": 1}
    assert shape(wide) == {"total": "integer"}


def test_at_most_so_many_names():
    letters = "abcdefghijklmnopqrstuvwxyz"
    value = {a + b: [] if i % 2 else "" for i, (a, b) in enumerate(pairwise(letters))}
    rows = [{f"{p}_{k}": v for k, v in value.items()} for p in letters]
    assert len(shape({f"rows{p}": r for p, r in zip(letters, rows, strict=True)})) == MAX_NAMES


@given(nested(KEYS | st.text()))
def test_no_value_comes_out(value):
    found = shape(value)
    assert SECRET not in repr(found)
    assert set(found.values()) <= TYPES


@given(nested(KEYS))
def test_names_are_made_of_keys_alone(value):
    known = {"id", "name", "data", "items", "item", "orders", "order", "customer", "type", "text"}
    assert {part for name in shape(value) for part in name.split("_")} <= known


@given(nested(KEYS))
def test_json_text_is_like_its_value(value):
    if not isinstance(value, str):
        assert shape(json.dumps(value)) == shape(json.loads(json.dumps(value)))


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_any_text_and_any_key_is_survived(text, mapping):
    shape(text)
    for name in shape(mapping):
        assert name in mapping


@pytest.mark.parametrize("name", ["", " ", "x" * 257, "a\nb", "a\u200bb", "…", "\ud800", 7, None])
def test_what_cannot_be_a_tool_has_no_name(name):
    assert tool_name(name) == ""


def test_tool_names_are_stripped():
    assert tool_name(" shop/get order ") == "shop/get order"


def test_texts_can_be_stored():
    assert clean(" a\ud800b ") == "a?b"
    assert clean("x" * 30_000) == "x" * 20_000
    assert clean(7) == ""


@pytest.mark.parametrize("time", [None, 0, -1, 2**70, 10**400])
def test_impossible_times_are_none(time):
    assert moment(time) is None


def test_times_are_utc():
    assert moment(10**18) == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)


def test_calls_and_episodes_have_quiet_defaults():
    assert Call("a") == Call("a", True, {}, {}, None)
    assert Episode(None, "", []).success
