"""Writing that survives: append with fsync, replace by rename. The only module that writes files.

Every failure becomes one error that says how much was needed and how much is free; half a record
is taken back before the error leaves.
"""

import errno
import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from spm.registry.errors import OutcomeUnknown, StoreWriteFailed


def append(path: Path, size: int, data: bytes) -> int:
    """Append `data` at byte `size` of `path` and make it durable; returns the new size.

    Raises:
        StoreWriteFailed: nothing of `data` was kept.
        OutcomeUnknown: all of `data` was written, but neither made durable nor taken back.
    """
    ours = whole = False
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.lseek(descriptor, 0, os.SEEK_END) != size:
                raise StoreWriteFailed(
                    f"{str(path)!r} was changed by somebody else while this process wrote to it. "
                    "Nothing was kept. Let only one process write, then repeat."
                )
            ours = True
            _write(descriptor, data)
            whole = True
            os.fsync(descriptor)
            if size == 0:  # the file may be new; one that is not in its folder is not durable
                _sync_folder(path.parent)
        except BaseException as error:
            # After a failed fsync the kernel may have dropped the pages: never keep such a record.
            # Of half a record nothing need be taken back: its checksum gives it away.
            if ours and not _take_back(descriptor, size) and whole:
                raise OutcomeUnknown(
                    f"Could not write {str(path)!r} ({error!r}), and could not take it back "
                    "either. Check the disk, then repeat; what was done is not done twice."
                ) from error
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise failure(path, len(data), error) from error
    return size + len(data)


def replace(path: Path, *parts: bytes) -> None:
    """Put a whole new file in the place of `path`: readers see the old one or the new one.

    Raises:
        StoreWriteFailed: the old file is there, or the new one, never a mixture.
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
        with suppress(OSError):  # a draft that stays is swept away by the next writer
            draft.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the drafts of writers that were killed. Only for the one who holds the lock."""
    for draft in folder.glob(".*.tmp"):
        with suppress(OSError):
            draft.unlink()


def set_aside(path: Path, *, keep: bool = False) -> str:
    """Give a damaged file another name, durably; with `keep` it stays under its own name too.

    Raises:
        StoreWriteFailed: the file is where it was.
    """
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        if keep:
            os.link(path, aside)
        else:
            os.rename(path, aside)
        _sync_folder(path.parent)
    except OSError as error:
        if not keep or error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
            raise failure(aside, 0, error) from error
        replace(aside, path.read_bytes())  # a file system without second names
    return str(aside)


def remove(path: Path) -> None:
    """Remove a file that can be made again.

    Raises:
        StoreWriteFailed: it is still there.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise failure(path, 0, error) from error


def make_folder(path: Path) -> None:
    """Create a folder for one user's data, durably.

    Raises:
        StoreWriteFailed: it cannot be created.
    """
    try:
        fresh = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in fresh:
            _sync_folder(folder.parent)
    except OSError as error:
        raise failure(path, 0, error) from error


def settle(path: Path, size: int) -> None:
    """Cut a file to `size` bytes and make all of it durable, whoever wrote it.

    Raises:
        StoreWriteFailed: it could not be cut or made durable.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
        try:
            if os.fstat(descriptor).st_size > size:
                os.ftruncate(descriptor, size)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _sync_folder(path.parent)
    except OSError as error:
        raise failure(path, 0, error) from error


def mark(path: Path) -> tuple[int, int, int] | None:
    """What tells whether a file was written since it was last looked at; None: there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def name_of(text: str) -> str:
    """A short name for a text, which no other has."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


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


def _take_back(descriptor: int, size: int) -> bool:
    try:
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    except OSError:
        return False
    return True


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
