"""`spm export` and `spm import`: a whole registry as one file, between stores and engines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, progress, say

if TYPE_CHECKING:
    from spm.registry.exchange import Exchanged


def export(
    file: Annotated[Path, typer.Argument(help="Where to write; compressed if it ends in .gz.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write the whole registry into one file: a backup, or the way to another engine.

    Everything but the vectors, which are encoded again after an import.
    """
    from spm.registry.exchange import export_registry

    with opened(store) as registry:
        done = export_registry(registry.store, file, replace=force)
    if json:
        as_json(done)
        return
    say(f"{_counted(done)} written to {done.file}")
    note(f"SHA-256 of the content: {done.sha256}")


def import_file(
    file: Annotated[Path, typer.Argument(help="A file that spm export made.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Fill an empty registry from a file that spm export made, whole or not at all.

    A file that is damaged, cut off or changed is refused before anything is written.
    """
    from spm.cli.vectors import encode, ready
    from spm.registry.exchange import import_registry

    ready()
    with opened(store) as registry:
        with progress("Importing") as bar:
            done = import_registry(registry.store, file, bar)
        encode(registry)
        location = registry.store.location
    if json:
        as_json(done)
        return
    say(f"{_counted(done)} imported into {location}")


def _counted(done: "Exchanged") -> str:
    names = ("tools", "versions", "fields", "trajectories", "steps")
    *most, last = [f"{done.counts[name]:,} {name}" for name in names]
    return f"{', '.join(most)} and {last}"
