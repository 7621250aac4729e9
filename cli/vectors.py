"""Keeping the vectors up to date after a command that added texts."""

from typing import TYPE_CHECKING

from spm.cli.output import progress

if TYPE_CHECKING:
    from spm.registry import Registry


def ready() -> None:
    """Load the encoder before anything is written: without it, nothing should be.

    Raises:
        EncoderError: the encoder's weights are not installed; says how.
    """
    from spm.gnn.encoder import load_encoder

    load_encoder()


def encode(registry: "Registry") -> int:
    """Encode new and changed texts with a progress bar; returns how many."""
    from spm.gnn.encoder import load_encoder

    with progress("Encoding texts") as bar:
        return registry.encode(load_encoder(), bar)
