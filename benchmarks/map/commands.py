"""`python -m benchmarks map`: what the graph knows of real APIs, scored on labels."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption
from spm.cli.views.console import as_json, say, table

app = typer.Typer(help="Score what the graph knows of real APIs.", no_args_is_help=True)
SpecsOption = Annotated[Path, typer.Option("--specs", help="The folder of specifications.")]
PartOption = Annotated[str, typer.Option("--part", help="dev, test or extra.")]


@app.callback()
def _group() -> None:
    """Keep names of commands, also while there is only one."""


@app.command()
def fields(
    specs: SpecsOption,
    part: PartOption = "dev",
    errors: Annotated[bool, typer.Option("--errors", help="Show what is wrong.")] = False,
    json: JsonOption = False,
) -> None:
    """Score which values of requests become which parameters, when the service is known."""
    from benchmarks.map.fields import score

    with tempfile.TemporaryDirectory() as scratch:
        found = score(specs, part, Path(scratch))
    if json:
        as_json(
            {
                name: {
                    "precision": one.precision,
                    "recall": one.recall,
                    "predicted": one.predicted,
                    "labelled": one.labelled,
                    "unread": one.unread,
                    **({"errors": one.errors} if errors and name == "all" else {}),
                }
                for name, one in found.items()
            }
        )
        return
    table(
        ["api", "precision", "recall", "predicted", "labelled", "no such operation"],
        [
            [name, f"{s.precision:.3f}", f"{s.recall:.3f}", s.predicted, s.labelled, s.unread]
            for name, s in found.items()
        ],
    )
    for error in found["all"].errors if errors else ():
        say(f"{error['id']} {error['request']}")
        for kind in ("wrong", "missing"):
            for line in error[kind]:
                say(f"    {kind} {line}")
