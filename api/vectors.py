"""The vectors of one registry: whether they are complete, and making those that are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spm.registry.encoding import ClauseEncoder
    from spm.registry.registry import Registry as Core

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Encoded:
    """What an encoding did.

    Attributes:
        encoder: the name of the encoder that made the vectors.
        dimensions: the length of a vector.
        encoded: how many texts were encoded.
        replaced: the encoder whose vectors were dropped; None when there was no other.
    """

    encoder: str
    dimensions: int
    encoded: int
    replaced: str | None


class Vectors:
    """The vectors of a registry's tools and trajectories; `registry.vectors` is one.

    Menus need them and make them by themselves. This class is for those who want to decide when.

    >>> registry.vectors.complete()
    True
    >>> registry.vectors.pending()
    0
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._complete_at: str | None = None  # the stamp of a state that was found complete

    def encoder(self, name: str | None = None) -> ClauseEncoder:
        """Load the encoder that made the registry's vectors, or another one.

        Args:
            name: a model of sentence-transformers, by name or as a folder. None stands for the
                registry's own encoder; for a new registry $SPM_ENCODER or the packaged one.

        Raises:
            EncoderError: it cannot be loaded; says what to do.
        """
        from spm.gnn.encoders.by_name import encoder_of, load_encoder

        return load_encoder(name) if name else encoder_of(self._core.store)

    def complete(self) -> bool:
        """Whether every tool and trajectory has the vector of its text."""
        from spm.gnn.snapshot.lifecycle import snapshots_of

        # Only a complete registry has a snapshot; asking it does not even open the graph.
        if snapshots_of(self._core).current() is not None:
            return True
        stamp = self._core.store.stamp()
        if stamp is not None and stamp == self._complete_at:
            return True
        if found := self._core.encoded():
            self._complete_at = stamp
        return found

    def pending(self) -> int:
        """How many texts have no vector yet."""
        from spm.registry import encoding

        return encoding.count_waiting(self._core.store)

    def replace(self, encoder: ClauseEncoder) -> str | None:
        """Drop the vectors of another encoder; returns its name, None when there was no other."""
        from spm.registry import encoding

        return encoding.switch(self._core.store, encoder)

    def encode(self, encoder: ClauseEncoder | None = None, progress: Progress | None = None) -> int:
        """Encode new and changed texts, and forget the vectors of texts that are gone.

        Args:
            encoder: None stands for the one that made the registry's vectors.
            progress: hears how many texts are done, of how many.

        Returns:
            How many texts were encoded.

        Raises:
            EncoderMismatch: the vectors are those of another encoder; see `replace`.
        """
        return self._core.encode(encoder or self.encoder(), progress)

    def write_snapshot(self) -> None:
        """Write the arrays that menus read, so that the next menu need not."""
        from spm.gnn.snapshot.lifecycle import snapshots_of

        snapshots = snapshots_of(self._core)
        if snapshots.current() is None:
            snapshots.write()
