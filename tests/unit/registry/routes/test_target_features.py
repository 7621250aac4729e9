"""What speaks for a candidate being what a clause asks for."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spm.registry.routes.admission import name_words
from spm.registry.routes.purposes import Purpose, read_clauses
from spm.registry.routes.target_features import FEATURES, Candidates, features, name_terms

TOOLS: dict[str, Any] = {
    "desk/list_tickets": ("list", "desk/ticket", "read"),
    "desk/get_ticket": ("get", "desk/ticket", "read"),
    "desk/update_ticket": ("update", "desk/ticket", "write"),
    "chat/archive_channel": ("update", "chat/channel", "write"),
}


def candidates(clauses):
    count = len(TOOLS)
    flat = np.zeros((count, clauses), np.float32)
    frontier: Any = SimpleNamespace(
        tools=list(TOOLS), similarity=flat[:, 0], lexical=flat[:, 0], clauses=flat,
        clause_lexical=flat,
    )  # fmt: skip
    names = [tool.partition("/")[2] for tool in TOOLS]
    purposes = [
        Purpose(verb, resource, effects, tool.partition("/")[0], name_words(name))
        for (tool, (verb, resource, effects)), name in zip(TOOLS.items(), names, strict=True)
    ]
    return Candidates(frontier, purposes, [name_terms(name, "") for name in names])


def of(request, feature):
    """The feature of each tool, for the first clause."""
    clauses = read_clauses(request, 12)
    found = features(candidates(len(clauses)), clauses)[:, 0, FEATURES.index(feature)]
    return dict(zip((tool.partition("/")[2] for tool in TOOLS), found.tolist(), strict=True))


def test_acts_are_compared_by_kind():
    assert of("Show ticket 17", "same_kind")["get_ticket"] == 1.0
    assert of("Show ticket 17", "near_kind")["list_tickets"] == 1.0
    assert of("Show ticket 17", "other_kind")["update_ticket"] == 1.0


def test_a_verb_of_the_tools_own_name_counts_with_its_thing():
    assert of("Archive the channel #ops", "own_verb")["archive_channel"] == 1.0
    assert of("Archive the ticket", "own_verb")["archive_channel"] == 0.0


def test_a_light_verb_says_half():
    assert of("Give the ticket a label", "same_kind")["update_ticket"] == 0.5


def test_what_is_spoken_of_in_the_plural_is_listed():
    assert of("Show the tickets of acme", "lists_many")["list_tickets"] == 1.0
    assert of("Show the ticket of acme", "lists_one")["list_tickets"] == 1.0


def test_who_shows_many_of_a_thing_lists_it():
    kinds = of("Show the tickets of acme", "same_kind")
    assert (kinds["list_tickets"], kinds["get_ticket"]) == (1.0, 0.0)
    assert of("Show the tickets of acme", "near_kind")["get_ticket"] == 1.0
    assert of("Show the ticket of acme", "same_kind")["get_ticket"] == 1.0


@pytest.mark.parametrize(
    ("feature", "tool"), [("reads_a_wish", "get_ticket"), ("updates_a_wish", "update_ticket")]
)
def test_a_wish_wants_something_changed(feature, tool):
    found = of("The ticket should have another title", feature)
    assert found[tool] == 1.0
    assert sum(found.values()) < len(TOOLS)


def test_a_service_may_be_said_by_its_name():
    found = of("Show everything in Chat", "service_said")
    assert (found["archive_channel"], found["get_ticket"]) == (1.0, 0.0)


def test_things_and_objects_are_named():
    assert of("Show ticket 17", "thing")["get_ticket"] == 1.0
    assert of("Show ticket 17", "object_said")["archive_channel"] == 0.0
    assert of("Show ticket 17", "object_said")["get_ticket"] == 1.0
