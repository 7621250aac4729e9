"""The life of a tool: history, differences, deprecation, approval, quarantine."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spm.registry.catalog.lifecycle import (
    approve,
    compare_definitions,
    deprecate,
    difference,
    history,
    text_difference,
)
from spm.registry.catalog.registration import preview
from spm.registry.errors import InputError, UnknownTool, VersionConflict
from spm.registry.models import Manifest
from spm.registry.registry import Registry


def mail(*tools, service="mail"):
    return Manifest.model_validate({"spm": 1, "service": service, "tools": tools})


def tool(name="send", description="one", **more):
    return {"name": name, "description": description, **more}


def status(registry, name="send"):
    return registry.show(name).tool["status"]


def menu(registry, encoder):
    registry.encode(encoder)
    return {item.name for item in registry.menu("send a mail").items}


# -- history and differences -------------------------------------------------------------------


def test_history_lists_every_version_oldest_first(registry):
    for text in ("one", "two", "three"):
        registry.register(mail(tool(description=text)))
    assert [row["version"] for row in history(registry.store, "send")] == ["1", "2", "3"]
    assert history(registry.store, "mail/send") == history(registry.store, "SEND")


def test_history_outlives_the_tool(registry):
    registry.register(mail(tool()))
    registry.register(mail(tool(description="two", outputs=[{"name": "x"}])))
    registry.remove("send")
    assert history(registry.store, "send") == history(registry.store, "mail/send")
    assert [row["version"] for row in history(registry.store, "mail/send")] == ["1", "2"]
    assert difference(registry.store, "mail/send").changes


def test_a_tool_that_never_was_has_no_history(registry):
    registry.register(mail(tool()))
    with pytest.raises(UnknownTool, match="mail/send"):
        history(registry.store, "sent")


def test_the_last_two_versions_are_compared_unless_others_are_named(registry):
    for text in ("one", "two", "three"):
        registry.register(mail(tool(description=text)))

    def between(*labels):
        found = difference(registry.store, "send", *labels)
        return found.before, found.after, [(c.before, c.after) for c in found.changes]

    assert between() == ("2", "3", [("two", "three")])
    assert between("1") == ("1", "3", [("one", "three")])
    assert between(None, "2") == ("1", "2", [("one", "two")])
    assert between("3", "1") == ("3", "1", [("three", "one")])
    assert between("2", "2") == ("2", "2", [])


def test_a_version_that_does_not_exist_is_named_with_those_that_do(registry):
    registry.register(mail(tool(version="1.0")))
    registry.register(mail(tool(description="two", version="1.1")))
    with pytest.raises(InputError, match=r"'mail/send' has no version '9'\. It has: 1\.0, 1\.1"):
        difference(registry.store, "send", "9")
    with pytest.raises(InputError, match="no version 'x'"):
        difference(registry.store, "send", "1.0", "x")


def test_one_version_alone_cannot_be_compared(registry):
    registry.register(mail(tool()))
    with pytest.raises(InputError, match="only version '1'"):
        difference(registry.store, "send")


FIELD = {"name": "x"}
BREAKING = [
    ("a required input is added", {}, {"inputs": [FIELD]}),
    ("an input becomes required", {"inputs": [FIELD | {"required": False}]}, {"inputs": [FIELD]}),
    ("an input changes type", {"inputs": [FIELD]}, {"inputs": [FIELD | {"type": "number"}]}),
    ("an output goes", {"outputs": [FIELD]}, {}),
    ("an output changes type", {"outputs": [FIELD | {"type": "array"}]}, {"outputs": [FIELD]}),
    ("it writes now", {}, {"effects": "write"}),
    ("it destroys now", {"effects": "write"}, {"effects": "destructive"}),
    ("it wants a scope more", {"scopes": ["a"]}, {"scopes": ["a", "b"]}),
    ("fewer may see it", {}, {"visibility": "team"}),
]
HARMLESS = [
    ("an optional input is added", {}, {"inputs": [FIELD | {"required": False}]}),
    ("an input becomes optional", {"inputs": [FIELD]}, {"inputs": [FIELD | {"required": False}]}),
    ("an input goes", {"inputs": [FIELD]}, {}),
    ("an output is added", {}, {"outputs": [FIELD]}),
    ("a text changes", {"description": "a"}, {"description": "b"}),
    ("a field is described", {"inputs": [FIELD]}, {"inputs": [FIELD | {"description": "y"}]}),
    ("it only reads now", {"effects": "destructive"}, {}),
    ("it destroys no more", {"effects": "destructive"}, {"effects": "write"}),
    ("it wants a scope less", {"scopes": ["a", "b"]}, {"scopes": ["b"]}),
    ("more may see it", {"visibility": "private"}, {"visibility": "team"}),
]


@pytest.mark.parametrize(
    ("before", "after"), [c[1:] for c in BREAKING], ids=[c[0] for c in BREAKING]
)
def test_what_can_make_callers_fail_is_breaking(before, after):
    (change,) = compare_definitions(before, after)
    assert change.breaking is True


@pytest.mark.parametrize(
    ("before", "after"), [c[1:] for c in HARMLESS], ids=[c[0] for c in HARMLESS]
)
def test_what_callers_survive_is_not_breaking(before, after):
    (change,) = compare_definitions(before, after)
    assert change.breaking is False


def test_equal_definitions_have_no_changes():
    one = {"name": "send", "inputs": [{"name": "a"}], "call": {"url": "x"}}
    assert compare_definitions(one, {**one, "name": "renamed"}) == []


def test_changes_name_what_was_and_what_is():
    before = {"inputs": [{"name": "a", "type": "integer"}], "scopes": ["x"]}
    after = {"inputs": [{"name": "a"}, {"name": "b"}]}
    assert [(c.what, c.before, c.after) for c in compare_definitions(before, after)] == [
        ("input a: type", "integer", "string"),
        ("input b", "", "required"),
        ("scopes", '["x"]', ""),
    ]


def test_a_long_text_is_compared_sentence_by_sentence():
    (change,) = compare_definitions({"description": "A. B. C"}, {"description": "A. X. C"})
    assert text_difference(change) == ["-B", "+X"]


# -- deprecation -------------------------------------------------------------------------------


def test_a_deprecated_tool_names_its_successor_and_leaves_menus(registry, encoder):
    registry.register(mail(tool(), tool("post")))
    assert menu(registry, encoder) == {"send", "post"}
    row = deprecate(registry.store, "send", "post")
    assert row == {"id": "mail/send", "status": "deprecated", "successor": "mail/post"}
    assert registry.show("send").tool["successor"] == "mail/post"
    assert menu(registry, encoder) == {"post"}


def test_a_tool_cannot_succeed_itself(registry):
    registry.register(mail(tool()))
    with pytest.raises(InputError, match="own successor"):
        deprecate(registry.store, "send", "SEND")
    assert status(registry) == "active"


def test_an_unknown_tool_or_successor_changes_nothing(registry):
    registry.register(mail(tool()))
    revision = registry.status()["revision"]
    for names in (("nobody",), ("send", "nobody")):
        with pytest.raises(UnknownTool):
            deprecate(registry.store, *names)
    assert status(registry) == "active"
    assert registry.status()["revision"] == revision


@pytest.mark.parametrize("pin", [False, True])
@pytest.mark.parametrize("text", ["one", "two"])
def test_a_deprecation_outlives_a_registration(registry, text, pin):
    registry.register(mail(tool(), tool("post")))
    approve(registry.store, ["send", "post"], "Ann")
    deprecate(registry.store, "send", "post")
    result = registry.register(mail(tool(description=text), tool("post")), pin=pin)
    assert result.quarantined == []
    assert status(registry) == "deprecated"
    assert registry.show("send").tool["successor"] == "mail/post"
    assert registry.show("send").tool["description"] == text


def test_a_status_in_a_changed_manifest_wins(registry):
    registry.register(mail(tool()))
    deprecate(registry.store, "send")
    registry.register(mail(tool(description="two", status="active")))
    assert status(registry) == "active"
    registry.register(mail(tool(description="two", status="deprecated")))
    assert status(registry) == "deprecated"


# -- quarantine --------------------------------------------------------------------------------


@pytest.fixture
def approved(registry):
    registry.register(mail(tool(), tool("post")))
    approve(registry.store, ["send", "post"], "Ann")
    return registry


def test_what_changed_after_approval_is_quarantined_and_out_of_every_menu(approved, encoder):
    assert menu(approved, encoder) == {"send", "post"}
    result = approved.register(mail(tool(description="two"), tool("post")), pin=True)
    assert result.quarantined == ["mail/send"]
    assert status(approved) == "quarantined"
    assert menu(approved, encoder) == {"post"}
    (waiting,) = approved.store.read("tools/waiting")
    assert waiting["id"] == "mail/send"
    assert waiting["approved_hash"] != waiting["content_hash"]


def test_without_pin_a_change_goes_through(approved):
    assert approved.register(mail(tool(description="two"))).quarantined == []
    assert status(approved) == "active"


def test_a_new_tool_beside_approved_ones_is_quarantined(approved):
    result = approved.register(mail(tool("new"), tool(), tool("post")), pin=True)
    assert result.quarantined == ["mail/new"]
    assert status(approved, "post") == status(approved) == "active"


def test_where_nothing_was_approved_yet_nothing_is_quarantined(registry):
    assert registry.register(mail(tool()), pin=True).quarantined == []
    assert registry.register(mail(tool(description="two")), pin=True).quarantined == []
    assert status(registry) == "active"


def test_the_approved_tools_of_another_service_are_no_baseline(approved):
    result = approved.register(mail(tool("other"), service="chat"), pin=True)
    assert result.quarantined == []


def test_an_approval_brings_a_tool_back_to_menus(approved, encoder):
    approved.register(mail(tool(description="two")), pin=True)
    assert approve(approved.store, ["send"], "Ann") == ["mail/send"]
    assert status(approved) == "active"
    assert menu(approved, encoder) == {"send", "post"}
    assert approved.register(mail(tool(description="two")), pin=True).quarantined == []
    row = approved.cypher("MATCH (t:Tool {name: 'send'}) RETURN t.approved_by AS by").rows
    assert row == [{"by": "Ann"}]


def test_an_exact_revert_returns_to_active(approved):
    approved.register(mail(tool(description="two")), pin=True)
    approved.register(mail(tool(description="one")), pin=True)
    assert status(approved) == "active"


def test_another_change_stays_in_quarantine_even_without_pin(approved):
    approved.register(mail(tool(description="two")), pin=True)
    for text in ("three", "two"):
        result = approved.register(mail(tool(description=text)))
        assert result.quarantined == ["mail/send"]
        assert status(approved) == "quarantined"


def test_a_manifest_cannot_talk_itself_out_of_quarantine(approved):
    approved.register(mail(tool(description="two")), pin=True)
    approved.register(mail(tool(description="three", status="active")))
    assert status(approved) == "quarantined"


def test_a_revert_to_what_was_approved_as_deprecated_stays_deprecated(registry):
    registry.register(mail(tool(status="deprecated")))
    registry.register(mail(tool("post")))
    approve(registry.store, ["post"], "Ann")
    old = tool(description="old", status="deprecated")
    registry.register(mail(old))
    registry.store.write(
        "baseline",
        lambda tx: {"n": len(tx.run("tools/approve", ids=["mail/send"], by="Ann", at="x"))},
    )
    registry.register(mail(tool(description="new", status="active")), pin=True)
    assert status(registry) == "quarantined"
    registry.register(mail(old), pin=True)
    assert status(registry) == "deprecated"


def test_pin_after_an_unpinned_change_quarantines_what_nobody_approved(approved):
    changed = mail(tool(description="two"), tool("post"))
    approved.register(changed)
    assert status(approved) == "active"
    revision = approved.status()["revision"]
    plan = preview(approved.store, changed, pin=True)
    assert (plan.quarantined, plan.unchanged) == (["mail/send"], ["mail/send", "mail/post"])
    assert preview(approved.store, changed).quarantined == []
    assert approved.status()["revision"] == revision
    result = approved.register(changed, pin=True)
    assert (result.quarantined, result.changed) == (["mail/send"], [])
    assert status(approved) == "quarantined"
    assert [row["version"] for row in history(approved.store, "send")] == ["1", "2"]
    again = approved.register(changed, pin=True)
    assert (again.quarantined, again.revision) == ([], None)
    approve(approved.store, ["send"], "Ann")
    assert approved.register(changed, pin=True).revision is None
    assert status(approved) == "active"


def test_pin_leaves_what_was_never_approved_and_what_is_deprecated(registry):
    registry.register(mail(tool(), tool("post"), tool("old")))
    approve(registry.store, ["post", "old"], "Ann")
    changed = mail(tool(description="two"), tool("post"), tool("old", "two"))
    registry.register(changed)
    deprecate(registry.store, "old", "post")
    assert registry.register(changed, pin=True).quarantined == []
    assert registry.show("old").tool["successor"] == "mail/post"


def test_a_successor_outlives_a_pin(approved):
    changed = mail(tool(description="two", successor="post"), tool("post"))
    approved.register(changed)
    approved.register(changed, pin=True)
    assert status(approved) == "quarantined"
    assert approved.show("send").tool["successor"] == "mail/post"


@pytest.mark.parametrize("text", ["one", "two"])
@pytest.mark.parametrize("pin", [False, True])
def test_a_preview_tells_who_would_wait(approved, text, pin):
    manifest = mail(tool(description=text), tool("post"), tool("new"))
    plan = preview(approved.store, manifest, pin=pin)
    done = approved.register(manifest, pin=pin)
    assert plan.quarantined == done.quarantined
    assert done.quarantined == (["mail/new", *(["mail/send"] * (text == "two"))] if pin else [])


def test_nothing_leaves_quarantine_by_way_of_a_deprecation(approved):
    approved.register(mail(tool(description="two"), tool("post")), pin=True)
    revision = approved.status()["revision"]
    with pytest.raises(InputError, match=r"waits in quarantine.*spm tools approve"):
        deprecate(approved.store, "send", "post")
    assert approved.status()["revision"] == revision
    for said in ("deprecated", "active"):
        approved.register(mail(tool(description="two", status=said), tool("post")))
        assert status(approved) == "quarantined"
    approve(approved.store, ["send"], "Ann")
    assert status(approved) == "active"


def test_a_quarantined_tool_makes_nothing_for_paths(registry):
    make = {"outputs": [{"name": "basket_id"}]}
    take = {"inputs": [{"name": "basket_id"}]}
    registry.register(mail(tool("find", **make), tool("take", **take)))
    approve(registry.store, ["find", "take"], "Ann")
    assert registry.plan([], "take").steps == ["mail/find", "mail/take"]
    registry.register(mail(tool("find", "two", **make), tool("take", **take)), pin=True)
    assert registry.plan([], "take").ask == ["basket_id"]
    assert registry.show("take").producers == {}


def test_approving_an_unknown_name_approves_nothing(approved):
    approved.register(mail(tool(description="two")), pin=True)
    with pytest.raises(UnknownTool):
        approve(approved.store, ["send", "nobody"], "Ann")
    assert status(approved) == "quarantined"


def test_approving_nothing_writes_nothing(approved):
    revision = approved.status()["revision"]
    assert approve(approved.store, [], "Ann") == []
    assert approved.status()["revision"] == revision


def test_a_conflict_quarantines_nothing(registry):
    registry.register(mail(tool(version="1")))
    approve(registry.store, ["send"], "Ann")
    with pytest.raises(VersionConflict):
        registry.register(mail(tool(description="two", version="1"), tool("new")), pin=True)
    assert status(registry) == "active"
    assert [row["id"] for row in registry.tools()] == ["mail/send"]


# -- every order of events ---------------------------------------------------------------------

NAMES = ("send", "post")
TEXTS = ("one", "two", "three")


class Life(RuleBasedStateMachine):
    """Register, change, revert, pin, approve, deprecate, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="spm-life-"))
        self.registry = Registry.open(str(self.folder / "store"))
        self.contents: dict[str, dict[str, Any]] = {n: tool(n) for n in NAMES}
        self.registry.register(mail(*self.contents.values()))
        approve(self.registry.store, ["send"], "Ann")  # so that quarantine is near
        self.before = self.now()
        self.approved = {"send": self.before["send"][1]}
        self.allowed: set[str] = set()  # who may leave quarantine in this step

    def now(self) -> dict[str, tuple[str, str]]:
        rows = self.registry.store.read("tools/states", ids=[f"mail/{n}" for n in NAMES])
        return {
            row["id"].removeprefix("mail/"): (row["status"], row["content_hash"]) for row in rows
        }

    def teardown(self) -> None:
        self.registry.close()
        shutil.rmtree(self.folder)

    def register(self, pin: bool) -> None:
        manifest = mail(*self.contents.values())
        for one in manifest.tools:
            # An exact revert to what a person approved is the other way out.
            if self.approved.get(one.name) == one.content_hash("mail"):
                self.allowed.add(one.name)
        self.registry.register(manifest, pin=pin)

    @rule(pin=st.booleans())
    def register_the_same(self, pin: bool) -> None:
        held = self.now()
        self.register(pin)
        for name, (state, content) in held.items():
            # With a pin also what changed before, without one.
            drifted = self.approved.get(name, content) != content
            if pin and state == "active" and drifted:
                held[name] = "quarantined", content
        if not self.allowed:
            assert self.now() == held

    @rule(
        name=st.sampled_from(NAMES),
        text=st.sampled_from(TEXTS),
        said=st.sampled_from([None, None, None, "active", "active", "deprecated"]),
        pin=st.sampled_from([True, True, False]),
    )
    def change(self, name: str, text: str, said: str | None, pin: bool) -> None:
        self.contents[name] = tool(name, text) | ({"status": said} if said else {})
        self.register(pin)
        state, content = self.now()[name]
        changed = content != self.before[name][1]
        if pin and changed and self.approved.get(name, content) != content:
            assert state != "active"

    @precondition(lambda self: self.approved)
    @rule(data=st.data(), pin=st.booleans())
    def revert(self, data: st.DataObject, pin: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.approved)))
        for text in TEXTS:
            one = tool(name, text)
            if mail(one).tools[0].content_hash("mail") == self.approved[name]:
                self.contents[name] = one
                held = self.before[name][0]
                self.register(pin)
                assert self.now()[name][0] == ("active" if held == "quarantined" else held)

    @rule(name=st.sampled_from(NAMES))
    def approve(self, name: str) -> None:
        approve(self.registry.store, [name], "Ann")
        self.allowed.add(name)
        state, content = self.now()[name]
        self.approved[name] = content
        assert state == "active"

    @rule(name=st.sampled_from(NAMES), really=st.sampled_from([True, False, False, False]))
    def deprecate(self, name: str, really: bool) -> None:
        if self.before[name][0] == "quarantined":
            with pytest.raises(InputError):
                deprecate(self.registry.store, name)
        elif really:  # seldom: from there only a person or a manifest leads on
            deprecate(self.registry.store, name)
            assert self.now()[name][0] == "deprecated"

    @invariant()
    def nothing_leaves_quarantine_by_itself(self) -> None:
        after = self.now()
        for name, (state, _) in after.items():
            if self.before[name][0] == "quarantined" and state != "quarantined":
                assert name in self.allowed, f"{name} left quarantine without a person"
        self.before, self.allowed = after, set()

    @invariant()
    def menus_see_only_what_is_active(self) -> None:
        active = {n for n, (state, _) in self.now().items() if state == "active"}
        listed = {row["name"] for row in self.registry.tools(status="active")}
        assert listed == active


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=80, stateful_step_count=16, deadline=None)
