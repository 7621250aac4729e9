"""What clauses of a request ask for, and what tools are for."""

import pytest

from spm.registry.routes.purposes import Purpose, read_clauses, thing_named


def clause(text):
    return read_clauses(text, 12)[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Show the check runs on the last commit", {"check", "run", "checkrun"}),
        ("List all open tickets of acme", {"open", "ticket", "openticket"}),
        ("Delete it from the archive", {"archive"}),
    ],
)
def test_the_first_thing_that_a_clause_speaks_of(text, words):
    assert clause(text).object == words


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Delete the customers", {"customer"}),
        ("Kick Ann out of the team", set()),
        ("Get rid of customer 12", set()),
        ("Delete everything", set()),
    ],
)
def test_names_and_words_for_anything_are_no_things(text, things):
    assert clause(text).things == things


def test_words_stand_in_the_singular_and_joined():
    found = clause("Restart the stateful sets")
    assert {"stateful", "set", "statefulset"} <= found.words
    assert found.plurals == {"set"}
    assert "sets" in found.written


def test_a_clause_that_only_tells_has_no_verb_and_may_wish():
    first, second = read_clauses("The old pod is broken again. Please restart it for me", 12)
    assert first.verb is None
    assert second.verb is not None
    assert clause("The limit should be five").wish


@pytest.mark.parametrize(
    ("said", "share"),
    [({"pull", "request"}, 1.0), ({"pullrequest"}, 1.0), ({"request"}, 1 / 3), ({"issue"}, 0.0)],
)
def test_how_far_words_name_a_thing(said, share):
    purpose = Purpose("get", "github/pull_request", "read", "github", frozenset())
    assert thing_named(purpose, frozenset(said)) == share
