"""The registry that a worker holds open: opened when it can be, up to date, let go after writes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from spm.registry import Registry
from spm.registry.errors import StoreError
from spm.registry.settings import Settings

T = TypeVar("T")
PAUSE = 1.0  # seconds after a failed attempt to open, in which others are told the same at once


class Holding:
    """One registry for all threads of a worker.

    A server that is away when the service starts is tried again with each question. An embedded
    store is read again when other processes wrote, and other processes may write between two
    writes of this one.
    """

    def __init__(self, stored: Settings) -> None:
        self.stored = stored
        self._registry: Registry | None = None
        self._opening = threading.Lock()
        self._failed: tuple[float, StoreError] | None = None

    @property
    def alone(self) -> bool:
        """Whether only one thread may work at a time: the embedded engine's caches are one's."""
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
        """Let go of the store."""
        with self._opening:
            if self._registry is not None:
                self._registry.close()
            self._registry = None

    def _open(self) -> Registry:
        if self._registry is not None:
            return self._registry
        with self._opening:
            if self._registry is None:
                self._registry = self._try()
            return self._registry

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
