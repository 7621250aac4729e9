"""`spm tools register`: any source, what it would change, and what it did."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from spm.cli.commands.tools import lifecycle
from spm.cli.commands.tools.access import OwnerOption, ScopesOption, VisibilityOption, listed
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spm.api.registry import Registry
    from spm.api.sources import Registered
    from spm.registry.importers.source import Source, Unchanged


DOCUMENTS = (".json", ".yaml", ".yml")


class Asked(TypedDict):
    """How to register, as `Registry.register` takes it."""

    pin: bool
    owner: str | None
    visibility: str | None
    scopes: list[str] | None


ServerOption = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="Let a service register the files."),
]
TokenFileOption = Annotated[
    Path | None, typer.Option("--token-file", help="The token for --server. Default: $SPM_TOKEN.")
]


def register(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders of them, https://…, mcp+stdio:COMMAND, mcp+https://…, "
            "package.module[:function]."
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
    owner: OwnerOption = None,
    visibility: VisibilityOption = None,
    scopes: ScopesOption = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Register the tools of OpenAPI documents, MCP servers, function lists or manifests.

    Each source is registered whole or not at all. The project's own format: spm tools schema
    """
    sources = list(_files(sources))
    asked = Asked(pin=pin, owner=owner, visibility=visibility, scopes=listed(scopes))
    if server is not None:
        more = {**asked, "format": from_, "service": service, "dry_run": dry_run}
        _send(server, sources, token_file, more, allow_remote=allow_remote, json=json)
        return
    with opened(store, new=True) as registry:
        read = _read(registry, sources, from_, service, allow_remote, asked)
        if dry_run:
            _preview([registry.register(one, dry_run=True, **asked) for one in read], json)
            return
        done = _register(registry, read, asked)
    if json:
        as_json([_result(result) for result in done])
        return
    for result in done:
        _tell(result)


def _files(sources: list[str]) -> "Iterator[str]":
    """The sources, each folder as the documents that lie in it.

    Raises:
        InputError: there is none in a folder.
    """
    from spm.registry.errors import InputError

    for source in sources:
        folder = Path(source)
        if not folder.is_dir():
            yield source
            continue
        found = sorted(str(file) for file in folder.iterdir() if file.suffix.lower() in DOCUMENTS)
        if not found:
            raise InputError(f"No file in {source!r} ends in {', '.join(DOCUMENTS)}.")
        yield from found


def _register(
    registry: "Registry", read: "list[Source | Unchanged]", asked: Asked
) -> "list[Registered]":
    from spm.cli.vectors import encode

    registry.vectors.encoder()  # without one, nothing should be written
    done = []
    with progress("Registering") as bar:
        for number, source in enumerate(read, 1):
            done.append(registry.register(source, **asked))
            bar(number, len(read))
    encode(registry)
    return done


def _read(
    registry: "Registry",
    sources: list[str],
    format: str | None,
    service: str | None,
    allow_remote: bool,
    asked: Asked,
) -> "list[Source | Unchanged]":
    """All sources, before the first is written: a mistake in the last one costs nothing."""
    from spm.api.sources import read

    # What is given can also change tools whose document is the same.
    given = any(value not in (None, False) for value in asked.values())
    found = []
    with progress("Reading sources") as bar:
        for number, text in enumerate(sources, 1):
            one = read(
                text, format=format, service=service, allow_remote=allow_remote,
                known=None if given else registry.core,
            )  # fmt: skip
            found.append(one)
            bar(number, len(sources))
    return found


def _send(
    server: str,
    files: list[str],
    token_file: Path | None,
    asked: dict[str, Any],
    *,
    allow_remote: bool,
    json: bool,
) -> None:
    """Let a service register files, one after the other; the first that is refused ends it."""
    from spm.api.remote import register_at, token
    from spm.api.sources import Registered

    secret = token(token_file)
    answers = [
        register_at(server, file, secret=secret, allow_http=allow_remote, **asked) for file in files
    ]
    if json:
        as_json(answers)
        return
    for file, answer in zip(files, answers, strict=True):
        known = {field.name for field in fields(Registered)}
        told = {name: value for name, value in answer.items() if name in known - {"changes"}}
        result = Registered(**{**told, "source": file, "notes": tuple(answer["notes"])})
        for identity in result.added if asked["dry_run"] else ():
            say(f"+ {identity}")
        for identity, changes in answer["changes"].items():
            say(f"~ {identity}: {', '.join(change['what'] for change in changes)}")
        _tell(result, done=not asked["dry_run"])
    if asked["dry_run"]:
        note("Nothing was changed (--dry-run).")


def _result(result: "Registered") -> dict[str, object]:
    from dataclasses import asdict

    found = asdict(result)
    return {key: value for key, value in found.items() if key not in ("wanted", "changes")}


def _tell(result: "Registered", done: bool = True) -> None:
    linked = f", {len(result.relinked)} with other links" if result.relinked else ""
    owned = f", {len(result.reowned)} with other access" if result.reowned else ""
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
            say(f"→ {identity} (access)")
        for identity in plan.reassessed:
            say(f"→ {identity} (effects)")
        for identity in plan.quarantined:
            say(f"! {identity} (would wait for approval)")
        _tell(plan, done=False)
    note("Nothing was changed (--dry-run).")
