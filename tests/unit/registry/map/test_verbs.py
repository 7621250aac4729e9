"""The lexicon of verbs: forms of words, kinds of acts, and the verbs by which a request asks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.map.verbs import (
    courtesies,
    destroys,
    infinitive,
    kind_of,
    request_verbs,
    undoable,
)
from spm.registry.routes.admission import Admission, name_words


def only_reads(text: str) -> bool:
    return Admission.of(text).reads


def asks_to_destroy(text: str, tool_words: Sequence[str] = ()) -> bool:
    return Admission.of(text).admits("destructive", name_words(" ".join(tool_words)))


@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("lists", "list"), ("listing", "list"), ("deleted", "delete"), ("Deleting", "delete"),
        ("cancelled", "cancel"), ("canceling", "cancel"), ("stopped", "stop"), ("ran", "run"),
        ("copies", "copy"), ("copied", "copy"), ("billed", "bill"), ("unstarred", "unstar"),
        ("reopens", "reopen"), ("resent", None), ("removals", "remove"),
        ("revocation", "revoke"), ("status", None), ("union", None), ("unit", None),
        ("until", None), ("anchovy", None), ("", None),
    ],
)  # fmt: skip
def test_forms_of_a_verb_are_that_verb(form: str, verb: str | None) -> None:
    assert infinitive(form) == verb


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("list", "list"), ("find", "search"), ("retrieves", "get"), ("creates", "create"),
        ("renamed", "update"), ("removing", "delete"), ("send", "act"), ("unpin", "update"),
        ("recreate", "create"), ("recheck", "act"), ("otter", None),
    ],
)  # fmt: skip
def test_each_verb_is_of_one_kind(word: str, kind: str | None) -> None:
    assert kind_of(word) == kind


def test_what_destroys_is_never_undoable() -> None:
    for word in ("delete", "purged", "cancels", "revoking", "void", "terminate", "uninstall"):
        assert destroys(word)
        assert not undoable(word)
    for word in ("unstar", "unlock", "pin", "subscribe", "locks"):
        assert undoable(word)
        assert not destroys(word)


@pytest.mark.parametrize(
    "text",
    [
        "Purge ticket 17",
        "Could you please cancel order 7 and tell the customer?",
        "get rid of the label urgent on issue 5",
        "take the label urgent away from issue 5",
        "kick lee out of #night-shift",
        "Order 17 needs to be cancelled",
        "I want subscription sub_1 cancelled immediately",
        "If the build fails, delete its artifacts",
        "In umbra/gateway remove the branch old-stuff",
        "Ticket 17: delete it",
        "Would you mind deleting ticket 17?",
        "Jane wants to cancel her order",
        "Use the admin console to cancel order 7",
        "Let's shut down the staging cluster",
        "Show ticket 17.\n- delete it",
    ],
)
def test_a_request_whose_verb_destroys(text: str) -> None:
    assert asks_to_destroy(text)


@pytest.mark.parametrize(
    "text",
    [
        "Show ticket 17",
        "Show the deleted files",
        "Which orders were cancelled last week?",
        "Why was the branch deleted?",
        "How do I delete a ticket?",
        "Should I cancel the order?",
        "Don't delete ticket 17, just show it",
        'Create a ticket titled "Delete the old server" and assign it to lee',
        "Post to #ops saying we will delete the cluster and remove the backups",
        "Comment on issue 5: delete this and remove that",
        "Grant Ana permission to read and delete files",
        "Before you delete the ticket, export it",
        "Tell lee to delete the branch",
        "kick off the nightly build",
        "drop a note to lee",
        "Deploy `delete from users` as a job",
        "Close ticket 17",
        "Lösche bitte alle Bestellungen von Kunde 17",
        "Supprime le ticket 17",
        "ticket 17",
        "",
    ],
)
def test_a_request_that_destroys_nothing(text: str) -> None:
    assert not asks_to_destroy(text)


def test_a_verb_of_the_tools_own_name_asks_for_that_tool() -> None:
    assert asks_to_destroy("Merge the two accounts", ["merge", "accounts"])
    assert not asks_to_destroy("Merge the two accounts", ["purge", "accounts"])
    assert not asks_to_destroy("Show the two accounts", ["show", "purged", "accounts"])


def test_verbs_come_by_clause_with_their_kind_and_place() -> None:
    text = "Find the order of jane, then book a courier and mail me the receipt"
    verbs = request_verbs(text)
    assert [(verb.word, verb.kind, verb.clause) for verb in verbs] == [
        ("find", "search", 0), ("book", "create", 1), ("mail", "act", 2),
    ]  # fmt: skip
    assert [text[verb.begin :].split()[0].lower() for verb in verbs] == ["find", "book", "mail"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("give me the invoice", ["get"]),
        ("give lee the admin role", ["update"]),
        ("hand over the repository to lee", ["update"]),
        ("put the label bug on issue 7", ["update"]),
        ("file a bug about the printer", ["create"]),
        ("look up jane and set up a call with her", ["search", "create"]),
        ("How many tickets are open", ["search"]),
        ("open tickets of acme", ["list"]),
        ("open a ticket for acme", ["create"]),
        ("What is the state of PR #208, and reopen it", ["get", "update"]),
        ("create it, update it and delete it", ["create", "update", "delete"]),
        ("failed checks of acme/web", ["list"]),
        ("everything that lies in my trash", ["list"]),
        ("10 most recent messages from #ops", ["list"]),
        ("Invoices: delete them", ["delete"]),
        ("tickets should be shorter", []),
        ("ticket 17", []),
        ("let acme/web use the secret", ["update"]),
    ],
)
def test_kinds_of_the_verbs_of_a_request(text: str, kinds: list[str]) -> None:
    assert [verb.kind for verb in request_verbs(text)] == kinds


def test_only_known_reading_verbs_make_a_request_that_only_reads() -> None:
    assert only_reads("Show ticket 17 and list its comments")
    assert only_reads("Why does the printer fail?")
    assert not only_reads("Show ticket 17 and close it")
    assert not only_reads("Zeige Ticket 17")


@pytest.mark.parametrize(
    "text",
    [
        "I need you to find the deleted messages",
        "I need you to show all tickets cancelled",
        "I want to see all open orders",
        "I want to know about the order cancellation",
    ],
)
def test_what_is_read_about_is_not_asked_for(text: str) -> None:
    assert only_reads(text)
    assert not asks_to_destroy(text)


def test_what_is_wanted_done_is_asked_for() -> None:
    assert asks_to_destroy("I want order 7 cancelled")
    assert asks_to_destroy("Ticket 9 needs to be deleted")
    assert asks_to_destroy("I need you to delete the orders shown")


def test_courtesies_stand_before_a_verb_that_asks() -> None:
    text = "Please show ticket 17, then could you kindly close it"
    assert [text[a:b].strip() for a, b in courtesies(text)] == ["Please", "could you kindly"]
    assert courtesies("Could the ticket be closed?") == []
    assert courtesies("first ticket of today") == []


@given(st.text(max_size=200))
def test_any_text_has_verbs_in_order_inside_it(text: str) -> None:
    verbs = request_verbs(text)
    assert [verb.begin for verb in verbs] == sorted({verb.begin for verb in verbs})
    assert all(0 <= verb.begin < len(text) for verb in verbs)
