"""Frozen menus."""

import pytest

import spm
from spm.registry.menus.frozen import UnknownMenu, approved, code_of


def test_a_frozen_menu_belongs_to_its_team(shop_registry):
    support, sales = spm.Caller(team="support"), spm.Caller(team="sales")
    menus = shop_registry.frozen_menus
    kept = menus.freeze(shop_registry.menu("Cancel order 991", caller=support), aliases=True)
    assert kept.menu.items[0].alias == "01_cancel_order"
    assert [row["id"] for row in menus.list(support)] == [kept.menu.id]
    assert menus.list(sales) == []
    with pytest.raises(UnknownMenu):
        menus.get(kept.menu.id, sales)
    assert menus.get(kept.menu.id).menu == kept.menu


def test_what_changed_since_is_withdrawn(shop_registry):
    menus = shop_registry.frozen_menus
    kept = menus.freeze(shop_registry.menu("Cancel order 991", size=3))
    assert menus.withdrawn(kept) == []
    shop_registry.tools.deprecate("cancel_order")
    assert menus.withdrawn(kept) == ["orders/cancel_order"]


def test_one_call_is_approved(shop_registry):
    kept = shop_registry.frozen_menus.freeze(shop_registry.menu("Cancel order 991", size=3))
    code = code_of(kept.menu.id, "orders/cancel_order", {"order_id": "991"})
    done = shop_registry.frozen_menus.approve(kept.menu.id, code, by="ann", minutes=1)
    assert (done["menu"], done["call"]) == (kept.menu.id, code)
    assert approved(shop_registry.core.store, kept.menu.id, code)
