"""Invariants of routes: what may stand in them, what must not matter, who feeds their tools."""

from collections.abc import Callable, Iterator, Sequence

from spm.registry.invariants.sample_requests import SampleRequest
from spm.registry.invariants.violation import Violation
from spm.registry.menus.menu import Menu, MenuItem
from spm.registry.routes.admission import NO_VERB, NOT_UNDERSTOOD
from spm.registry.store.reader import Reader

Menus = Callable[[str], Menu]
Routed = Sequence[tuple[SampleRequest, Menu]]
NOTHING = "no route"


def changed_by_reading(routed: Routed) -> Iterator[Violation]:
    """A request that only reads never routes to a tool that writes or destroys."""
    for request, menu in routed:
        if request.asks == "read" and (bad := _with_effects(menu, "write", "destructive")):
            yield Violation(request.text, "only tools that read", _shown(bad))


def destroyed_unasked(routed: Routed) -> Iterator[Violation]:
    """A destructive tool stands in a route only when the request's own verb is of its kind."""
    for request, menu in routed:
        if request.asks in ("read", "unknown") and (bad := _with_effects(menu, "destructive")):
            yield Violation(request.text, "no tool that destroys", _shown(bad))


def silent(routed: Routed) -> Iterator[Violation]:
    """A request that is not understood gets no route that changes anything without a note."""
    for request, menu in routed:
        changing = _with_effects(menu, "write", "destructive")
        told = any(NOT_UNDERSTOOD in note or NO_VERB in note for note in menu.notes)
        if request.asks == "unknown" and changing and not told:
            yield Violation(request.text, "a note that it was not understood", _shown(changing))


def moved_by_wording(routed: Routed, menus: Menus) -> Iterator[Violation]:
    """Another value, or another courtesy around the same verb and nouns, keeps the route."""
    for request, menu in routed:
        for other in request.alike:
            if (route := menus(other).route) != menu.route:
                yield Violation(other, _arrows(menu.route), _arrows(route))


def unsupplied(routed: Routed, store: Reader) -> Iterator[Violation]:
    """Every required field of a route is given, made earlier, or shown as something to ask for."""
    tools = sorted({tool for _, menu in routed for tool in menu.route})
    required: dict[str, list[str]] = {tool: [] for tool in tools}
    for row in store.read("tools/inputs", ids=tools):
        if row["required"]:
            required[row["id"]].append(row["field"])
    for request, menu in routed:
        for at, item in enumerate(route_items(menu)):
            earlier = menu.route[:at]
            for field in required[item.id]:
                if wrong := _wrong_supply(item, field, earlier, menu.state):
                    yield Violation(request.text, f"who gives {field} of {item.name}", wrong)


def route_items(menu: Menu) -> list[MenuItem]:
    """The tools of the route, in order."""
    items = {item.id: item for item in menu.items}
    return [items[tool] for tool in menu.route]


def _wrong_supply(item: MenuItem, field: str, earlier: Sequence[str], given: Sequence[str]) -> str:
    """What is wrong with the supply of an input; "" where nothing is."""
    if field not in item.needs:
        return "the menu does not name this input"
    for who in item.needs[field]:
        if who == "request" and field not in given:
            return "the request, which does not give it"
        if who != "request" and who not in earlier:
            return f"{who}, which does not run before"
    return ""


def _with_effects(menu: Menu, *effects: str) -> list[MenuItem]:
    return [item for item in route_items(menu) if item.effects in effects]


def _shown(items: Sequence[MenuItem]) -> str:
    return ", ".join(f"{item.id} ({item.effects})" for item in items)


def _arrows(route: Sequence[str]) -> str:
    return " → ".join(route) or NOTHING
