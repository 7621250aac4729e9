"""Menus that fit into a number of tokens: the route first, then backups while there is room."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from spm.registry.menus.menu import Menu, MenuItem

# No tokenizer fits every model. English text and JSON have about four bytes to a token, other
# scripts more bytes to a character, so bytes are counted and not characters.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class Fitted:
    """What is left of a menu.

    Attributes:
        menu: a leading part of the menu, which can run as far as it goes.
        tokens: the estimate of its definitions.
        left_out: tools that were cut off.
        route_cut: whether the route itself had to be cut.
    """

    menu: Menu
    tokens: int
    left_out: int
    route_cut: bool


def tokens(definition: Any) -> int:
    """How many tokens a definition takes: the bytes of its compact JSON by four, rounded up."""
    text = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def fit(menu: Menu, budget: int, define: Callable[[MenuItem], Any]) -> Fitted:
    """Keep the longest leading part of a menu whose definitions fit into a budget.

    A larger budget never loses a tool that a smaller one kept, and what is kept is closed, because
    on a route nobody needs what only a later tool makes.
    """
    used, kept = 0, []
    for item in menu.items:
        cost = tokens(define(item))
        if used + cost > budget:
            break
        used += cost
        kept.append(item)
    return Fitted(
        menu=_leading(menu, kept),
        tokens=used,
        left_out=len(menu.items) - len(kept),
        route_cut=len(kept) < len(menu.route),
    )


def _leading(menu: Menu, kept: list[MenuItem]) -> Menu:
    gone = {item.id for item in menu.items} - {item.id for item in kept}

    def without(item: MenuItem) -> MenuItem:
        needs = {
            field: [source for source in sources if source not in gone]
            for field, sources in item.needs.items()
        }
        return replace(item, needs=needs)

    return replace(
        menu,
        route=[tool for tool in menu.route if tool not in gone],
        items=[without(item) for item in kept],
        edges=[e for e in menu.edges if e.source not in gone and e.target not in gone],
    )
