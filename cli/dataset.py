"""`spm dataset`: public benchmarks in the project's data format, into a registry."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, progress, say, stages

app = typer.Typer(help="Import and load benchmarks with fixed splits.", no_args_is_help=True)


class Split(StrEnum):
    """The parts of a data set: train fits, valid chooses, test reports."""

    train = "train"
    valid = "valid"
    test = "test"


FolderArgument = Annotated[Path, typer.Argument(help="A folder with tools and episodes.")]
PrefixOption = Annotated[
    str, typer.Option("--prefix", help="Only episodes whose id begins like this.")
]


def complete_benchmark(incomplete: str) -> list[str]:
    """Offer the names of benchmarks to the shell."""
    from spm.evaluation.benchmarks.catalogue import BENCHMARKS

    return [name for name in ("auto", *BENCHMARKS) if name.startswith(incomplete)]


@app.command("import")
def import_folders(
    name: Annotated[
        str,
        typer.Argument(
            help="traject_bench, toollinkos, taskbench, nestful, seal_tools, toolhop, toolbench, "
            "toolbench_rel, toolbench_traj or toolbench_g3; auto: by the files that are there.",
            autocompletion=complete_benchmark,
        ),
    ],
    source: Annotated[
        list[Path],
        typer.Argument(help="The downloaded repository; some benchmarks take several."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write; it must not be there.")],
    full: Annotated[
        bool, typer.Option("--full", help="Also take what no figure is reported on.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring a public benchmark as it was published into the data format, with its fixed splits."""
    from spm.evaluation.benchmarks.importing import import_benchmark

    with stages() as tell:
        found = import_benchmark(name, source, out, full=full, progress=tell)
    if json:
        as_json(found)
        return
    for why, count in found.dropped.items():
        note(f"Left out, because {why}: {count}")
    for line in found.notes:
        note(line)
    parts = ", ".join(f"{count} {split}" for split, count in found.episodes.items())
    say(
        f"{found.benchmark}: {found.tools} tools, {sum(found.episodes.values())} episodes ({parts})"
    )
    if found.as_reported is not None:
        same = "the same as" if found.as_reported else "not the same as"
        say(f"Tools and episodes are {same} those that figures are reported on.")
    say(f"Next: spm dataset load {found.folder}")


@app.command()
def load(
    folder: FolderArgument,
    split: Annotated[Split, typer.Option(help="Which episodes become traces.")] = Split.train,
    prefix: PrefixOption = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Register a data set's tools and import one split of its episodes as trajectories."""
    from spm.cli.vectors import encode, ready
    from spm.evaluation.folders import read

    data = read(folder, prefix)
    with opened(store) as registry:
        ready(registry)
        registered = registry.register(data.manifest)
        with progress("Importing") as bar:
            total = len(data.part(split))
            found = registry.import_traces(data.traces(split), progress=lambda n: bar(n, total))
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

    from spm.evaluation.folders import read

    found = [
        {"request": one.request, "path": one.path, "state": one.state}
        for one in read(folder, prefix).part(split)
    ]
    if json:
        as_json(found)
        return
    for one in found:
        say(dumps(one))
