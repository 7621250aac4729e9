"""`spm menus` and the options of `spm mcp`."""

import pytest

from spm.registry import demo


@pytest.fixture
def frozen(spm, shop_copy):
    done = spm("menus", "freeze", demo.REQUEST, "-k", 5, "--as", "mail", "--store", shop_copy)
    assert done.code == 0, done.err
    assert f"spm mcp --menu {done.out.strip()} --as mail --store {shop_copy}" in done.err
    return done.out.strip()


def test_a_menu_is_frozen_listed_shown_and_removed(spm, shop_copy, frozen):
    there = ("--store", shop_copy)
    again = spm("menus", "freeze", demo.REQUEST, "-k", 5, "--as", "mail", "--json", *there).json
    assert again["id"] == frozen
    assert again["mcp"] == f"/menus/{frozen}/mcp"
    (row,) = spm("menus", "list", "--json", *there).json
    assert (row["id"], row["team"], len(row["tools"])) == (frozen, "mail", 5)
    assert spm("menus", "list", "--as", "other", "--json", *there).json == []
    assert frozen in spm("menus", "list", *there).out
    shown = spm("menus", "show", frozen, "--json", *there).json
    assert shown["withdrawn"] == []
    assert spm("tools", "deprecate", shown["items"][0]["id"], *there).code == 0
    assert spm("menus", "show", frozen, "--json", *there).json["withdrawn"] == [
        shown["items"][0]["id"]
    ]
    assert "withdrawn" in spm("menus", "show", frozen, *there).out
    assert spm("menus", "remove", frozen, "--json", *there).json == {"removed": frozen}
    gone = spm("menus", "show", frozen, *there)
    assert gone.code == 1
    assert "spm menus freeze" in gone.err


def test_what_cannot_be_undone_is_marked(spm, shop_copy):
    there = ("--store", shop_copy)
    done = spm("menus", "freeze", "Refund order 991", "-k", 32, "--json", *there).json
    effects = {item["alias"]: item["effects"] for item in done["items"]}
    assert "destructive" in effects.values()
    shown = spm("menus", "show", done["id"], *there).out
    for alias, effect in effects.items():
        assert (f" {alias} (!) " in shown) == (effect == "destructive")


def test_what_is_not_there_is_said(spm, shop_copy, frozen, tmp_path):
    there = ("--store", shop_copy)
    assert spm("menus", "approve", frozen, "nonsense", *there).code == 1
    assert spm("mcp", "--menu", "menu-0", *there).code == 1
    other = spm("mcp", "--menu", frozen, "--as", "support", *there)
    assert other.code == 1
    assert "No frozen menu" in other.err
    missing = spm("mcp", "--menu", frozen, "--backends", tmp_path / "none.yaml", *there)
    assert missing.code == 1
    assert "none.yaml" in missing.err
