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


def obj(**properties):
    return {"type": "object", "properties": properties}


TEXT = {"type": "string"}


def get(name, schema=None, **more):
    said = {"responses": answers(schema)} if schema else {}
    return {"get": {"operationId": name, **said, **more}}


def post(name, body=None, schema=None):
    content = {"application/json": {"schema": body or obj()}}
    said = {"responses": answers(schema)} if schema else {}
    return {"post": {"operationId": name, "requestBody": {"content": content}, **said}}


def crates(**more):
    return {"/crates/{id}": get("getCrate", ref("Crate")), **more}


def roles(reading):
    return {(given.resource, given.role) for given in reading.gives}


def test_an_answer_that_is_told_and_holds_no_key_gives_nothing():
    told = obj(default={**TEXT}, allowed=TEXT)
    found = readings(
        crates(**{
            "/settings/crate": get("getSettings", told),
            "/other/crate": get("getOther"),
        }),
        **thing("Crate"),
    )  # fmt: skip
    assert found["getSettings"].gives == ()
    assert found["getOther"].gives == (Given("crate", "", False, "inferred"),)


def test_a_procedure_without_a_verb_does_not_give_the_thing_itself():
    ok = obj(ok={"type": "boolean"})
    found = readings(
        {"/team.limits": get("team_limits", ok), "/team.list": get("team_list", ok)},
    )
    assert found["team_limits"].gives == ()
    assert roles(found["team_list"]) == {("team", "")}


def test_entries_of_several_kinds_are_each_of_them():
    entry = {"Entry": {"oneOf": [ref("Crate"), ref("Barrel")]}}
    found = readings(
        crates(**{
            "/barrels/{id}": get("getBarrel", ref("Barrel")),
            "/store": get("listStore", obj(entries={"type": "array", "items": ref("Entry")})),
        }),
        **thing("Crate"), **thing("Barrel"), **entry,
    )  # fmt: skip
    assert {("crate", ""), ("barrel", "")} <= roles(found["listStore"])


def test_a_thing_or_a_deleted_thing_is_the_thing():
    both = {"anyOf": [ref("shop.crate"), ref("deleted_shop.crate")]}
    found = readings(
        {
            "/crates/{id}": get("getCrate", both),
            "/crates": get("listCrates", {"type": "array", "items": ref("shop.crate")}),
        },
        **thing("shop.crate"), **thing("deleted_shop.crate"), **thing("crate"),
    )  # fmt: skip
    assert found["getCrate"].takes["id"] == Identity(found["listCrates"].resource)


def test_what_an_id_expands_to_is_not_looked_into():
    crate = thing("Crate", account={"anyOf": [TEXT, ref("Account")]})
    account = thing("Account", person=ref("Person"))
    found = readings(
        crates(**{
            "/accounts/{id}": get("getAccount", ref("Account")),
            "/people/{id}": get("getPerson", ref("Person")),
        }),
        **crate, **account, **thing("Person"),
    )  # fmt: skip
    assert roles(found["getCrate"]) == {("crate", ""), ("account", "account")}


def test_an_object_refers_only_by_a_key_and_an_unnamed_one_by_its_property():
    crate = thing("Crate", place=ref("place"), shelf=obj(id=TEXT, url=TEXT))
    found = readings(
        crates(**{
            "/places/{id}": get("getPlace", ref("Place")),
            "/shelves/{id}": get("getShelf", ref("Shelf")),
        }),
        **crate, **thing("Place"), **thing("Shelf"), place=obj(city=TEXT, country=TEXT),
    )  # fmt: skip
    assert roles(found["getCrate"]) == {("crate", ""), ("shelf", "shelf")}


def test_the_name_of_what_is_made_is_content_though_it_lies_elsewhere():
    named = obj(name=TEXT)
    found = readings(
        crates(**{"/shops/{shop}/crates": post("addCrate", named, ref("Crate"))}),
        **{"Crate": obj(name={**TEXT})},
    )  # fmt: skip
    assert found["addCrate"].verb == "create"
    assert "name" not in found["addCrate"].takes


def test_a_bare_key_is_that_of_what_is_listed_there():
    found = readings(
        {
            "/shops/{shop}/crates": {
                **get("listCrates", {"type": "array", "items": ref("OakCrate")}),
                "delete": {"operationId": "drop", "parameters": [query("key")]},
            },
            "/shops/{shop}": get("getShop", ref("Shop")),
        },
        **thing("Shop"), OakCrate=obj(id=TEXT, key=TEXT),
    )  # fmt: skip
    assert found["drop"].takes["key"] == Identity("oak_crate")
    assert found["drop"].resource == "oak_crate"


