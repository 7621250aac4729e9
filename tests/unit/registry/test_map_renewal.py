"""The map of stores that an earlier spm wrote, and of maps that earlier rules made."""

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spm.registry import map_renewal
from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.catalog.effects_decisions import effects_of, override
from spm.registry.catalog.field_decisions import declare
from spm.registry.doctor import examine, mend
from spm.registry.exchange import export_registry, import_registry
from spm.registry.importers.openapi import read_openapi
from spm.registry.map import map_rows
from spm.registry.map_renewal import renew_map, services_behind
from spm.registry.models import Manifest, ToolSpec
from spm.registry.registry import Registry
from spm.registry.store.interface import Row, Store
from tests.support.feeding import edges, wrong_edges

EARLIER = Path(__file__).parents[2] / "data" / "earlier_store"
SERVICES = ["desk", "mail", "shop"]
FEEDS = {
    ("desk/listAgents", "desk/openTicket"): ["assignee_id"],  # an agent is a User, by its id
    ("desk/listTickets", "desk/closeTicket"): ["ticket_key"],
    ("desk/listTickets", "desk/readTicket"): ["ticket_key"],
    ("desk/openTicket", "desk/closeTicket"): ["ticket_key"],
    ("desk/openTicket", "desk/readTicket"): ["ticket_key"],
    ("shop/find_customer", "shop/list_orders"): ["customer_id"],
    ("shop/find_customer", "shop/refund_order"): ["client_number"],  # as a person decided then
    ("shop/list_orders", "mail/send_receipt"): ["order_id"],
    ("shop/list_orders", "shop/refund_order"): ["order_id"],
}
OTHER = Manifest.model_validate({"spm": 1, "service": "other", "tools": [{"name": "wait"}]})


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EARLIER, tmp_path / "earlier"))


@pytest.fixture
def opened(earlier: Path) -> Iterator[Registry]:
    with Registry.open(str(earlier)) as registry:
        yield registry


LATER = map_rows.RULES + 1  # rules that somebody improved after a store was written


