"""Menus made by hand, for what comes after ranking."""

from collections.abc import Callable
from typing import Any

import pytest

from spm.registry.menus.menu import Edge, Menu, MenuItem


@pytest.fixture
def item() -> Callable[..., MenuItem]:
    """Make one tool of a menu: item(1, "orders/lookup", role="entry", …)."""

    def make(rank: int, identity: str, **more: Any) -> MenuItem:
        known: dict[str, Any] = {
            "name": identity.partition("/")[2],
            "title": "",
            "description": "",
            "role": "backup",
            "effects": "read",
            "needs": {},
            "gives": [],
            "score": 1.0,
            "terms": {"similarity": 1.0},
        }
        return MenuItem(rank=rank, id=identity, **{**known, **more})

    return make


@pytest.fixture
def menu(item: Callable[..., MenuItem]) -> Callable[..., Menu]:
    """Make a menu of items; the first `route` of them are the route."""

    def make(*items: MenuItem, route: int = 1, edges: list[Edge] | None = None) -> Menu:
        return Menu(
            request="do it",
            state=[],
            route=[i.id for i in items[:route]],
            items=list(items),
            ranker="prior",
            model="",
            traces=0,
            trust=0.0,
            revision=1,
            edges=edges or [],
        )

    return make
