"""Recovery without an engine: the "graph" is the list of operations it was made of."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.errors import StoreDamaged
from spm.registry.store import checkpoint, recovery
from spm.registry.store.journal import Journal, Position, record
from spm.registry.store.vector_files import VectorFiles


class Folder:
    """Journal, graph file and vectors in one folder, with a rebuild that anyone can follow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal(path / "journal.spm")
        self.graph_file = path / "graph.spm"
        self.vectors = VectorFiles(path)

    def rebuild(self, start: bytes | None, entries: Sequence[dict[str, Any]]) -> bytes:
        built: list[int] = json.loads(start) if start else []
        for body in entries:
            if body["kind"] == "base":
                built = json.loads(recovery.read_base(self.path, body))
            elif body["n"] < 0:
                raise StoreDamaged("cannot be replayed")
            else:
                built.append(body["n"])
        return json.dumps(built).encode()

    def write(self, *numbers: int, graph_at: int | None = None) -> None:
        position, lines = Position(), []
        for i, number in enumerate(numbers):
            line, position = record(position, {"kind": "x", "n": number})
            lines.append(line)
            if graph_at == i + 1:
                data = json.dumps(numbers[: i + 1]).encode()
                checkpoint.write(self.graph_file, position, data)
        self.journal.path.write_bytes(b"".join(lines))

    def rot(self, place: int) -> None:
        data = bytearray(self.journal.path.read_bytes())
        data[place] ^= 2
        self.journal.path.write_bytes(data)

    def repair(self, *, accept_loss: bool = False) -> list[str]:
        return recovery.repair(
            self.journal, self.graph_file, self.vectors, self.rebuild, accept_loss=accept_loss
        )

    def ok(self) -> bool:
        found = recovery.check(self.journal, self.graph_file, self.vectors, self.rebuild)
        return all(finding.ok for finding in found)

    def state(self) -> list[int]:
        bodies = [entry.body for entry in self.journal.entries()]
        built: list[int] = json.loads(self.rebuild(None, bodies))
        found = checkpoint.read(self.graph_file)
        assert found
        assert json.loads(found[1]) == built
        assert self.ok()
        return built


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_damaged_journal_under_a_graph_file_that_is_behind(folder: Folder) -> None:
    folder.write(1, 2, 3, 4, 5, graph_at=3)
    rotten = len(folder.journal.path.read_bytes()) // 5 + 60
    folder.rot(rotten)
    assert not folder.ok()
    damaged = folder.journal.path.read_bytes()
    done = folder.repair()
    assert folder.state() == [1, 2, 3, 4, 5]
    assert "nothing acknowledged is lost" in done[0]
    assert (folder.path / "journal.spm.damaged-1").read_bytes() == damaged


def test_damage_after_the_graph_file_needs_consent(folder: Folder) -> None:
    folder.write(1, 2, 3, 4, 5, graph_at=2)
    folder.rot(len(folder.journal.path.read_bytes()) * 4 // 5 - 10)  # in the fourth
    with pytest.raises(StoreDamaged, match=r"after operation 3 is unreadable.*--accept-loss"):
        folder.repair()
    assert not list(folder.path.glob("*.damaged-*"))
    folder.repair(accept_loss=True)
    assert folder.state() == [1, 2, 3]


def test_a_journal_cut_below_the_graph_file(folder: Folder) -> None:
    folder.write(1, 2, 3, graph_at=3)
    data = folder.journal.path.read_bytes()
    folder.journal.path.write_bytes(data[: len(data) // 2])
    assert not folder.ok()
    done = folder.repair()
    assert "whether there was more cannot be told" in done[0]
    assert folder.state() == [1, 2, 3]


def test_a_torn_tail_is_cut(folder: Folder) -> None:
    folder.write(1, 2, 3)
    folder.journal.path.write_bytes(folder.journal.path.read_bytes()[:-5])
    assert folder.ok()
    assert folder.repair()[0] == "cut off a write that was never acknowledged"
    assert folder.state() == [1, 2]


def test_an_operation_that_does_not_replay(folder: Folder) -> None:
    folder.write(1, 2, -3, 4, 5)
    assert not folder.ok()
    with pytest.raises(StoreDamaged, match="--accept-loss"):
        folder.repair()
    folder.repair(accept_loss=True)
    assert folder.state() == [1, 2]


def test_a_repair_can_be_repeated_and_repaired(folder: Folder) -> None:
    """Each time from a base file, and the journal goes on after it."""
    numbers = [1, 2, 3]
    folder.write(*numbers, graph_at=3)
    for n in range(4, 8):
        folder.rot(60)
        folder.repair()
        assert folder.state() == numbers
        position = [entry.after for entry in folder.journal.entries()][-1]
        after = folder.journal.append(position, {"kind": "x", "n": n})
        numbers.append(n)
        checkpoint.write(folder.graph_file, after, json.dumps(numbers).encode())
        assert folder.state() == numbers
    assert len(list(folder.path.glob("journal.spm.damaged-*"))) == 4


def test_a_graph_file_of_before_the_repair_is_no_witness(folder: Folder) -> None:
    folder.write(1, 2, 3, 4, graph_at=2)
    old = folder.graph_file.read_bytes()
    folder.rot(60)
    folder.repair()
    folder.graph_file.write_bytes(old)  # killed before it was replaced
    assert folder.ok()
    folder.repair()
    assert folder.state() == [1, 2, 3, 4]


def test_read_base_stays_in_its_folder(folder: Folder) -> None:
    (folder.path / "inner").mkdir()
    (folder.path / "secret").write_bytes(b"x")
    with pytest.raises(StoreDamaged):
        recovery.read_base(folder.path / "inner", {"file": "../secret", "sha256": ""})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    count=st.integers(1, 6),
    graph_at=st.integers(0, 6),
    places=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    cut=st.booleans(),
)
def test_whatever_happens_to_the_journal_a_prefix_comes_back(
    tmp_path: Path, count: int, graph_at: int, places: list[int], cut: bool
) -> None:
    """And never less than the graph file has."""
    for path in tmp_path.iterdir():
        path.unlink()
    folder = Folder(tmp_path)
    numbers = list(range(1, count + 1))
    folder.write(*numbers, graph_at=graph_at)
    for place in places:
        folder.rot(place % folder.journal.size())
    if cut:
        data = folder.journal.path.read_bytes()
        folder.journal.path.write_bytes(data[: places[0] % len(data)])
    folder.repair(accept_loss=True)
    found = folder.state()
    assert found == numbers[: len(found)]
    assert len(found) >= (graph_at if graph_at <= count else 0)
