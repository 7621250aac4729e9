"""Locks and differences: the same menu gives the same bytes, another one says why."""

import json
from typing import Any

import pytest

from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.menus.diff import compare
from spm.registry.menus.lockfile import lock, read_lock
from spm.registry.menus.menu import Ask
from spm.registry.models import Manifest
from spm.registry.registry import Registry


def library(**changes):
    tools: dict[str, Any] = {
        "find_person": {"outputs": [{"name": "person_id"}], "description": "Find a person."},
        "send_mail": {"inputs": [{"name": "person_id"}], "description": "Send a mail."},
        "read_mail": {"description": "Read a mail."},
    }
    for name, change in changes.items():
        tools[name] = {**tools.get(name, {}), **change}
    listed = [{"name": name, **tool} for name, tool in tools.items()]
    return Manifest.model_validate({"spm": 1, "service": "mail", "tools": listed})


ASK = Ask("Send a mail to a person", size=3)


@pytest.fixture
def mail(registry, encoder):
    """A small registry, a way to lock its menu, and a way to compare."""
    registry.register(library())

    class Mail:
        def __init__(self):
            self.registry = registry
            self.ranker = registry.ranker()

        def lock(self, ask=ASK):
            registry.encode(encoder)
            return lock(registry.store, ask, self.ranker.menu(ask))

        def diff(self, old, ask=ASK):
            why = lambda tool: self.ranker.why_not(ask, tool)  # noqa: E731
            return compare(registry.store, old, self.lock(ask), why)

    return Mail()


def kinds(difference):
    return [(cause.kind, cause.tool) for cause in difference.causes]


def test_the_same_menu_gives_the_same_bytes(mail, tmp_path):
    one = mail.lock().text()
    assert one == mail.lock().text()
    with Registry.open(str(tmp_path / "store")) as other:
        assert lock(other.store, ASK, other.ranker().menu(ASK)).text() == one


def test_a_lock_says_what_a_menu_was_made_of(mail):
    found = json.loads(mail.lock().text())
    assert [item["id"] for item in found["items"]] == [
        item.id for item in mail.ranker.menu(ASK).items
    ]
    assert {len(item["content_hash"]) for item in found["items"]} == {64}
    assert found["registry"]["tools"] == 3
    assert found["registry"]["encoder"] == "all-MiniLM-L6-v2"
    assert (found["ranker"], found["model"]) == ("prior", mail.ranker.menu(ASK).model)
    assert len(found["model"]) == 64
    assert found["spm_menu_lock"] == 1


def test_a_lock_can_be_read_and_asked_again(mail, tmp_path):
    ask = Ask(
        "x", ("person_id",), 2, 1, Caller("t", ("b", "a"), True), ("mail/read_mail",), ("mail",)
    )
    file = tmp_path / "menu.lock"
    file.write_text(mail.lock(ask).text())
    found = read_lock(file)
    again = found.ask.ask()
    assert again.caller == Caller("t", ("a", "b"), True)
    assert (again.request, again.state, again.size, again.prefix, again.done) == (
        "x",
        ("person_id",),
        2,
        1,
        ("mail/read_mail",),
    )
    assert again.without == ("mail",)
    assert found.text() == file.read_text()


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "{}", '{"digest": 1}', '{"spm_menu_lock": 1}', "\x00", "[" * 100_000]
)
def test_what_is_no_lock_is_refused(tmp_path, text):
    file = tmp_path / "x.lock"
    file.write_text(text)
    with pytest.raises(InputError, match="is no menu lock"):
        read_lock(file)
    with pytest.raises(InputError, match="Cannot read"):
        read_lock(tmp_path / "none")


def test_a_lock_that_was_changed_is_refused(mail, tmp_path):
    file = tmp_path / "x.lock"
    file.write_text(mail.lock().text().replace('"rank": 1', '"rank": 2'))
    with pytest.raises(InputError, match="was changed after it was written"):
        read_lock(file)
    content = json.loads(mail.lock().text())
    file.write_text(json.dumps({**content, "spm_menu_lock": 2}))
    with pytest.raises(InputError, match="is no menu lock"):
        read_lock(file)


@pytest.mark.parametrize("request_text", ["half \ud800", "\x1b[31m\u202e", "注文", "a\nb \x00"])
def test_any_request_can_be_locked(mail, tmp_path, request_text):
    file = tmp_path / "x.lock"
    file.write_text(mail.lock(Ask(request_text)).text())
    assert file.read_text().isascii()
    assert read_lock(file).ask.request == request_text


