"""Everything that can be registered."""

import json
from pathlib import Path

import pytest

import spm
from spm.registry.errors import InputError, ManifestError

EXAMPLES = Path(__file__).parents[3] / "examples"


def find_ticket(ticket_id: str) -> dict[str, str]:
    """Find a ticket."""
    raise AssertionError("a registered function is never called")


def close_ticket(ticket_id: str, reason: str = "") -> None:
    """Close a ticket."""


def test_a_file_is_registered(empty):
    done = empty.register(EXAMPLES / "bookings.json")
    assert (done.format, done.service, done.wanted) == ("openapi", "bookings", "bookings")
    assert "bookings/find_guest" in done.added
    again = empty.register(str(EXAMPLES / "bookings.json"), service="stays")
    assert again.service == "stays"


def test_a_manifest_is_registered(empty, manifest):
    made = manifest("mail", send=(["address"], ["message_id"]))
    assert empty.register(made).added == ["mail/send"]
    assert empty.register(made).unchanged == ["mail/send"]
    assert isinstance(made, spm.Manifest)


def test_functions_are_registered(empty):
    done = empty.register([find_ticket, close_ticket], service="desk")
    assert done.added == ["desk/find_ticket", "desk/close_ticket"]
    assert done.format == "python"
    view = empty.tools.show("close_ticket")
    assert {row["field"]: row["required"] for row in view.inputs} == {
        "ticket_id": True,
        "reason": False,
    }
    one = empty.register(find_ticket)  # named after its module, which is another service
    assert one.added == [f"{__name__}/find_ticket"]


def test_functions_of_several_modules_need_a_service(empty):
    with pytest.raises(ManifestError, match=r"several modules: .*json.*service="):
        empty.register([find_ticket, json.dumps])
    with pytest.raises(ManifestError, match="is not a function"):
        empty.register([3])
    with pytest.raises(InputError, match="3 describes no tools"):
        empty.register(3)


def test_a_dry_run_changes_nothing(empty, manifest):
    before = empty.register(manifest("mail", send=(["address"], ["message_id"])))
    revision = empty.status()["revision"]
    new = manifest("mail", send=(["address", "subject"], ["message_id"]), draft=([], ["draft_id"]))
    plan = empty.register(new, dry_run=True)
    assert (plan.added, plan.changed) == (["mail/draft"], ["mail/send"])
    assert [change.what for change in plan.changes["mail/send"]]
    assert empty.status()["revision"] == revision
    assert before.changes == {}


def test_pinned_tools_wait_when_they_change(empty, manifest):
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    assert empty.tools.approve_all(by="ann") == ["mail/send"]
    done = empty.register(manifest("mail", send=(["address", "bcc"], ["message_id"])), pin=True)
    assert done.quarantined == ["mail/send"]
    assert [row["id"] for row in empty.tools.waiting()] == ["mail/send"]
    empty.tools.approve(["send"], by="ann")
    assert empty.tools.waiting() == []
