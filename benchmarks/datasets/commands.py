"""`python -m benchmarks dataset`: public benchmarks, into the data format that `spm eval` reads."""

from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption
from spm.cli.views.console import as_json, note, say, stages

app = typer.Typer(help="Import public benchmarks with fixed splits.", no_args_is_help=True)


@app.command("import")
def import_folders(
    name: Annotated[
        str,
        typer.Argument(
            help="traject_bench, toollinkos, taskbench, nestful, seal_tools, toolhop, toolbench, "
            "toolbench_rel, toolbench_traj or toolbench_g3; auto: by the files that are there."
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
    from benchmarks.datasets.importer import import_benchmark

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
