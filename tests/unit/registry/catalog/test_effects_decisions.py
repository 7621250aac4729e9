"""Effects that a person decides: over any registration, with who, when and why."""

import json
from contextlib import closing

import pytest

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.access.rules import sees
from spm.registry.catalog.effects_decisions import decisions, effects_of, override
from spm.registry.catalog.lifecycle import history
from spm.registry.catalog.tools import definitions
from spm.registry.errors import InputError, UnknownTool
from spm.registry.exchange import export_registry, import_registry
from spm.registry.importers.functions import read_functions
from spm.registry.importers.mcp import read_mcp_list
from spm.registry.importers.openapi import read_openapi
from spm.registry.models import Manifest
from spm.registry.store.embedded_store import EmbeddedStore
from tests.support.feeding import edges


def mail(*tools):
    return Manifest.model_validate({"spm": 1, "service": "mail", "tools": tools})


def read(name="peek", **more):
    return {"name": name, "description": "one", "effects": "read", **more}


def api(description="Sends a mail."):
    operation = {"operationId": "mails/send", "description": description, "responses": {}}
    document = {
        "openapi": "3.0.0",
        "info": {"title": "mail", "version": "1"},
        "paths": {"/mails/send": {"post": operation}},
    }
    return read_openapi(document, "mail.json").manifest


def effect(registry, name="peek"):
    tool = registry.show(name).tool
    return tool["effects"], tool["effects_reason"], tool["effects_by"]


def test_a_decision_outlives_registrations_and_versions(registry):
    registry.register(mail(read()))
    override(registry.store, "peek", "destructive", by="Zoë", because="it empties the inbox")
    decided = ("destructive", "it empties the inbox", "Zoë")
    assert effect(registry) == decided
    registry.register(mail(read()))
    assert effect(registry) == decided
    registry.register(mail(read(description="two")))
    registry.register(mail(read(description="two", effects="write")))
    assert effect(registry) == decided
    assert len(history(registry.store, "peek")) == 3
    assert registry.show("peek").tool["source_effects"] == "write"
    (row,) = override(registry.store, "mail/peek", None, by="Zoë")
    assert effect(registry) == ("write", "stated by its source", None)
    assert (row["effects"], row["effects_at"]) == ("write", None)


def test_a_decision_is_no_content(registry):
    registry.register(mail(read()))
    before = registry.show("peek")
    override(registry.store, "peek", "write", by="Zoë")
    after = registry.show("peek")
    assert (before.versions, before.definition) == (after.versions, after.definition)
    assert definitions(registry.store)["mail/peek"].effects == "write"


def test_a_decision_holds_again_when_a_removed_tool_is_back(registry):
    registry.register(mail(read(), read("look")))
    override(registry.store, "*", "write", by="Zoë", because="no")
    override(registry.store, "look", None, by="Zoë")
    registry.remove("peek")
    registry.remove("look")
    registry.register(mail(read(), read("look")))
    assert effect(registry) == ("write", "no", "Zoë")
    assert effect(registry, "look") == ("read", "stated by its source", None)


def test_every_decision_is_kept(registry):
    registry.register(mail(read()))
    override(registry.store, "peek", "write", by="Zoë", because="first")
    override(registry.store, "peek", "write", by="Ann", because="first")  # nothing new
    override(registry.store, "peek", "destructive", by="Ann")
    override(registry.store, "peek", None, by="Zoë", because="wrong")
    override(registry.store, "peek", None, by="Zoë")  # nothing to take back
    registry.remove("peek")
    kept = [(r["kind"], r["before"], r["after"], r["by"], r["reason"]) for r in
            decisions(registry.store, "mail/*")]  # fmt: skip
    assert kept == [
        ("override", "read", "write", "Zoë", "first"),
        ("override", "write", "destructive", "Ann", ""),
        ("reset", "destructive", "read", "Zoë", "wrong"),
    ]
    assert all(row["at"] for row in decisions(registry.store))


def test_what_makes_a_tool_look_safer_needs_a_reason(registry):
    registry.register(
        mail(read("peek"), read("send", effects="write"), read("send_all", effects="write"))
    )
    for because in ("", "  "):
        with pytest.raises(InputError, match="'mail/send' is write by its source and 1 more"):
            override(registry.store, "*", "read", by="Zoë", because=because)
    assert decisions(registry.store) == []
    override(registry.store, "*", "destructive", by="Zoë")
    with pytest.raises(InputError, match="--because"):
        override(registry.store, "send", "read", by="Zoë")
    override(registry.store, "send", "write", by="Zoë")  # no safer than the source says
    override(registry.store, "send", "read", by="Zoë", because="a sandbox")
    last = decisions(registry.store, "send")[-1]
    assert (last["before"], last["after"], last["reason"]) == ("write", "read", "a sandbox")
    override(registry.store, "send", None, by="Zoë")


def test_a_pattern_stands_for_ids_and_names(registry):
    registry.register(mail(read("get_a"), read("get_b"), read("[x]"), read("a/b")))
    names = {"get_*": 2, "mail/get_*": 2, "*": 4, "*_a": 1, "[x]": 1, "a/b": 1, "mail/a/*": 1}
    assert {p: len(effects_of(registry.store, p)) for p in names} == names
    with pytest.raises(UnknownTool, match="get_a"):
        override(registry.store, "get_A", "write", by="Zoë")
    with pytest.raises(InputError, match="1,001 characters"):
        override(registry.store, "*", "write", by="Zoë", because="x" * 1_001)
    assert decisions(registry.store) == []


def test_a_decision_changes_the_revision_once_and_only_when_it_decides(registry):
    registry.register(mail(read("a"), read("b")))
    before = registry.status()["revision"]
    override(registry.store, "*", "write", by="Zoë")
    assert registry.status()["revision"] == before + 1
    override(registry.store, "*", "write", by="Zoë")
    assert registry.status()["revision"] == before + 1


