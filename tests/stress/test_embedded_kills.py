"""Writers that are killed or interrupted at random moments: nothing lost, nothing half there."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spm.registry.store import checkpoint
from spm.registry.store.embedded_store import EmbeddedStore
from tests.data.workers import workload
from tests.data.workers.forker import ROOT, Forker
from tests.support.campaigns import size

KILLS, INTERRUPTS = size("embedded_kills"), size("embedded_interrupts")
COLD = size("embedded_cold_kills")
PER_STORE = 12

Report = Callable[..., None]


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    with Forker() as started:
        yield started


@pytest.fixture
def report(
    capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> Report:
    """Say the figures also when the test passes: a zero means nothing without its N."""

    def say(what: str, **figures: object) -> None:
        for name, figure in figures.items():
            record_property(name, figure)
        with capsys.disabled():
            print(f"\n{what}: " + ", ".join(f"{v} {k}" for k, v in figures.items()))

    return say


@pytest.mark.campaign
def test_kill_9_at_random_moments_loses_nothing(
    forker: Forker, tmp_path: Path, report: Report
) -> None:
    chance = random.Random(1)
    acknowledged = unacknowledged = torn = drafts = behind = 0
    begun = time.monotonic()
    for number in range(KILLS):
        folder = tmp_path / f"store-{number // PER_STORE}"
        before = workload.verify(folder, 0, 10_000) if folder.exists() else 0
        forker.begin("write", folder, before, 10_000)
        # After so many answers, however busy the machine is, and then a moment more.
        heard = [forker.hear() for _ in range(chance.choice((0, 1, 2, 3, 4, 5, 6, 7)))]
        time.sleep(chance.uniform(0, 0.03))
        forker.signal(signal.SIGKILL)
        acks = [words for words in heard + hear_out(forker) if words[0] == "ack"]
        assert [int(w[1]) for w in acks] == list(range(before, before + len(acks)))
        torn += has_torn_tail(folder)
        drafts += any(folder.glob(".*.tmp"))
        after = workload.verify(folder, before + len(acks), before + len(acks) + 1)
        acknowledged += len(acks)
        unacknowledged += after - before - len(acks)
        behind += graph_is_behind(folder, after)
    assert acknowledged > KILLS  # the kills hit writers at work
    assert torn or KILLS < 100  # and also the middle of a record
    report(
        "kill -9, embedded store",
        kills=KILLS,
        acknowledged=acknowledged,
        lost=0,
        partial=0,
        refused_to_open=0,
        whole_though_not_acknowledged=unacknowledged,
        torn_tails=torn,
        drafts_left=drafts,
        graph_files_behind=behind,
        seconds=round(time.monotonic() - begun, 1),
    )


def hear_out(forker: Forker) -> list[list[str]]:
    heard = [forker.hear()]
    while heard[-1][0] != "end":
        assert heard[-1][0] != "error", heard
        heard.append(forker.hear())
    assert heard[-1] == ["end", str(signal.SIGKILL.value)]
    return heard


def has_torn_tail(folder: Path) -> bool:
    store = EmbeddedStore(folder)
    end = max((entry.after.offset for entry in store.journal.entries()), default=0)
    return store.journal.size() > end


def graph_is_behind(folder: Path, count: int) -> bool:
    found = checkpoint.read(folder / "graph.spm")
    return found is not None and found[0].seq < count + 1


def test_drafts_of_killed_writers_are_swept_away(tmp_path: Path) -> None:
    workload.fill(tmp_path, 2)
    draft = tmp_path / ".graph.spm.12345.tmp"
    draft.write_bytes(b"half a graph")
    workload.content(tmp_path)
    assert draft.exists()  # a reader touches nothing
    store = EmbeddedStore(tmp_path)
    workload.perform(store, 2)
    assert not draft.exists()


@pytest.mark.campaign
def test_kill_9_of_processes_started_cold(tmp_path: Path, report: Report) -> None:
    """The same with whole interpreters, not forks: kills hit imports, locks and first writes."""
    chance = random.Random(2)
    told = tmp_path / "told"
    acknowledged = before = 0
    for number in range(COLD):
        line = json.dumps(["write", str(tmp_path / "store"), before, 10_000])
        with (
            told.open("wb") as file,
            subprocess.Popen(
                [sys.executable, "-m", "tests.data.workers.writer"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=file,
                start_new_session=True,
            ) as process,
        ):
            assert process.stdin is not None
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            deadline = time.monotonic() + 20
            while number % 2 and b"ack" not in told.read_bytes() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 0.1) if number % 2 else chance.uniform(0.2, 0.8))
            os.killpg(process.pid, signal.SIGKILL)
        acks = told.read_bytes().count(b"ack ")
        before = workload.verify(tmp_path / "store", before + acks, before + acks + 1)
        acknowledged += acks
    report("kill -9, cold start", kills=COLD, acknowledged=acknowledged, lost=0, partial=0)


@pytest.mark.campaign
def test_ctrl_c_at_random_moments(forker: Forker, tmp_path: Path, report: Report) -> None:
    chance = random.Random(3)
    whole = acknowledged = 0
    for number in range(INTERRUPTS):
        folder = tmp_path / f"store-{number // PER_STORE}"
        before = workload.verify(folder, 0, 10_000) if folder.exists() else 0
        forker.begin("interrupt", folder, before, 3)
        heard = forker.until("ready") + [forker.hear() for _ in range(chance.randrange(5))]
        time.sleep(chance.uniform(0, 0.03))
        forker.signal(signal.SIGINT)
        heard += forker.until("closed")
        [place] = [i for i, words in enumerate(heard) if words[0] == "interrupted"]
        acks = [int(words[1]) for words in heard[:place] if words[0] == "ack"]
        # One more than acknowledged: complete, the interrupt came before the answer.
        there = int(heard[place][1])
        assert before + len(acks) <= there <= before + len(acks) + 1
        whole += there - before - len(acks)
        assert [int(w[1]) for w in heard[place:] if w[0] == "ack"] == [there, there + 1, there + 2]
        assert forker.hear() == ["end", "0"]
        assert workload.verify(folder, there + 3, there + 3)
        acknowledged += len(acks) + 3
    report(
        "Ctrl-C, embedded store",
        interrupts=INTERRUPTS,
        acknowledged=acknowledged,
        lost=0,
        partial=0,
        went_on_working=INTERRUPTS,
        whole_though_not_acknowledged=whole,
    )


@pytest.mark.parametrize("where", ["before fsync", "after fsync", "second Ctrl-C in the undoing"])
def test_ctrl_c_exactly_there(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = workload.fill(tmp_path, 3, close=False)
    real, calls = os.fsync, 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if where == "after fsync":
            real(descriptor)
        if calls == 1 or where.startswith("second"):
            raise KeyboardInterrupt
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(KeyboardInterrupt):
        workload.perform(store, 3)
    monkeypatch.undo()
    assert workload.verify(tmp_path, 3, 3) == 3
    workload.perform(store, 3)
    workload.perform(store, 4)
    store.close()
    workload.verify(tmp_path, 5, 5)


@pytest.mark.parametrize("spot", ["append", "commit"])
def test_ctrl_c_between_journal_and_acknowledgement(
    spot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is durable, the graph in memory may not have it: the next write must not clash."""
    from spm.registry.store import embedded_store

    store = workload.fill(tmp_path, 3, close=False)
    owner, name = (
        (store.journal, "append") if spot == "append" else (embedded_store._Recorder, "commit")
    )
    real = getattr(owner, name)

    def interrupted(*given: object) -> None:
        real(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        workload.perform(store, 3)
    monkeypatch.undo()
    assert workload.done(workload.dump(store)) == 4  # complete
    for number in range(4, 8):
        workload.perform(store, number)
    store.close()
    workload.verify(tmp_path, 8, 8)


def test_ctrl_c_while_the_graph_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workload.fill(tmp_path, 3, close=False)

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.close()
    monkeypatch.undo()
    assert not list(tmp_path.glob(".*.tmp"))
    other = EmbeddedStore(tmp_path)  # the lock is free
    workload.perform(other, 3)
    other.close()
    workload.verify(tmp_path, 4, 4)