def test_what_the_path_names_is_not_named_again_in_the_body():
    body = obj(sha=TEXT)
    change = {"patch": post("change", body)["post"]}
    found = readings(
        {"/refs/{ref}": {**get("getRef", ref("Ref")), **change}}, Ref=obj(ref=TEXT, sha=TEXT),
        Commit=obj(sha=TEXT),
    )  # fmt: skip
    assert "sha" not in found["change"].takes


def test_an_input_is_what_a_neighbour_answers_with_under_its_name():
    seal = obj(seal_id=TEXT, seal=TEXT)
    put = {"put": post("putSecret", obj(seal_id=TEXT))["post"]}
    found = readings(
        {
            "/secrets/public-seal": get("getPublicSeal", ref("PublicSeal")),
            "/secrets/{name}": put,
            "/seals/{id}": get("getSeal", ref("Seal")),
        },
        **thing("Seal"), PublicSeal={**seal, "properties": {**seal["properties"], "id": TEXT}},
    )  # fmt: skip
    assert found["putSecret"].takes["seal_id"] == Identity("public_seal")


def test_a_key_inside_an_object_belongs_to_the_property_that_holds_it():
    pulled = {"type": "array", "items": ref("LocalReference")}
    body = obj(spec=obj(pullCrates=pulled))
    found = readings(
        {"/crates/{name}": get("getCrate", ref("Crate")), "/loads": post("load", body)},
        Crate=obj(name=TEXT),
        LocalReference=obj(name=TEXT),
    )
    assert found["load"].takes == {"name": Identity("crate", "pull")}


def test_what_is_said_of_the_thing_itself_identifies_no_other():
    body = obj(metadata=obj(crate_id=TEXT))
    found = readings(crates(**{"/loads": post("load", body)}), **thing("Crate"))
    assert found["load"].takes == {}


def test_resources_and_objects_are_wrappers_and_no_names_of_things():
    page = obj(resources={"type": "array", "items": ref("ApiKind")})
    find = get("find", parameters=[query("resource_id")])
    found = readings({"/kinds": get("kinds", page), "/find": find}, **thing("ApiKind"))
    assert found["find"].takes == {}


def test_a_whole_thing_in_json_is_no_id():
    said = {**query("crate"), "description": "A crate object, as a JSON-encoded string"}
    found = readings(
        crates(**{"/pack": get("pack", parameters=[said, query("crate_id")])}), **thing("Crate")
    )
    assert set(found["pack"].takes) == {"crate_id"}


def test_what_adds_to_a_thing_takes_its_id():
    found = readings(
        crates(**{"/crates.addSeals": get("addSeals", parameters=[query("crate_id")])}),
        **thing("Crate"),
    )
    assert found["addSeals"].takes == {"crate_id": Identity("crate")}


def test_a_create_makes_what_it_gives_and_does_not_take():
    answer = obj(crate_id=TEXT, room_id=TEXT)
    paths = {
        **crates(),
        "/rooms/{id}": get("getRoom", ref("Room")),
        "/chat.schedule": {
            "post": {
                "operationId": "chat_schedule",
                "parameters": [query("room")],
                "responses": answers(answer),
            }
        },
    }
    found = readings(paths, **thing("Crate"), **thing("Room"))
    assert (found["chat_schedule"].verb, found["chat_schedule"].resource) == ("create", "crate")


def test_a_form_for_something_new_makes_nothing():
    found = readings(crates(**{"/crates/new": get("form", obj(owner=TEXT))}), **thing("Crate"))
    assert found["form"].verb == "get"


def test_a_wrapper_that_several_lists_share_gives_only_what_is_in_it():
    def page(name):
        return obj(boxes={"type": "array", "items": ref(name)})

    found = readings(
        {
            f"/{name}": get(f"list_{name}", page(schema))
            for name, schema in {"oak": "OakCrate", "elm": "ElmCrate", "elms": "ElmCrate"}.items()
        },
        **thing("OakCrate"),
        **thing("ElmCrate"),
    )
    assert roles(found["list_oak"]) == {("oak_crate", "")}


def test_what_has_an_id_is_found_by_name_only_where_a_path_does_so():
    body = obj(crate_name=TEXT, barrel_name=TEXT)
    found = readings(
        crates(**{
            "/barrels/{barrel_name}": get("getBarrel", ref("Barrel")),
            "/loads": post("load", body),
        }),
        Crate=obj(id=TEXT, name=TEXT), Barrel=obj(id=TEXT, name=TEXT),
    )  # fmt: skip
    assert found["load"].takes == {"barrel_name": Identity("barrel")}


