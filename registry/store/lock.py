"""One writer at a time: a file lock that names its holder and dies with it."""

import fcntl
import os
from pathlib import Path

from spm.registry.errors import StoreLocked
from spm.registry.store import disk


class WriterLock:
    """An exclusive lock on a store folder. The kernel releases it when the process ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock, at once or not at all.

        Raises:
            StoreLocked: another process holds it.
            StoreWriteFailed: the folder cannot be created.
        """
        if self.held:
            return
        disk.make_folder(self.folder)
        path = self.folder / "lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise disk.failure(path, 0, error) from error
        try:
            self._take(descriptor, path)
        except BaseException:
            os.close(descriptor)  # or this very process would stay locked out
            raise
        self._descriptor = descriptor

    def _take(self, descriptor: int, path: Path) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 64).decode("ascii", "replace").strip()
            raise StoreLocked(str(self.folder), holder or "another process") from None
        except OSError as error:
            raise disk.failure(path, 0, error) from error
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()}\n".encode(), 0)
        except OSError:
            pass  # the name of the holder is a courtesy; a full disk must not stop the lock

    def release(self) -> None:
        """Let go of the lock."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)
