"""`spm path`: dependency questions."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, note, say, table
from spm.cli.views.pictures import HtmlOption, Picture, PictureOption, drawn

if TYPE_CHECKING:
    from spm.registry.insight.paths import Path, Plan


def path(
    source: Annotated[
        str | None, typer.Argument(metavar="[FROM]", autocompletion=complete_tool)
    ] = None,
    target: Annotated[
        str | None, typer.Argument(metavar="[TO]", autocompletion=complete_tool)
    ] = None,
    have: Annotated[
        list[str] | None, typer.Option("--have", help="A field at hand; may be repeated.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The tool to run.", autocompletion=complete_tool)
    ] = None,
    allow_writes: Annotated[
        bool,
        typer.Option("--allow-writes", help="Let tools that change something make inputs too."),
    ] = False,
    format: PictureOption = Picture.table,
    html: HtmlOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show how one tool leads to another, or what must run before a tool can.

    spm path FROM TO: the shortest way along FEEDS, and along observed transitions.

    spm path --have FIELD --to TOOL: the tools, in order, that make TOOL runnable. FIELD is
    the name of a field, or what one of these tools calls its input.
    """
    from spm.registry.pictures.graphs import draw_paths, draw_plan

    as_text = json or format is Picture.json
    if source and target and not to and not have:
        with opened(store) as registry:
            found = registry.path(source, target)
        if not drawn(lambda: draw_paths(found), format, html):
            as_json(found) if as_text else _show_paths(source, target, found)
        raise typer.Exit(0 if found else 1)
    if to and not source and not target:
        with opened(store) as registry:
            plan = registry.plan(to, have or [], allow_writes=allow_writes)
        if not drawn(lambda: draw_plan(plan), format, html):
            as_json(plan) if as_text else _show_plan(plan)
        raise typer.Exit(1 if plan.ask else 0)
    raise typer.BadParameter("Give FROM and TO, or --to TOOL with --have FIELD.")


def _show_paths(source: str, target: str, found: "list[Path]") -> None:
    if not found:
        note(f"No way from {source!r} to {target!r}, neither by fields nor observed.")
    for way in found:
        say("By fields:" if way.kind == "feeds" else "Observed:")
        say(f"  {way.hops[0].source}")
        for hop in way.hops:
            label = f"{hop.count} times" if hop.count else ", ".join(hop.fields)
            say(f"    -{label}→ {hop.target}")


def _show_plan(plan: "Plan") -> None:
    rows = [
        [i, tool, "\n".join(_supply(f, s) for f, s in plan.supplies[tool].items()) or "nothing"]
        for i, tool in enumerate(plan.steps, 1)
    ]
    table(["step", "tool", "takes"], rows, wrap=["takes"])
    if plan.ask:
        note(f"A user has to say: {', '.join(plan.ask)}. Give what is known with --have.")
    for field, tools in plan.writers.items():
        note(f"{field} is also made by {', '.join(tools[:3])}, which write: --allow-writes")


def _supply(field: str, source: str) -> str:
    match source:
        case "given":
            return f"{field} (given)"
        case "ask":
            return f"{field} (ask)"
        case _:
            return f"{field} from {source}"
