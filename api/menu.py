"""A menu with the registry behind it: hand it to a provider, explain it, lock it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args, overload

from spm.registry.errors import InputError
from spm.registry.menus.export import ExportedMenu, export_menu
from spm.registry.menus.formats import MENU_FORMATS, MenuFormat, ProviderFormat, TextFormat

if TYPE_CHECKING:
    from spm.registry.menus.lockfile import Lock
    from spm.registry.menus.menu import Ask, Edge, MenuItem
    from spm.registry.menus.menu import Menu as Built
    from spm.registry.models import ToolSpec
    from spm.registry.registry import Registry as Core

TEXTS: tuple[str, ...] = get_args(TextFormat)


class Menu:
    """An ordered list of tools: a route that can run in front, backups behind.

    `Registry.menu` makes it. The definitions of its tools are read from the registry when a method
    needs them, so ask for them before the registry is closed.

    >>> menu = registry.menu("Email the customer the receipt for order 4821")
    >>> menu.route[0], menu.route[-1]
    ('orders/lookup_order', 'messaging/send_email_receipt')
    >>> menu.items[0].role, menu.items[0].needs
    ('entry', {'order_id': ['request']})
    >>> [tool["function"]["name"] for tool in menu.to("openai")][:1]
    ['lookup_order']

    Attributes:
        ask: what was asked, with every name resolved.
        built: the plain menu, as the layers below know it.
    """

    def __init__(self, core: Core, ask: Ask, built: Built) -> None:
        self._core = core
        self.ask = ask
        self.built = built
        self._exports: dict[tuple[str | None, bool, int | None], ExportedMenu] = {}

    @property
    def request(self) -> str:
        """What the agent should do."""
        return self.built.request

    @property
    def state(self) -> list[str]:
        """The fields that are known: those in the request, and those that were given."""
        return self.built.state

    @property
    def route(self) -> list[str]:
        """Ids of the tools in front, in the order in which they can run."""
        return self.built.route

    @property
    def items(self) -> list[MenuItem]:
        """All tools with their roles, what they need and give, and their scores."""
        return self.built.items

    @property
    def edges(self) -> list[Edge]:
        """Why tools stand before others: fields that meet, transitions that were seen."""
        return self.built.edges

    @property
    def notes(self) -> list[str]:
        """What whoever asked should know besides."""
        return self.built.notes

    @property
    def traces(self) -> int:
        """How many observed requests resemble this one."""
        return self.built.traces

    @property
    def trust(self) -> float:
        """The weight of observed evidence, from 0 (declared fields alone) to 1."""
        return self.built.trust

    @property
    def ranker(self) -> str:
        """Who built the menu: `prior`, or the name of a trained model."""
        return self.built.ranker

    @property
    def model(self) -> str:
        """The digest of the model's weights."""
        return self.built.model

    @property
    def revision(self) -> int:
        """The revision of the registry; 0 for callers who may not see everything."""
        return self.built.revision

    @overload
    def to(
        self,
        format: TextFormat,
        *,
        aliases: bool = False,
        token_budget: int | None = None,
    ) -> str: ...

    @overload
    def to(
        self, format: MenuFormat, *, aliases: bool = False, token_budget: int | None = None
    ) -> Any: ...

    def to(
        self, format: MenuFormat, *, aliases: bool = False, token_budget: int | None = None
    ) -> Any:
        """The menu in a provider's format, or as text.

        Args:
            format: `openai`, `openai-responses`, `anthropic`, `mcp`, `tool-reference` or
                `tool-search-output`: definitions to paste into a call of that provider, as lists
                and dictionaries. `markdown`, `names` or `json`: text.
            aliases: put ranks into names (`01_lookup_order`), for clients that sort.
            token_budget: keep what fits into so many tokens: the route, then backups.

        Raises:
            InputError: there is no such format.

        >>> menu = registry.menu("Cancel order 991", size=2)
        >>> print(menu.to("names", aliases=True), end="")  # doctest: +ELLIPSIS
        01_cancel_order
        02_...
        """
        ready = self.export(format, aliases=aliases, token_budget=token_budget)
        return ready.text(format, aliases=aliases) if format in TEXTS else ready.definitions()

    def names(
        self,
        format: ProviderFormat = "openai",
        *,
        aliases: bool = False,
        token_budget: int | None = None,
    ) -> dict[str, str]:
        """The way back: which name of `to(format)`, with the same options, is which tool id.

        >>> registry.menu("Cancel order 991", size=1).names("anthropic")
        {'cancel_order': 'orders/cancel_order'}
        """
        return self.export(format, aliases=aliases, token_budget=token_budget).names.tools

    def definitions(self) -> dict[str, ToolSpec]:
        """The registered definitions of the menu's tools, by id."""
        return self.export("openai").specs

    def export(
        self,
        format: MenuFormat | None = None,
        *,
        aliases: bool = False,
        token_budget: int | None = None,
    ) -> ExportedMenu:
        """The menu with names and definitions for one format, made once for each.

        Args:
            format: one of `to`; None: names that are legal everywhere, without definitions.
            aliases: see `to`.
            token_budget: see `to`.

        Raises:
            InputError: there is no such format.
        """
        if format not in (None, *MENU_FORMATS):
            raise InputError(f"No menu format {format!r}. Known: {', '.join(MENU_FORMATS)}.")
        key = format, aliases, token_budget
        if key not in self._exports:
            self._exports[key] = export_menu(
                self._core.store, self.built, format, ranked=aliases, budget=token_budget
            )
        return self._exports[key]

    def explain(self) -> str:
        """Why each tool stands where it stands: the terms of its score, signals and edges.

        >>> print(registry.menu("Cancel order 991", size=1).explain())  # doctest: +ELLIPSIS
        Route: cancel_order
        Ranker: prior...
        Trust in observed evidence: ...
        <BLANKLINE>
        1. cancel_order (target), score ...
        ...
        """
        from spm.registry.menus.evidence import explanation

        return explanation(self.built, self.export().called(False), self.effects_reasons())

    def effects_reasons(self) -> dict[str, list[str]]:
        """Why tools of the menu count as changing something, by id; nothing for those that read."""
        from spm.registry.menus.evidence import effects_reasons

        return effects_reasons(self._core.store, self.built)

    def to_dict(self) -> dict[str, Any]:
        """Everything about the menu, plain enough for JSON."""
        return {**self.export().as_dict(), "notes": list(self.notes)}

    def lock(
        self,
        format: MenuFormat | None = None,
        *,
        aliases: bool = False,
        token_budget: int | None = None,
    ) -> Lock:
        """Record the menu, to compare a later one with it; see `Registry.diff`.

        The arguments say how it was handed over: they are those of `export`.
        """
        from spm.registry.menus.lockfile import lock

        ready = self.export(format, aliases=aliases, token_budget=token_budget)
        return lock(
            self._core.store, self.ask, ready.menu,
            budget=token_budget, format=format, aliases=aliases,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        return self.to("markdown")

    def __repr__(self) -> str:
        return f"<Menu of {len(self.items)} tools for {self.request!r}>"
