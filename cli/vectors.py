"""Vectors on the command line: made with a progress bar, before a menu or after new texts."""

from typing import TYPE_CHECKING

from spm.cli.views.console import note, progress

if TYPE_CHECKING:
    from spm.api.registry import Registry
    from spm.registry.encoding import ClauseEncoder

MANY = 1_000


def prepared(registry: "Registry") -> None:
    """Make the vectors that are missing, so that a menu can be built."""
    if not registry.vectors.complete():
        encode(registry)


def encode(registry: "Registry", encoder: "ClauseEncoder | None" = None) -> int:
    """Encode new and changed texts with a progress bar; returns how many.

    Args:
        registry: where the texts are.
        encoder: None stands for the one that made the registry's vectors.
    """
    chosen = encoder or registry.vectors.encoder()
    waiting = registry.vectors.pending()
    if waiting > MANY:
        note(f"{waiting:,} texts to encode. When this is stopped, go on with: spm encode")
    with progress("Encoding texts") as bar:
        return registry.vectors.encode(chosen, bar)
