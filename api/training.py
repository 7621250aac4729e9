"""Training a registry's own model: the settings that people choose, and the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm.gnn.networks.runtime import quiet_torch
from spm.registry.errors import EncoderError

if TYPE_CHECKING:
    from spm.api.vectors import Vectors
    from spm.gnn.training.config import Config
    from spm.gnn.training.recipe import Progress
    from spm.registry.registry import Registry as Core


def config(
    chosen: str | Path,
    epochs: int | None,
    order_epochs: int | None,
    seed: int | None,
    development: float | None,
) -> Config:
    """The settings of a configuration with what was chosen; None leaves a setting as it is.

    Raises:
        EncoderError: torch or torch-geometric is not installed.
        InputError: there is no such configuration, or it says something that cannot be used.
    """
    from spm.gnn.training.config import read

    found = read(chosen)
    try:
        with quiet_torch():
            import spm.gnn.training.recipe  # noqa: F401 — needs both, and says so here
    except ImportError as error:
        raise EncoderError(
            f"Training needs torch and torch-geometric ({error}). "
            "Install them with: pip install 'spm-registry[train]'"
        ) from error
    first, second = found.retriever, found.reranker
    return replace(
        found,
        development=found.development if development is None else development,
        retriever=replace(first, epochs=epochs or first.epochs, seed=seed or first.seed),
        reranker=replace(second, epochs=order_epochs or second.epochs, seed=seed or second.seed),
    )


def train(
    core: Core,
    vectors: Vectors,
    settings: Config,
    *,
    name: str,
    folder: Path | None,
    scratch: bool,
    threads: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """Train on the registry's trajectories; see `Registry.train`."""
    from spm.gnn.training import distributed
    from spm.gnn.training.train_registry import learn

    with _torch_threads(threads), distributed.joined() as leads:
        if leads and not vectors.complete():
            vectors.encode(progress=_encoding(progress))
        run = folder or Path("runs") / f"{name}-{core.status()['revision']}"
        return learn(core.store, run, name, settings, scratch=scratch, leads=leads, tell=progress)


def _encoding(progress: Progress | None) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress("texts", done, total, 0.0, None)


@contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    """Let torch compute with so many threads, and afterwards with as many as before."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
