"""`spm tools`: list, show, remove; the rest of the group lives beside."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.commands.tools import access, effects, lifecycle, register
from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, note, say, table
from spm.cli.views.pictures import HtmlOption, Picture, PictureOption, drawn

if TYPE_CHECKING:
    from spm.registry.catalog.tools import ToolView

app = typer.Typer(help="Register tools and follow their lives.", no_args_is_help=True)


class Status(StrEnum):
    """What decides whether a tool may be in a menu."""

    active = "active"
    deprecated = "deprecated"
    quarantined = "quarantined"


app.command()(register.register)
app.command()(access.access)
app.command()(lifecycle.history)
app.command()(lifecycle.diff)
app.command()(lifecycle.deprecate)
app.command()(lifecycle.approve)
app.command()(lifecycle.lint)
app.command()(effects.effects)


@app.command("list")
def list_tools(
    service: Annotated[str | None, typer.Option(help="Only tools of this service.")] = None,
    family: Annotated[str | None, typer.Option(help="Only tools of this family.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only tools of this status.")] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List tools with their service, family and how often they were used."""
    with opened(store) as registry:
        rows = registry.tools.list(service, family, status)
    if json:
        as_json(rows)
        return
    if not rows and (service or family or status):
        note("No such tools. See all with: spm tools list")
        raise typer.Exit(1)
    if not rows:
        note("No tools. Register some with: spm tools register MANIFEST, or load: spm demo")
        return
    columns = ["tool", "version", "effects", "status", "family", "used"]
    table(
        columns,
        [
            [r["id"], r["version"], r["effects"], r["status"], r["family"], r["frequency"]]
            for r in rows
        ],
        keep=["tool"],
    )
    note(f"{len(rows)} tools")


@app.command()
def show(
    tool: Annotated[str, typer.Argument(help="Id or name.", autocompletion=complete_tool)],
    format: PictureOption = Picture.table,
    html: HtmlOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one tool: what it takes and from whom, what it gives and to whom, its versions."""
    with opened(store) as registry:
        view = registry.tools.show(tool)
        if drawn(lambda: registry.tools.draw(tool), format, html):
            return
    if json or format is Picture.json:
        as_json(view)
        return
    head = view.tool
    say(f"{head['id']}  version {head['version']}  {head['status']}, {head['effects']}")
    say(head["description"])
    say(effects.told(head))
    if head["successor"]:
        say(f"Use instead: {head['successor']}")
    scopes = ", ".join(head["scopes"]) or "none"
    say(f"Owner {head['owner'] or 'unknown'}, {head['visibility']}, scopes: {scopes}")
    say(
        f"Used in {head['frequency']} trajectories, first in {head['entry_frequency']}; "
        f"{head['calls']} calls, {head['errors']} errors"
    )
    _show_fields(view)
    for version in view.versions:
        say(f"version {version['version']}  {version['content_hash'][:12]}  {version['published']}")


def _show_fields(view: "ToolView") -> None:
    """What it takes and from whom, what it gives and to whom."""
    say()
    table(
        ["takes", "type", "required", "made by"],
        [
            [
                r["field"],
                r["type"],
                "yes" if r["required"] else "no",
                ", ".join(view.producers.get(r["field"], [])) or "-",
            ]
            for r in view.inputs
        ],
        wrap=["made by"],
    )
    say()
    table(
        ["gives", "type", "evidence", "taken by"],
        [
            [
                r["field"],
                r["type"],
                r["evidence"],
                ", ".join(view.consumers.get(r["field"], [])) or "-",
            ]
            for r in view.outputs
        ],
        wrap=["taken by"],
    )
    say()
    # A tool that answers with a user makes the requester_id of another.
    named = {row["field"] for row in view.outputs}
    if roles := {name: tools for name, tools in view.consumers.items() if name not in named}:
        rows = [[name, ", ".join(tools)] for name, tools in roles.items()]
        table(["taken as", "by"], rows, wrap=["by"])
        say()


@app.command()
def remove(
    tool: Annotated[str, typer.Argument(help="Id or name.", autocompletion=complete_tool)],
    force: Annotated[
        bool, typer.Option("--force", help="Even if observed trajectories use it.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Remove a tool. Its published versions stay readable."""
    with opened(store) as registry:
        removed = registry.tools.remove(tool, force=force)
    if json:
        as_json({"removed": removed})
    else:
        say(f"Removed {removed}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of manifests."""
    from spm.registry.importers.documents import manifest_schema

    as_json(manifest_schema())
