"""`spm tools effects`: what tools do to the world, and what a person decides about it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.commands.graph.fields import person
from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, note, say, table

if TYPE_CHECKING:
    from spm.registry.models import Effects
    from spm.registry.store.interface import Row


class Effect(StrEnum):
    """What a call does to the world."""

    read = "read"
    write = "write"
    destructive = "destructive"


def effects(
    pattern: Annotated[
        str,
        typer.Argument(
            help="Id or name; * stands for any characters.", autocompletion=complete_tool
        ),
    ] = "*",
    effect: Annotated[
        Effect | None, typer.Argument(help="What these tools do; left out, they are listed.")
    ] = None,
    because: Annotated[
        str,
        typer.Option(
            "--because", metavar="TEXT", help="Why; must be said of what looks safer then."
        ),
    ] = "",
    reset: Annotated[
        bool, typer.Option("--reset", help="Take decisions back: what the source says holds.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history", help="List who decided what, when and why.")
    ] = False,
    by: Annotated[
        str | None, typer.Option("--by", help="Who decides; left out, who is logged in.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List what tools do and why, or decide it: read, write or destructive.

    A decision holds for every later version and registration, until --reset.
    """
    if effect and reset:
        raise typer.BadParameter("give an effect or --reset, not both")
    if history and (effect or reset):
        raise typer.BadParameter("--history only lists; leave out the effect and --reset")
    if because and not (effect or reset):
        raise typer.BadParameter("--because goes with an effect or --reset")
    with opened(store) as registry:
        if history:
            _show_history(registry.tools.effects_history(pattern), json)
            return
        if effect or reset:
            value: Effects | None = effect.value if effect else None
            rows = registry.tools.set_effects(pattern, value, by=by or person(), because=because)
        else:
            rows = registry.tools.effects(pattern)
    if json:
        as_json(rows)
        return
    _show(rows)
    if effect or reset:
        done = "are what their source says" if reset else f"are {effect}"
        note(f"The effects of {len(rows)} tools {done}.")


def told(tool: "Row") -> str:
    """A line on the effects of a tool: why, and who decided it."""
    said = f"Effects: {tool['effects']}, {tool['effects_reason'] or 'no reason is known'}"
    if not tool["effects_by"]:
        return said
    when = f"decided by {tool['effects_by']}, {tool['effects_at']}"
    return f"{said} ({when}; its source says {tool['source_effects']})"


def _show(rows: "list[Row]") -> None:
    table(
        ["tool", "effects", "because", "by", "at"],
        [
            [r["id"], r["effects"], r["effects_reason"], r["effects_by"], r["effects_at"]]
            for r in rows
        ],
        wrap=["because"],
        keep=["tool", "effects"],
    )


def _show_history(rows: "list[Row]", json: bool) -> None:
    if json:
        as_json(rows)
        return
    if not rows:
        say("Nobody decided anything about effects.")
        return
    table(
        ["at", "tool", "from", "to", "by", "because"],
        [
            [
                r["at"], r["tool"], r["before"],
                r["after"] + (" (reset)" if r["kind"] == "reset" else ""), r["by"], r["reason"],
            ]
            for r in rows
        ],
        wrap=["because"],
        keep=["tool"],
    )  # fmt: skip
