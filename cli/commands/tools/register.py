"""`spm tools register`: any source, what it would change, and what it did."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import life
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, progress, say

if TYPE_CHECKING:
    from spm.registry import Registry
    from spm.registry.formats.source import Source
    from spm.registry.registration import Registration


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
    owned = f", {len(result.reowned)} with another owner" if result.reowned else ""
    say(
        f"{source.name}: {len(result.added)} added, {len(result.changed)} changed, "
        f"{len(result.unchanged)} unchanged{linked}{owned} (service {result.service})"
    )
    if result.service != source.manifest.service.name:
        note(
            f"The service name {source.manifest.service.name!r} belongs to another source; these "
            f"tools are in {result.service!r}. Choose a name with --service."
        )
    if result.described:
        note(f"The service {result.service!r} has another {' and '.join(result.described)}.")
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
        for identity in plan.reowned:
            say(f"→ {identity} (owner)")
        for identity in plan.quarantined:
            say(f"! {identity} (would wait for approval)")
        _tell(source, plan, done=False)
    note("Nothing was changed (--dry-run).")
