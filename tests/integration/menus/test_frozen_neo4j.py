"""Frozen menus on Neo4j: what one worker froze another serves, and an approval is spent once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.menus import frozen
from spm.registry.menus.menu import Ask, Menu, MenuItem
from spm.registry.registry import Registry
from spm.registry.settings import Settings

pytestmark = pytest.mark.neo4j
TEAM = Caller("a", ("mail", "crm"))
WORKERS = 4


def built(registry):
    card = registry.store.read("tools/show", ids=["shop/refund"])[0]
    item = MenuItem(
        1, card["id"], card["name"], "", "", "target", card["effects"],
        {"payment_id": ["request"]}, ["refund_id"], 0.0, {},
    )  # fmt: skip
    return Menu("Réfund 7 „now“", ["payment_id"], [item.id], [item], "prior", "", 0, 0.0, 1)


@pytest.fixture
def stores(neo4j_empty, manifest, tmp_path):
    """The same registry on both engines."""
    with (
        Registry.open(neo4j_empty.settings()) as remote,
        Registry.open(Settings(str(tmp_path / "store"))) as embedded,
    ):
        for registry in (remote, embedded):
            registry.register(manifest("shop", refund={"effects": "destructive"}))
        yield neo4j_empty, remote, embedded


def test_both_engines_keep_the_same_menu_under_the_same_id(stores):
    _, remote, embedded = stores
    kept = [
        frozen.freeze(registry.store, Ask("Réfund 7 „now“", caller=TEAM), built(registry))
        for registry in (remote, embedded)
    ]
    assert kept[0].menu == kept[1].menu
    assert kept[0].menu.id == kept[1].menu.id
    rows = [frozen.listed(registry.store, TEAM) for registry in (remote, embedded)]
    timeless = [
        [{k: v for k, v in row.items() if k not in ("created", "expires")} for row in each]
        for each in rows
    ]
    assert timeless[0] == timeless[1]


def test_what_one_worker_froze_another_serves_and_removes(stores):
    server, remote, _ = stores
    menu = frozen.freeze(remote.store, Ask("x", caller=TEAM), built(remote)).menu
    with Registry.open(server.settings()) as other:
        assert frozen.get(other.store, menu.id, TEAM).menu == menu
        with pytest.raises(frozen.UnknownMenu):
            frozen.get(other.store, menu.id, Caller("b"))
        frozen.remove(other.store, menu.id, TEAM)
    with pytest.raises(frozen.UnknownMenu):
        frozen.get(remote.store, menu.id, EVERYTHING)


def test_freezing_leaves_the_stamp_and_traces_do_not(stores, trace):
    _, remote, _ = stores
    before = remote.store.stamp()
    menu = frozen.freeze(remote.store, Ask("x", caller=TEAM), built(remote)).menu
    frozen.remove(remote.store, menu.id, TEAM)
    assert remote.store.stamp() == before is not None
    remote.import_traces([trace("shop/refund")])
    assert remote.store.stamp() != before


def test_an_approval_is_spent_once_however_many_workers_try(stores):
    server, remote, _ = stores
    menu = frozen.freeze(remote.store, Ask("x", caller=TEAM), built(remote)).menu.id
    code = frozen.code_of(menu, "shop/refund", {"payment_id": "p"})

    def worker(_):
        with Registry.open(server.settings()) as registry:
            return frozen.spend(registry.store, menu, code)

    for _ in range(3):
        frozen.approve(remote.store, code, menu, by="Zoë")
        with ThreadPoolExecutor(WORKERS) as pool:
            assert sum(pool.map(worker, range(WORKERS))) == 1