def test_somebody_in_an_envelope_is_a_reference():
    answer = obj(billable_owner=ref("User"), defaults=obj(place=TEXT))
    found = readings(
        {"/users/{id}": get("getUser", ref("User")), "/preview": get("preview", answer)},
        **thing("User"),
    )
    assert ("user", "billable_owner") in roles(found["preview"])
    assert ("user", "") not in roles(found["preview"])


def test_a_record_without_a_key_is_no_envelope_of_whom_it_names():
    build = {"Build": obj(status=TEXT, error_text=TEXT, duration=TEXT, pusher=ref("User"))}
    found = readings(
        {"/users/{id}": get("getUser", ref("User")), "/builds/latest": get("last", ref("Build"))},
        **thing("User"), **build,
    )  # fmt: skip
    assert ("user", "pusher") in roles(found["last"])


def test_what_only_a_list_calls_a_thing_is_the_thing():
    listed = {"type": "array", "items": ref("CrateLine")}
    found = readings(
        crates(**{"/crates": get("listCrates", listed)}), **thing("Crate"), **thing("CrateLine")
    )
    assert found["listCrates"].gives == (Given("crate", "", True),)


def test_a_thing_is_called_as_all_of_its_collection_calls_it():
    listed = {"type": "array", "items": ref("AlertPolicy")}
    found = readings(
        {
            "/alerts": get("listAlerts", listed),
            "/alerts/{id}": get("getAlert", ref("AlertPolicy")),
        },
        **thing("AlertPolicy"),
    )
    assert found["getAlert"].takes["id"] == Identity("alert_policy")


def test_a_reference_means_what_lies_beside_the_thing_that_is_made():
    body = obj(roleRef=obj(name=TEXT))
    named = {name: obj(name=TEXT) for name in ("Role", "ClusterRole", "ClusterBinding")}
    found = readings(
        {
            "/roles/{name}": get("getRole", ref("Role")),
            "/clusterroles/{name}": get("getClusterRole", ref("ClusterRole")),
            "/clusterbindings/{name}": get("getClusterBinding", ref("ClusterBinding")),
            "/clusterbindings": post("bind", body, ref("ClusterBinding")),
        },
        **named,
    )
    assert set(found["bind"].takes.values()) == {Identity("cluster_role")}


def test_errors_and_links_are_no_things():
    answer = obj(error=ref("Crate"), data=obj(place=TEXT))
    found = readings(crates(**{"/try": get("attempt", answer)}), **thing("Crate"))
    assert ("crate", "") not in roles(found["attempt"])


def test_a_noun_of_a_path_is_whole_and_its_list_too():
    listed = obj(items={"type": "array", "items": ref("SigningRequest")}, kind=TEXT)
    found = readings(
        {
            "/signingrequests/{id}": get("one", ref("SigningRequest")),
            "/signingrequests": get("all", ref("SigningRequestList")),
        },
        **thing("SigningRequest"),
        SigningRequestList=listed,
    )
    assert found["one"].resource == found["all"].resource == "signing_request"


def test_who_puts_something_somewhere_may_answer_with_something_else():
    put = {"put": {"operationId": "addMember", "responses": answers(ref("Invitation"))}}
    listed = {"type": "array", "items": ref("User")}
    found = readings(
        {"/members": get("listMembers", listed), "/members/{username}": put},
        **thing("User"),
        **thing("Invitation"),
    )
    assert found["addMember"].takes["username"] == Identity("user")


def test_how_a_thing_is_to_be_called_identifies_nothing():
    named = obj(name={**TEXT, "description": "Name of the box group"})
    change = {"patch": post("rename", named)["post"]}
    found = readings(
        {
            "/boxgroups/{id}": {**get("getGroup", ref("BoxGroup")), **change},
            "/oakboxgroups/{id}": get("getOak", ref("OakBoxGroup")),
        },
        BoxGroup=obj(name=TEXT), OakBoxGroup=obj(name=TEXT),
    )  # fmt: skip
    assert set(found["rename"].takes) == {"id"}


def test_a_key_inside_an_object_is_of_what_the_property_says_and_of_nothing_narrower():
    body = obj(actions={"type": "array", "items": obj(identifier=TEXT)})
    found = readings(
        {"/oakactions/{id}": get("getAction", ref("OakAction")), "/runs": post("run", body)},
        **thing("OakAction"),
    )
    assert found["run"].takes == {}


