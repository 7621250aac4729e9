"""Menus as Markdown. Text that comes from tools stays text."""

import re

from spm.registry.menus.menu import Menu, MenuItem
from spm.registry.menus.provider_names import ARROW, NO_ROUTE
from spm.registry.pictures.drawing import one_line

# Everything with a meaning in Markdown, its tables, links or HTML becomes a character reference:
# unlike a backslash that works in tables and HTML alike. A line inside of a word, as in
# lookup_order, means nothing; nor does a colon before a blank.
_SIGNS = re.compile(r"[^\w ,.:;()/+=%'\"?!→←-]|(?<![^\W_])_|_(?![^\W_])|:(?=\S)|(?<=[wW]{3})\.")


def to_markdown(menu: Menu, names: dict[str, str], review: list[str]) -> str:
    """A menu as headings and tables."""
    lines = ["# Tools", "", f"Request: {text(menu.request)}", ""]
    lines += [f"Route: {text(ARROW.join(names[tool] for tool in menu.route)) or NO_ROUTE}", ""]
    known = ", ".join(menu.state) or "nothing"
    lines += [f"Known: {text(known)}. Similar traces: {menu.traces}.", ""]
    if review:
        shown = ", ".join(names[tool] for tool in review)
        lines += [f"A person has to approve before they run: {text(shown)}.", ""]
    lines += [
        "| # | role | tool | needs | gives | what it does |",
        "|--:|---|---|---|---|---|",
        *(_row(item, names) for item in menu.items),
    ]
    return "\n".join(lines) + "\n"


def _row(item: MenuItem, names: dict[str, str]) -> str:
    needs = ", ".join(
        f"{name} ← {names.get(sources[0], sources[0]) if sources else 'user'}"
        for name, sources in item.needs.items()
    )
    shown = names[item.id] + (" (destructive)" if item.effects == "destructive" else "")
    cells = [item.role, shown, needs, ", ".join(item.gives), item.description or item.title]
    return f"| {item.rank} | " + " | ".join(map(text, cells)) + " |"


def text(value: str) -> str:
    """Text on one line that means nothing to Markdown and HTML."""
    return _SIGNS.sub(lambda m: "".join(f"&#{ord(c)};" for c in m[0]), one_line(value))
