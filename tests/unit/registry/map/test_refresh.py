"""Which services a write brings up to date: those that it can feed, and no others."""

from typing import Any

import pytest

from spm.registry.catalog.field_decisions import declare
from spm.registry.map import feeds
from spm.registry.map.resources import Given, Identity, Reading
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.support.feeding import edges, wrong_edges


def service(name: str, **tools: tuple[list[str], list[str]]) -> Manifest:
    said = [
        {
            "name": tool,
            "inputs": [{"name": one.strip("?"), "required": "?" not in one} for one in takes],
            "outputs": [{"name": one} for one in gives],
        }
        for tool, (takes, gives) in tools.items()
    ]
    return Manifest.model_validate({"spm": 1, "service": name, "tools": said})


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The services that were brought up to date, in order."""
    seen: list[str] = []

    def heard(real: Any) -> Any:
        def refresh(tx: Any, name: str, makers: Any) -> None:
            seen.append(name)
            real(tx, name, makers)

        return refresh

    for way in ("_refresh", "_refresh_from_elsewhere"):
        monkeypatch.setattr(feeds, way, heard(getattr(feeds, way)))
    return seen


def test_who_makes_an_input_itself_is_left_alone(registry: Registry, refreshed: list[str]) -> None:
    """Or each registration would read all services that have orders."""
    whole: dict[str, tuple[list[str], list[str]]] = {
        "list_orders": ([], ["order_id"]),
        "close_order": (["order_id"], []),
    }
    for name in ("one", "two", "six"):
        registry.register(service(name, **whole))
    assert refreshed == ["one", "two", "six"]
    assert wrong_edges(registry.store) == {}


def test_who_needs_an_input_is_fed_by_the_best_three_and_refreshed_for_them_alone(
    registry: Registry, refreshed: list[str]
) -> None:
    registry.register(service("mail", send_mail=(["order_id"], [])))
    for name in ("aaa", "bbb", "ccc"):
        registry.register(service(name, list_orders=([], ["order_id"])))
    assert refreshed == ["mail", "aaa", "mail", "bbb", "mail", "ccc", "mail"]
    refreshed.clear()
    registry.register(service("longer", list_orders=([], ["order_id"])))
    assert refreshed == ["longer"]
    registry.register(service("a", list_orders=([], ["order_id"])))
    assert refreshed == ["longer", "a", "mail"]
    made = [producer for producer, _ in edges(registry.store)]
    assert made == ["a/list_orders", "aaa/list_orders", "bbb/list_orders"]
    registry.remove("a/list_orders")
    assert ("ccc/list_orders", "mail/send_mail") in edges(registry.store)
    assert wrong_edges(registry.store) == {}


def test_a_decision_reaches_who_gives_what_others_only_accept(registry: Registry) -> None:
    """The new tool returns users without naming a field; `user_id` is only an optional input."""
    note: dict[str, tuple[list[str], list[str]]] = {"note": (["user_id?"], [])}
    read = {"note": Reading("act", "user", {"user_id": Identity("user")})}
    registry.register(service("north", **note), readings=read)
    registry.register(service("west", hand=(["assignee_id"], [])))
    declare(registry.store, "assignee_id", "user_id", "Zoë")
    assert edges(registry.store) == {}
    more = read | {"users": Reading("list", "user", {}, (Given("user", "", True),))}
    registry.register(service("north", **note, users=([], [])), readings=more)
    assert ("north/users", "west/hand") in edges(registry.store)
    assert wrong_edges(registry.store) == {}