def use_rules(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    for module in (map_rows, map_renewal):
        monkeypatch.setattr(module, "RULES", number)


def carried(store: Store) -> dict[tuple[str, str], list[str]]:
    return {ends: row["fields"] for ends, row in edges(store).items()}


def contents(store: Store) -> list[Row]:
    ids = [row["id"] for row in store.read("tools/names")]
    return [*store.read("tools/hashes", ids=ids), *store.read("tools/published", ids=ids)]


def test_the_first_write_to_an_earlier_store_makes_its_map(opened: Registry) -> None:
    store = opened.store
    before = contents(store)
    assert (services_behind(store), edges(store)) == (SERVICES, {})
    opened.register(OTHER)
    assert services_behind(store) == []
    assert carried(store) == FEEDS
    assert wrong_edges(store) == {}
    after = [row for row in contents(store) if not str(row).count("other/wait")]
    assert after == before, "no version and no content changes"
    decided = store.read("fields/reviewed")
    assert [(row["field"], row["same"]) for row in decided] == [("client_number", "customer_id")]


def test_reading_writes_nothing(earlier: Path) -> None:
    before = {path.name: path.read_bytes() for path in earlier.iterdir()}
    with Registry.open(str(earlier)) as registry:
        assert len(registry.tools()) == 10
        assert registry.show("refund_order").inputs
        assert registry.paths("find_customer", "refund_order") is not None
        assert services_behind(registry.store) == SERVICES
    assert {path.name: path.read_bytes() for path in earlier.iterdir()} == before


def test_later_writes_cost_one_read(earlier: Path) -> None:
    with Registry.open(str(earlier)) as registry:
        registry.register(OTHER)
        revision = registry.status()["revision"]
    with Registry.open(str(earlier)) as registry:
        asked: list[str] = []
        read = registry.store.read
        registry.store.read = lambda name, **given: asked.append(name) or read(name, **given)  # type: ignore[method-assign,func-returns-value]
        registry.store.write("again", lambda tx: {})
        registry.store.write("again", lambda tx: {})
        assert asked.count("map/marks") == 1
        assert registry.status()["revision"] == revision + 2


class Limited:
    """Lets so many steps of a renewal through, and is killed before the next."""

    def __init__(self, write: Callable[..., Any], steps: int) -> None:
        self._write, self._left = write, steps

    def __call__(self, kind: str, work: Any, operation: Any = None) -> Any:
        if kind == "map" and not self._left:
            raise KeyboardInterrupt
        self._left -= kind == "map"
        return self._write(kind, work, operation)


def test_what_was_cut_short_goes_on(
    earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each of its transactions the process may be killed."""
    for last in range(2 * len(SERVICES)):
        folder = shutil.copytree(earlier, tmp_path / f"cut-{last}")
        with Registry.open(str(folder)) as registry:
            limited = Limited(registry.store.write, last)
            monkeypatch.setattr(registry.store, "write", limited)
            with pytest.raises(KeyboardInterrupt):
                registry.register(OTHER)
            assert services_behind(registry.store), "not before all are connected"
        with Registry.open(str(folder)) as registry:
            registry.register(OTHER)
            assert (carried(registry.store), wrong_edges(registry.store)) == (FEEDS, {})
            assert services_behind(registry.store) == []


def test_a_failure_is_told_and_the_next_write_tries_again(
    opened: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(map_renewal, "write_facts", _fail)
        with pytest.raises(ZeroDivisionError):
            opened.register(OTHER)
    assert services_behind(opened.store) == SERVICES
    opened.register(OTHER)
    assert services_behind(opened.store) == []


def _fail(*given: object) -> None:
    raise ZeroDivisionError


def test_tokens_wait_for_no_map(opened: Registry) -> None:
    api_tokens.create(opened.store, "ci", Caller("a"))
    assert services_behind(opened.store) == SERVICES


def test_marks_say_what_was_read_and_an_unchanged_manifest_stays_settled(opened: Registry) -> None:
    renew_map(opened.store)
    shop = Manifest.model_validate(
        {"spm": 1, "service": "fresh", "tools": [{"name": "list_carts"}, {"name": "get_cart"}]}
    )
    opened.register(shop)
    again = opened.register(shop)
    assert again.revision is None
    marks = {row["service"]: row["map"] for row in opened.store.read("map/marks")}
    now = map_rows.RULES
    assert marks == {"desk": f"{now} definitions", "fresh": f"{now} names", "mail": f"{now} names",
                     "shop": f"{now} names"}  # fmt: skip


DESK: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "bench", "version": "1"},
    "paths": {
        "/seats": {"get": {"operationId": "listSeats", "responses": {"200": {"description": "",
            "content": {"application/json": {"schema": {"type": "array", "items":
                {"$ref": "#/components/schemas/Chair"}}}}}}}},
        "/seats/{key}": {"get": {"operationId": "readSeat", "parameters": [
            {"name": "key", "in": "path", "required": True, "schema": {"type": "string"}}],
            "responses": {"200": {"description": "", "content": {"application/json": {"schema":
                {"$ref": "#/components/schemas/Chair"}}}}}}},
    },
    "components": {"schemas": {"Chair": {"type": "object", "properties":
        {"ref": {"type": "string"}, "legs": {"type": "integer"}}}}},
}  # fmt: skip


def test_later_rules_renew_a_map_and_keep_what_a_document_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of schemas are in no definition, so that reading again would lose them."""
    with Registry.open(str(tmp_path / "s")) as registry:
        registry.add(read_openapi(DESK, "bench.json"))
        registry.register(OTHER)
        facts = registry.store.read("map/acts", service="bench")
        held = contents(registry.store)
    use_rules(monkeypatch, LATER)
    assert {row["resource"] for row in facts} == {"bench/chair"}
    with Registry.open(str(tmp_path / "s")) as registry:
        assert services_behind(registry.store) == ["bench", "other"]
        monkeypatch.setattr("spm.registry.map.feeds._OF_VERB", {"list": 0.5, "get": 0.5})
        registry.store.write("any", lambda tx: {})
        store = registry.store
        assert services_behind(store) == []
        assert (store.read("map/acts", service="bench"), contents(store)) == (facts, held)
        assert [row["weight"] for row in edges(store).values()] == [0.388]  # by the rules of today
        again = registry.add(read_openapi(DESK, "bench.json"))
        assert (again.changed, again.added) == ([], [])
        assert store.read("map/marks")[0]["map"].startswith(f"{LATER} document ")


def test_decisions_of_people_stay(opened: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    override(opened.store, "find_customer", "write", by="Zoë", because="it counts")
    declare(opened.store, "refund_id", "order_id", "Zoë")
    decided, fed = _decided(opened.store), edges(opened.store)
    use_rules(monkeypatch, LATER)
    assert services_behind(opened.store) == SERVICES
    assert renew_map(opened.store) == SERVICES
    assert _decided(opened.store) == decided
    assert edges(opened.store) == fed


def _decided(store: Store) -> list[Any]:
    return [effects_of(store), store.read("fields/reviewed"), store.read("fields/directed")]


def test_the_doctor_says_who_waits_and_makes_the_map(earlier: Path) -> None:
    found = {finding.name: finding for finding in examine(str(earlier)).findings}["map"]
    assert found.ok
    assert f"3 services have none by rules {map_rows.RULES} (desk, mail, shop)" in found.detail
    assert "spm doctor --repair" in found.detail
    assert "made the map of 3 services" in mend(str(earlier))
    found = {finding.name: finding for finding in examine(str(earlier)).findings}["map"]
    assert found.detail == f"every service has its map by rules {map_rows.RULES}"
    assert "made the map" not in str(mend(str(earlier)))


def test_a_definition_that_cannot_be_read_keeps_nobody_from_writing(
    opened: Registry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real: Callable[..., Any] = ToolSpec.model_validate

    def read(said: dict[str, Any]) -> Any:
        return real({**said, "unknown": 1} if said["name"] == "list_orders" else said)

    monkeypatch.setattr(ToolSpec, "model_validate", read)
    renew_map(opened.store)
    assert "shop/list_orders cannot be read" in caplog.text
    assert ("shop/find_customer", "shop/refund_order") in edges(opened.store)


def test_a_person_is_told_when_it_takes_long(
    opened: Registry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(map_renewal, "QUIET_SECONDS", -1.0)
    with caplog.at_level(logging.WARNING, "spm"):
        opened.register(OTHER)
    assert "once after an upgrade: 2 of 6 steps done, next is shop." in caplog.text


def test_an_export_of_earlier_rules_is_renewed_when_it_is_imported(
    opened: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew_map(opened.store)
    export_registry(opened.store, tmp_path / "out.jsonl")
    use_rules(monkeypatch, LATER)
    with Registry.open(str(tmp_path / "new")) as registry:
        import_registry(registry.store, tmp_path / "out.jsonl")
        assert services_behind(registry.store) == []
        assert (carried(registry.store), wrong_edges(registry.store)) == (FEEDS, {})
