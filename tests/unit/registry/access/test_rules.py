"""Which tools a caller sees, and why it does not see the others."""

from typing import Any

import pytest

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.rules import reasons_hidden, sees

CARD: dict[str, Any] = {
    "id": "s/t",
    "status": "active",
    "successor": None,
    "visibility": "public",
    "owner": "shop",
    "scopes": [],
    "effects": "read",
}


@pytest.mark.parametrize(
    ("card", "caller", "seen"),
    [
        ({}, EVERYTHING, True),
        ({"status": "deprecated"}, EVERYTHING, False),
        ({"status": "quarantined"}, EVERYTHING, False),
        ({"visibility": "private"}, EVERYTHING, True),
        ({"visibility": "private"}, Caller("shop"), True),
        ({"visibility": "private"}, Caller("mail"), False),
        ({"visibility": "team"}, Caller("mail"), False),
        ({"visibility": "team", "owner": ""}, Caller(""), True),
        ({}, Caller("mail"), True),
        ({"scopes": ["a", "b"]}, Caller(scopes=("a",)), False),
        ({"scopes": ["a", "b"]}, Caller(scopes=("b", "a", "c")), True),
        ({"scopes": ["a"]}, Caller(scopes=()), False),
        ({"scopes": ["a"]}, Caller("mail"), True),
        ({"effects": "write"}, Caller(read_only=True), False),
        ({"effects": "destructive"}, Caller(read_only=True), False),
        ({}, Caller(read_only=True), True),
    ],
)
def test_who_sees_what(card, caller, seen):
    assert sees({**CARD, **card}, caller) is seen


def test_every_reason_is_named_with_its_remedy():
    card = {**CARD, "visibility": "team", "scopes": ["b", "a"], "effects": "write"}
    found = dict(reasons_hidden(card, Caller("mail", ("b",), True)))
    assert list(found.values()) == ["--as shop", "--scopes a", "leaving out --read-only"]
