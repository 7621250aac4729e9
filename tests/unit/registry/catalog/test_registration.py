"""Registering manifests on a real embedded store."""

import json

import pytest

from spm.registry import demo
from spm.registry.access.caller import Caller
from spm.registry.access.rules import visible_tools
from spm.registry.catalog.registration import preview
from spm.registry.errors import ManifestError, VersionConflict
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.registry.store.embedded_store import EmbeddedStore


def tool(name, description="", version=None, needs=(), gives=(), **more):
    spec = {
        "name": name,
        "description": description,
        "inputs": [{"name": n} for n in needs],
        "outputs": [{"name": n} for n in gives],
        **more,
    }
    return spec if version is None else {**spec, "version": version}


def mail(*tools, service="mail"):
    return Manifest.model_validate({"spm": 1, "service": service, "tools": tools})


def fields(registry):
    return {row["field"]: row for row in registry.store.read("fields/vocabulary")}


def versions(registry, identity):
    return [row["version"] for row in registry.store.read("tools/published", ids=[identity])]


def current(registry, identity):
    return registry.store.read("tools/hashes", ids=[identity])[0]


def test_tools_are_added_then_changed_then_unchanged(registry):
    first = registry.register(mail(tool("send"), tool("draft")))
    assert (first.added, first.changed, first.unchanged) == (["mail/send", "mail/draft"], [], [])
    second = registry.register(mail(tool("send", "Send it."), tool("draft"), tool("read")))
    assert second.added == ["mail/read"]
    assert second.changed == ["mail/send"]
    assert second.unchanged == ["mail/draft"]
    assert second.revision == first.revision + 1


def test_registering_the_same_again_writes_nothing(registry, store):
    manifest = mail(tool("send", needs=["address"], gives=["message_id"]))
    registry.register(manifest)
    before = store.journal.size(), registry.status()
    again = registry.register(manifest)
    assert again.unchanged == ["mail/send"]
    assert again.revision is None
    assert (store.journal.size(), registry.status()) == before


def test_what_is_registered_is_there_for_the_next_process(registry, store):
    registry.register(mail(tool("send", "Send it.", needs=["address"])))
    registry.close()
    with Registry(EmbeddedStore(store.folder)) as other:
        assert other.show("send").tool["description"] == "Send it."
        assert [row["field"] for row in other.show("send").inputs] == ["address"]


def test_another_process_may_have_registered_the_same_a_moment_ago(registry, store, monkeypatch):
    manifest = mail(tool("send"))
    registry.register(manifest)
    revision = registry.status()["revision"]
    read = store.read
    stale = lambda name, **p: [] if name == "tools/hashes" else read(name, **p)  # noqa: E731
    monkeypatch.setattr(store, "read", stale)
    registry.register(manifest)
    monkeypatch.undo()
    assert registry.status()["revision"] == revision


def test_tools_missing_from_a_manifest_stay(registry):
    registry.register(mail(tool("send"), tool("draft")))
    registry.register(mail(tool("send", "Send it.")))
    assert [row["id"] for row in registry.tools()] == ["mail/draft", "mail/send"]


# -- versions ----------------------------------------------------------------------------------


def test_versions_are_numbered_when_left_out(registry):
    for text in ("one", "two", "three"):
        registry.register(mail(tool("send", text)))
    assert versions(registry, "mail/send") == ["1", "2", "3"]
    assert current(registry, "mail/send")["version"] == "3"


def test_going_back_to_an_earlier_content_without_a_version_gives_a_new_number(registry):
    for text in ("one", "two", "one"):
        registry.register(mail(tool("send", text)))
    assert versions(registry, "mail/send") == ["1", "2", "3"]


def test_numbering_steps_over_versions_that_were_named_by_hand(registry):
    registry.register(mail(tool("send", "one", version="2")))
    registry.register(mail(tool("send", "two")))
    registry.register(mail(tool("send", "three")))
    assert sorted(versions(registry, "mail/send")) == ["2", "3", "4"]
    assert current(registry, "mail/send")["version"] == "4"


