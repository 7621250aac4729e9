"""`spm train`: learn menus from the registry's own trajectories."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import DeviceOption, JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, say, training_progress

if TYPE_CHECKING:
    pass

RunOption = Annotated[
    Path | None,
    typer.Option(
        "--folder",  # not --run: torchrun would take that for an option of its own
        metavar="FOLDER",
        help="Where config, metrics, curves and the model go; an unfinished run goes on there. "
        "Default: runs/NAME-REVISION.",
    ),
]


def train(
    name: Annotated[str, typer.Option("--name", help="What to call the model.")] = "trained",
    run: RunOption = None,
    config: Annotated[
        str,
        typer.Option(
            "--config",
            metavar="FILE",
            help="A YAML file with every rate, weight, width and feature, or one of those that "
            "are shipped: default.yaml, or paper.yaml for the method as it was published.",
        ),
    ] = "default.yaml",
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs of the first network.")] = None,
    order_epochs: Annotated[int | None, typer.Option(min=1, help="Of the second.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed for both networks.")] = None,
    development: Annotated[
        float | None,
        typer.Option(min=0.02, max=0.5, help="Share that chooses and never teaches."),
    ] = None,
    scratch: Annotated[
        bool, typer.Option("--scratch", help="Begin with chance instead of the prior.")
    ] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads for each process.")] = 1,
    device: DeviceOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Train a model on the registry's trajectories; menus use it from then on.

    Several GPUs: torchrun --nproc-per-node N -m spm.cli train …
    """
    with opened(store) as registry, training_progress() as bar:
        summary = registry.train(
            name=name, folder=run, config=config, epochs=epochs, order_epochs=order_epochs,
            seed=seed, development=development, scratch=scratch, threads=threads, progress=bar,
        )  # fmt: skip
    if not summary:  # one of the processes that only help
        return
    if json:
        as_json(summary)
        return
    say(
        f"Model {summary['digest'][:12]} from {summary['trajectories']} trajectories; development "
        f"split ({summary['judged']}): "
        + ", ".join(f"{key} {value:.3f}" for key, value in summary["measures"].items())
    )
    note(f"Curves: {summary['run']}/curves.svg. Menus use it now: {summary['model']}")
