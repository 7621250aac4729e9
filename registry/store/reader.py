"""The smallest part of a store: what only reads asks for no more."""

from typing import Protocol

from spm.registry.store.interface import Row


class Reader(Protocol):
    """Whatever answers read queries: a store, or what one caller sees of it."""

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file."""
        ...
