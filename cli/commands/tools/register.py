"""`spm tools register`: any source, what it would change, and what it did."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.commands.tools import lifecycle
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, say

if TYPE_CHECKING:
    from spm.api.sources import Registered


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
        str | None,
        typer.Option("--service", help="Who provides the tools; then a list's folder is no matter"),
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
    from spm.api.sources import read as read_source
    from spm.cli.vectors import encode

    # All are read before the first is written: a mistake in the last one costs nothing.
    with progress("Reading sources") as bar:
        read = []
        for number, text in enumerate(sources, 1):
            read.append(read_source(text, format=from_, service=service, allow_remote=allow_remote))
            bar(number, len(sources))
    with opened(store) as registry:
        if dry_run:
            _preview([registry.register(one, pin=pin, dry_run=True) for one in read], json)
            return
        registry.vectors.encoder()  # without one, nothing should be written
        with progress("Registering") as bar:
            done = []
            for number, source in enumerate(read, 1):
                done.append(registry.register(source, pin=pin))
                bar(number, len(read))
        encode(registry)
    if json:
        as_json([_result(result) for result in done])
        return
    for result in done:
        _tell(result)


def _result(result: "Registered") -> dict[str, object]:
    from dataclasses import asdict

    found = asdict(result)
    return {key: value for key, value in found.items() if key not in ("wanted", "changes")}


def _tell(result: "Registered", done: bool = True) -> None:
    linked = f", {len(result.relinked)} with other links" if result.relinked else ""
    owned = f", {len(result.reowned)} with another owner" if result.reowned else ""
    if result.reassessed:
        owned += f", {len(result.reassessed)} with other effects or another reason"
    say(
        f"{result.source}: {len(result.added)} added, {len(result.changed)} changed, "
        f"{len(result.unchanged)} unchanged{linked}{owned} (service {result.service})"
    )
    if result.service != result.wanted:
        note(
            f"The service name {result.wanted!r} belongs to another source; these "
            f"tools are in {result.service!r}. Choose a name with --service."
        )
    if result.described:
        note(f"The service {result.service!r} has another {' and '.join(result.described)}.")
    if result.quarantined and done:
        note(f"{len(result.quarantined)} tools wait for approval: spm tools approve")
    if result.missing:
        shown = ", ".join(result.missing[:5]) + (" …" if len(result.missing) > 5 else "")
        note(f"{len(result.missing)} tools of {result.service!r} are not in this source: {shown}")
    for line in result.notes:
        note(f"  {line}")


def _preview(plans: "list[Registered]", json: bool) -> None:
    if json:
        as_json([{**_result(plan), "changes": plan.changes} for plan in plans])
        return
    for plan in plans:
        for identity in plan.added:
            say(f"+ {identity}")
        for identity, differences in plan.changes.items():
            say(f"~ {identity}")
            lifecycle.show_changes(differences)
        for identity in plan.relinked:
            say(f"→ {identity} (links)")
        for identity in plan.reowned:
            say(f"→ {identity} (owner)")
        for identity in plan.reassessed:
            say(f"→ {identity} (effects)")
        for identity in plan.quarantined:
            say(f"! {identity} (would wait for approval)")
        _tell(plan, done=False)
    note("Nothing was changed (--dry-run).")
