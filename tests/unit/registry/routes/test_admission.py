"""What the verbs of a request let into its route."""

import pytest

from spm.registry.routes.admission import NO_VERB, NOT_UNDERSTOOD, Admission, name_words, unread
from spm.registry.routes.tool_map import Feeder

TICKETS = name_words("purgeTickets")


@pytest.mark.parametrize(
    ("request_text", "effects", "admitted"),
    [
        ("Show ticket 17", "read", True),
        ("Show ticket 17", "write", False),
        ("Show ticket 17", "destructive", False),
        ("Why was ticket 17 purged?", "destructive", False),
        ("I need you to show all tickets cancelled", "write", False),
        ("Open a ticket", "write", True),
        ("Open a ticket", "destructive", False),
        ("Delete ticket 17", "destructive", True),
        ("Cancel ticket 17", "destructive", False),
        ("Call off ticket 17", "destructive", False),
        ("Cancel ticket 17 and erase it", "destructive", True),
        ("Show ticket 17 and delete it", "destructive", True),
        ("Lösche bitte alle Tickets", "destructive", False),
        ("Lösche bitte alle Tickets", "write", True),
        ("the deletion of ticket 17", "destructive", False),
        ("open tickets of acme", "write", False),
        ("tickets still waiting for an answer", "write", False),
        ("Tickets should be shorter", "write", True),
    ],
)
def test_verbs_decide(request_text, effects, admitted):
    assert Admission.of(request_text).admits(effects, TICKETS) is admitted


@pytest.mark.parametrize(
    ("request_text", "tool", "admitted"),
    [
        ("Kill the pod ledger-0", "deletePod", True),
        ("Cancel order 5", "deleteOrder", True),
        ("Cancel order 5", "cancelOrder", True),
        ("Cancel order 5", "eraseOrder", False),
        ("Clear the cache", "purge_cache", True),
    ],
)
def test_what_ends_a_thing_does_not_wipe_it(request_text, tool, admitted):
    assert Admission.of(request_text).admits("destructive", name_words(tool)) is admitted


def test_a_verb_in_the_tools_own_name_asks_for_it():
    asked = Admission.of("Merge the branch dev")
    assert asked.admits("destructive", name_words("merge_branches"))
    assert not asked.admits("destructive", name_words("delete_branch"))


@pytest.mark.parametrize(
    ("request_text", "effects", "allowed"),
    [
        ("Show the ticket", "write", True),
        ("Show the ticket", "destructive", False),
        ("Open a ticket", "destructive", False),
        ("Purge the ticket", "destructive", True),
    ],
)
def test_what_may_run_only_to_make_an_input_where_writes_are_allowed(
    request_text, effects, allowed
):
    feeder = Feeder("desk/purgeTicket", ("ticket_id",), 1.0, effects)
    assert Admission.of(request_text).may_make(feeder) is allowed


@pytest.mark.parametrize(
    ("request_text", "why"),
    [
        ("Show 田中太郎", ""),
        ("Create a ticket", ""),
        ("ticket 17", NO_VERB),
        ("tickets of acme", ""),
        ("Zeige alle Tickets der Kunden", NOT_UNDERSTOOD),
        ("Lösche bitte alle Bestellungen von Kunde 17", NOT_UNDERSTOOD),
        ("store credit 17 を削除してください", NOT_UNDERSTOOD),
    ],
)
def test_what_is_not_understood(request_text, why):
    assert unread(request_text, Admission.of(request_text)) == why
