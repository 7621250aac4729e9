"""Menus for people: the table, its explanation, and why a tool is not in it."""

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from spm.cli.views.console import say, table

if TYPE_CHECKING:
    from spm.registry.menus.menu import Menu, MenuItem, WhyNot

# From so many columns on the evidence has a column of its own.
WIDE = 100
GIVES = 8  # fields of an answer that are named; some answers have hundreds


def show_line(menu: "Menu", names: dict[str, str]) -> None:
    """Print a menu in one line: the request, its route, and how many backups there are."""
    from spm.registry.menus.provider_names import ARROW, NO_ROUTE

    route = ARROW.join(names[tool] for tool in menu.route) or NO_ROUTE
    backups = len(menu.items) - len(menu.route)
    say(f"{menu.request}: {route} (+{backups})")


def show(menu: "Menu", names: dict[str, str]) -> None:
    """Print the route and the backups."""
    from spm.registry.menus.evidence import evidence

    if not menu.items:
        return
    _head(menu, names)
    found = evidence(menu)
    wide = get_terminal_size().columns >= WIDE
    rows = []
    for item in menu.items:
        if item.role == "backup":
            continue
        # Where there is no room for a column of its own, the evidence stands below the role.
        role = item.role if wide else f"{item.role}\n{found[item.id]}"
        cells = [item.rank, role, _named(item, names), _needs(item, names), _gives(item, menu)]
        rows.append([*cells, found[item.id]] if wide else cells)
    columns = ["#", "role", "tool", "needs", "gives", *(["evidence"] if wide else [])]
    if rows:
        table(columns, rows, wrap=["role", "needs", "gives"], keep=["role", "tool", "evidence"])
    backups = [item for item in menu.items if item.role == "backup"]
    if backups:
        if rows:
            say()
        rows = [[i.rank, _named(i, names), i.description, found[i.id]] for i in backups]
        table(["#", "backup", "what it does", "evidence"], rows, keep=["backup", "evidence"])


def _gives(item: "MenuItem", menu: "Menu") -> str:
    """What a tool answers with, as far as there is room: first what others of the menu take."""
    taken = {name for other in menu.items for name, who in other.needs.items() if item.id in who}
    ordered = sorted(item.gives, key=lambda name: name not in taken)
    if len(ordered) <= GIVES + 1:
        return ", ".join(item.gives)
    return f"{', '.join(ordered[:GIVES])} and {len(ordered) - GIVES} more"


def show_reasons(
    menu: "Menu", names: dict[str, str], effects: dict[str, list[str]] | None = None
) -> None:
    """Print the score terms of every tool, why it has its effects, and the edges behind it."""
    from spm.registry.menus.evidence import basis, reasons, signals, terms

    if not menu.items:
        return
    _head(menu, names)
    for line in basis(menu):
        say(line)
    say()
    because = reasons(menu, names)
    rows = [
        [
            item.rank,
            f"{_named(item, names)}\n{item.role}",
            "\n".join([f"{item.score:.3f} =", *terms(item.terms)]),
            "\n".join((effects or {}).get(item.id, []) + signals(item) + because[item.id]),
        ]
        for item in menu.items
    ]
    folded = ["tool", "score", "because"]
    table(["#", *folded], rows, wrap=folded, keep=["tool", "score"])


def show_why_not(found: "WhyNot") -> None:
    """Print why a tool is absent and what would admit it."""
    from spm.registry.menus.evidence import terms

    if found.rank is not None and not found.reasons:
        say(f"{found.tool} is in the menu, at place {found.rank}.")
        for change in found.admitted_by:
            say(f"It would come into the route by: {change}")
    else:
        say(f"{found.tool} is not in the menu.")
        for reason in found.reasons:
            say(f"  {reason}")
        if found.admitted_by:
            say("It would be admitted by:")
            for change in found.admitted_by:
                say(f"  {change}")
    if found.terms:
        total = sum(found.terms.values())
        say(f"Score {total:.4f}: {', '.join(terms(found.terms))}")
    say(f"The last tool of the menu has {found.cutoff:.4f}.")


def _head(menu: "Menu", names: dict[str, str]) -> None:
    from spm.registry.menus.evidence import review
    from spm.registry.menus.provider_names import ARROW, NO_ROUTE

    say("Route: " + (ARROW.join(names[tool] for tool in menu.route) or NO_ROUTE))
    say(f"Request fields: {', '.join(menu.state) or 'no field'}; {menu.traces} similar traces")
    waits = [names[tool] for tool in review(menu) if tool in menu.route]
    if waits:
        say(f"Needs a person's approval before it runs (!): {', '.join(waits)}")
    say()


def marked(name: str, effects: str) -> str:
    """A tool's name, with a mark when it cannot be undone."""
    return f"{name} (!)" if effects == "destructive" else name


def _named(item: "MenuItem", names: dict[str, str]) -> str:
    return marked(names[item.id], item.effects)


def _needs(item: "MenuItem", names: dict[str, str]) -> str:
    return "\n".join(
        f"{field} ← {names.get(sources[0], sources[0]) if sources else 'user'}"
        for field, sources in item.needs.items()
    )
