"""Resources of OpenAPI documents: item paths, lists, envelopes, procedures, roles."""

from spm.registry.importers.openapi import read_openapi
from spm.registry.map.resources import Given, Identity


def thing(name, **properties):
    return {name: {"type": "object", "properties": {"id": {"type": "string"}, **properties}}}


def answers(schema):
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def path_parameters(path):
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [
        {"name": n, "in": "path", "required": True, "schema": {"type": "string"}} for n in names
    ]


def readings(paths, **schemas):
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t"},
        "components": {"schemas": schemas},
        "paths": {
            path: {
                method: {"parameters": path_parameters(path), "responses": {}, **operation}
                for method, operation in operations.items()
            }
            for path, operations in paths.items()
        },
    }
    return read_openapi(document, "t").readings


def test_an_item_path_is_what_its_get_answers():
    found = readings(
        {
            "/boxes/{name}": {
                "get": {"operationId": "readBox", "responses": answers(ref("Crate"))},
                "delete": {"operationId": "deleteBox"},
            },
            "/boxes/{key}/seals": {"post": {"operationId": "sealBox"}},
        },
        **thing("Crate"),
    )
    assert found["readBox"].takes["name"] == Identity("crate")
    assert found["sealBox"].takes["key"] == Identity("crate")
    assert (found["deleteBox"].verb, found["deleteBox"].resource) == ("delete", "crate")


def test_a_list_says_what_its_items_are():
    found = readings(
        {
            "/crates": {
                "get": {
                    "operationId": "crates",
                    "responses": answers({"type": "array", "items": ref("FullCrate")}),
                },
                "post": {"operationId": "newCrate", "responses": answers(ref("FullCrate"))},
            },
            "/crates/{crate_id}": {"put": {"operationId": "changeCrate"}},
        },
        **thing("FullCrate"),
    )
    assert (found["crates"].verb, found["crates"].resource) == ("list", "crate")
    assert found["crates"].gives[0].many
    assert (found["newCrate"].verb, found["newCrate"].resource) == ("create", "crate")
    assert found["changeCrate"].takes["crate_id"] == Identity("crate")


def test_envelopes_are_looked_through():
    page = {"type": "object", "properties": {"data": {"type": "array", "items": ref("Song")}}}
    found = readings(
        {
            "/songs": {"get": {"operationId": "listSongs", "responses": answers(page)}},
            "/songs/{id}": {"get": {"operationId": "getSong", "responses": answers(ref("Song"))}},
        },
        **thing("Song"),
    )
    assert [(g.resource, g.many) for g in found["listSongs"].gives] == [("song", True)]


def test_procedures_have_their_verb_last():
    reply = {"type": "object", "properties": {"ok": {"type": "boolean"}, "rooms": {
        "type": "array", "items": ref("Room")}}}  # fmt: skip
    found = readings(
        {
            "/rooms.list": {"get": {"operationId": "rooms_list", "responses": answers(reply)}},
            "/rooms.setTopic": {
                "post": {
                    "operationId": "rooms_setTopic",
                    "parameters": [{"name": "room", "in": "query", "schema": {"type": "string"}}],
                }
            },
        },
        **thing("Room"),
    )
    assert (found["rooms_list"].verb, found["rooms_list"].resource) == ("list", "room")
    assert found["rooms_setTopic"].verb == "update"
    assert found["rooms_setTopic"].takes["room"] == Identity("room")


def test_an_id_that_can_be_expanded_is_a_reference():
    crate = thing("Crate", owner_account={"anyOf": [{"type": "string"}, ref("Account")]})
    found = readings(
        {
            "/crates/{id}": {
                "get": {"operationId": "getCrate", "responses": answers(ref("Crate"))}
            },
            "/accounts/{id}": {
                "get": {"operationId": "getAccount", "responses": answers(ref("Account"))}
            },
        },
        **crate,
        **thing("Account"),
    )
    assert ("account", "owner_account") in [(g.resource, g.role) for g in found["getCrate"].gives]


def test_two_parameters_in_a_row_are_one_key():
    found = readings(
        {
            "/stores/{owner}/{store}": {
                "get": {"operationId": "getStore", "responses": answers(ref("Store"))}
            }
        },
        **thing("Store"),
    )
    assert found["getStore"].takes == {"owner": Identity("store"), "store": Identity("store")}


def test_metadata_names_identify():
    pod = {"Pod": {"type": "object", "properties": {"metadata": {
        "type": "object", "properties": {"name": {"type": "string"}}}}}}  # fmt: skip
    found = readings(
        {
            "/spaces/{space}/pods/{name}": {
                "get": {"operationId": "readPod", "responses": answers(ref("Pod"))}
            },
            "/spaces/{space}/pods/{name}/log": {"get": {"operationId": "readPodLog"}},
        },
        **pod,
    )
    assert found["readPodLog"].takes["name"] == Identity("pod")


def query(name, **schema):
    return {"name": name, "in": "query", "schema": {"type": "string", **schema}}


def test_what_is_one_of_a_few_identifies_nothing():
    crates = {"get": {"operationId": "readCrate", "responses": answers(ref("Crate"))}}
    find = {"operationId": "find", "parameters": [query("crate_id"), query("crate", enum=["a"])]}
    found = readings({"/crates/{id}": crates, "/find": {"get": find}}, **thing("Crate"))
    assert found["find"].takes == {"crate_id": Identity("crate")}


def test_a_schema_without_a_name_is_what_its_path_says():
    item = {"type": "object", "properties": {"id": {"type": "string"}}}
    listed = {"operationId": "all", "responses": answers({"type": "array", "items": item})}
    found = readings(
        {"/crates": {"get": listed}, "/crates/{key_or_id}": {"get": {"operationId": "one"}}}
    )
    assert found["all"].gives == (Given("crate", "", True, "declared"),)
    assert found["one"].takes["key_or_id"] == Identity("crate")