def test_a_name_that_only_repeats_its_method_says_no_verb():
    found = readings(
        {
            "/crates": {"post": {"operationId": "PostCrates", "responses": answers(ref("Crate"))}},
            "/crates/{crate}": {
                "get": {"operationId": "GetCratesCrate", "responses": answers(ref("Crate"))},
                "post": {"operationId": "PostCratesCrate", "responses": answers(ref("Crate"))},
            },
            "/crates/{crate}/send": {"post": {"operationId": "PostCratesCrateSend"}},
            "/desk/sessions": {
                "post": {"operationId": "PostDeskSessions", "responses": answers(ref("DeskVisit"))}
            },
        },
        **thing("Crate"),
        **thing("DeskVisit"),
    )
    verbs = {name: reading.verb for name, reading in found.items()}
    assert verbs == {
        "PostCrates": "create", "GetCratesCrate": "get", "PostCratesCrate": "update",
        "PostCratesCrateSend": "act", "PostDeskSessions": "create",
    }  # fmt: skip


def test_a_delete_that_takes_something_back_deletes_nothing():
    found = readings(
        {
            "/crates/{crate}/lock": {
                "delete": {"operationId": "unlock-crate"}, "put": {"operationId": "lock-crate"}
            },
            "/crates/{crate}/archive": {"delete": {"operationId": "delete-archive"}},
        }
    )  # fmt: skip
    assert found["unlock-crate"].verb == "update"
    assert found["delete-archive"].verb == "delete"


def test_the_end_of_a_path_is_a_thing_where_it_is_got_or_names_a_parameter():
    found = readings(
        {
            "/alarms/{order}": {"put": {"operationId": "alarms_change"}},
            "/crates/{crate}/trash": {
                "get": {"operationId": "crates_trash", "responses": answers(ref("Crate"))}
            },
        },
        **thing("Crate"),
    )
    assert found["alarms_change"].verb == "update"
    assert found["crates_trash"].verb == "get"


def test_a_verb_may_stand_behind_its_family():
    found = readings(
        {
            "/uptime/{check}/alerts/{alert}": {
                "get": {"operationId": "uptime_get_alert", "responses": answers(ref("Alert"))},
                "delete": {"operationId": "uptime_delete_alert"},
            },
            "/walls/{wall}/tags": {"post": {"operationId": "walls_add_tags"}},
        },
        **thing("Alert"),
    )
    verbs = [found[n].verb for n in ("uptime_get_alert", "uptime_delete_alert", "walls_add_tags")]
    assert verbs == ["get", "delete", "create"]


def test_a_word_that_tells_of_a_thing_is_no_verb():
    """People reserve and bill, but `reserved` addresses can be deleted, too."""
    found = readings(
        {
            "/addresses/{address}": {
                "get": {"operationId": "reservedGet", "responses": answers(ref("Address"))},
                "delete": {"operationId": "reservedDelete"},
            }
        },
        **thing("Address"),
    )
    assert (found["reservedGet"].verb, found["reservedDelete"].verb) == ("get", "delete")


def taking(name, **properties):
    return post(name, {"type": "object", "properties": properties})


def test_what_is_one_of_a_few_or_written_whole_is_no_reference():
    """Permissions are called after things, and hooks list the events that are usual."""
    crates = {"get": {"operationId": "listCrates", "responses": answers(ref("Crate"))}}
    allowed = {"type": "object", "properties": {"crates": {"type": "string", "enum": ["read"]}}}
    usual = {"type": "array", "items": {"type": "string"}, "default": ["push"]}
    whole = {"type": "array", "items": {"type": "object", "properties": {"size": {}}}}
    ids = {"type": "array", "items": {"type": "string"}}
    found = readings(
        {
            "/crates": crates,
            "/tokens": taking("makeToken", allowed=allowed),
            "/hooks": taking("makeHook", crates=usual),
            "/loads": taking("makeLoad", crates=whole),
            "/piles": taking("makePile", crates=ids),
        },
        **thing("Crate"),
    )
    assert found["makePile"].takes == {"crates": Identity("crate")}
    assert not any(found[name].takes for name in ("makeToken", "makeHook", "makeLoad"))