def test_nothing_differs_when_nothing_happened(mail):
    found = mail.diff(mail.lock())
    assert found.same
    assert (found.entered, found.left, found.changed, found.moved, found.causes) == (
        [],
        [],
        [],
        [],
        [],
    )


def test_a_changed_definition_is_a_difference(mail):
    old = mail.lock()
    mail.registry.register(library(send_mail={"effects": "destructive"}))
    found = mail.diff(old)
    assert not found.same
    assert found.changed == ["mail/send_mail"]
    assert found.moved == []
    assert kinds(found) == [("changed", "mail/send_mail"), ("revision", "")]
    assert "version 1 → 2" in found.causes[0].text


def test_a_removed_tool_and_another_status_are_told(mail):
    old = mail.lock()
    mail.registry.remove("send_mail")
    mail.registry.register(
        Manifest.model_validate(
            {
                "spm": 1,
                "service": "mail",
                "tools": [
                    {"name": "find_person", "outputs": [{"name": "person_id"}]},
                    {"name": "read_mail", "status": "deprecated", "successor": "mail/find_person"},
                ],
            }
        )
    )
    found = mail.diff(old)
    assert set(found.left) == {"mail/send_mail", "mail/read_mail"}
    assert {("removed", "mail/send_mail"), ("status", "mail/read_mail")} <= set(kinds(found))
    assert any("Its successor is mail/find_person." in cause.text for cause in found.causes)
    assert ("tools", "") in kinds(found)


def test_a_new_tool_and_the_one_it_displaced_are_told(mail):
    old = mail.lock()
    extra = {"description": "Send a mail to a person.", "inputs": [{"name": "person_id"}]}
    mail.registry.register(library(send_mail_to_person=extra))
    found = mail.diff(old)
    assert found.entered == ["mail/send_mail_to_person"]
    assert len(found.left) == 1
    by_tool = {cause.tool: cause for cause in found.causes}
    assert by_tool["mail/send_mail_to_person"].kind == "added"
    gone = by_tool[found.left[0]]
    assert gone.kind == "displaced"
    assert "the menu ends at 3" in gone.text


def test_what_was_there_before_is_not_called_new(mail):
    small = Ask(ASK.request, size=1)
    old = mail.lock(small)
    tool = old.items[0].id
    mail.registry.remove(tool)
    found = mail.diff(old, small)
    assert ("promoted", found.entered[0]) in kinds(found)
    assert ("removed", tool) in kinds(found)


def test_new_traces_are_counted_and_are_no_difference_by_themselves(mail, trace):
    mail.registry.import_traces([trace("read_mail", request="Paint the wall", trace_id="t0")])
    old = mail.lock()
    mail.registry.import_traces([trace("read_mail", request="Paint it all", trace_id="t1")])
    found = mail.diff(old)
    assert found.same
    (cause,) = [cause for cause in found.causes if cause.kind == "traces"]
    assert "Trajectories 1 → 2" in cause.text


def test_traces_that_turn_the_order_are_a_difference_of_order(mail, trace):
    old = mail.lock()
    steps = ["read_mail", "send_mail"]
    mail.registry.import_traces(
        trace(*steps, request=ASK.request, trace_id=f"t{n}") for n in range(3)
    )
    found = mail.diff(old)
    assert not found.same
    assert (found.entered, found.left, found.changed) == ([], [], [])
    assert ("order", "") in kinds(found)
    assert any("similar to this request 0 → 3" in cause.text for cause in found.causes)


def test_another_model_encoder_and_ranker_are_told(mail):
    new = mail.lock()
    registry = new.registry.model_copy(update={"encoder": "bge"})
    old = new.model_copy(update={"ranker": "gnn", "model": "a" * 64, "registry": registry})
    found = compare(mail.registry.store, old, new, lambda tool: pytest.fail(tool))
    assert found.same
    assert [cause.kind for cause in found.causes] == ["ranker", "model", "encoder"]
    assert f"aaaaaaaaaaaa → {new.model[:12]}" in found.causes[1].text
    without = new.model_copy(update={"model": ""})
    found = compare(mail.registry.store, old, without, lambda tool: pytest.fail(tool))
    assert "aaaaaaaaaaaa → none" in found.causes[1].text
