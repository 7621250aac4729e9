"""`python -m benchmarks`: all commands in one tree."""

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.datasets import commands as datasets
from benchmarks.day_one import commands as day_one
from benchmarks.map import commands as map_labels
from benchmarks.speed import commands as speed
from spm.cli.main import exit_code
from spm.cli.options import JsonOption
from spm.cli.views.console import as_json, say, table

app = typer.Typer(
    help="Measure spm, import public benchmarks, run experiments again, train the shipped prior.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(speed.app, name="speed")
app.add_typer(datasets.app, name="dataset")
app.add_typer(map_labels.app, name="map")
app.add_typer(day_one.app, name="day_one")


@app.command()
def fields(
    folder: Annotated[Path, typer.Argument(help="A data set with links or flows.")],
    json: JsonOption = False,
) -> None:
    """Compare derived producer→consumer edges with a data set's own, for each way of naming."""
    from benchmarks.field_links import compare

    found = compare(folder)
    if json:
        as_json([{**asdict(a), "precision": a.precision, "recall": a.recall} for a in found])
        return
    table(
        ["naming", "precision", "recall", "derived", "in the data"],
        [[a.naming, f"{a.precision:.3f}", f"{a.recall:.3f}", a.derived, a.gold] for a in found],
    )


@app.command()
def reproduce(
    data: Annotated[Path, typer.Option("--data", help="The folder of data sets.")],
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments or tables; all without any.")
    ] = None,
    cache: Annotated[Path, typer.Option("--cache", help="Where menus are kept.")] = Path(
        "build/evaluation"
    ),
    fast: Annotated[bool, typer.Option("--fast", help="Only those for every CI run.")] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Expect what is measured, and render the tables.")
    ] = False,
) -> None:
    """Run the experiments again and compare with what is expected; exit code 1 when one fails."""
    from benchmarks import reproduce as experiments
    from benchmarks.result_tables import render_pages

    verdicts = []
    for one in experiments.chosen(names or [], fast):
        verdicts.append(experiments.run(one, data, cache))
        say(experiments.line(verdicts[-1]))
    if update:
        experiments.update(verdicts)
        render_pages()
    if any(one.word == "FAIL" for one in verdicts):
        raise typer.Exit(1)


@app.command()
def prior(
    folders: Annotated[list[Path], typer.Argument(help="Data sets to learn from.")],
    out: Annotated[Path, typer.Option("--out", help="The safetensors file to write.")],
    stores: Annotated[
        Path | None,
        typer.Option("--stores", help="Where a registry of each set is kept for the next time."),
    ] = None,
    run: Annotated[
        Path, typer.Option("--run", help="Where a training that was stopped goes on.")
    ] = Path("runs/prior"),
) -> None:
    """Train the prior that is shipped for registries without traces."""
    import torch

    from benchmarks.prior import halved, train
    from spm.gnn.checkpoint import save

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        model = train(folders, stores or Path(scratch), run)
    out.parent.mkdir(parents=True, exist_ok=True)
    saved = save(halved(model), out)
    say(f"{saved.digest} {saved.provenance.measures}")


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return the exit code, by the rules of `spm`."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code(lambda: app(given, prog_name="python -m benchmarks"), "benchmarks")
