"""Who may see tools, as people set it: beside the source, and for longer than it."""

from typing import Any, get_args

import pytest

from spm.registry.access.caller import Caller
from spm.registry.access.rules import none_visible, visible_tools
from spm.registry.access.settings import VISIBILITIES, Access, access, kept
from spm.registry.catalog.registration import preview
from spm.registry.catalog.tool_access import reset_access, set_access, show_access
from spm.registry.errors import InputError, UnknownTool
from spm.registry.models import Manifest, Visibility

SUPPORT = Access("support", "team")


def mail(*tools: str | dict[str, Any], owner: str = "") -> Manifest:
    made = [{"name": t} if isinstance(t, str) else t for t in tools]
    said = {"spm": 1, "service": {"name": "mail", "owner": owner}}
    return Manifest.model_validate({**said, "tools": made})


def rights(registry: Any, pattern: str = "*") -> dict[str, tuple[Any, ...]]:
    rows = show_access(registry.store, pattern)
    return {r["id"]: (r["owner"], r["visibility"], r["scopes"], r["set"]) for r in rows}


def test_what_is_set_goes_before_what_the_source_says(registry):
    registry.register(mail("send", "read", owner="post"), access=SUPPORT)
    both: tuple[Any, ...] = ("support", "team", [], ["owner", "visibility"])
    assert rights(registry) == {"mail/read": both, "mail/send": both}
    assert visible_tools(registry.store, ["mail/send"], Caller("post")) == {}
    assert registry.show("send").tool["version"] == "1"


def test_it_survives_registration_of_changed_and_of_new_tools(registry):
    registry.register(mail("send", "read"), access=Access("support", "team", ("mail:send",)))
    changed = mail({"name": "send", "description": "new"}, "read", "drop")
    done = registry.register(changed)
    assert (done.added, done.changed, done.reowned) == (["mail/drop"], ["mail/send"], [])
    found = set(map(str, rights(registry).values()))
    assert found == {str(("support", "team", ["mail:send"], ["owner", "scopes", "visibility"]))}
    before = registry.status()
    assert registry.register(changed, access=SUPPORT).revision is None
    assert registry.status() == before


def test_one_tool_may_differ_from_its_service(registry):
    registry.register(mail("send", "read"), access=SUPPORT)
    assert set_access(registry.store, "send", Access(visibility="public")) == ["mail/send"]
    registry.register(mail({"name": "send", "description": "new"}, "read"), access=SUPPORT)
    assert rights(registry)["mail/send"][:2] == ("support", "public")
    assert rights(registry)["mail/read"][:2] == ("support", "team")
    # The whole service, said anew, leaves no exception.
    set_access(registry.store, "mail/*", Access(visibility="team"))
    assert {r[1] for r in rights(registry).values()} == {"team"}


@pytest.mark.parametrize("pattern", ["mail/*", "*", "m*/*"])
def test_a_whole_service_is_set_for_tools_that_come_later(registry, pattern):
    registry.register(mail("send"))
    set_access(registry.store, pattern, SUPPORT)
    registry.register(mail("send", "late"))
    assert rights(registry)["mail/late"][:2] == ("support", "team")


def test_a_pattern_of_names_is_about_the_tools_that_are_there(registry):
    registry.register(mail("send_mail", "send_note", "read"))
    assert set_access(registry.store, "send*", SUPPORT) == ["mail/send_mail", "mail/send_note"]
    registry.register(mail("send_mail", "send_note", "read", "send_late"))
    assert rights(registry)["mail/send_late"] == ("", "public", [], [])
    assert set_access(registry.store, "mail/send_*", SUPPORT) == ["mail/send_late"]


def test_taken_back_the_words_of_the_source_hold(registry):
    source = mail(
        {"name": "send", "scopes": ["b", "a"], "visibility": "private"}, "read", owner="o"
    )
    registry.register(source)
    before = rights(registry)
    set_access(registry.store, "*", Access("support", "public", ()))
    set_access(registry.store, "read", Access("x"))
    assert rights(registry)["mail/read"][0] == "x"
    assert reset_access(registry.store, "mail/read") == ["mail/read"]
    assert rights(registry)["mail/read"][0] == "support"  # its service's
    assert reset_access(registry.store, "*") == ["mail/read", "mail/send"]
    assert rights(registry) == before
    assert reset_access(registry.store, "*") == []
    assert registry.register(source).reowned == []


def test_a_dry_run_tells_whose_access_would_change(registry):
    registry.register(mail("send", "gone"))
    plan = preview(registry.store, mail("send", "new"), access=SUPPORT)
    assert (plan.added, plan.missing) == (["mail/new"], ["mail/gone"])
    # What the source no longer has is still there to be seen.
    assert plan.reowned == ["mail/send", "mail/gone"]
    registry.register(mail("send", "new"), access=SUPPORT)
    assert rights(registry)["mail/gone"][:2] == ("support", "team")


def test_a_tool_that_nobody_would_see_is_refused_with_all_others(registry):
    registry.register(mail({"name": "a", "owner": "x"}, "b"))
    before = rights(registry), registry.status()
    with pytest.raises(InputError, match=r"'mail/b' has no owner.*--owner TEAM"):
        set_access(registry.store, "*", Access(visibility="team"))
    other = Manifest.model_validate({"spm": 1, "service": "other", "tools": [{"name": "b"}]})
    with pytest.raises(InputError, match="'other/b' has no owner"):
        registry.register(other, access=Access(visibility="team"))
    assert (rights(registry), registry.status()) == before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"visibility": "secret"}, "No visibility 'secret'. There are: public, team, private"),
        ({"owner": ""}, "The owner ''"),
        ({"owner": "a\nb"}, "one line"),
        ({"scopes": ["a", " "]}, "The scope ''"),
        ({"scopes": ["x" * 300]}, "1 to 256"),
    ],
)
def test_what_cannot_be_set(given, words):
    with pytest.raises(InputError, match=words):
        access(**given)


def test_nothing_to_set_and_nobody_to_set_it_for(registry):
    registry.register(mail("send"))
    with pytest.raises(InputError, match="Say what to set"):
        set_access(registry.store, "*", Access())
    with pytest.raises(UnknownTool, match=r"'post/\*'"):
        set_access(registry.store, "post/*", SUPPORT)
    before = registry.status()
    assert set_access(registry.store, "send", Access(owner="x")) == ["mail/send"]
    assert registry.status()["revision"] == before["revision"] + 1
    assert set_access(registry.store, "send", Access(owner="x")) == []
    assert registry.status()["revision"] == before["revision"] + 1


def test_what_is_kept_is_read_again():
    assert get_args(Visibility) == VISIBILITIES
    for one in (Access(), Access("é", "team", ()), Access(scopes=("a", "b"))):
        assert kept(one.text()) == one
    assert kept(None) == kept("") == Access()


def test_why_nobody_sees_a_tool(registry):
    assert "registry is empty" in none_visible(registry.store, Caller("a"))
    tools = [{"name": f"t{n}", "scopes": ["x"]} for n in range(8)]
    registry.register(mail(*tools))
    said = none_visible(registry.store, Caller("support", ("y", "z")))
    assert said.startswith("8 tools, none visible to support with the scopes y, z.")
    set_access(registry.store, "t1", Access("post", "team"))
    said = none_visible(registry.store, Caller("support", (), read_only=True))
    assert "to support without any scope, read only (1 of other teams)" in said
    quiet = [{**tool, "status": "quarantined"} for tool in tools]
    registry.register(mail(*quiet))
    assert none_visible(registry.store, Caller()).startswith("8 tools, none active.")
