"""Frozen menus: content-addressed, of one caller, pinned, and gone in time."""

import dataclasses

import pytest

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.rules import visible_tools
from spm.registry.errors import InputError
from spm.registry.menus import frozen
from spm.registry.menus.menu import Ask, Menu, MenuItem

A, B = Caller("a", ("mail",)), Caller("b")
REQUEST = "Refund order 7"


@pytest.fixture
def offered(registry, manifest):
    """Two tools of everybody and one of team a."""
    registry.register(
        manifest(
            "shop",
            find_order={"inputs": [{"name": "order_id"}], "outputs": [{"name": "payment_id"}]},
            refund={"inputs": [{"name": "payment_id"}], "effects": "destructive"},
            audit={"owner": "a", "visibility": "team"},
        )
    )
    return registry


def built(registry, caller=EVERYTHING, request=REQUEST):
    """A menu of everything that the caller sees, without encoding anything."""
    cards = visible_tools(registry.store, ["shop/audit", "shop/find_order", "shop/refund"], caller)
    items = [
        MenuItem(rank, card["id"], card["name"], "", "", "backup", card["effects"], {}, [], 0.0, {})
        for rank, card in enumerate(cards.values(), 1)
    ]
    ask = Ask(request, caller=caller)
    return ask, Menu(request, [], [i.id for i in items], items, "prior", "", 0, 0.0, 1)


def kept(registry, caller=EVERYTHING, **more):
    ask, menu = built(registry, caller)
    return frozen.freeze(registry.store, ask, menu, **more)


def test_the_same_menu_of_the_same_caller_is_one_menu(offered):
    first, again = kept(offered, A), kept(offered, A)
    assert first.menu.id == again.menu.id
    assert first.menu.id.startswith("menu-")
    assert kept(offered, B).menu.id != first.menu.id
    assert [row["id"] for row in frozen.listed(offered.store, A)] == [first.menu.id]
    assert len(frozen.listed(offered.store, EVERYTHING)) == 2


def test_it_pins_versions_and_hashes_in_order(offered):
    menu = kept(offered, B).menu
    assert [(i.rank, i.alias) for i in menu.items] == [(1, "find_order"), (2, "refund")]
    cards = offered.store.read("tools/show", ids=[i.id for i in menu.items])
    assert [i.content_hash for i in menu.items] == [card["content_hash"] for card in cards]
    ranked = kept(offered, B, ranked=True).menu
    assert [i.alias for i in ranked.items] == ["01_find_order", "02_refund"]


def test_what_is_read_back_is_what_was_frozen_to_the_last_byte(offered):
    first = kept(offered, A)
    again = frozen.get(offered.store, first.menu.id, A)
    assert again.menu.model_dump_json() == first.menu.model_dump_json()
    assert again.menu.id == first.menu.id


def test_another_team_s_menu_looks_like_none(offered):
    mine = kept(offered, A).menu.id
    with pytest.raises(frozen.UnknownMenu) as theirs:
        frozen.get(offered.store, mine, B)
    with pytest.raises(frozen.UnknownMenu) as none:
        frozen.get(offered.store, "menu-0", B)
    assert str(theirs.value).replace(mine, "menu-0") == str(none.value)
    with pytest.raises(frozen.UnknownMenu):
        frozen.remove(offered.store, mine, B)
    of_the_operator = kept(offered).menu.id
    with pytest.raises(frozen.UnknownMenu):
        frozen.get(offered.store, of_the_operator, B)
    assert frozen.get(offered.store, mine, EVERYTHING).menu.team == "a"


def test_time_and_a_person_end_it(offered):
    ask, menu = built(offered, A)
    with pytest.raises(frozen.UnknownMenu):  # kept, but already over
        frozen.freeze(offered.store, ask, menu, days=-1.0)
    stays = kept(offered, B).menu.id
    held = offered.cypher("MATCH (m:FrozenMenu) RETURN m.id AS id").rows
    assert [row["id"] for row in held] == [stays]  # the next freeze swept the other away
    assert frozen.remove(offered.store, stays, B) == stays
    assert frozen.listed(offered.store, EVERYTHING) == []


def test_a_team_cannot_freeze_without_end(offered, monkeypatch):
    monkeypatch.setattr(frozen, "MOST", 1)
    first = kept(offered, A)
    assert kept(offered, A).menu.id == first.menu.id
    ask, menu = built(offered, A, "Something else")
    with pytest.raises(InputError, match="frozen menus already"):
        frozen.freeze(offered.store, ask, menu)
    kept(offered, B)


def test_nothing_cannot_be_frozen(offered):
    ask, menu = built(offered, A)
    with pytest.raises(InputError, match="empty"):
        frozen.freeze(offered.store, ask, dataclasses.replace(menu, items=[], route=[]))


def test_an_approval_is_for_one_call_and_once(offered):
    menu = kept(offered, A).menu.id
    code = frozen.code_of(menu, "shop/refund", {"payment_id": "p1"})
    other = frozen.code_of(menu, "shop/refund", {"payment_id": "p2"})
    assert code != other
    assert "p1" not in code
    assert not frozen.approved(offered.store, menu, code)
    frozen.approve(offered.store, code, menu, by="Zoë")
    assert frozen.approved(offered.store, menu, code)
    assert not frozen.approved(offered.store, menu, other)
    assert frozen.spend(offered.store, menu, code)
    assert not frozen.spend(offered.store, menu, code)
    frozen.approve(offered.store, code, menu, by="Zoë", minutes=-1)
    assert not frozen.approved(offered.store, menu, code)
    assert not frozen.spend(offered.store, menu, code)


@pytest.mark.parametrize("code", ["", "shop/refund", "shop/none:0123456789abcdef", "shop/refund:x"])
def test_what_is_no_code_is_refused(offered, code):
    menu = kept(offered, A).menu.id
    with pytest.raises(InputError, match="no code"):
        frozen.approve(offered.store, code, menu, by="x")


def test_a_removed_menu_takes_its_approvals_along(offered):
    menu = kept(offered, A).menu.id
    code = frozen.code_of(menu, "shop/refund", {})
    frozen.approve(offered.store, code, menu, by="x")
    frozen.remove(offered.store, menu, A)
    assert offered.cypher("MATCH (a:Approval) RETURN a.id AS id").rows == []


def test_freezing_changes_no_menu_and_says_so(offered):
    before = offered.status()["revision"]
    menu = kept(offered, A).menu.id
    code = frozen.code_of(menu, "shop/refund", {})
    frozen.approve(offered.store, code, menu, by="x")
    frozen.spend(offered.store, menu, code)
    frozen.remove(offered.store, menu, A)
    assert offered.status()["revision"] == before
