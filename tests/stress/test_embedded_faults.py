"""Every storage call failing in turn, once and for ever, while the writer goes on."""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.registry.errors import OutcomeUnknown, StoreError, StoreWriteFailed
from spm.registry.store import embedded_store
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.vector_files import VectorFiles
from tests.data.workers import workload
from tests.support.campaigns import size

CALLS = ("open", "write", "pwrite", "fsync", "replace", "ftruncate", "link", "rename", "unlink")
DONE = 6  # operations in the store before the fault
# In a sample every mode of failing strikes other calls, so that each call fails in some mode.
STEP = 6 // size("fault_modes")


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: the faults are injected, the disk is not needed."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)


@dataclass
class Faults:
    """Fails storage call number `at`, or all from there on; counts them."""

    at: int
    code: int
    for_ever: bool
    half: bool = False
    seen: list[str] = field(default_factory=list)

    @property
    def struck(self) -> bool:
        return len(self.seen) >= self.at

    def wrap(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            if name == "open" and not given[1] & (os.O_CREAT | os.O_RDWR | os.O_WRONLY):
                return real(*given, **more)  # a reading one
            self.seen.append(name)
            number = len(self.seen)
            if number == self.at or (self.for_ever and number > self.at):
                if self.half and name == "write":
                    real(given[0], bytes(given[1])[: len(given[1]) // 2])
                raise OSError(self.code, os.strerror(self.code))
            return real(*given, **more)

        return call


@contextmanager
def failing(faults: Faults) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, faults.wrap(name, getattr(os, name)))
        yield


def put_vectors(store: EmbeddedStore) -> None:
    ids = [row["id"] for row in store.read("vectors/tool_texts")]
    vectors = np.eye(len(ids), 8, dtype=np.float32)
    store.put_vectors("tool", ids, ["t"] * len(ids), ["d"] * len(ids), vectors, "encoder")


@dataclass(frozen=True)
class Case:
    """One operation under test: how the store is made, what is done, what it adds."""

    before: int
    act: Callable[[EmbeddedStore], object]
    adds: int = 1
    held: bool = False  # the store object already holds the lock and a graph


def close(store: EmbeddedStore) -> None:
    store.close()


CASES = {
    "first register": Case(0, lambda s: workload.perform(s, 0)),
    "second register": Case(4, lambda s: workload.perform(s, 4)),
    "register in a session": Case(4, lambda s: workload.perform(s, 4), held=True),
    "import": Case(5, lambda s: workload.perform(s, 5)),
    "remove": Case(7, lambda s: workload.perform(s, 7), held=True),
    "write with graph file": Case(6, lambda s: workload.perform(s, 6), held=True),
    "close": Case(6, close, adds=0, held=True),
}
MODES = {
    "EIO once": (errno.EIO, False, False),
    "ENOSPC once": (errno.ENOSPC, False, False),
    "EIO for ever": (errno.EIO, True, False),
    "ENOSPC for ever": (errno.ENOSPC, True, False),
    "half a write, once": (errno.ENOSPC, False, True),
    "half a write, for ever": (errno.EIO, True, True),
}


def first(mode: str) -> int:
    return 1 + list(MODES).index(mode) % STEP


TALLY = {"points": 0, "errors": 0, "unknown": 0, "quiet": 0}


def prepared(folder: Path, case: Case) -> EmbeddedStore:
    if case.before:
        workload.fill(folder, case.before - 1)
        store = EmbeddedStore(folder)
        workload.perform(store, case.before - 1)
        if case.held:
            return store
        store.close()
    return EmbeddedStore(folder)


@pytest.mark.campaign
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_every_storage_call_fails_in_turn(
    name: str, mode: str, quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    if name == "write with graph file":
        monkeypatch.setattr(embedded_store, "CHECKPOINT_BYTES", 0)
    for at in range(first(mode), 200, STEP):
        folder = quick / str(at)
        store = prepared(folder, case)
        faults = Faults(at, *MODES[mode])
        error = attempt(faults, store, case)
        if not faults.struck:
            assert error is None
            break
        TALLY["points"] += 1
        check_outcome(folder, store, case, error)
        shutil.rmtree(folder)
    else:
        pytest.fail("never completed")
    assert at > 1


def attempt(faults: Faults, store: EmbeddedStore, case: Case) -> StoreError | None:
    with failing(faults):
        try:
            case.act(store)
        except (StoreWriteFailed, OutcomeUnknown) as error:  # anything else fails the test
            return error
    return None


def check_outcome(folder: Path, store: EmbeddedStore, case: Case, error: StoreError | None) -> None:
    before, after = case.before, case.before + case.adds
    if error is None:
        TALLY["quiet"] += 1  # the call did not matter: the lock's name, the graph file
        low = high = after
    elif isinstance(error, OutcomeUnknown):
        TALLY["unknown"] += 1
        low, high = before, after
    else:
        TALLY["errors"] += 1
        low = high = before
    there = workload.verify(folder, low, high)
    assert workload.done(workload.dump(store)) == there  # the same object says the same
    # The writer goes on: the same object, as if it had been opened again.
    for number in range(there, there + 3):
        workload.perform(store, number)
    store.close()
    workload.verify(folder, there + 3, there + 3)
    assert not list(folder.glob(".*.tmp"))


@pytest.mark.campaign
@pytest.mark.parametrize("mode", MODES)
def test_every_storage_call_of_put_vectors_fails_in_turn(mode: str, quick: Path) -> None:
    for at in range(first(mode), 200, STEP):
        folder = quick / str(at)
        store = workload.fill(folder, 4)
        faults = Faults(at, *MODES[mode])
        error = attempt(faults, store, Case(4, put_vectors))
        if not faults.struck:
            assert error is None
            break
        TALLY["points"] += 1
        TALLY["errors" if error else "quiet"] += 1
        vectors = VectorFiles(folder)
        assert not vectors.verify()
        found = EmbeddedStore(folder).read("state/registry")[0]
        # All or none of them, and never vectors of which nobody knows the encoder.
        assert len(vectors.encoded("tool")) in (0, 4)
        assert not vectors.encoded("tool") or found["encoder"] == "encoder"
        put_vectors(store)
        assert len(store.encoded("tool")) == 4
        workload.perform(store, 4)
        store.close()
        assert all(finding.ok for finding in EmbeddedStore(folder).check())
        assert [path.suffix for path in folder.glob("*.npy")] == [".npy"]
    else:
        pytest.fail("never completed")
    assert at > 8


def rot(path: Path, at: int = -40) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def rot_graph(folder: Path) -> None:
    rot(folder / "graph.spm")


def rot_journal(folder: Path) -> None:
    rot(folder / "journal.spm", 3_000)


def rot_journal_and_vectors(folder: Path) -> None:
    rot_journal(folder)
    rot(folder / "vectors.json")


@pytest.mark.campaign
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("damage", [rot_graph, rot_journal, rot_journal_and_vectors])
def test_every_storage_call_of_a_repair_fails_in_turn(
    damage: Callable[[Path], None], mode: str, quick: Path
) -> None:
    """Compound fault (R7). The graph file is older than the journal: the tail counts too."""
    made = quick / "made"
    store = workload.fill(made, DONE - 2, close=False)
    put_vectors(store)
    store.close()
    behind(made)
    revision = workload.revision(workload.content(made))
    damage(made)
    for at in range(first(mode), 200, STEP):
        folder = Path(shutil.copytree(made, quick / str(at)))
        store = EmbeddedStore(folder)
        faults = Faults(at, *MODES[mode])
        error = attempt(faults, store, Case(0, lambda s: s.repair(accept_loss=False)))
        if not faults.struck:
            assert error is None
            break
        TALLY["points"] += 1
        TALLY["errors" if error else "quiet"] += 1
        store.repair(accept_loss=False)
        found = workload.content(folder)
        assert workload.revision(found) == revision
        assert found["tools"] == workload.expected(DONE)["tools"]
        assert found["steps"] == workload.expected(DONE)["steps"]
        workload.perform(store, DONE)
        store.close()
        assert workload.content(folder)["tools"] == workload.expected(DONE + 1)["tools"]
        assert all(finding.ok for finding in EmbeddedStore(folder).check())
        shutil.rmtree(folder)
    else:
        pytest.fail("never completed")
    assert at > 3


def behind(folder: Path) -> None:
    """Two more operations that the graph file does not have."""
    first = EmbeddedStore(folder)
    workload.perform(first, DONE - 2)
    first.close()
    kept = (folder / "graph.spm").read_bytes()
    second = EmbeddedStore(folder)
    workload.perform(second, DONE - 1)
    second.close()
    (folder / "graph.spm").write_bytes(kept)


def test_a_repair_that_is_cut_short_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New journal written, graph file not: the old graph file must not pass for the truth."""
    workload.fill(tmp_path, DONE - 2)
    behind(tmp_path)
    rot_journal(tmp_path)
    assert not EmbeddedStore(tmp_path).check()[0].ok
    cut = EmbeddedStore(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("spm.registry.store.checkpoint.write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cut.repair(accept_loss=False)
    assert workload.content(tmp_path) == workload.expected(DONE)
    assert all(finding.ok for finding in EmbeddedStore(tmp_path).check())
    workload.perform(cut, DONE)
    cut.repair(accept_loss=False)
    assert workload.content(tmp_path) == workload.expected(DONE + 1)


def interrupted(*given: object) -> None:
    raise KeyboardInterrupt


def test_a_failed_fsync_that_cannot_be_taken_back_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes are in the file: to say that nothing was kept would be a lie."""
    store = workload.fill(tmp_path, 2, close=False)
    with monkeypatch.context() as patch:
        for name in ("fsync", "ftruncate"):
            patch.setattr(os, name, broken)
        with pytest.raises(OutcomeUnknown, match="repeat"):
            workload.perform(store, 2)
    assert workload.verify(tmp_path, 2, 3) == 3
    workload.perform(store, 2)  # repeating is safe: it is recognised
    assert workload.verify(tmp_path, 3, 3)


def broken(*given: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_what_a_killed_writer_left_is_made_durable_before_it_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between write and fsync: the record may be in memory only; a repeat says "done"."""
    store = EmbeddedStore(tmp_path)
    answer = store.write("test", lambda tx: {"answer": 1}, "operation-1")
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    store._lock.release()  # as the kernel does
    monkeypatch.setattr(os, "fsync", fsync)
    other = EmbeddedStore(tmp_path)
    assert other.write("test", lambda tx: {"answer": 2}, "operation-1") == answer
    assert str(tmp_path / "journal.spm") in synced


def test_a_journal_that_somebody_else_wrote_to_is_not_overwritten(tmp_path: Path) -> None:
    """For instance after a lock file was deleted by hand."""
    first = workload.fill(tmp_path, 2, close=False)
    (tmp_path / "lock").unlink()
    second = EmbeddedStore(tmp_path)
    workload.perform(second, 2)
    with pytest.raises(StoreWriteFailed, match="somebody else"):
        workload.perform(first, 2)
    workload.verify(tmp_path, 3, 3)
    second.close()
    workload.perform(first, 3)
    first.close()
    workload.verify(tmp_path, 4, 4)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_messages_say_what_to_do(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workload.fill(tmp_path, 1, close=False)

    def refuse(*given: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "write", refuse)
    wanted = {errno.ENOSPC: r"[\d,]+ bytes were needed, [\d,]+ are free"}.get(code, "--store")
    with pytest.raises(StoreWriteFailed, match=wanted) as caught:
        workload.perform(store, 1)
    assert "Nothing was kept" in str(caught.value)
    assert caught.value.exit_code == 3


def test_say_how_many(
    capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    """The figures of the tests above."""
    for name, figure in TALLY.items():
        record_property(name, figure)
    with capsys.disabled():
        print(
            "\nfailing storage calls, embedded store: {points} points, {errors} reported, "
            "{unknown} outcome unknown, {quiet} without effect".format(**TALLY)
        )
    # Every point ends in one of the three; what was lost or partial has failed above.
    assert TALLY["points"] == TALLY["errors"] + TALLY["unknown"] + TALLY["quiet"]