def test_a_published_version_never_changes_and_nothing_else_is_written(registry, store):
    registry.register(mail(tool("send", "one", version="1.0"), tool("draft")))
    before = store.journal.size(), registry.status()
    with pytest.raises(VersionConflict, match=r"'mail/send' version '1\.0'.*Raise 'version'"):
        registry.register(
            mail(tool("fresh"), tool("draft", "new"), tool("send", "two", version="1.0"))
        )
    assert (store.journal.size(), registry.status()) == before
    assert [row["id"] for row in registry.tools()] == ["mail/draft", "mail/send"]
    assert registry.show("draft").tool["description"] == ""


def test_a_store_goes_on_after_a_conflict(registry):
    registry.register(mail(tool("send", "one", version="1")))
    with pytest.raises(VersionConflict):
        registry.register(mail(tool("send", "two", version="1")))
    assert registry.register(mail(tool("send", "two", version="2"))).changed == ["mail/send"]


def test_an_older_published_version_can_be_made_current_again(registry):
    registry.register(mail(tool("send", "one", version="1", needs=["address"])))
    registry.register(mail(tool("send", "two", version="2", needs=["person"])))
    back = registry.register(mail(tool("send", "one", version="1", needs=["address"])))
    assert back.changed == ["mail/send"]
    assert versions(registry, "mail/send") == ["1", "2"]
    view = registry.show("send")
    assert view.tool["version"] == "1"
    assert view.tool["description"] == "one"
    assert [row["field"] for row in view.inputs] == ["address"]


def test_the_same_content_under_a_new_label_is_a_new_version(registry):
    registry.register(mail(tool("send", version="1")))
    assert registry.register(mail(tool("send", version="1.0.1"))).changed == ["mail/send"]
    assert versions(registry, "mail/send") == ["1", "1.0.1"]


def test_old_versions_stay_readable_with_their_whole_definition(registry, store):
    registry.register(mail(tool("send", "one", needs=["Address"], gives=["message_id"])))
    registry.register(mail(tool("send", "two")))
    registry.remove("send")
    (row,) = store.read("tools/definition", id="mail/send", version="1")
    definition = json.loads(row["definition"])
    assert definition["description"] == "one"
    assert definition["inputs"][0]["name"] == "Address"
    answer = registry.saved("versions", {"tool": "send"})
    assert [(r["version"], r["requires"], r["produces"]) for r in answer.rows] == [
        ("1", ["address"], ["message_id"]),
        ("2", [], []),
    ]


def test_a_removed_tool_that_comes_back_does_not_reuse_its_versions(registry):
    registry.register(mail(tool("send", "one")))
    registry.remove("send")
    registry.register(mail(tool("send", "two")))
    assert versions(registry, "mail/send") == ["1", "2"]
    with pytest.raises(VersionConflict):
        registry.register(mail(tool("send", "three", version="1")))


# -- successors --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lookup_order", "LookupOrder", "mail/lookup_order"])
def test_a_successor_may_be_a_tool_of_the_same_manifest(registry, name):
    registry.register(mail(tool("find", status="deprecated", successor=name), tool("lookup_order")))
    assert registry.show("find").tool["successor"] == "mail/lookup_order"


@pytest.mark.parametrize("name", ["lookup_order", "shop/lookup_order"])
def test_a_successor_may_be_a_registered_tool(registry, name):
    registry.register(mail(tool("lookup_order"), service="shop"))
    registry.register(mail(tool("find", status="deprecated", successor=name)))
    assert registry.show("find").tool["successor"] == "shop/lookup_order"


def test_a_successor_of_the_same_manifest_goes_before_one_elsewhere(registry):
    registry.register(mail(tool("lookup"), service="a"))
    registry.register(mail(tool("find", successor="lookup"), tool("lookup")))
    assert registry.show("find").tool["successor"] == "mail/lookup"


def test_an_unknown_successor_is_refused_with_the_nearest_name(registry):
    with pytest.raises(ManifestError, match=r"'mail/find' names.*'lokup'.*Nearest: 'mail/lookup'"):
        registry.register(mail(tool("find", successor="lokup"), tool("lookup")))
    assert registry.tools() == []


# -- fields ------------------------------------------------------------------------------------