def test_who_may_only_read_sees_by_what_was_decided(registry, encoder):
    registry.register(mail(read(), read("send", effects="write", description="send a mail")))
    registry.encode(encoder)
    caller = Caller(read_only=True)

    def seen():
        registry.encode(encoder)
        rows = registry.store.read("access/tools", team=None, scopes=None, read_only=True)
        cards = registry.store.read("tools/show", ids=["mail/peek", "mail/send"])
        assert {row["id"] for row in rows} == {card["id"] for card in cards if sees(card, caller)}
        menu = registry.menu("send a mail", caller=caller)
        assert {item.id for item in menu.items} == {row["id"] for row in rows}
        return {row["id"] for row in rows}

    assert seen() == {"mail/peek"}
    override(registry.store, "send", "read", by="Zoë", because="only to ourselves")
    assert seen() == {"mail/peek", "mail/send"}
    override(registry.store, "peek", "destructive", by="Zoë")
    assert seen() == {"mail/send"}


def test_who_decided_is_no_callers_business(registry):
    registry.register(mail(read()))
    override(registry.store, "peek", "write", by="Zoë", because="it marks")
    (card,) = filtered(registry.store, Caller(team="x")).read("tools/show", ids=["mail/peek"])
    assert (card["effects"], card["effects_reason"]) == ("write", "it marks")
    assert (card["effects_by"], card["effects_at"]) == (None, None)


def test_decisions_travel_with_an_export(registry, tmp_path):
    registry.register(mail(read(), read("look")))
    override(registry.store, "*", "write", by="Zoë", because="ü")
    registry.remove("look")
    export_registry(registry.store, tmp_path / "a.jsonl")
    with closing(EmbeddedStore(tmp_path / "other")) as other:
        import_registry(other, tmp_path / "a.jsonl")
        assert decisions(other) == decisions(registry.store)
        assert effects_of(other) == effects_of(registry.store)
        export_registry(other, tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


# -- effects that importers derive -------------------------------------------------------------


def with_rules(manifest, effects, reason):
    """What other rules would make of the same source."""
    tools = [
        tool.model_copy(update={"effects": effects, "effects_reason": reason})
        for tool in manifest.tools
    ]
    return manifest.model_copy(update={"tools": tuple(tools)})


def test_better_rules_change_derived_effects_and_no_version(registry):
    registry.register(with_rules(api(), "read", "an old rule"))
    assert effect(registry, "mails/send") == ("read", "an old rule", None)
    result = registry.register(api())
    assert (result.unchanged, result.reassessed) == (["mail/mails/send"], ["mail/mails/send"])
    assert effect(registry, "mails/send") == ("write", "POST", None)
    assert len(history(registry.store, "mail/mails/send")) == 1
    assert definitions(registry.store)["mail/mails/send"].effects == "write"
    again = registry.register(api())
    assert (again.reassessed, again.revision) == ([], None)


def test_better_rules_do_not_outweigh_a_person(registry):
    registry.register(with_rules(api(), "read", "an old rule"))
    override(registry.store, "*", "destructive", by="Zoë", because="no")
    registry.register(api())
    assert effect(registry, "mails/send") == ("destructive", "no", "Zoë")
    override(registry.store, "*", None, by="Zoë")
    assert effect(registry, "mails/send") == ("write", "POST", None)


def test_versions_that_hashed_derived_effects_stay(registry):
    stated = [t.model_copy(update={"effects": "destructive", "effects_derived": False})
              for t in api().tools]  # fmt: skip
    registry.register(api().model_copy(update={"tools": tuple(stated)}))
    result = registry.register(api())
    assert result.unchanged == ["mail/mails/send"]
    assert registry.register(api("Other.")).changed == ["mail/mails/send"]


def test_a_source_cannot_begin_to_state_effects_unseen(registry):
    def served(**annotations):
        tool = {"name": "send", "inputSchema": {"type": "object"}, "annotations": annotations}
        return read_mcp_list([tool], "mail").manifest

    registry.register(served())
    assert effect(registry, "send") == ("write", "verb 'send' in the name", None)
    assert registry.register(served(readOnlyHint=True)).changed == ["mail/send"]


def test_reasons_of_every_source_are_kept(registry):
    registry.register(api("Permanently deletes a mail."))
    registry.register(read_functions([{"name": "wipe_disk", "parameters": {}}], "f").manifest)
    registry.register(mail(read("x")).model_copy(update={
        "service": mail(read()).service.model_copy(update={"name": "m"})}))  # fmt: skip
    rows = {row["id"]: (row["effects"], row["effects_reason"]) for row in registry.tools()}
    assert rows == {
        "mail/mails/send": ("destructive", "verb 'deletes' in the text"),
        "f/wipe_disk": ("destructive", "verb 'wipe' in the name"),
        "m/x": ("read", "stated by its source"),
    }
    assert "effects_reason" not in json.dumps(registry.show("wipe_disk").definition)


def test_effects_say_who_feeds_where_nothing_else_does(registry):
    """No verb and no resource is in the name, so that only what reads can look a mail up."""
    gadget = {"name": "gadget", "effects": "read", "outputs": [{"name": "mail_id"}]}
    send = {"name": "send_mail", "effects": "write", "inputs": [{"name": "mail_id"}]}
    registry.register(mail(gadget, send))
    assert list(edges(registry.store)) == [("mail/gadget", "mail/send_mail")]
    override(registry.store, "gadget", "destructive", by="Zoë")
    assert edges(registry.store) == {}
    override(registry.store, "gadget", None, by="Zoë")
    assert list(edges(registry.store)) == [("mail/gadget", "mail/send_mail")]
