"""Keeping the vectors up to date after a command that added texts."""

from typing import TYPE_CHECKING

from spm.cli.output import note, progress

if TYPE_CHECKING:
    from spm.registry import Registry
    from spm.registry.encoding import Encoder

MANY = 1_000


def ready(registry: "Registry") -> None:
    """Load the registry's encoder before anything is written: without it, nothing should be.

    Raises:
        EncoderError: the encoder cannot be loaded; says what to do.
    """
    from spm.gnn.encoder import encoder_of

    encoder_of(registry.store)


def encode(registry: "Registry", encoder: "Encoder | None" = None) -> int:
    """Encode new and changed texts with a progress bar; returns how many.

    Args:
        registry: where the texts are.
        encoder: None stands for the one that made the registry's vectors.
    """
    from spm.gnn.encoder import encoder_of
    from spm.registry import encoding

    chosen = encoder or encoder_of(registry.store)
    waiting = sum(len(encoding.pending(registry.store, kind)) for kind in encoding.KINDS)
    if waiting > MANY:
        note(f"{waiting:,} texts to encode. When this is stopped, go on with: spm encode")
    with progress("Encoding texts") as bar:
        return registry.encode(chosen, bar)
