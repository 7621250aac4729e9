"""From a declaration to rows: fields under canonical names, required and optional, versions."""

import json

import pytest

from spm.registry.catalog.graph_rows import (
    declared_access,
    field_rows,
    named_fields,
    produces_rows,
    requires_rows,
    tool_rows,
    version_row,
    versions,
)
from spm.registry.errors import VersionConflict
from spm.registry.models import Manifest, OutputSpec, ServiceSpec, ToolSpec


def tool(name="get", **more):
    return ToolSpec.model_validate({"name": name, **more})


def needs(*specs, **more):
    rows = requires_rows({"s/get": tool(inputs=specs, **more)})
    return {row["field"]: row["required"] for row in rows}


def gives(*names, **more):
    rows = produces_rows({"s/get": tool(outputs=[{"name": n} for n in names], **more)})
    return [row["field"] for row in rows]


def test_what_stands_in_the_path_is_an_input_whatever_it_is_called():
    specs = {"name": "link"}, {"name": "cursor", "required": False}
    assert needs(*specs, call={"path": "/file_links/{link}"}) == {"link": True}
    assert needs(*specs, call={"path": "/file_links"}) == {}


# -- what a tool takes and gives ---------------------------------------------------------------


def test_the_family_owns_names_that_say_nothing_alone():
    assert gives("id", "tracking", "Created At", family="Orders") == [
        "order_created_at",
        "order_id",
        "tracking",
    ]


def test_what_a_field_is_of_goes_before_the_family():
    specs = [{"name": "id", "of": "customer"}, {"name": "name"}]
    assert needs(*specs, family="order") == {"customer_id": True, "order_name": True}


def test_required_and_optional_are_kept_apart():
    assert needs({"name": "a"}, {"name": "b", "required": False}) == {"a": True, "b": False}


def test_a_field_under_two_spellings_is_required_when_one_of_them_is():
    optional = {"name": "order_ids", "required": False}
    assert needs({"name": "order_id"}, optional) == {"order_id": True}
    assert needs(optional, {"name": "order_id"}) == {"order_id": True}


def test_what_steers_a_call_is_no_field():
    steering = [{"name": name} for name in ("api_key", "pageSize", "expand", "Accept-Language")]
    assert needs(*steering, {"name": "city"}) == {"city": True}
    assert gives("nextPageToken", "access_token", "city") == ["city"]


def test_two_outputs_that_meet_make_one_edge():
    assert gives("order_id", "orderIDs") == ["order_id"]


def test_control_names_link_no_tools(registry, manifest):
    registry.register(
        manifest("s", first=([], ["cursor", "token_secret"]), then=(["cursor"], ["x"]))
    )
    assert registry.paths("first", "then") == []
    assert registry.show("then").producers == {}
    registry.register(manifest("t", first=([], ["basket"]), then=(["basket"], ["x"])))
    assert registry.paths("t/first", "t/then")


# -- fields ------------------------------------------------------------------------------------


def test_new_spellings_join_the_known_ones_and_the_first_type_stays():
    known = [{"field": "order_id", "type": "integer", "aliases": ["orderId"]}]
    named = [("order_id", OutputSpec(name=n)) for n in ("order_id", "Order ID", "orderId")]
    assert field_rows(known, named) == [
        {"name": "order_id", "type": "integer", "aliases": ["Order ID", "orderId"]}
    ]
    assert known[0]["aliases"] == ["orderId"]


def test_a_field_without_aliases_yet_gets_some():
    known = [{"field": "a", "type": "string", "aliases": None}]
    assert field_rows(known, [("a", OutputSpec(name="A"))])[0]["aliases"] == ["A"]


def test_inputs_and_outputs_are_named_alike():
    one = tool(family="order", inputs=[{"name": "id"}], outputs=[{"name": "ids"}])
    assert [name for name, _ in named_fields({"s/get": one})] == ["order_id", "order_id"]


# -- rows --------------------------------------------------------------------------------------


def test_a_version_row_holds_the_whole_definition():
    one = tool(family="order", inputs=[{"name": "id"}, {"name": "x", "required": False}])
    published = versions(Published([]), "s", {"s/get": one})["s/get"]
    row = version_row("s/get", one, published)
    assert ToolSpec.model_validate(json.loads(row["definition"])) == one
    assert (row["id"], row["requires"], row["produces"]) == ("s/get@1", ["order_id"], [])


def test_the_service_owns_tools_that_name_no_owner():
    one, two = tool("a"), tool("b", owner="me")
    manifest = Manifest(spm=1, service=ServiceSpec(name="s", owner="team"), tools=(one, two))
    said = declared_access(manifest)
    assert [one.owner for one in said.values()] == ["team", "me"]
    published = versions(Published([]), "s", {"s/a": one})
    standing = {"s/a": {"status": "active", "successor": None, **said["s/a"].row()}}
    (row,) = tool_rows(manifest, {"s/a": one}, published, standing)
    assert (row["owner"], row["visibility"], row["scopes"]) == ("team", "public", [])


# -- versions ----------------------------------------------------------------------------------


class Published:
    """A transaction that knows what was published."""

    def __init__(self, rows):
        self.rows = rows

    def run(self, name, /, **params):
        assert name == "tools/published"
        return [row for row in self.rows if row["id"] in params["ids"]]


def row(version, number, content="other"):
    return {"id": "s/get", "version": version, "number": number, "content_hash": content}


@pytest.mark.parametrize(
    ("earlier", "label", "number"),
    [
        ([], "1", 1),
        ([("1", 1)], "2", 2),
        ([("1.0", 1), ("2", 2)], "3", 3),
        ([("2", 1)], "3", 2),
        ([("2", 1), ("3", 2)], "4", 3),
    ],
)
def test_the_next_free_number_is_taken(earlier, label, number):
    found = versions(Published([row(*e) for e in earlier]), "s", {"s/get": tool()})["s/get"]
    assert (found.label, found.number) == (label, number)


def test_a_published_version_with_the_same_content_keeps_its_number():
    one = tool(version="1.0")
    earlier = [row("1.0", 1, one.content_hash("s")), row("2.0", 2)]
    assert versions(Published(earlier), "s", {"s/get": one})["s/get"].number == 1


def test_a_published_version_with_another_content_is_refused():
    with pytest.raises(VersionConflict, match=r"1\.0"):
        versions(Published([row("1.0", 1)]), "s", {"s/get": tool(version="1.0")})


def test_the_content_belongs_to_a_service():
    assert tool().content_hash("a") != tool().content_hash("b")
    assert tool(version="1").content_hash("a") == tool(version="2").content_hash("a")
