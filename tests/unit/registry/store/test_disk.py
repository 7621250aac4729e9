import errno
import os
import stat
from pathlib import Path

import pytest

from spm.registry.errors import OutcomeUnknown, StoreWriteFailed
from spm.registry.store import disk


def broken(*given: object, **more: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_append(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert disk.append(path, 0, b"one") == 3
    assert disk.append(path, 3, b"two") == 6
    assert path.read_bytes() == b"onetwo"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_append_writes_all_of_it_even_in_short_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:3]))
    disk.append(tmp_path / "file", 0, b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


@pytest.mark.parametrize("call", ["open", "write", "fsync"])
def test_a_failed_append_keeps_nothing(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    disk.append(path, 0, b"one")
    real = getattr(os, call)
    calls: list[int] = []

    def once(*given: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            broken()
        return real(*given)

    monkeypatch.setattr(os, call, once)
    with pytest.raises(StoreWriteFailed, match="Nothing was kept"):
        disk.append(path, 3, b"two")
    assert path.read_bytes() == b"one"


def test_a_whole_record_that_stays_is_not_called_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", broken)
    monkeypatch.setattr(os, "ftruncate", broken)
    with pytest.raises(OutcomeUnknown):
        disk.append(tmp_path / "file", 0, b"one")


def test_half_a_record_that_stays_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def half(descriptor: int, data: bytes) -> int:
        real(descriptor, bytes(data)[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    monkeypatch.setattr(os, "ftruncate", broken)
    with pytest.raises(StoreWriteFailed, match=r"3 bytes were needed, [0-9,]+ are free"):
        disk.append(tmp_path / "file", 0, b"one")


def test_append_refuses_a_file_of_another_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"123456")
    for size in (3, 9):
        with pytest.raises(StoreWriteFailed, match="somebody else"):
            disk.append(path, size, b"x")
    assert path.read_bytes() == b"123456"


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_failed_replacement_leaves_the_old_file(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    disk.replace(path, b"ol", b"d")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, broken)
        with pytest.raises(StoreWriteFailed):
            disk.replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    disk.replace(path, b"n", b"ew")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sweep_takes_drafts_only(tmp_path: Path) -> None:
    for name in (".graph.spm.1.tmp", ".vectors.json.22.tmp", "graph.spm", ".hidden", "a.tmp"):
        (tmp_path / name).write_bytes(b"")
    disk.sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"graph.spm", ".hidden", "a.tmp"}


def test_settle(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"123456")
    disk.settle(path, 9)
    assert path.read_bytes() == b"123456"
    disk.settle(path, 4)
    assert path.read_bytes() == b"1234"
    with pytest.raises(StoreWriteFailed):
        disk.settle(tmp_path / "none", 0)


def test_set_aside_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for number in (1, 2):
        path.write_bytes(b"%d" % number)
        assert disk.set_aside(path) == f"{path}.damaged-{number}"
        assert not path.exists()
    path.write_bytes(b"3")
    aside = Path(disk.set_aside(path, keep=True))
    assert aside.name == "file.damaged-3"
    assert path.read_bytes() == aside.read_bytes() == b"3"
    assert (tmp_path / "file.damaged-1").read_bytes() == b"1"


def test_set_aside_where_files_have_one_name_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    path = tmp_path / "file"
    path.write_bytes(b"1")
    monkeypatch.setattr(os, "link", refuse)
    assert Path(disk.set_aside(path, keep=True)).read_bytes() == b"1"
    assert path.read_bytes() == b"1"


def test_make_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    disk.make_folder(folder)
    disk.make_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreWriteFailed):
        disk.make_folder(tmp_path / "file" / "c")


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "1,234 bytes were needed"),
        (errno.EDQUOT, "1,234 bytes were needed"),
        (errno.EFBIG, "1,234 bytes were needed"),
        (errno.EROFS, "--store"),
        (errno.EACCES, "permissions"),
        (errno.EIO, "Check the disk"),
    ],
)
def test_failure_says_what_to_do(code: int, advice: str, tmp_path: Path) -> None:
    error = disk.failure(tmp_path / "file", 1234, OSError(code, os.strerror(code)))
    assert advice in str(error)
    assert repr(str(tmp_path / "file")) in str(error)
    gone = disk.failure(tmp_path / "no" / "file", 1, OSError(errno.ENOSPC, "full"))
    assert "an unknown number are free" in str(gone)