def test_the_name_of_what_has_an_id_does_not_find_it():
    said = {"type": "string", "description": "The name of the person that owns the account."}
    found = readings(
        {
            "/persons/{person}": {
                "get": {"operationId": "getPerson", "responses": answers(ref("Person"))}
            },
            "/banks": taking("makeBank", holder_name=said),
        },
        Person={"type": "object", "properties": {"id": {}, "name": {}}},
    )
    assert found["makeBank"].takes == {}


def test_a_property_that_may_be_several_things_is_what_it_is_called_after():
    either = {"anyOf": [ref("Crate"), ref("Barrel")]}
    found = readings(
        {
            "/crates/{id}": {
                "get": {"operationId": "getCrate", "responses": answers(ref("Crate"))}
            },
            "/barrels/{id}": {
                "get": {"operationId": "getBarrel", "responses": answers(ref("Barrel"))}
            },
            "/loads/{id}": {"get": {"operationId": "getLoad", "responses": answers(ref("Load"))}},
        },
        **thing("Crate"),
        **thing("Barrel"),
        **thing("Load", barrel=either, content=either),
    )
    given = {(one.resource, one.role) for one in found["getLoad"].gives}
    assert given == {("load", ""), ("barrel", "barrel"), ("crate", "content")}


def test_a_collection_is_a_list_though_its_document_shows_one_thing():
    found = readings(
        {
            "/crates": {"get": {"operationId": "getCrates", "responses": answers(ref("Crate"))}},
            "/crates/{id}": {
                "get": {"operationId": "getCrate", "responses": answers(ref("Crate"))}
            },
        },
        **thing("Crate"),
    )
    assert (found["getCrates"].verb, found["getCrate"].verb) == ("list", "get")


def test_a_parameter_says_which_nouns_are_whole():
    found = readings(
        {
            "/crates/{id}": {
                "get": {"operationId": "getCrate", "responses": answers(ref("Crate"))}
            },
            "/crates/type/{crateTypeKey}": {
                "get": {"operationId": "getType", "responses": answers(ref("CrateType"))}
            },
        },
        **thing("Crate"),
        **thing("CrateType", key={"type": "string"}),
    )
    assert found["getType"].resource == "crate_type"
    assert found["getType"].gives[0] == Given("crate_type")


def test_who_is_invited_is_nobody_yet():
    done = answers({"type": "object", "properties": {"ok": {"type": "boolean"}}})
    found = readings(
        {
            "/users.list": {"get": {"operationId": "users_list", "responses": done}},
            "/users.add": {"post": {"operationId": "users_add", "responses": done}},
            "/users.invite": {"post": {"operationId": "users_invite", "responses": done}},
        }
    )
    assert [bool(found[f"users_{verb}"].gives) for verb in ("add", "invite")] == [True, False]


def test_who_writes_a_thing_again_to_say_one_side_of_it_takes_no_references():
    """/loads/{name}/status takes all of a load, of which it changes the status."""
    crate = {"type": "string", "description": "ID of the crate"}
    schema = {"type": "object", "properties": {"spec": {"properties": {"crate_id": crate}}}}
    again = {"content": {"application/json": {"schema": ref("Load")}}}
    found = readings(
        {
            "/crates/{id}": {
                "get": {"operationId": "getCrate", "responses": answers(ref("Crate"))}
            },
            "/loads/{load}": {"put": {"operationId": "replaceLoad", "requestBody": again}},
            "/loads/{load}/status": {"put": {"operationId": "replaceStatus", "requestBody": again}},
        },
        **thing("Crate"),
        Load=schema,
    )
    assert Identity("crate") in found["replaceLoad"].takes.values()
    assert list(found["replaceStatus"].takes) == ["load"]


def test_what_wraps_a_thing_does_not_name_it():
    inner = {"type": "object", "properties": {"id": {"type": "string"}}}
    wrapped = {"type": "object", "properties": {"data": inner}}
    body = {
        "type": "object",
        "properties": {
            "data": {
                "type": "object",
                "properties": {
                    "relationships": {"type": "object", "properties": {"site": wrapped}}
                },
            }
        },
    }
    found = readings(
        {
            "/sites/{siteId}": {
                "get": {"operationId": "getSite", "responses": answers(ref("Site"))}
            },
            "/outages": {
                "post": {
                    "operationId": "reportOutage",
                    "requestBody": {"content": {"application/json": {"schema": body}}},
                }
            },
        },
        **thing("Site"),
    )
    assert list(found["reportOutage"].takes.values()) == [Identity("site")]


