"""`spm train`: learn menus from the registry's own trajectories."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spm.cli.asking import prepared
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, say, training_progress

if TYPE_CHECKING:
    from spm.gnn.training import Config
    from spm.registry import Registry

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
    epochs: Annotated[int | None, typer.Option(min=1, help="Epochs of the first network.")] = None,
    order_epochs: Annotated[int | None, typer.Option(min=1, help="Of the second.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed for both networks.")] = None,
    development: Annotated[
        float, typer.Option(min=0.02, max=0.5, help="Share that chooses and never teaches.")
    ] = 0.1,
    scratch: Annotated[
        bool, typer.Option("--scratch", help="Begin with chance instead of the prior.")
    ] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads for each process.")] = 1,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Train a model on the registry's trajectories; menus use it from then on.

    Several GPUs: torchrun --nproc-per-node N -m spm.cli train …
    """
    from spm.registry.errors import EncoderError

    # torch-geometric still scripts functions when it is imported; nobody here can change that.
    warnings.filterwarnings("ignore", "`torch.jit", category=Warning)
    try:
        import torch

        from spm.gnn import parallel
    except ImportError as error:
        raise EncoderError(
            f"Training needs torch and torch-geometric ({error}). "
            "Install them with: pip install 'spm-registry[train]'"
        ) from error
    torch.set_num_threads(threads)
    config = _config(epochs, order_epochs, seed, development)
    with opened(store) as registry, parallel.joined() as leads:
        if leads:
            prepared(registry)
        folder = run or Path("runs") / f"{name}-{registry.status()['revision']}"
        summary = _trained(registry, folder, name, config, scratch, leads)
    if not leads:
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


def _config(
    epochs: int | None, order_epochs: int | None, seed: int | None, development: float
) -> "Config":
    from dataclasses import replace

    from spm.gnn.training import Config

    config = Config(development=development)
    first, second = config.retriever, config.reranker
    return replace(
        config,
        retriever=replace(first, epochs=epochs or first.epochs, seed=seed or first.seed),
        reranker=replace(second, epochs=order_epochs or second.epochs, seed=seed or second.seed),
    )


def _trained(
    registry: "Registry", folder: Path, name: str, config: "Config", scratch: bool, leads: bool
) -> dict[str, Any]:
    from spm.gnn.learning import learn

    with training_progress() as bar:
        return learn(registry.store, folder, name, config, scratch=scratch, leads=leads, tell=bar)
