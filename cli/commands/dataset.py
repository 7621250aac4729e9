"""`spm dataset`: a folder in the data format that `spm eval` reads, into a registry."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, say

app = typer.Typer(help="Load data sets with fixed splits.", no_args_is_help=True)


class Split(StrEnum):
    """The parts of a data set: train fits, valid chooses, test reports."""

    train = "train"
    valid = "valid"
    test = "test"


FolderArgument = Annotated[Path, typer.Argument(help="A folder with tools and episodes.")]
PrefixOption = Annotated[
    str, typer.Option("--prefix", help="Only episodes whose id begins like this.")
]


@app.command()
def load(
    folder: FolderArgument,
    split: Annotated[Split, typer.Option(help="Which episodes become traces.")] = Split.train,
    prefix: PrefixOption = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Register a data set's tools and import one split of its episodes as trajectories."""
    from spm.cli.vectors import encode
    from spm.evaluation.datasets import read

    data = read(folder, prefix)
    with opened(store, new=True) as registry:
        registry.vectors.encoder()  # without one, nothing should be written
        registered = registry.register(data.manifest)
        with progress("Importing") as bar:
            total = len(data.part(split))
            found = registry.import_traces(
                data.traces(split), progress=lambda count, _: bar(count, total)
            )
        encode(registry)
    if data.dropped:
        note(f"{data.dropped} episodes use a tool that is not documented; they were left out.")
    if json:
        as_json({"tools": len(registered.added), "trajectories": found.imported})
        return
    say(f"{len(registered.added)} tools added, {found.imported} trajectories imported")


@app.command()
def golden(
    folder: FolderArgument,
    split: Annotated[Split, typer.Option(help="Which episodes to write.")] = Split.valid,
    prefix: PrefixOption = "",
    json: JsonOption = False,
) -> None:
    """Print one split as golden requests, a JSON line each, as `spm check` reads them."""
    from json import dumps

    from spm.evaluation.datasets import read

    found = [
        {"request": one.request, "path": one.path, "state": one.state}
        for one in read(folder, prefix).part(split)
    ]
    if json:
        as_json(found)
        return
    for one in found:
        say(dumps(one))