def test_a_registration_of_a_student_makes_no_student():
    body = {"type": "object", "properties": {"student_id": {"type": "string"}}}
    found = readings(
        {
            "/students/{student_id}": {
                "get": {"operationId": "getStudent", "responses": answers(ref("Student"))}
            },
            "/exams/{exam_id}/registrations": {
                "post": {
                    "operationId": "registerForExam",
                    "requestBody": {"content": {"application/json": {"schema": body}}},
                }
            },
            "/exams/{exam_id}/registrations/{student_id}": {
                "delete": {"operationId": "deregister"}
            },
        },
        **thing("Student"),
    )
    made = found["registerForExam"]
    assert (made.verb, made.resource) == ("create", "registration")
    assert made.takes["student_id"] == Identity("student")


def listing(name):
    return answers({"type": "array", "items": ref(name)})


def sends(**properties):
    schema = {"type": "object", "properties": properties}
    return {"content": {"application/json": {"schema": schema}}}


STRING = {"type": "string"}


def given(reading):
    return {(g.resource, g.role) for g in reading.gives}


def test_what_an_item_is_called_where_it_is_got_or_made_is_it_elsewhere_too():
    found = readings(
        {
            "/issue/{issueIdOrKey}": {
                "get": {"operationId": "getIssue", "responses": answers(ref("IssueWire"))}
            },
            "/issue": {
                "post": {"operationId": "addIssue", "responses": answers(ref("TerseIssue"))}
            },
            "/find": {"get": {"operationId": "findIssues", "responses": listing("IssueWire")}},
        },
        **thing("IssueWire"),
        **thing("TerseIssue"),
    )
    assert given(found["findIssues"]) == {("issue", "")}
    assert found["getIssue"].takes["issueIdOrKey"] == Identity("issue")
    assert ("issue", "") in given(found["addIssue"])


def test_what_is_listed_below_the_path_of_things_is_one_of_them():
    found = readings(
        {
            "/statuses/{id}": {
                "get": {"operationId": "getStatus", "responses": answers(ref("Status"))}
            },
            "/statuses/search": {
                "get": {"operationId": "searchStatuses", "responses": listing("AcmeStatus")}
            },
        },
        **thing("Status"),
        **thing("AcmeStatus"),
    )
    assert given(found["searchStatuses"]) == {("status", "")}


def test_a_user_of_a_picker_is_a_user_and_what_wraps_users_is_none():
    users = {"type": "array", "items": ref("PickedUser")}
    picked = {"type": "object", "properties": {"users": users}}
    found = readings(
        {
            "/picker": {"get": {"operationId": "pick", "responses": answers(picked)}},
            "/everybody": {
                "get": {"operationId": "all", "responses": answers({
                    "type": "object", "properties": {"users": ref("Crowd")}})}
            },
            "/whoami": {"get": {"operationId": "me", "responses": answers(ref("User"))}},
        },
        **thing("User"),
        **thing("PickedUser"),
        Crowd={"type": "object", "properties": {"total": {"type": "integer"}, "rows": {
            "type": "array", "items": ref("User")}}},
    )  # fmt: skip
    assert given(found["me"]) == given(found["pick"]) == {("user", "")}


def test_the_same_body_posted_below_a_thing_is_no_side_of_it():
    step = {"type": "object", "properties": {"id": {**STRING, "description": "The ID of the step"}}}
    move = {"type": "object", "properties": {"step": step}}
    body = {"content": {"application/json": {"schema": ref("Change")}}}
    found = readings(
        {
            "/issues/{id}": {
                "get": {"operationId": "getIssue", "responses": answers(ref("Issue"))},
                "put": {"operationId": "editIssue", "requestBody": body},
            },
            "/issues/{id}/steps": {
                "get": {"operationId": "listSteps", "responses": listing("Step")},
                "post": {"operationId": "moveIssue", "requestBody": body},
                "put": {"operationId": "replaceSteps", "requestBody": body},
            },
        },
        **thing("Issue"),
        **thing("Step"),
        Change=move,
    )
    assert Identity("step") in found["moveIssue"].takes.values()
    assert Identity("step") not in found["replaceSteps"].takes.values()


def test_a_collection_whose_name_begins_with_a_verb_is_still_one():
    found = readings(
        {
            "/merge_requests": {
                "post": {"operationId": "postMergeRequests", "responses": answers(ref("Merge"))}
            },
            "/merge_requests/{id}": {
                "get": {"operationId": "getMergeRequest", "responses": answers(ref("Merge"))}
            },
        },
        Merge={"title": "MergeRequest", **thing("x")["x"]},
    )
    assert found["postMergeRequests"].verb == "create"


