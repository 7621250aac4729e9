"""The tools of one registry: list, show, compare versions, deprecate, approve, effects, judge."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spm.registry.catalog.lifecycle import Difference
    from spm.registry.catalog.lint import Verdict
    from spm.registry.catalog.tools import ToolView
    from spm.registry.models import Effects
    from spm.registry.pictures.drawing import Drawing
    from spm.registry.registry import Registry as Core
    from spm.registry.store.interface import Row


class Tools:
    """The tools of a registry; `registry.tools` is one.

    A tool is named by its id (`orders/lookup_order`), or by its name where only one tool has it.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def show(self, tool: str) -> ToolView:
        """One tool: what it takes and from whom, what it gives and to whom, its versions.

        Raises:
            UnknownTool: no tool has the name.

        >>> [field["field"] for field in registry.tools.show("lookup_order").inputs]
        ['order_id']
        """
        return self._core.show(tool)

    def remove(self, tool: str, *, force: bool = False) -> str:
        """Remove a tool and return its id; its published versions stay.

        Raises:
            ToolInUse: trajectories use it, and `force` is false.
        """
        return self._core.remove(tool, force=force)

    def history(self, tool: str) -> list[Row]:
        """Every published version of a tool, also of one that was removed."""
        from spm.registry.catalog.lifecycle import history

        return history(self._core.store, tool)

    def diff(self, tool: str, before: str | None = None, after: str | None = None) -> Difference:
        """What changed between two versions, by default the last two, and whether it breaks."""
        from spm.registry.catalog.lifecycle import difference

        return difference(self._core.store, tool, before, after)

    def deprecate(self, tool: str, successor: str | None = None) -> Row:
        """Take a tool out of menus; it stays until it is removed."""
        from spm.registry.catalog.lifecycle import deprecate

        return deprecate(self._core.store, tool, successor)

    def waiting(self) -> list[Row]:
        """The tools that wait in quarantine for an approval.

        >>> registry.tools.waiting()
        []
        """
        return self._core.store.read("tools/waiting")

    def approve(self, tools: Iterable[str], *, by: str) -> list[str]:
        """Approve tools as they are now; returns their ids.

        Args:
            tools: ids or names.
            by: who approves.
        """
        from spm.registry.catalog.lifecycle import approve

        return approve(self._core.store, [*tools], by)

    def approve_all(self, *, by: str) -> list[str]:
        """Approve every tool but those that are deprecated, as a baseline for `pin`."""
        return self.approve(
            [tool["id"] for tool in self.list() if tool["status"] != "deprecated"], by=by
        )

    def access(self, pattern: str = "*") -> list[Row]:
        """Owner, visibility and scopes of tools; `set` names what people set.

        Args:
            pattern: an id or a name; `*` in it stands for anything.

        >>> registry.tools.access("orders/lookup*")[0]["scopes"]
        ['orders:read']
        """
        from spm.registry.catalog.tool_access import show_access

        return show_access(self._core.store, pattern)

    def set_access(
        self,
        pattern: str,
        *,
        owner: str | None = None,
        visibility: str | None = None,
        scopes: Iterable[str] | None = None,
    ) -> list[str]:
        """Set who may see tools, whatever their source says; returns the ids that changed.

        Args:
            pattern: an id or a name; `*` in it stands for anything. `orders/*` holds for tools
                that are registered later, too.
            owner: the team that owns them.
            visibility: `public`, or `team`: only its owner sees a tool.
            scopes: a caller needs all of these to see a tool; empty: none.

        Raises:
            UnknownTool: no tool fits the pattern.
            InputError: nothing is given, or a tool would be visible to nobody.

        >>> registry.tools.set_access("lookup_order", owner="shop", visibility="team")
        ['orders/lookup_order']
        >>> registry.tools.reset_access("lookup_order")
        ['orders/lookup_order']
        """
        from spm.registry.access.settings import access
        from spm.registry.catalog.tool_access import set_access

        return set_access(self._core.store, pattern, access(owner, visibility, scopes))

    def reset_access(self, pattern: str) -> list[str]:
        """Take back what people set; what the source says holds again. See `set_access`."""
        from spm.registry.catalog.tool_access import reset_access

        return reset_access(self._core.store, pattern)

    def effects(self, pattern: str = "*") -> list[Row]:
        """What tools do, why, what their source says, and who decided otherwise and when.

        Args:
            pattern: an id or a name; `*` stands for any characters.

        Raises:
            UnknownTool: no tool matches.

        >>> [tool["effects"] for tool in registry.tools.effects("orders/cancel_*")]
        ['destructive']
        """
        from spm.registry.catalog.effects_decisions import effects_of

        return effects_of(self._core.store, pattern)

    def set_effects(
        self, pattern: str, effects: Effects | None, *, by: str, because: str = ""
    ) -> list[Row]:
        """Say what tools do, whatever their source says; it holds for later versions too.

        Args:
            pattern: an id or a name; `*` stands for any characters.
            effects: `read`, `write` or `destructive`; None: what their source says again.
            by: who decides.
            because: why; shown wherever the effects are. It must be said where a tool looks safer
                then than its source says.

        Returns:
            The matching tools, as `effects` gives them.

        Raises:
            UnknownTool: no tool matches; nothing was written.
            InputError: a reason is missing or too long; nothing was written.
        """
        from spm.registry.catalog.effects_decisions import override

        return override(self._core.store, pattern, effects, by=by, because=because)

    def effects_history(self, pattern: str = "*") -> list[Row]:
        """Every decision about effects, oldest first: who, when, from what to what, and why.

        >>> registry.tools.effects_history()
        []
        """
        from spm.registry.catalog.effects_decisions import decisions

        return decisions(self._core.store, pattern)

    def lint(self, *sources: str | Path, format: str | None = None) -> list[Verdict]:
        """What in descriptions will hurt a menu, worst first.

        Args:
            sources: judge these before they are registered; without any, the whole registry.
            format: of the sources; left out, their content tells.

        >>> registry.tools.lint()[0].score <= 100
        True
        """
        from spm.registry.catalog.lint_sources import judge

        return judge(self._core.store, [*map(str, sources)], format)

    def draw(self, tool: str) -> Drawing:
        """The tool with its neighbours as a picture; see `spm.registry.pictures.formats`."""
        from spm.registry.pictures.graphs import draw_tool_neighbourhood

        return draw_tool_neighbourhood(self._core.store, tool)

    # The last method: below it, `list` would no longer be the type.
    def list(
        self,
        service: str | None = None,
        family: str | None = None,
        status: str | None = None,
    ) -> list[Row]:
        """The tools by id, with version, effects, status, family and how often they were used.

        >>> [tool["id"] for tool in registry.tools.list(service="orders")][:2]
        ['orders/apply_coupon', 'orders/authorize_return']
        """
        return self._core.tools(service, family, status)
