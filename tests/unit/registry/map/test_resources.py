"""What names and descriptions say about the resources that fields identify."""

import pytest

from spm.registry.map.resources import Identity, Nouns, is_content

NOUNS = Nouns(
    ["user", "ticket", "payment_method", "team", "parcel", "warehouse_slot"],
    {"ticket": frozenset({"id", "number"}), "team": frozenset({"id"})},
    {"package": "parcel"},
)


@pytest.mark.parametrize(
    ("name", "resource", "role"),
    [
        ("ticket_id", "ticket", ""),
        ("ticketIds", "ticket", ""),
        ("ticket", "ticket", ""),
        ("ticket_number", "ticket", ""),
        ("parent_ticket_id", "ticket", "parent"),
        ("default_payment_method", "payment_method", "default"),
        ("assignee_id", "user", "assignee"),
        ("created_by", "user", "created_by"),
        ("oncall_user_id", "user", "oncall"),
    ],
)
def test_names(name, resource, role):
    assert NOUNS.identify(name) == Identity(resource, role)


@pytest.mark.parametrize("name", ["team_number", "subject", "amount", "name", "limit", "status"])
def test_names_of_no_resource(name):
    assert NOUNS.identify(name) is None


def test_a_flag_or_an_object_identifies_nothing():
    assert NOUNS.identify("ticket", kind="boolean") is None
    assert NOUNS.identify("ticket", kind="object") is None


def test_descriptions():
    found = NOUNS.identify("destination", "The ID of the parcel to send")
    assert found == Identity("parcel", "destination")
    assert NOUNS.identify("place", "Warehouse slot ID") == Identity("warehouse_slot", "place")
    assert NOUNS.identify("title", "The name of the ticket") is None  # a person writes it


def test_other_names_of_a_resource():
    other = Nouns(["parcel", "package"], same={"package": "parcel"})
    assert other.identify("package_id") == Identity("parcel")


def test_content():
    assert is_content("subject")
    assert is_content("replyText")
    assert not is_content("ticket_id")
