"""One writer at a time, readers beside it, full disks: with real processes."""

import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spm.registry.errors import StoreLocked
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.journal import Journal
from tests.data.workers import workload
from tests.data.workers.forker import Forker
from tests.support.campaigns import size

RACES, EACH = size("embedded_races"), 3
TAKEOVERS = size("embedded_takeovers")
SIZES = (3_000, 9_000, 15_000, 30_000, 60_000, 100_000)
DISKS = (16_384, 65_536, 262_144)


@pytest.fixture(scope="module")
def forkers() -> Iterator[tuple[Forker, Forker]]:
    with Forker() as one, Forker() as other:
        yield one, other


def test_a_second_writer_is_refused_at_once(forkers: tuple[Forker, Forker], tmp_path: Path) -> None:
    holder, second = forkers
    holder.begin("hold", tmp_path, 0, 3)
    holder.until("holding")
    begun = time.monotonic()
    [said, _] = second.run("try_once", tmp_path, 3)
    assert time.monotonic() - begun < 60  # and not for as long as it is held
    assert said[0] == "locked"
    assert f"process {holder.pid}" in " ".join(said)
    # In this process too, and a repair is a writer.
    store = EmbeddedStore(tmp_path)
    begun = time.monotonic()
    for write in (lambda: workload.perform(store, 3), lambda: store.repair(accept_loss=False)):
        with pytest.raises(StoreLocked, match=f"process {holder.pid}"):
            write()
    assert time.monotonic() - begun < 60  # and not for as long as it is held
    # A reader is not held up, and sees what was acknowledged.
    assert workload.content(tmp_path) == workload.expected(3)
    assert all(finding.ok for finding in store.check())
    holder.signal(signal.SIGKILL)
    holder.until("end")
    workload.perform(store, 3)  # the same object that was refused
    store.close()
    workload.verify(tmp_path, 4, 4)


@pytest.mark.campaign
def test_the_lock_of_a_killed_holder_is_taken_over(
    forkers: tuple[Forker, Forker], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holder, second = forkers
    count = 0
    for _ in range(TAKEOVERS):
        holder.begin("hold", tmp_path, count, 1)
        holder.until("holding")
        assert second.run("try_once", tmp_path, count + 1)[0][0] == "locked"
        holder.signal(signal.SIGKILL)
        holder.until("end")
        assert second.run("try_once", tmp_path, count + 1)[0] == ["written"]
        count += 2
        workload.verify(tmp_path, count, count)
    with capsys.disabled():
        print(f"\nlocks of killed holders: {TAKEOVERS} taken over, 0 stuck, {TAKEOVERS} refused")


@pytest.mark.campaign
def test_two_writers_race(
    forkers: tuple[Forker, Forker],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    refusals = 0
    heard: dict[int, list[list[str]]] = {}

    def run(side: int, folder: Path, number: int) -> None:
        heard[side] = forkers[side].run("race", folder, 2 * number + side, EACH)

    for number in range(RACES):
        folder = tmp_path / f"store-{number % 4}"
        threads = [threading.Thread(target=run, args=(side, folder, number)) for side in (0, 1)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):  # a reader beside them
            found = workload.content(folder)
            assert len(found["tools"]) == 2 * len(found["services"])
        for side in (0, 1):
            words = [w[0] for w in heard[side]]
            assert words.count("ack") == EACH
            assert heard[side][-1] == ["end", "0"]
            refusals += words.count("locked")
        found = workload.content(folder)
        rounds = range(number % 4, number + 1, 4)
        wanted = {f"r{2 * r + s}x{i}" for r in rounds for s in (0, 1) for i in range(EACH)}
        assert {row[0] for row in found["services"]} == wanted
        records = sum(1 for _ in Journal(folder / "journal.spm").entries())
        assert records == workload.revision(found) == 1 + len(wanted)
        assert all(finding.ok for finding in EmbeddedStore(folder).check())
    record_property("races", RACES)
    with capsys.disabled():
        print(
            f"\ntwo writers: {RACES} races, {2 * RACES * EACH} acknowledged, "
            f"{refusals} refusals, 0 lost, 0 doubled, 0 stuck"
        )


def test_a_reader_sees_acknowledged_writes_on_opening_again(tmp_path: Path) -> None:
    writer = EmbeddedStore(tmp_path)
    early = EmbeddedStore(tmp_path)
    assert not early.read("tools/names")
    for number in range(4):
        workload.perform(writer, number)
        assert workload.content(tmp_path) == workload.expected(number + 1)
    assert not early.read("tools/names")  # a reader keeps what it opened
    writer.close()
    # As soon as it writes it takes in what the others wrote.
    workload.perform(early, 4)
    early.close()
    workload.verify(tmp_path, 5, 5)


def test_a_reader_that_saw_what_was_taken_back(tmp_path: Path) -> None:
    """It read a record that was not durable yet and then vanished; a like one took its place."""
    workload.fill(tmp_path, 2)
    kept = (tmp_path / "journal.spm").read_bytes()
    writer = EmbeddedStore(tmp_path)
    writer.write("one", lambda tx: {"answer": "a"}, "operation-1")
    writer._lock.release()
    reader = EmbeddedStore(tmp_path)
    assert workload.revision(workload.dump(reader)) == 4
    (tmp_path / "journal.spm").write_bytes(kept)
    other = EmbeddedStore(tmp_path)
    other.write("one", lambda tx: {"answer": "b"}, "operation-2")
    other.close()
    reader.write("one", lambda tx: {"answer": "c"}, "operation-3")
    reader.close()
    found = workload.content(tmp_path)
    assert workload.revision(found) == 5
    assert all(finding.ok for finding in EmbeddedStore(tmp_path).check())
    again = EmbeddedStore(tmp_path)
    answers = [again.write("one", lambda tx: None, f"operation-{number}") for number in (1, 2, 3)]
    assert answers == [None, {"answer": "b", "revision": 4}, {"answer": "c", "revision": 5}]


@pytest.mark.parametrize("size", SIZES)
def test_a_full_disk_by_limit(size: int, forkers: tuple[Forker, Forker], tmp_path: Path) -> None:
    check_full(forkers[0].run("limited", tmp_path / "store", 0, size))


@pytest.mark.parametrize("size", DISKS)
def test_a_full_disk_for_real(size: int, tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("no unshare here")
    try:
        with Forker("unshare", "--mount") as forker:
            heard = forker.run("mounted", tmp_path / "disk", 0, size)
    except (AssertionError, BrokenPipeError) as error:
        if "Operation not permitted" in str(error) or "end of the forker" in str(error):
            pytest.skip(f"no private mounts here: {error}")
        raise
    check_full(heard)


def check_full(heard: list[list[str]]) -> None:
    said = {words[0]: words[1:] for words in heard}
    count = int(said["full"][0])
    assert said["full"][1] == "StoreWriteFailed"
    message = " ".join(said["full"][2:])
    assert re.search(r"[\d,]+ bytes were needed, [\d,]+ are free\. Free some space", message)
    assert said["read"] == [str(count)]  # reads go on while it is full
    assert said["reopened"] == [str(count)]
    assert said["again"] in (["StoreWriteFailed"], ["written"])
    assert said["resumed"] == [str(count + 5)]
    assert said["end"] == ["0"]
