"""`python -m benchmarks day_one`: candidates without traces, learned and left out by library."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.day_one.examples import Example, examples
from benchmarks.day_one.examples import read as read_examples
from benchmarks.day_one.examples import write as write_examples
from benchmarks.day_one.fitting import fit, write
from benchmarks.day_one.libraries import names, opened
from benchmarks.day_one.scores import MEASURES, gains, left_out, table
from spm.cli.views.console import note, say
from spm.cli.views.console import table as print_table
from spm.registry.errors import InputError

app = typer.Typer(help="Order candidates without traces.", no_args_is_help=True)
DataOption = Annotated[Path, typer.Option("--data", help="The folder of data sets.")]
StoresOption = Annotated[Path, typer.Option("--stores", help="Where registries are kept.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", help="A data set, or specs; all without any.")
]
MostOption = Annotated[int, typer.Option("--most", min=1, help="Requests of each split.")]
WAYS = ("text", "planned", "learned", "spm")


@app.command()
def collect(
    data: DataOption,
    stores: StoresOption = Path("build/day_one"),
    only: OnlyOption = None,
    most: MostOption = 200,
) -> None:
    """Make registries of tools alone, and ask for the candidates of their requests."""
    stores.mkdir(parents=True, exist_ok=True)
    for name in only or names(data):
        with opened(name, data, stores, most, note) as (registry, requests):
            found = examples(registry, requests, note)
        write_examples(found, stores / f"{name}.npz")
        say(f"{name}: {len(found)} requests")


@app.command()
def score(
    stores: StoresOption = Path("build/day_one"),
    split: Annotated[str, typer.Option("--split", help="valid or test.")] = "valid",
) -> None:
    """Measure each library with what was fitted without it, beside text and plans alone."""
    rows = left_out(_read(stores), split, note)
    print_table(["library", "menus by", "n", *MEASURES], table(rows, WAYS))
    for against in ("text", "planned"):
        found = gains(rows, "spm", against)
        print_table(
            [f"over {against}", "gain", "95 %"],
            [[name, f"{g:+.3f}", f"{low:+.3f} … {high:+.3f}"] for name, (g, low, high) in
             found.items()],
        )  # fmt: skip


@app.command("fit")
def fit_command(
    out: Annotated[Path, typer.Option("--out", help="The file to write.")],
    stores: StoresOption = Path("build/day_one"),
) -> None:
    """Fit on all that may teach, and write what menus read."""
    taught = [one for one in _read(stores) if one.request.teaches]
    _, tensors = fit(taught)
    libraries = sorted({one.request.library for one in taught})
    about = f"{len(taught)} requests to {', '.join(libraries)}"
    write(tensors, list(taught[0].numbers), about, out)
    say(f"{out}: {about}")


def _read(stores: Path) -> list[Example]:
    """What `collect` left."""
    files = sorted(stores.glob("*.npz"))
    if not files:
        raise InputError(
            f"There are no examples in {stores}. Make them with: python -m benchmarks day_one "
            "collect --data FOLDER"
        )
    return [one for file in files for one in read_examples(file)]