def test_spellings_of_a_field_meet_and_are_kept_as_aliases(registry):
    registry.register(mail(tool("send", needs=["orderId"]), tool("find", gives=["Order ID"])))
    assert fields(registry)["order_id"]["aliases"] == ["Order ID", "orderId"]
    registry.register(mail(tool("cancel", needs=["order-id", "order_total"]), service="shop"))
    assert fields(registry)["order_id"]["aliases"] == ["Order ID", "order-id", "orderId"]
    assert fields(registry)["order_total"]["aliases"] == []
    assert registry.show("send").producers == {"order_id": ["mail/find"]}


def test_the_first_type_of_a_field_stays(registry):
    first = {**tool("a"), "outputs": [{"name": "total", "type": "number"}]}
    registry.register(mail(first))
    registry.register(mail({**tool("b"), "inputs": [{"name": "total", "type": "string"}]}))
    assert fields(registry)["total"]["type"] == "number"


def test_inputs_that_went_are_unlinked_and_orphaned_fields_pruned(registry):
    registry.register(
        mail(tool("send", needs=["address", "body"], gives=["receipt"], family="message"))
    )
    registry.register(mail(tool("read", needs=["body"])))
    registry.register(mail(tool("send", "new", needs=["person"], family="letter")))
    view = registry.show("send")
    assert [row["field"] for row in view.inputs] == ["person"]
    assert view.outputs == []
    assert sorted(fields(registry)) == ["body", "person"]
    families = registry.cypher("MATCH (f:Family) RETURN f.name AS name").rows
    assert families == [{"name": "letter"}]


def test_optional_inputs_stay_optional(registry):
    spec = {**tool("send"), "inputs": [{"name": "a"}, {"name": "b", "required": False}]}
    registry.register(mail(spec))
    assert {r["field"]: r["required"] for r in registry.show("send").inputs} == {
        "a": True,
        "b": False,
    }


def test_observed_edges_outlive_a_new_declaration(registry, store):
    registry.register(mail(tool("send", gives=["message_id"])))
    observed = (
        "MATCH (t:Tool {id: 'mail/send'}) CREATE (f:Field {name: 'delivered_at', type: 'string', "
        "aliases: []}) CREATE (t)-[:PRODUCES {evidence: 'observed', count: 7}]->(f)"
    )
    store._graph.cypher(observed)
    registry.register(mail(tool("send", "new")))
    outputs = {row["field"]: row for row in registry.show("send").outputs}
    assert set(outputs) == {"delivered_at"}
    assert outputs["delivered_at"]["evidence"] == "observed"
    assert outputs["delivered_at"]["count"] == 7


def test_an_observed_edge_that_is_declared_keeps_its_count(registry, store):
    registry.register(mail(tool("send", gives=["message_id"]), tool("read", needs=["message_id"])))
    store._graph.cypher(
        "MATCH (t:Tool {id: 'mail/send'})-[e:PRODUCES]->() SET e.evidence = 'observed', e.count = 7"
    )
    registry.register(mail(tool("send", "new", gives=["message_id"])))
    (row,) = registry.show("send").outputs
    assert (row["evidence"], row["count"]) == ("declared", 7)


# -- what goes with a tool ---------------------------------------------------------------------


def test_counters_survive_a_new_registration(registry, trace):
    registry.register(mail(tool("send")))
    registry.import_traces([trace("send")])
    registry.register(mail(tool("send", "new")))
    assert registry.show("send").tool["frequency"] == 1


def test_the_owner_of_the_service_owns_its_tools(registry):
    registry.register(
        Manifest.model_validate(
            {
                "spm": 1,
                "service": {"name": "mail", "owner": "post"},
                "tools": [tool("send"), tool("read", owner="me")],
            }
        )
    )
    assert registry.show("send").tool["owner"] == "post"
    assert registry.show("read").tool["owner"] == "me"


def owned(owner, *tools, title=""):
    said = {"name": "mail", "owner": owner, "title": title}
    return Manifest.model_validate({"spm": 1, "service": said, "tools": tools})


