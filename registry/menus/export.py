"""A menu ready to be handed over: fitted into a budget, named, with the definitions behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spm.registry.catalog.tools import definitions
from spm.registry.json_text import json_text, printable
from spm.registry.menus.budget import Fitted, fit
from spm.registry.menus.evidence import review
from spm.registry.menus.formats import PrintedFormat
from spm.registry.menus.menu import Menu
from spm.registry.menus.provider_names import Names, display_names, name
from spm.registry.menus.providers import NEUTRAL, PROVIDERS, Provider, entries, refused
from spm.registry.store.interface import Store

if TYPE_CHECKING:
    from spm.registry.models import ToolSpec


@dataclass(frozen=True)
class ExportedMenu:
    """A menu with the names and definitions under which one provider takes it."""

    menu: Menu
    names: Names
    specs: dict[str, ToolSpec]
    provider: Provider
    fitted: Fitted | None

    def definitions(self) -> Any:
        """What to paste into a call of the provider."""
        found = entries(self.menu.items, self.names, self.specs)
        return self.provider.wrap([self.provider.write(entry) for entry in found])

    def key(self) -> dict[str, Any]:
        """The way back from names to tools, the route on one line, and what needs approval."""
        return {
            "names": self.names.tools,
            "route_line": self.names.route(self.menu.route),
            "review": [self.names.of[tool] for tool in review(self.menu)],
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything about the menu, plain enough for JSON."""
        tokens = {} if self.fitted is None else {"tokens": self.fitted.tokens}
        return {**asdict(self.menu), **self.key(), **tokens}

    def called(self, aliases: bool) -> dict[str, str]:
        """What people call each tool: by its name, or by the one with its rank in front."""
        return self.names.of if aliases else display_names(self.menu.items)

    def text(self, shape: PrintedFormat, *, aliases: bool = False) -> str:
        """What is printed and sent in one of the formats, but for the table."""
        match shape:
            case "json":
                return json_text(self.as_dict())
            case "names":
                called = self.called(aliases)
                lines = [called[item.id] for item in self.menu.items]
            case "markdown":
                # Only now: what it needs to draw takes 15 of the 430 ms of a cold menu.
                from spm.registry.menus.markdown import to_markdown

                told = to_markdown(self.menu, self.called(aliases), review(self.menu))
                lines = told.rstrip().split("\n")
            case _:
                return json_text(self.definitions())
        return "".join(f"{printable(line)}\n" for line in lines)

    def notes(self) -> list[str]:
        """What whoever asked should know besides."""
        said = [*self.menu.notes]
        if self.fitted is not None:
            said += _fitting(self.fitted)
        if self.provider is not NEUTRAL and self.provider is not PROVIDERS["mcp"]:
            bad = refused(self.menu, self.specs)
            if bad:
                said.append(
                    "OpenAI and Anthropic refuse schemas with oneOf, anyOf, allOf, enum or not at "
                    f"their root; so have: {', '.join(bad)}"
                )
        return said


def export_menu(
    store: Store,
    menu: Menu,
    format: PrintedFormat | None = None,
    *,
    ranked: bool = False,
    budget: int | None = None,
) -> ExportedMenu:
    """Make a menu ready for a provider.

    Args:
        store: where the definitions are.
        menu: what a ranker built.
        format: one of PROVIDERS; others get names that are legal everywhere.
        ranked: put the rank in front of every name.
        budget: keep what fits into so many tokens, by the estimate of `budget.tokens`.
    """
    provider = PROVIDERS.get(format or "", NEUTRAL)
    wanted = format in PROVIDERS or budget is not None  # or nobody looks at definitions
    specs = definitions(store, [item.id for item in menu.items]) if wanted else {}
    fitted = None
    if budget is not None:
        called = name(menu.items, provider.rule, ranked=ranked)
        found = {e.item.id: e for e in entries(menu.items, called, specs)}
        fitted = fit(menu, budget, lambda item: provider.define(found[item.id]))
        menu = fitted.menu
    return ExportedMenu(
        menu, name(menu.items, provider.rule, ranked=ranked), specs, provider, fitted
    )


def _fitting(fitted: Fitted) -> list[str]:
    if not fitted.left_out:
        return []
    whole = len(fitted.menu.items) + fitted.left_out
    said = f"{fitted.left_out} of {whole} tools are left out to fit the token budget"
    if not fitted.menu.items:
        return [f"{said}: not even the first one fits."]
    if fitted.route_cut:
        kept = len(fitted.menu.route)
        return [f"{said}. The route is cut after {kept}: its end does not fit."]
    return [f"{said}; about {fitted.tokens} tokens are used."]
