"""`spm tools`: register, list, show, remove."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import life
from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.output import as_json, note, progress, say, table
from spm.cli.pictures import HtmlOption, Picture, PictureOption, drawn

if TYPE_CHECKING:
    from spm.registry import Registry
    from spm.registry.formats.source import Source
    from spm.registry.registration import Registration

app = typer.Typer(help="Register tools and follow their lives.", no_args_is_help=True)


class Status(StrEnum):
    """What decides whether a tool may be in a menu."""

    active = "active"
    deprecated = "deprecated"
    quarantined = "quarantined"


app.command()(life.history)
app.command()(life.diff)
app.command()(life.deprecate)
app.command()(life.approve)
app.command()(life.lint)


@app.command()
def register(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, mcp+stdio:COMMAND, mcp+https://…, or package.module[:function]."
        ),
    ],
    from_: Annotated[
        str | None,
        typer.Option("--from", help="spm, openapi, mcp, functions or python; else it is detected."),
    ] = None,
    service: Annotated[
        str | None, typer.Option("--service", help="Who provides the tools.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change and change nothing.")
    ] = False,
    pin: Annotated[
        bool, typer.Option("--pin", help="Quarantine what changed since it was approved.")
    ] = False,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Follow $refs into other files; plain HTTP.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Register the tools of OpenAPI documents, MCP servers, function lists or manifests.

    Each source is registered whole or not at all. The project's own format: spm tools schema
    """
    from spm.cli.vectors import encode, ready
    from spm.registry.formats.detection import read_source

    # All are read before the first is written: a mistake in the last one costs nothing.
    with progress("Reading sources") as bar:
        read = []
        for number, text in enumerate(sources, 1):
            read.append(read_source(text, format=from_, service=service, allow_remote=allow_remote))
            bar(number, len(sources))
    with opened(store) as registry:
        if dry_run:
            _preview(registry, read, pin, json)
            return
        ready(registry)
        with progress("Registering") as bar:
            done = []
            for number, source in enumerate(read, 1):
                done.append((source, registry.add(source, pin=pin)))
                bar(number, len(read))
        encode(registry)
    if json:
        as_json([_result(source, result) for source, result in done])
        return
    for source, result in done:
        _tell(source, result)


def _result(source: "Source", result: "Registration") -> dict[str, object]:
    from dataclasses import asdict

    return {"source": source.name, "format": source.format, "notes": source.notes, **asdict(result)}


def _tell(source: "Source", result: "Registration", done: bool = True) -> None:
    linked = f", {len(result.relinked)} with other links" if result.relinked else ""
    say(
        f"{source.name}: {len(result.added)} added, {len(result.changed)} changed, "
        f"{len(result.unchanged)} unchanged{linked} (service {result.service})"
    )
    if result.service != source.manifest.service.name:
        note(
            f"The service name {source.manifest.service.name!r} belongs to another source; these "
            f"tools are in {result.service!r}. Choose a name with --service."
        )
    if result.quarantined and done:
        note(f"{len(result.quarantined)} tools wait for approval: spm tools approve")
    if result.missing:
        shown = ", ".join(result.missing[:5]) + (" …" if len(result.missing) > 5 else "")
        note(f"{len(result.missing)} tools of {result.service!r} are not in this source: {shown}")
    for line in source.notes:
        note(f"  {line}")


def _preview(registry: "Registry", read: "list[Source]", pin: bool, json: bool) -> None:
    from spm.registry.registration import changes, namespaced, preview

    plans = []
    for source in read:
        manifest = namespaced(registry.store, source.manifest, source.origin)
        plan = preview(registry.store, manifest, source.links, pin=pin)
        plans.append((source, plan, changes(registry.store, manifest, plan.changed)))
    if json:
        as_json([{**_result(source, plan), "changes": found} for source, plan, found in plans])
        return
    for source, plan, found in plans:
        for identity in plan.added:
            say(f"+ {identity}")
        for identity, differences in found.items():
            say(f"~ {identity}")
            life.show_changes(differences)
        for identity in plan.relinked:
            say(f"→ {identity} (links)")
        for identity in plan.quarantined:
            say(f"! {identity} (would wait for approval)")
        _tell(source, plan, done=False)
    note("Nothing was changed (--dry-run).")


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
        rows = registry.tools(service, family, status)
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
    from spm.registry.pictures.drawings import draw_tool_neighbourhood

    with opened(store) as registry:
        view = registry.show(tool)
        if drawn(lambda: draw_tool_neighbourhood(registry.store, tool), format, html):
            return
    if json or format is Picture.json:
        as_json(view)
        return
    head = view.tool
    say(f"{head['id']}  version {head['version']}  {head['status']}, {head['effects']}")
    say(head["description"])
    if head["successor"]:
        say(f"Use instead: {head['successor']}")
    scopes = ", ".join(head["scopes"]) or "none"
    say(f"Owner {head['owner'] or 'unknown'}, {head['visibility']}, scopes: {scopes}")
    say(
        f"Used in {head['frequency']} trajectories, first in {head['entry_frequency']}; "
        f"{head['calls']} calls, {head['errors']} errors"
    )
    say()
    table(
        ["takes", "type", "required", "made by"],
        [
            [
                r["field"],
                r["type"],
                "yes" if r["required"] else "no",
                _others(view.producers.get(r["field"], []), head["id"]),
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
                _others(view.consumers.get(r["field"], []), head["id"]),
            ]
            for r in view.outputs
        ],
        wrap=["taken by"],
    )
    say()
    for version in view.versions:
        say(f"version {version['version']}  {version['content_hash'][:12]}  {version['published']}")


def _others(tools: list[str], own: str) -> str:
    return ", ".join(tool for tool in tools if tool != own) or "-"


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
        removed = registry.remove(tool, force=force)
    if json:
        as_json({"removed": removed})
    else:
        say(f"Removed {removed}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of manifests."""
    from spm.registry.documents import manifest_schema

    as_json(manifest_schema())
