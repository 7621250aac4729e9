"""What a caller sees: hidden tools are not offered, and leave no trace in a menu."""

from dataclasses import replace
from typing import Any

import pytest

from spm.registry import Registry, demo
from spm.registry.access import EVERYTHING, Caller
from spm.registry.menus.sight import hindrances, lifted, sees
from spm.registry.models import Manifest, Trace
from spm.registry.plain import PlainRanker
from spm.registry.ranking import Ask

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


def test_every_hindrance_is_named_with_its_way_out():
    card = {**CARD, "visibility": "team", "scopes": ["b", "a"], "effects": "write"}
    found = dict(hindrances(card, Caller("mail", ("b",), True)))
    assert list(found.values()) == ["--as shop", "--scopes a", "leaving out --read-only"]
    ask = Ask("x", caller=Caller("mail", ("b",), True), done=("s/t", "s/u"))
    free = lifted(card, ask)
    assert sees(card, free.caller)
    assert free.done == ("s/u",)
    assert free.caller == Caller("shop", ("a", "b"), False)


HIDDEN = {
    "spm": 1,
    "service": {"name": "rival", "owner": "rival"},
    "tools": [
        {
            "name": f"secret_receipt_{n}",
            "visibility": visibility,
            "description": "Email the customer the receipt for an order.",
            "inputs": [{"name": "order_id"}, {"name": "secret_order_id"}],
            "outputs": [{"name": "customer_email"}, {"name": "receipt_id"}],
        }
        for n, visibility in enumerate(["team", "private"] * 60)
    ],
}
CALLERS = [Caller("shop"), Caller("shop", None, True), Caller("mail", ("orders:read", "x"))]


def test_hidden_tools_change_not_a_byte(shop_copy, encoder):
    """120 tools nearer than any other, and 20 rival trajectories nearer than any other."""
    requests = [demo.REQUEST, "where is order 12 and secret order 13", "Refund order 991"]
    with Registry.open(str(shop_copy)) as registry:

        def answers():
            ranker = PlainRanker(registry.store, lambda: encoder)
            return [
                replace(ranker.menu(Ask(request, caller=caller)), revision=0)
                for request in requests
                for caller in CALLERS
            ]

        before = answers()
        assert all(menu.items for menu in before)
        registry.register(Manifest.model_validate(HIDDEN))
        steps = ["lookup_order", "secret_receipt_0", "send_email_receipt", "secret_receipt_1"]
        registry.import_traces(
            Trace.model_validate({"trace_id": f"r{n}", "request": request, "steps": steps})
            for n, request in enumerate(requests * 7)
        )
        registry.encode(encoder)
        after = answers()
        rival = PlainRanker(registry.store, lambda: encoder).menu(
            Ask(demo.REQUEST, caller=Caller("rival"))
        )
    assert {i.id for i in rival.items} & {"rival/secret_receipt_0", "rival/secret_receipt_1"}
    for old, new in zip(before, after, strict=True):
        assert not [i for i in new.items if i.id.startswith("rival/")]
        assert new == old


def test_a_read_only_caller_still_learns_from_what_others_did(shop, encoder):
    ranker = PlainRanker(shop.store, lambda: encoder)
    menu = ranker.menu(Ask(demo.REQUEST, caller=Caller(read_only=True)))
    assert {item.effects for item in menu.items} == {"read"}
    assert menu.traces == 10
    assert "vote" in next(i.terms for i in menu.items if i.name == "lookup_order")


def test_a_caller_who_sees_nothing_is_told_so(registry, manifest, encoder):
    registry.register(manifest("s", a={"scopes": ["x"]}))
    registry.encode(encoder)
    menu = PlainRanker(registry.store, lambda: encoder).menu(Ask("a", caller=Caller(scopes=())))
    assert (menu.items, menu.notes) == ([], ["This caller may see no tool."])