def test_a_new_owner_of_the_service_owns_its_unchanged_tools(registry, store):
    tools = tool("send", visibility="team"), tool("read", owner="me")
    registry.register(owned("post", *tools))
    changed = owned("news", *tools)
    plan = preview(store, changed)
    assert (plan.reowned, plan.described) == (["mail/send"], ["owner"])
    assert registry.show("send").tool["owner"] == "post"
    done = registry.register(changed)
    assert (done.reowned, done.described, done.changed) == (["mail/send"], ["owner"], [])
    assert registry.show("send").tool["owner"] == "news"
    assert registry.show("read").tool["owner"] == "me"
    assert versions(registry, "mail/send") == ["1"]
    assert visible_tools(store, ["mail/send"], Caller("post")) == {}
    assert list(visible_tools(store, ["mail/send"], Caller("news"))) == ["mail/send"]
    before = store.journal.size(), registry.status()
    again = registry.register(changed)
    assert (again.reowned, again.described, again.revision) == ([], [], None)
    assert (store.journal.size(), registry.status()) == before


def test_an_owner_that_an_earlier_spm_left_behind_is_handed_over(registry, store):
    registry.register(owned("post", tool("send")))
    stale: dict[str, object] = {
        "owner": "stale",
        "visibility": "public",
        "scopes": [],
        "access": None,
    }
    rows = [{"id": "mail/send", **stale}]
    store.write("x", lambda tx: {"n": tx.run("tools/set_access", rows=rows, at="") and 0})
    assert registry.register(owned("post", tool("send"))).reowned == ["mail/send"]
    assert registry.show("send").tool["owner"] == "post"


def test_a_new_owner_comes_whole_or_not_at_all(registry, store):
    registry.register(owned("post", tool("send"), tool("read", "one", version="1")))
    before = store.journal.size(), registry.status()
    with pytest.raises(VersionConflict):
        registry.register(owned("news", tool("send"), tool("read", "two", version="1")))
    assert (store.journal.size(), registry.status()) == before
    assert registry.show("send").tool["owner"] == "post"


def test_the_tools_of_another_manifest_keep_their_owner(registry):
    registry.register(owned("post", tool("send")))
    registry.register(owned("news", tool("read")))
    assert registry.show("send").tool["owner"] == "post"
    assert registry.show("read").tool["owner"] == "news"


def test_a_service_that_is_called_otherwise_is_told(registry, store):
    registry.register(owned("post", tool("send")))
    plan = preview(store, owned("post", tool("send"), title="Mail"))
    assert (plan.described, plan.reowned) == (["title"], [])
    assert preview(store, owned("post", tool("send"))).described == []


def test_the_search_text_of_a_tool_holds_name_text_and_inputs(registry, store):
    registry.register(
        mail(tool("sendMail", "Send a mail.", needs=["toAddress"], gives=["mail_id"]))
    )
    (row,) = store.read("vectors/tool_texts")
    assert row["text"] == "\nsend mail\n\nSend a mail\nto address\n\n"
    assert row["head"] == "send mail. Send a mail"
    (kept,) = store.read("tools/search_parts", ids=["mail/sendMail"])
    assert kept["search_parts"] == ["", "send mail", "", "Send a mail", "to address", "", ""]


def test_a_text_by_earlier_rules_is_made_anew_when_its_source_comes_again(registry, store):
    source = mail(tool("send", "Send a mail."), tool("read"))
    before = registry.register(source).revision
    store._graph.cypher("MATCH (t:Tool {id: 'mail/send'}) SET t.search_parts = ['old text']")
    again = registry.register(source)
    assert again.unchanged == ["mail/send", "mail/read"]
    assert again.revision > before
    (_, row) = store.read("vectors/tool_texts")
    assert row["text"] == "\nsend\n\nSend a mail\n\n\n"
    assert registry.register(source).revision is None  # nothing more to do


def test_an_operation_is_done_once(registry):
    first = registry.register(mail(tool("send", "one")), operation="op-1")
    again = registry.register(mail(tool("send", "two")), operation="op-1")
    assert again.revision == first.revision
    assert registry.show("send").tool["description"] == "one"


def test_the_whole_demo_registered_again_is_unchanged(shop_copy):
    with Registry.open(str(shop_copy)) as registry:
        before = registry.status()
        done = [registry.register(manifest) for manifest in demo.manifests()]
        assert sum(len(result.unchanged) for result in done) == 100
        assert not any(result.added or result.changed for result in done)
        assert registry.status() == before
