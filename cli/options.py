"""Options that every command shares, and opening the registry they name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from spm.api.registry import Registry

Device = Literal["auto", "cpu", "cuda"]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PATH|URI",
        help="A folder (embedded) or a Neo4j address such as neo4j://localhost:7687. "
        "Default: $SPM_STORE, $NEO4J_URI, or a folder in your data directory.",
    ),
]
BackendsOption = Annotated[
    Path | None,
    typer.Option(
        "--backends",
        metavar="FILE",
        help="Who runs the tools of which service, for frozen menus. Default: $SPM_BACKENDS.",
    ),
]


def _compute_on(context: typer.Context, device: str | None) -> str | None:
    """Let the command compute on a device, until it ends."""
    if device is not None and not context.resilient_parsing:
        from spm.gnn.networks.runtime import computing_on

        context.with_resource(computing_on(device))
    return device


DeviceOption = Annotated[
    Device | None,
    typer.Option(
        "--device",
        metavar="auto|cpu|cuda",
        callback=_compute_on,
        help="auto takes a GPU where torch is installed and one is there. Default: $SPM_DEVICE, "
        "or auto.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


@contextmanager
def opened(store: str | None, *, new: bool = False) -> "Iterator[Registry]":
    """Open the registry that the options or the environment name.

    Args:
        store: what --store says.
        new: whether the command may be the first that writes at this place.

    Raises:
        NoRegistry: a place was named, and nothing is there.
    """
    from spm.api import registry as api
    from spm.registry.settings import settings
    from spm.registry.store.presence import has_registry

    with api.open(store) as registry:
        if not new:
            has_registry(settings(store))
        yield registry


def complete_tool(context: typer.Context, incomplete: str) -> list[str]:
    """Offer tool names to the shell; a store that cannot be read offers none."""
    from spm.registry.errors import SpmError

    try:
        with opened(context.params.get("store")) as registry:
            names = [row["name"] for row in registry.tools.list()]
    except SpmError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def complete_field(context: typer.Context, incomplete: str) -> list[str]:
    """Offer field names to the shell; a store that cannot be read offers none."""
    from spm.registry.errors import SpmError

    try:
        with opened(context.params.get("store")) as registry:
            names = registry.fields.names()
    except SpmError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def complete_saved(incomplete: str) -> list[str]:
    """Offer the names of saved queries to the shell."""
    from spm.cypher import names

    found = [name.removeprefix("saved/") for name in names("saved")]
    return [name for name in found if name.startswith(incomplete)]
