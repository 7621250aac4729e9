"""`spm diff`: why today's menu is not the one that was locked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.vectors import prepared
from spm.cli.views.console import as_json, say, table

if TYPE_CHECKING:
    from spm.registry.menus.diff import Cause, Difference

MOST = 5


def diff(
    lock: Annotated[
        Path, typer.Argument(metavar="LOCK", help="A file that spm menu --lock wrote.")
    ],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Build a locked menu again and tell what differs, and why. Exit code 1 when it differs."""
    from spm.registry.menus.lockfile import read_lock

    old = read_lock(lock)
    with opened(store) as registry:
        prepared(registry)
        found = registry.diff(old)
    as_json(found) if json else _show(found)
    raise typer.Exit(0 if found.same else 1)


def _show(found: "Difference") -> None:
    if found.same:
        say("The menu is the same.")
    else:
        for label, tools in (("New in", found.entered), ("Gone from", found.left)):
            if tools:
                say(f"{label} the menu: {', '.join(tools)}")
        if found.changed:
            say(f"Defined otherwise: {', '.join(found.changed)}")
    if found.moved:
        say()
        rows = [[m.tool, _place(m.was, m.was_role), _place(m.now, m.role)] for m in found.moved]
        table(["tool", "was", "is"], rows, keep=["was", "is"])
    if found.causes:
        say()
        say("Since the lock:" if found.same else "Because:")
        for cause in _changes_text(found.causes):
            say(f"  {cause.tool}: {cause.text}" if cause.tool else f"  {cause.text}")


def _changes_text(causes: "list[Cause]") -> "list[Cause]":
    """What happened first, then the first of those that only gave way or moved up."""
    from spm.registry.menus.diff import Cause

    followed = [cause for cause in causes if cause.kind in ("displaced", "promoted")]
    told = [cause for cause in causes if cause not in followed] + followed[:MOST]
    if len(followed) > MOST:
        more = f"… and {len(followed) - MOST} tools that only moved; see them with --json"
        told.append(Cause("more", "", more))
    return told


def _place(rank: int, role: str) -> str:
    return f"{rank} {role}"
