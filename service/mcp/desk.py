"""Where MCP handlers ask: the registry behind one door, away from the event loop."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import anyio
import anyio.to_thread

from spm.registry import Registry
from spm.registry.settings import Settings, settings

T = TypeVar("T")
Work = Callable[[Registry], T]


class Desk(Protocol):
    """Runs work on a registry; whoever serves HTTP brings its own."""

    async def ask(self, work: Work[T]) -> T:
        """Run something that reads."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Run something that writes."""
        ...


class OwnDesk:
    """A desk with a registry of its own, for one process and one client.

    An embedded store is held by its writer until it is closed, and shows what it was when it was
    opened. So it is closed after every write, and opened again when its files changed: other
    processes can write in between, and what they wrote is seen.
    """

    def __init__(self, location: str | None) -> None:
        self._settings: Settings = settings(location)
        self._registry: Registry | None = None
        self._seen: list[tuple[int, int]] = []
        self._alone = anyio.Lock()  # a store is not shared between threads

    async def ask(self, work: Work[T]) -> T:
        """Run something that reads, in a thread."""
        async with self._alone:
            return await anyio.to_thread.run_sync(lambda: work(self._open()))

    async def write(self, work: Work[T]) -> T:
        """Run something that writes, in a thread; an embedded store is let go of at once."""
        async with self._alone:
            return await anyio.to_thread.run_sync(self._written, work)

    async def close(self) -> None:
        """Let go of the store."""
        async with self._alone:
            await anyio.to_thread.run_sync(self._close)

    def _open(self) -> Registry:
        found = self._files()
        if found != self._seen:
            self._close()
        if self._registry is None:
            self._registry, self._seen = Registry.open(self._settings), found
        return self._registry

    def _files(self) -> list[tuple[int, int]]:
        """What tells whether somebody wrote to an embedded store; nothing for a server."""
        if self._settings.remote:
            return []
        there = sorted(Path(self._settings.store).glob("*.spm"))
        return [(f.stat().st_size, f.stat().st_mtime_ns) for f in there]

    def _written(self, work: Work[T]) -> T:
        if not self._settings.remote:
            self._close()
        try:
            return work(self._open())
        finally:
            if not self._settings.remote:
                self._close()

    def _close(self) -> None:
        if self._registry is not None:
            self._registry.close()
        self._registry = None
