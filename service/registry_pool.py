"""The open registries of a worker: one for each thread, kept up to date."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from spm.registry.errors import StoreError
from spm.registry.registry import Registry
from spm.registry.settings import Settings

T = TypeVar("T")
PAUSE = 1.0  # seconds after a failed attempt to open, in which others are told the same at once


class RegistryPool:
    """A registry for each thread of a worker: what they share is only the weights of models.

    A server that is away when the service starts is tried again with each question. An embedded
    store is read again when other processes wrote, and other processes may write between two
    writes of this one.
    """

    def __init__(self, stored: Settings) -> None:
        self.stored = stored
        self._own = threading.local()
        self._all: list[Registry] = []
        self._opening = threading.Lock()
        self._failed: tuple[float, StoreError] | None = None

    @property
    def alone(self) -> bool:
        """Whether one thread should do: with the embedded engine each keeps the whole graph."""
        return not self.stored.remote

    def read(self, work: Callable[[Registry], T]) -> T:
        """Do something that reads.

        Raises:
            StoreError: the store cannot be used now.
        """
        registry = self._open()
        registry.store.refresh()
        return work(registry)

    def write(self, work: Callable[[Registry], T]) -> T:
        """Do something that writes; see `read`."""
        registry = self._open()
        with _shared(registry):
            return work(registry)

    def close(self) -> None:
        """Let go of the store; nobody may ask any more."""
        with self._opening:
            while self._all:
                self._all.pop().close()

    def _open(self) -> Registry:
        found: Registry | None = getattr(self._own, "registry", None)
        if found is None:
            with self._opening:  # one by one: of many who find nobody there, one is enough
                found = self._own.registry = self._try()
                self._all.append(found)
        return found

    def _try(self) -> Registry:
        if self._failed and time.monotonic() - self._failed[0] < PAUSE:
            raise self._failed[1]
        try:
            opened = Registry.open(self.stored)
        except StoreError as error:
            self._failed = (time.monotonic(), error)
            raise
        self._failed = None
        return opened


@contextmanager
def _shared(registry: Registry) -> Iterator[None]:
    """Hold the lock of an embedded store only as long as a write takes."""
    try:
        yield
    finally:
        registry.store.release()
