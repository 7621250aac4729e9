"""`spm export` and `spm import`: a whole registry as one file, between stores and engines."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, pour, progress, say

if TYPE_CHECKING:
    from spm.registry.exchange import Exchanged

STREAM = Path("-")


@contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """The file, or one that stands in for a stream as long as it is needed."""
    if file != STREAM:
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="spm-exchange-") as folder:
        yield Path(folder) / "stream"


def export(
    file: Annotated[
        Path,
        typer.Argument(help="Where to write; compressed if it ends in .gz; - is standard output."),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write the whole registry into one file: a backup, or the way to another engine.

    Everything but the vectors, which are encoded again after an import.
    """
    if file == STREAM and json:
        raise typer.BadParameter("--json would stand between the lines of the export.")
    with opened(store) as registry, _beside(file) as path:
        done = replace(registry.export(path, replace=force), file=str(file))
        if file == STREAM:
            # Only now: a broken graph or another writer must not leave half an export behind.
            pour(path)
            note(f"{_counted(done)} written; SHA-256 of the content: {done.sha256}")
            return
    if json:
        as_json(done)
        return
    say(f"{_counted(done)} written to {done.file}")
    note(f"SHA-256 of the content: {done.sha256}")


def import_file(
    file: Annotated[Path, typer.Argument(help="A file that spm export made; - is standard input.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Fill an empty registry from a file that spm export made, whole or not at all.

    A file that is damaged, cut off or changed is refused before anything is written.
    """
    from spm.cli.vectors import encode

    with opened(store, new=True) as registry, _beside(file) as path:
        registry.vectors.encoder()  # without one, nothing should be written
        if file == STREAM:  # an import reads its file twice
            with path.open("wb") as whole:
                shutil.copyfileobj(sys.stdin.buffer, whole)
        with progress("Importing") as bar:
            done = replace(registry.import_file(path, progress=bar), file=str(file))
        encode(registry)
        location = registry.status()["store"]
    if json:
        as_json(done)
        return
    say(f"{_counted(done)} imported into {location}")


def _counted(done: "Exchanged") -> str:
    names = ("tools", "versions", "fields", "trajectories", "steps")
    *most, last = [f"{done.counts[name]:,} {name}" for name in names]
    return f"{', '.join(most)} and {last}"
