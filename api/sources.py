"""What can be registered: anything that describes tools, read into one form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm.registry.access.settings import Access
from spm.registry.catalog.registration import Registration
from spm.registry.errors import InputError
from spm.registry.importers.source import Source, Unchanged
from spm.registry.models import Manifest

if TYPE_CHECKING:
    from spm.registry.catalog.lifecycle import Change
    from spm.registry.registry import Registry as Core

Function = Callable[..., Any]
Registrable = str | Path | Manifest | Source | Unchanged | Function | Iterable[Function]


@dataclass(frozen=True)
class Registered(Registration):
    """What a registration did; with `dry_run`, what it would do.

    Attributes:
        source: where the tools come from.
        format: what the source is: `openapi`, `mcp`, `functions`, `python` or `spm`.
        wanted: the service name that the source asks for; another source may have taken it.
        notes: what could not be mapped, in sentences.
        changes: with `dry_run`, what would change in each tool that is there already.
    """

    source: str = ""
    format: str = ""
    wanted: str = ""
    notes: tuple[str, ...] = ()
    changes: dict[str, list[Change]] = field(default_factory=dict)


def read(
    source: Registrable,
    *,
    format: str | None = None,
    service: str | None = None,
    allow_remote: bool = False,
    known: Core | None = None,
) -> Source | Unchanged:
    """Read the tools that a source describes; see `Registry.register`.

    Args:
        source: anything that describes tools.
        format: of its document.
        service: who provides the tools.
        allow_remote: follow references, and speak plain HTTP.
        known: a registry that may hold the same version of a document that is fetched.

    Raises:
        ManifestError: the source cannot be read or is of no known format.
        InputError: it is nothing that could describe tools.
    """
    if isinstance(source, Source | Unchanged):
        return source
    if isinstance(source, Manifest):
        return Source(source.service.name, "spm", source)
    if isinstance(source, str | Path):
        from spm.registry.importers.detection import read_source
        from spm.registry.importers.fetching import is_address

        if known is not None and is_address(str(source)) and not (format or service):
            return _fetched(known, str(source), allow_remote)
        return read_source(str(source), format=format, service=service, allow_remote=allow_remote)
    from spm.registry.importers.python import read_callables

    if callable(source):
        return read_callables([source], service)
    if isinstance(source, Iterable):
        return read_callables(source, service)
    raise InputError(
        f"{source!r} describes no tools. Give a file, an MCP server, an import path, a Manifest or "
        "Python functions."
    )


def _fetched(core: Core, url: str, allow_remote: bool) -> Source | Unchanged:
    from spm.registry.importers.detection import known_etag, read_fetched
    from spm.registry.importers.fetching import fetch

    etag, service = known_etag(core.store, url)
    found = fetch(url, etag=etag, allow_http=allow_remote)
    return Unchanged(url, service) if found is None else read_fetched(url, found)


def unchanged(core: Core, source: Unchanged) -> Registered:
    """What the registration of a document does that is still the same: nothing."""
    rows = core.store.read("tools/of_service", service=source.service)
    return Registered(
        source.service,
        unchanged=[row["id"] for row in rows],
        source=source.name,
        wanted=source.service,
        notes=("The document is the same as before (304).",),
    )


def register(core: Core, source: Source, *, pin: bool, access: Access) -> Registered:
    """Register what was read, whole or not at all."""
    return _registered(source, core.add(source, pin=pin, access=access), {})


def preview(core: Core, source: Source, *, pin: bool, access: Access) -> Registered:
    """What registering would do; nothing is changed."""
    from spm.registry.catalog import registration

    manifest = registration.namespaced(core.store, source.manifest, source.origin)
    plan = registration.preview(core.store, manifest, source.links, pin=pin, access=access)
    return _registered(source, plan, registration.changes(core.store, manifest, plan.changed))


def _registered(source: Source, done: Registration, changes: dict[str, list[Change]]) -> Registered:
    return Registered(
        **vars(done),
        source=source.name,
        format=source.format,
        wanted=source.manifest.service.name,
        notes=source.notes,
        changes=changes,
    )
