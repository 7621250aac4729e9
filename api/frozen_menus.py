"""The frozen menus of one registry: what MCP clients are pointed at stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.menus.frozen import APPROVAL_MINUTES, DAYS, Kept

if TYPE_CHECKING:
    from spm.api.menu import Menu
    from spm.registry.registry import Registry as Core
    from spm.registry.store.interface import Row


class FrozenMenus:
    """The frozen menus of a registry; `registry.frozen_menus` is one.

    >>> kept = registry.frozen_menus.freeze(registry.menu("Cancel order 991"), days=1)
    >>> registry.frozen_menus.get(kept.menu.id).menu.route
    ('orders/cancel_order',)
    >>> registry.frozen_menus.remove(kept.menu.id) == kept.menu.id
    True
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def freeze(self, menu: Menu, *, aliases: bool = False, days: float = DAYS) -> Kept:
        """Keep a menu: its tools, order and definitions as they are now.

        The same menu of the same caller has the same id; freezing it again only keeps it longer.

        Args:
            menu: what `Registry.menu` made; it belongs to the team of its caller.
            aliases: put ranks into names, for clients that sort.
            days: how long it is kept.

        Raises:
            InputError: the menu is empty, or the team has too many.
        """
        from spm.registry.menus.frozen import freeze

        return freeze(self._core.store, menu.ask, menu.built, ranked=aliases, days=days)

    def get(self, menu: str, caller: Caller = EVERYTHING) -> Kept:
        """A frozen menu by its id.

        Raises:
            UnknownMenu: there is none, or it is another team's.
        """
        from spm.registry.menus.frozen import get

        return get(self._core.store, menu, caller)

    def withdrawn(self, kept: Kept) -> list[str]:
        """The tools of a frozen menu that are gone, or not as they were frozen."""
        from spm.registry.access.rules import visible_tools

        ids = [item.id for item in kept.menu.items]
        return kept.menu.withdrawn(visible_tools(self._core.store, ids, kept.menu.caller))

    def remove(self, menu: str, caller: Caller = EVERYTHING) -> str:
        """Forget a frozen menu; returns its id.

        Raises:
            UnknownMenu: see `get`.
        """
        from spm.registry.menus.frozen import remove

        return remove(self._core.store, menu, caller)

    def approve(
        self, menu: str, call: str, *, by: str, minutes: float = APPROVAL_MINUTES
    ) -> dict[str, str]:
        """Let one refused call of a tool that cannot be undone run once, with the same arguments.

        Args:
            menu: the id of a frozen menu.
            call: the code that the refusal of the call gave.
            by: who approves.
            minutes: how long the approval waits for the call.
        """
        from spm.registry.menus.frozen import approve

        return approve(self._core.store, call, menu, by=by, minutes=minutes)

    # The last method: below it, `list` would no longer be the type.
    def list(self, caller: Caller = EVERYTHING) -> list[Row]:
        """The frozen menus of a caller's team; the operator sees everybody's."""
        from spm.registry.menus.frozen import listed

        return listed(self._core.store, caller)
