"""Writing that survives: append with fsync, replace by rename. The only module that writes files.

Every failure becomes one error that says how much was needed and how much is free; half a record
is taken back before the error leaves.
"""

import errno
import os
import shutil
from pathlib import Path

from spm.registry.errors import StoreWriteFailed


def append(path: Path, size: int, data: bytes) -> int:
    """Append `data` at byte `size` of `path` and make it durable; returns the new size.

    Raises:
        StoreWriteFailed: nothing of `data` was kept.
    """
    fresh = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.lseek(descriptor, size, os.SEEK_SET)
        _write(descriptor, data)
        os.fsync(descriptor)
        if fresh:
            _sync_folder(path.parent)
    except BaseException as error:
        # After a failed fsync the kernel may have dropped the pages: never keep such a record.
        _take_back(descriptor, size)
        if isinstance(error, OSError):
            raise failure(path, len(data), error) from error
        raise
    finally:
        os.close(descriptor)
    return size + len(data)


def replace(path: Path, *parts: bytes) -> None:
    """Put a whole new file in the place of `path`: readers see the old one or the new one.

    Raises:
        StoreWriteFailed: the old file is untouched.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            for part in parts:
                _write(descriptor, part)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(draft, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise failure(path, sum(len(p) for p in parts), error) from error
    finally:
        draft.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Create a folder for one user's data.

    Raises:
        StoreWriteFailed: it cannot be created.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise failure(path, 0, error) from error


def truncate(path: Path, size: int) -> None:
    """Cut a file to `size` bytes, durably.

    Raises:
        StoreWriteFailed: it could not be cut.
    """
    try:
        with path.open("rb+") as file:
            os.ftruncate(file.fileno(), size)
            os.fsync(file.fileno())
    except OSError as error:
        raise failure(path, 0, error) from error


def failure(path: Path, needed: int, error: OSError) -> StoreWriteFailed:
    """Say what a failed write needed and what is there."""
    reason = error.strerror or str(error)
    advice = "Check the disk, then repeat the command."
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        free = _free(path.parent)
        advice = f"{needed:,} bytes were needed, {free} are free. Free some space, then repeat."
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        advice = "Choose a writable place with --store, or change the permissions."
    return StoreWriteFailed(f"Could not write {str(path)!r}: {reason}. Nothing was kept. {advice}")


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _take_back(descriptor: int, size: int) -> None:
    try:
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    except OSError:
        pass  # the torn tail is recognised by its checksum when the journal is read next


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _free(folder: Path) -> str:
    try:
        return f"{shutil.disk_usage(folder).free:,}"
    except OSError:
        return "an unknown number"
