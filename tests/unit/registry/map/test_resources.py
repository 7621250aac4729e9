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


def test_a_word_that_everything_is_called_means_no_resource():
    api = Nouns(["api_resource", "ticket"])
    assert api.identify("target", "Name of the resource that is meant") is None
    assert api.identify("resource_id") is None


def test_by_is_somebody_only_behind_something_done_and_not_at_a_time():
    assert NOUNS.identify("group_by") is None
    assert NOUNS.identify("redeemed_by", "Unix timestamp of the last redemption") is None
    assert NOUNS.identify("written_by") == Identity("user", "written_by")


def test_a_key_or_something_else():
    assert NOUNS.described("SHA or team to start from", "") == Identity("team")


def test_words_without_gaps():
    assert NOUNS.exact(["paymentmethod"]) == "payment_method"
    assert NOUNS.identify("paymentmethod_id") == Identity("payment_method")


def test_people_who_have_an_id_are_not_found_by_their_name():
    known = Nouns(["user"], {"user": frozenset({"id"})})
    assert known.identify("author_name") is None
    assert known.identify("author_id") == Identity("user", "author")


@pytest.mark.parametrize("name", ["since", "ticket_prefix"])
def test_where_a_list_begins_is_no_reference(name):
    assert NOUNS.identify(name, "The ID of the ticket") is None


def test_a_name_alone_is_no_key_of_what_has_an_id():
    assert not NOUNS.has_key("ticket", frozenset({"number"}))
    assert NOUNS.has_key("ticket", frozenset({"id", "number"}))
    by_name = Nouns(["pod"], {"pod": frozenset({"name", "uid"})})
    assert by_name.has_key("pod", frozenset({"name"}))


def test_the_category_of_a_project_is_no_project():
    known = Nouns(["project", "project_category"])
    said = "The ID of the project's category. A list is found elsewhere."
    assert known.described(said, "category") == Identity("project_category")
    assert known.described("The customer's phone number", "phone") is None


def test_a_hash_is_a_key():
    assert Nouns(["commit"]).described("The commit hash", "") == Identity("commit")


def test_a_template_of_urls_is_no_template():
    known = Nouns(["template"])
    assert known.identify("url_template") is None
    assert known.identify("base_template") == Identity("template", "base")


def test_a_key_of_its_own_name_finds_a_thing_in_any_role():
    known = Nouns(["user", "project"], own_keys={"account_id": "user"})
    assert known.identify("accountId") == Identity("user")
    said = "The account ID of the project lead."
    assert known.identify("leadAccountId", said) == Identity("user", "lead")


def test_people_may_be_called_members_of_something():
    known = Nouns(["staff_member", "room"])
    assert known.identify("curator_id") == Identity("staff_member", "curator")
    assert Nouns(["team_member", "staff_member"]).identify("curator_id") is None


def test_who_prescribes_is_a_doctor_and_no_patient():
    assert Nouns(["patient", "doctor"]).identify("prescriber_id") == Identity(
        "doctor", "prescriber"
    )


def test_an_e_mail_address_is_no_thing_unless_it_is_named_by_a_key():
    known = Nouns(["email"])
    assert known.identify("author_email") is None
    assert known.identify("author_email_id") == Identity("email", "author")