def test_a_collection_may_be_shown_by_one_of_its_things():
    found = readings(
        {
            "/labels": {"get": {"operationId": "getLabels", "responses": answers(ref("Label"))}},
            "/labels/{subscribable_id}/subscription": {"post": {"operationId": "subscribe"}},
        },
        **thing("Label"),
    )
    assert found["subscribe"].takes["subscribable_id"] == Identity("label")


def test_a_parameter_of_a_path_is_what_its_description_says_where_nothing_else_does():
    path = "/blobs/content/{id}"
    at = [{"name": "id", "in": "path", "required": True, "schema": STRING,
           "description": "The ID of the attachment."}]  # fmt: skip
    found = readings(
        {
            "/attachments/{id}": {
                "get": {"operationId": "getAttachment", "responses": answers(ref("Attachment"))}
            },
            path: {"get": {"operationId": "read", "parameters": at}},
        },
        **thing("Attachment"),
    )
    assert found["read"].takes["id"] == Identity("attachment")


def test_a_name_in_the_plural_lists_what_a_page_holds():
    page = {"type": "object", "properties": {"values": {"type": "array", "items": ref("Group")}}}
    found = readings(
        {
            "/group/bulk": {"get": {"operationId": "bulkGetGroups", "responses": answers(page)}},
            "/group/one": {"get": {"operationId": "getGroup", "responses": answers(page)}},
        },
        **thing("Group"),
    )
    assert (found["bulkGetGroups"].verb, found["getGroup"].verb) == ("list", "get")


def test_what_a_path_words_for_a_search_is_no_key():
    found = readings(
        {
            "/projects": {"get": {"operationId": "projects", "responses": listing("Project")}},
            "/projects/search/{query}": {
                "get": {"operationId": "find", "responses": answers(ref("Project"))}
            },
        },
        **thing("Project"),
    )
    assert found["find"].verb == "search"
    assert not found["find"].takes
    assert given(found["find"]) == {("project", "")}


def test_the_only_things_that_paths_call_so_may_be_called_so():
    found = readings(
        {
            "/repository/branches": {
                "get": {"operationId": "branches", "responses": listing("RepoBranch")}
            },
            "/repository/branches/{branch}": {
                "get": {"operationId": "getBranch", "responses": answers(ref("RepoBranch"))}
            },
            "/merges": {
                "post": {"operationId": "merge", "requestBody": sends(source_branch=STRING)}
            },
        },
        **thing("RepoBranch"),
    )
    assert found["merge"].takes["source_branch"] == Identity("repo_branch", "source")


def test_people_without_a_plain_id_are_found_by_the_one_they_have():
    user = {"type": "object", "properties": {"accountId": STRING, "displayName": STRING}}
    owner = {**STRING, "description": "The account ID of the new owner."}
    found = readings(
        {
            "/users": {"get": {"operationId": "users", "responses": listing("User")}},
            "/filters/{id}": {
                "get": {"operationId": "getFilter", "responses": answers(ref("Filter"))}
            },
            "/filters/{id}/owner": {
                "put": {"operationId": "handOver", "requestBody": sends(accountId=owner)}
            },
        },
        User=user,
        **thing("Filter"),
    )
    assert found["handOver"].takes["accountId"] == Identity("user")


def test_who_puts_something_into_a_thing_takes_what_is_there():
    found = readings(
        {
            "/runners": {"get": {"operationId": "runners", "responses": listing("Runner")}},
            "/runners/{id}": {
                "get": {"operationId": "getRunner", "responses": answers(ref("Runner"))}
            },
            "/projects/{id}/runners": {
                "post": {
                    "operationId": "postProjectRunners",
                    "requestBody": sends(runner_id=STRING),
                }
            },
            "/projects/{id}/runners/{runner_id}": {"delete": {"operationId": "disable"}},
            "/customers": {
                "post": {"operationId": "addCustomer", "requestBody": sends(customer_id=STRING)}
            },
            "/customers/{customer_id}": {
                "get": {"operationId": "getCustomer", "responses": answers(ref("Customer"))}
            },
        },
        **thing("Runner"),
        **thing("Customer"),
    )
    assert found["postProjectRunners"].takes["runner_id"] == Identity("runner")
    assert not found["addCustomer"].takes  # an id that the caller chooses


