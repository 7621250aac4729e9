"""`spm tools`: register, list, show, remove."""

from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.output import as_json, note, say, table

app = typer.Typer(help="Register, list, show and remove tools.", no_args_is_help=True)


@app.command()
def register(
    manifests: Annotated[list[Path], typer.Argument(help="Manifests in YAML or JSON.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Register the tools of manifests; each manifest whole or not at all.

    The format is described by: spm tools schema
    """
    from dataclasses import asdict

    from spm.cli.vectors import encode
    from spm.registry.documents import read_manifest

    # All are read before the first is written: a mistake in the last one costs nothing.
    read = [(path, read_manifest(path)) for path in manifests]
    with opened(store) as registry:
        done = [(path, registry.register(manifest)) for path, manifest in read]
        encode(registry)
    if json:
        as_json([{"source": str(path), **asdict(result)} for path, result in done])
        return
    for path, result in done:
        say(
            f"{path}: {len(result.added)} added, {len(result.changed)} changed, "
            f"{len(result.unchanged)} unchanged (service {result.service})"
        )


@app.command("list")
def list_tools(
    service: Annotated[str | None, typer.Option(help="Only tools of this service.")] = None,
    family: Annotated[str | None, typer.Option(help="Only tools of this family.")] = None,
    status: Annotated[
        str | None, typer.Option(help="Only active, deprecated or quarantined tools.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List tools with their service, family and how often they were used."""
    with opened(store) as registry:
        rows = registry.tools(service, family, status)
    if json:
        as_json(rows)
        return
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
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one tool: what it takes and from whom, what it gives and to whom, its versions."""
    with opened(store) as registry:
        view = registry.show(tool)
    if json:
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
