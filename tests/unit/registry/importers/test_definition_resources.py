"""Resources out of definitions: nearly what the document gave, never of other formats."""

from pathlib import Path
from typing import Any

from spm.registry.importers.definition_resources import read_definitions
from spm.registry.importers.detection import read_source
from spm.registry.importers.openapi import read_openapi
from spm.registry.importers.source import Source
from spm.registry.map.resources import Given, Identity, Reading
from spm.registry.models import ToolSpec

SHOP = Path(__file__).parents[3] / "data" / "formats" / "openapi" / "shop-3.0.yaml"
TEXT = {"type": "string"}


def stored(source: Source) -> list[ToolSpec]:
    """The tools as a store keeps them."""
    return [ToolSpec.model_validate(tool.definition()) for tool in source.manifest.tools]


def api(paths: dict[str, Any], **schemas: Any) -> Source:
    document = {"openapi": "3.0.3", "info": {"title": "x", "version": "1"}, "paths": paths}
    return read_openapi({**document, "components": {"schemas": schemas}}, "x.json")


def operation(name: str, answer: Any, *places: str) -> dict[str, Any]:
    parameters = [{"name": p, "in": "path", "required": True, "schema": TEXT} for p in places]
    content = {"application/json": {"schema": answer}}
    responses = {"200": {"description": "", "content": content}}
    return {"get": {"operationId": name, "parameters": parameters, "responses": responses}}


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_an_answer_has_the_name_that_its_id_belongs_to() -> None:
    """`/agents` answers users, which only the name of their schema said."""
    source = api(
        {"/agents": operation("listAgents", {"type": "array", "items": ref("User")})},
        User=thing(id=TEXT, email=TEXT),
    )
    assert source.readings is not None
    assert read_definitions(stored(source)) == source.readings
    assert source.readings["listAgents"] == Reading("list", "user", {}, (Given("user", "", True),))


def test_parameters_are_identified_by_their_place() -> None:
    source = api(
        {
            "/pods": operation("list", {"type": "array", "items": ref("Pod")}),
            "/pods/{name}": operation("read", ref("Pod"), "name"),
            "/pods/{name}/log": operation("log", TEXT, "name"),
        },
        Pod=thing(id=TEXT, name=TEXT),
    )
    found = read_definitions(stored(source))
    assert found == source.readings
    assert found["log"].takes == {"name": Identity("pod")}


def test_what_was_cut_out_of_a_large_answer_comes_from_the_outputs() -> None:
    """A schema that is too large is kept without its depth; the outputs were read before."""
    wide = {f"p{n}": thing(**{f"q{n}x{m}": TEXT for m in range(60)}) for n in range(40)}
    listed = {"type": "object", "properties": {"data": {"type": "array", "items": ref("Seat")}}}
    source = api(
        {"/chairs": operation("GetChairs", listed)}, Seat=thing(id=TEXT, name=TEXT, **wide)
    )
    tools = stored(source)
    assert "q1x1" not in str(tools[0].output_schema), "or there is nothing to bring back"
    assert read_definitions(tools)["GetChairs"].gives[0] == Given("seat", "", True)


def test_other_formats_are_left_out() -> None:
    tools = [ToolSpec(name="list_users"), ToolSpec(name="get", call={"format": "mcp"})]
    assert read_definitions(tools) == {}


def test_a_whole_document_is_read_alike() -> None:
    source = read_source(str(SHOP))
    assert source.readings is not None
    found = read_definitions(stored(source))
    assert found.keys() == source.readings.keys()
    assert {n: (r.verb, r.resource, r.takes) for n, r in found.items()} == {
        n: (r.verb, r.resource, r.takes) for n, r in source.readings.items()
    }