def test_members_who_are_found_by_the_ids_of_users_are_users():
    found = readings(
        {
            "/users/{id}": {"get": {"operationId": "getUser", "responses": answers(ref("User"))}},
            "/projects/{id}/members": {
                "get": {"operationId": "members", "responses": listing("Member")}
            },
            "/projects/{id}/members/{user_id}": {
                "get": {"operationId": "getMember", "responses": answers(ref("Member"))}
            },
        },
        **thing("User"),
        **thing("Member"),
    )
    assert given(found["members"]) == {("member", ""), ("user", "")}


def test_a_key_of_what_paths_are_called_after_makes_a_thing():
    found = readings(
        {
            "/shows/{id}/tickets": {
                "post": {"operationId": "sell", "responses": answers(ref("Ticket"))}
            },
            "/tickets/{code}": {
                "get": {"operationId": "getTicket", "responses": answers(ref("Ticket"))}
            },
        },
        Ticket={"type": "object", "properties": {"code": STRING, "price": {"type": "number"}}},
    )
    assert given(found["sell"]) == {("ticket", "")}


def test_who_makes_a_thing_and_answers_with_an_operation_makes_the_thing():
    found = readings(
        {
            "/disks": {
                "post": {"operationId": "insertDisk", "responses": answers(ref("Operation"))}
            },
            "/disks/{disk}": {"get": {"operationId": "getDisk", "responses": answers(ref("Disk"))}},
            "/operations/{operation}": {
                "get": {"operationId": "getOperation", "responses": answers(ref("Operation"))}
            },
        },
        **thing("Disk"),
        **thing("Operation"),
    )
    assert (found["insertDisk"].verb, found["insertDisk"].resource) == ("create", "disk")
    assert given(found["insertDisk"]) == {("operation", "")}


def test_an_object_or_nothing_is_no_id_that_could_be_expanded():
    maybe = {"anyOf": [ref("ReviewPlace")], "nullable": True}
    found = readings(
        {
            "/reviews/{id}": {
                "get": {"operationId": "getReview", "responses": answers(ref("Review"))}
            },
            "/places/{id}": {
                "get": {"operationId": "getPlace", "responses": answers(ref("Place"))}
            },
        },
        **thing("Review", at=maybe),
        **thing("Place"),
        ReviewPlace={"type": "object", "properties": {"city": STRING}},
    )
    assert given(found["getReview"]) == {("review", "")}


def test_a_new_thing_gets_its_key_from_nobody():
    key = {**STRING, "description": "The key of the user."}
    site = {**STRING, "description": "The id of the site."}
    found = readings(
        {
            "/user": {
                "post": {
                    "operationId": "createUser",
                    "requestBody": sends(key=key),
                    "responses": answers(ref("User")),
                },
                "put": {"operationId": "renameUser", "requestBody": sends(key=key)},
            },
            "/site": {
                "post": {
                    "operationId": "createSite",
                    "requestBody": sends(data={"type": "object", "properties": {"id": site}}),
                    "responses": answers(ref("Site")),
                }
            },
        },
        **thing("User", key=STRING),
        **thing("Site"),
    )
    assert not found["createUser"].takes
    assert not found["createSite"].takes
    assert found["renameUser"].takes["key"] == Identity("user")


def test_what_paths_find_a_thing_by_finds_it_everywhere():
    book = {"type": "object", "properties": {"isbn": STRING, "title": STRING}}
    order = {"type": "object", "properties": {"id": STRING, "isbn": STRING}}
    line = {"type": "object", "properties": {"book": {"type": "object", "properties": {
        "isbn": STRING}}}}  # fmt: skip
    found = readings(
        {
            "/books": {"get": {"operationId": "books", "responses": listing("Book")}},
            "/books/{isbn}/loan": {"post": {"operationId": "lend"}},
            "/orders": {
                "get": {"operationId": "orders", "responses": listing("Order")},
                "post": {"operationId": "order", "requestBody": sends(line=line)},
            },
        },
        Book=book,
        Order=order,
    )
    assert found["lend"].takes["isbn"] == Identity("book")
    assert found["order"].takes["isbn"] == Identity("book")
    assert ("book", "book") in given(found["orders"])


def test_a_part_of_a_key_finds_nothing():
    package = {"type": "object", "properties": {"package_type": STRING, "name": STRING}}
    path = "/packages/{package_type}/{package_name}"
    found = readings(
        {
            "/packages": {"get": {"operationId": "packages", "responses": listing("Package")}},
            path: {"get": {"operationId": "getPackage", "responses": answers(ref("Package"))}},
            "/feeds": {"post": {"operationId": "feed", "requestBody": sends(package_type=STRING)}},
        },
        Package=package,
    )
    assert not found["feed"].takes
