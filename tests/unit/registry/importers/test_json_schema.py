"""Schemas to fields: nesting, owners, envelopes, references, and what a stranger may write."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import InputError, ManifestError
from spm.registry.importers import references
from spm.registry.importers.json_schema import MAX_FIELDS, input_fields, output_fields
from spm.registry.importers.nouns import noun, singular
from spm.registry.importers.references import References, clean, files_beside, load_document

ORDER = {
    "$defs": {
        "Order": {
            "type": "object",
            "required": ["id", "customer"],
            "properties": {
                "id": {"type": "integer"},
                "customer": {"$ref": "#/$defs/Customer"},
                "lines": {"type": "array", "items": {"properties": {"sku": {}, "order_id": {}}}},
                "labels": {"type": "array", "items": {"type": "string"}},
                "parent": {"$ref": "#/$defs/Order"},
            },
        },
        "Customer": {
            "required": ["id"],
            "properties": {
                "id": {},
                "name": {},
                "address": {"properties": {"street": {}, "geo": {"properties": {"lat": {}}}}},
            },
        },
    }
}


def fields(schema, take=output_fields):
    return {field.name: field for field in take(schema)}


def test_nested_fields_carry_their_owner():
    found = fields({**ORDER, "$ref": "#/$defs/Order"})
    assert (found["id"].of, found["id"].type) == ("order", "integer")
    assert (found["name"].of, found["sku"].of, found["street"].of) == (
        "customer",
        "line",
        "address",
    )
    assert found["customer_id"].of == ""  # the second id in one tool, under its full name
    assert found["order_id"].of == ""
    assert found["labels"].type == "array"
    assert "lat" not in found


@pytest.mark.parametrize("key", ["data", "result", "items", "payload", "_embedded", "value"])
@pytest.mark.parametrize("many", [False, True])
def test_envelopes_are_looked_through(key, many):
    inner = {"type": "object", "properties": {"id": {}}}
    inner = {"type": "array", "items": inner} if many else inner
    found = fields({"title": "OrderListResponse", "properties": {key: inner, "total_count": {}}})
    assert [(f.name, f.of) for f in found.values()] == [("id", "order")]


def test_nested_fields_are_required_only_if_all_around_them_are():
    inner = {"type": "object", "required": ["street"], "properties": {"street": {}}}
    for required in (True, False):
        schema = {"properties": {"address": inner}, "required": ["address"] if required else []}
        assert fields(schema, input_fields)["street"].required is required


def test_read_only_write_only_and_deprecated():
    schema = {
        "required": ["old"],
        "properties": {
            "made": {"readOnly": True},
            "secret": {"writeOnly": True},
            "older": {"deprecated": True},
            "old": {"deprecated": True},
        },
    }
    assert set(fields(schema, input_fields)) == {"secret", "old"}
    assert set(fields(schema)) == {"made", "older", "old"}


def test_paging_and_credentials_are_no_results_and_never_required():
    names = ["page", "nextCursor", "X-Request-Id", "Authorization", "etag", "per_page"]
    schema = {"properties": {name: {} for name in names}, "required": names}
    assert output_fields(schema) == []
    assert [f.required for f in input_fields(schema)] == [False] * len(names)


def test_alternatives_are_required_only_if_all_require_them():
    schema = {
        "allOf": [{"properties": {"a": {}}, "required": ["a"]}],
        "oneOf": [
            {"properties": {"b": {}, "c": {}}, "required": ["b", "c"]},
            {"properties": {"b": {}}, "required": ["b"]},
            {"type": "null"},
        ],
        "then": {"properties": {"d": {}}, "required": ["d"]},
    }
    found = {name: field.required for name, field in fields(schema, input_fields).items()}
    assert found == {"a": True, "b": True, "c": False, "d": False}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["null", "integer"]}, "integer"),
        ({"type": "file"}, "string"),
        ({"enum": [1, 2]}, "integer"),
        ({"const": True}, "boolean"),
        ({"additionalProperties": {}}, "object"),
        ({"prefixItems": []}, "array"),
        ({"anyOf": [{"type": "null"}, {"type": "number"}]}, "number"),
        (True, "string"),
        ({"type": {"strange": 1}}, "string"),
    ],
)
def test_types_come_down_to_six(schema, kind):
    assert fields({"properties": {"x": schema}})["x"].type == kind


@pytest.mark.parametrize(
    "defs",
    [
        {"A": {"$ref": "#/$defs/A"}},
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        {"A": {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}},
        {"A": {"properties": {"data": {"$ref": "#/$defs/A"}}}},
        {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
        {"A": {"$ref": "#/$defs/missing"}},
        {"A": {"$ref": "#/$defs/A/$defs/~1%zz/0"}},
        {"A": {"$ref": "#A"}},
        {f"A{n or ''}": {"$ref": f"#/$defs/A{n + 1}"} for n in range(3_000)},
        {f"A{n or ''}": {"allOf": [{"$ref": f"#/$defs/A{n + 1}"}] * 2} for n in range(100)},
        {f"A{n or ''}": {"properties": {key: {"$ref": f"#/$defs/A{n + 1}"} for key in "abcdefg"}}
         for n in range(20)},
    ],
)  # fmt: skip
def test_circles_and_towers_of_references_end(defs):
    start = time.process_time()
    output_fields({"$defs": defs, "$ref": "#/$defs/A"})
    input_fields({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/A"}}})
    assert time.process_time() - start < 60


def test_ten_thousand_properties_are_cut_with_the_required_ones_kept():
    names = [f"field_{n}" for n in range(10_000)]
    start = time.process_time()
    found = input_fields({"properties": {n: {} for n in names}, "required": names[-3:]})
    assert time.process_time() - start < 60
    assert len(found) == MAX_FIELDS
    assert sum(field.required for field in found) == 3


def test_references_stay_inside_the_document():
    references = References({})
    assert references("https://metadata.internal/x#/a") is None
    assert references("file:///etc/passwd") is None
    assert "references to other documents are off (2)" in references.notes.sentences()[0]


def test_allowed_references_are_relative_to_the_file_they_stand_in(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/order.yaml").write_text("Order: {properties: {by: {$ref: 'who.yaml#/W'}}}")
    (tmp_path / "parts/who.yaml").write_text("W: {properties: {e_mail: {}}, also: {$ref: '#/W'}}")
    root = {"$ref": "parts/order.yaml#/Order"}
    references = References(root, files_beside(tmp_path / "api.yaml"))
    assert [f.name for f in output_fields(root, references)] == ["by", "e_mail"]


@pytest.mark.parametrize(
    "reference", ["../x.json", "/etc/passwd", "https://x/y", "file:x", "\\\\host\\x", ".", "a\0b"]
)
def test_files_outside_the_folder_are_not_read(tmp_path, reference):
    with pytest.raises(ManifestError):
        files_beside(tmp_path / "api.yaml")(reference)


def test_a_link_does_not_lead_out(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.json").write_text("{}")
    (tmp_path / "in/link.json").symlink_to(tmp_path / "out.json")
    with pytest.raises(ManifestError, match="leads out"):
        files_beside(tmp_path / "in/api.yaml")("link.json")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("#/components/schemas/OrderListResponse", "order"),
        ("#/definitions/io.k8s.api.core.v1.PodList", "pod"),
        ("PagedResult_Order_", "order"),
        ("Full Repository", "repository"),
        ("CreateOrderItemRequestDto", "order_item"),
        ("Arguments", ""),
        ("The order that was placed by somebody", ""),
        ("注文", "注文"),
        (None, ""),
    ],
)
def test_nouns_of_schemas(name, expected):
    assert noun(name) == expected


@pytest.mark.parametrize(
    ("many", "one"),
    [("orders", "order"), ("addresses", "address"), ("status", "status"), ("boxes", "box"),
     ("categories", "category"), ("people", "person"), ("analysis", "analysis"), ("id", "id"),
     ("order_items", "order_item"), ("purchases", "purchase"), ("warehouses", "warehouse")],
)  # fmt: skip
def test_singulars(many, one):
    assert singular(many) == one


def test_invisible_characters_and_halves_are_removed():
    assert clean("a\u200bb\x00c\r\nd\ud800\u2028e") == "ab c\nd? e"
    found = output_fields({"properties": {"or\u200bder\n id": {}, "\u200b": {}, "x" * 300: {}}})
    assert [field.name for field in found] == ["order id"]


# Loading


def written(tmp_path, text, name="document"):
    path = tmp_path / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


def test_yaml_is_read_by_its_core_schema(tmp_path):
    text = "200: no\non: 2020-01-02\nn: [1, 1.5, 1e3, .nan, null, true, '7', !!str 7, 0o17]\n"
    assert load_document(written(tmp_path, text)) == {
        "200": "no",
        "on": "2020-01-02",
        "n": [1, 1.5, 1000.0, ".nan", None, True, "7", "7", "0o17"],
    }


def test_yaml_aliases_and_merges_are_followed(tmp_path):
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: *a\nd: {<<: [*a, {z: 4}]}\n"
    assert load_document(written(tmp_path, text)) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 2},
        "d": {"x": 1, "y": 2, "z": 4},
    }


BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "aliases followed"),
        ("a: &a [*a]", "stands for itself"),
        ("a: *b", "stands for itself|undefined alias"),
        ("[" * 5_000, "deeply|valid JSON"),
        ("a: " + "[" * 5_000, "deeper"),
        ("- " * 5_000 + "a", "deeper"),
        ("a: 1\na: 2", "stands twice"),
        ("? [1]\n: 2", "not text"),
        ("a: !!python/object/apply:os.system [x]", "tag"),
        ("a: !include x", "tag"),
        ("a: 1\n---\nb: 2", "second document"),
        ("a: [1", "complete"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": [1, 2', "complete"),
        ('{"a":' + "[" * 70 + "]" * 70 + "}", "deeper"),
        ('{"a":' + "[" * 100_000, "deeply|valid JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "too large"),
        (b'{"a": "\xff"}', "UTF-8"),
    ],
)
def test_bad_documents_are_refused_with_a_reason(tmp_path, text, message):
    start = time.process_time()
    with pytest.raises(ManifestError, match=message):
        load_document(written(tmp_path, text))
    assert time.process_time() - start < 60


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(ManifestError, match=r"100,000,000 bytes; the limit is 64,000,000"):
            load_document(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_too_many_values_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(references, "MAX_VALUES", 100)
    with pytest.raises(ManifestError, match="more than 100 values"):
        load_document(written(tmp_path, "{" + '"a":[' + "[]," * 100 + "0]}"))


def test_a_missing_file_and_another_kind_of_error(tmp_path):
    with pytest.raises(InputError, match="Cannot read"):
        load_document(tmp_path / "none.yaml", InputError)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "type properties items required allOf oneOf anyOf $ref $defs title description "
                "then enum const nullable readOnly additionalProperties data id".split()
            ),
            inner,
            max_size=5,
        )
        | st.sampled_from([{"$ref": "#"}, {"$ref": "#/properties"}, {"$ref": "#/$defs/data"}])
    ),
    max_leaves=25,
)


@given(JSON)
def test_any_value_is_taken_as_a_schema(schema):
    assert len(output_fields(schema)) <= MAX_FIELDS
    assert len(input_fields(schema)) <= MAX_FIELDS


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        ("IssueBean", "issue"),
        ("CreatedIssue", "issue"),
        ("FoundUsers", "user"),
        ("LoanOut", "loan"),
        ("ProjectIdentifiers", "project"),
        ("DeprecatedWorkflow", "workflow"),
    ],
)
def test_words_of_generators_are_around_the_noun(name, thing):
    assert noun(name) == thing


def nested(*names, **properties):
    """An object inside objects of these names."""
    schema = {"type": "object", "properties": properties}
    for name in reversed(names):
        schema = {"type": "object", "properties": {name: schema}}
    return schema


def test_from_deep_inside_only_references_are_taken():
    text = {"type": "string"}
    deep = nested("spec", "lines", "subject", "visit", id=text, street=text, name=text)
    assert [f.name for f in input_fields(deep)] == ["spec", "id", "name"]
    wide = nested("spec", "lines", "subject", "visit", name=text, a=text, b=text, c=text, d=text)
    assert [f.name for f in input_fields(wide)] == ["spec"]
    too_deep = nested("spec", "lines", "subject", "visit", "of", id=text)
    assert [f.name for f in input_fields(too_deep)] == ["spec"]
    assert [f.name for f in output_fields(deep)] == ["spec"]
