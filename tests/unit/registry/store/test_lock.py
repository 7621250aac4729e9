import errno
import fcntl
import os
from pathlib import Path

import pytest

from spm.registry.errors import StoreLocked, StoreWriteFailed
from spm.registry.store.lock import WriterLock


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    one, other = WriterLock(tmp_path / "store"), WriterLock(tmp_path / "store")
    one.acquire()
    one.acquire()  # again is no matter
    assert one.held
    with pytest.raises(StoreLocked, match=f"process {os.getpid()}") as caught:
        other.acquire()
    assert caught.value.holder == f"process {os.getpid()}"
    assert not other.held
    one.release()
    one.release()
    other.acquire()
    assert not one.held
    other.release()


def test_an_unreadable_name_does_not_matter(tmp_path: Path) -> None:
    one, other = WriterLock(tmp_path), WriterLock(tmp_path)
    (tmp_path / "lock").write_bytes(b"\xff" * 100)
    one.acquire()
    for name, said in ((b"", "another process"), (b"\xff\n", "\ufffd")):
        (tmp_path / "lock").write_bytes(name)
        with pytest.raises(StoreLocked, match=said):
            other.acquire()
    one.release()


def test_a_full_disk_does_not_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pwrite", broken)
    held = WriterLock(tmp_path)
    held.acquire()
    assert held.held
    held.release()


def broken(*given: object) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def test_a_file_system_without_locks_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(StoreWriteFailed, match="No locks available"):
        WriterLock(tmp_path).acquire()
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_interrupt_does_not_leave_it_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WriterLock(tmp_path).acquire()
    free = WriterLock(tmp_path)
    free.acquire()
    free.release()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreWriteFailed):
        WriterLock(tmp_path / "file" / "store").acquire()
    (tmp_path / "store" / "lock").mkdir(parents=True)
    with pytest.raises(StoreWriteFailed):
        WriterLock(tmp_path / "store").acquire()
