"""Files cut and rotten in every place: the right state, or a refusal; never a wrong answer."""

import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from spm.registry.errors import StoreDamaged
from spm.registry.store import checkpoint
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.journal import Journal
from spm.registry.store.vector_files import VectorFiles
from tests.data.workers import workload
from tests.support.campaigns import size

COUNT = 6
BEHIND = 4
PLACES = size("damaged_places")
Files = dict[str, bytes]
Damage = tuple[str, int, int]  # kind, place, what
FULL = workload.expected(COUNT)
VECTOR = np.ones(4, dtype=np.float32)
TALLY: Counter[str] = Counter()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=shared) as made:
        yield Path(made)


def read_all(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def write_all(folder: Path, files: Files) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def with_vectors(folder: Path) -> None:
    ids = [f"s000/t{i}" for i in range(4)]
    rows = np.arange(16, dtype=np.float32).reshape(4, 4)
    VectorFiles(folder).put("tool", ids, ["d"] * 4, rows, set(ids))


def in_step(folder: Path) -> None:
    workload.fill(folder, COUNT)
    with_vectors(folder)


def without_graph_file(folder: Path) -> None:
    in_step(folder)
    (folder / "graph.spm").unlink()


def graph_file_behind(folder: Path) -> None:
    workload.fill(folder, BEHIND)
    kept = (folder / "graph.spm").read_bytes()
    store = EmbeddedStore(folder)
    for number in range(BEHIND, COUNT):
        workload.perform(store, number)
    store.close()
    (folder / "graph.spm").write_bytes(kept)
    with_vectors(folder)


def repaired_before(folder: Path) -> None:
    """A journal that starts from a base file, with one operation after it."""
    workload.fill(folder, COUNT - 1)
    flip(folder / "journal.spm", 3_000, 1)
    EmbeddedStore(folder).repair(accept_loss=False)
    (folder / "journal.spm.damaged-1").unlink()
    store = EmbeddedStore(folder)
    workload.perform(store, COUNT - 1)
    store.close()
    with_vectors(folder)


def flip(path: Path, place: int, bit: int) -> None:
    path.write_bytes(damaged(path.read_bytes(), ("flip", place, 1 << bit)))


LAYOUTS: dict[str, Callable[[Path], None]] = {
    make.__name__: make
    for make in (in_step, without_graph_file, graph_file_behind, repaired_before)
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    layouts = {}
    for name, make in LAYOUTS.items():
        make(folder := tmp_path_factory.mktemp(name))
        layouts[name] = read_all(folder)
    return layouts


def damaged(data: bytes, damage: Damage) -> bytes:
    kind, place, what = damage
    if kind == "cut":
        return data[:place]
    if kind == "zeros":
        return data[:place] + bytes(min(what, len(data) - place)) + data[place + what :]
    changed = bytearray(data)
    changed[place] ^= what
    return bytes(changed)


def damages(data: bytes, chance: random.Random) -> list[Damage]:
    """Random places, and the first and last bytes, where heads and ends are."""
    length = len(data)
    ends = [0, 1, 5, length - 2, length - 1] if PLACES > 1 else [0, length - 1]
    places = [at for at in ends if 0 <= at < length]
    places += [chance.randrange(length) for _ in range(PLACES)]
    flips = [("flip", place, 1 << chance.randrange(8)) for place in places]
    zeros = [
        ("zeros", chance.randrange(length), chance.choice((1, 8, 512)))
        for _ in range(min(4, PLACES))
    ]
    return [("cut", place, 0) for place in places] + flips + zeros


@pytest.mark.campaign
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_damaged_file(layout: str, made: dict[str, Files], folder: Path) -> None:
    files = made[layout]
    chance = random.Random(layout)
    for name, data in sorted(files.items()):
        for damage in damages(data, chance):
            rotten = damaged(data, damage)
            if rotten == data:
                continue
            write_all(folder, {**files, name: rotten})
            outcome = opened(folder)
            TALLY["files"] += 1
            TALLY[outcome] += 1
            if outcome == "prefix":
                assert only_a_torn_tail(folder, files, name, damage), (name, damage)
            if name == "lock":
                assert outcome == "right"
            repair(folder, layout, files, name, rotten)


def opened(folder: Path) -> str:
    """Open twice with one object, and compare everything there is."""
    store = EmbeddedStore(folder)
    try:
        found = workload.dump(store)
        if found != FULL:
            assert found == prefix(found)
            return "prefix"
    except StoreDamaged:
        with pytest.raises(StoreDamaged, match=r"doctor --repair|base file"):  # again and again
            workload.dump(store)
        return "refused"
    try:
        nearest = store.nearest("tool", VECTOR, 2)
        assert nearest == [("s000/t3", 54.0), ("s000/t2", 38.0)]
        assert len(store.encoded("tool")) == 4
    except StoreDamaged:
        return "refused"
    return "right"


def prefix(found: workload.Dump) -> workload.Dump:
    """What the store held when it had as many operations as now."""
    if not workload.revision(found):
        return {name: [] for name in found}
    return workload.expected(workload.done(found))


def only_a_torn_tail(folder: Path, files: Files, name: str, damage: Damage) -> bool:
    """The one silent case: the journal ends early, and no graph file has seen more of it."""
    rest = (folder / name).read_bytes()[damage[1] :]
    witness = checkpoint.read(folder / "graph.spm")
    start = witness[0].offset if witness else 0
    return name == "journal.spm" and damage[1] >= start and not rest.strip(b"\0")


def repair(folder: Path, layout: str, files: Files, name: str, rotten: bytes) -> None:
    store = EmbeddedStore(folder)
    before = store.check()
    try:
        store.repair(accept_loss=False)
        TALLY["repaired"] += 1
    except StoreDamaged:
        assert (folder / name).read_bytes() == rotten  # nothing was touched
        store.repair(accept_loss=True)
        TALLY["repaired with loss"] += 1
        # Only where no other file could help.
        witness = checkpoint.read(folder / "graph.spm")
        assert witness
        assert name == "journal.spm" or "graph.spm" not in files
        found = workload.content(folder)
        assert found == prefix(found)
    else:
        found = workload.content(folder)
        # A journal that ends early, or in zeros, goes as far as the graph file has seen it.
        least = {"without_graph_file": 0, "graph_file_behind": BEHIND}.get(layout, COUNT)
        short = name == "journal.spm" and (len(rotten) < len(files[name]) or rotten[-1:] == b"\0")
        assert found == (prefix(found) if short else FULL)
        assert workload.done(found) >= (least if short else COUNT)
    assert all(finding.ok for finding in store.check()), before
    if not all(finding.ok for finding in before):
        aside = [path.read_bytes() for path in folder.glob("*.damaged-*")]
        bad = [finding.name for finding in before if not finding.ok]
        assert rotten in aside or bad == ["replay"] or not rotten, (name, bad)
    count = workload.done(found)
    again = EmbeddedStore(folder)
    workload.perform(again, count)  # and work goes on
    again.close()
    assert workload.content(folder) == workload.expected(count + 1)


@pytest.mark.campaign
@pytest.mark.parametrize("layout", ["in_step", "graph_file_behind", "repaired_before"])
def test_journal_and_graph_file_damaged(layout: str, made: dict[str, Files], folder: Path) -> None:
    files = made[layout]
    chance = random.Random(layout)
    for _ in range(2 + PLACES):
        place = chance.randrange(len(files["journal.spm"]))
        both = {
            "journal.spm": damaged(files["journal.spm"], ("flip", place, 4)),
            "graph.spm": damaged(files["graph.spm"], ("flip", chance.randrange(5_000), 4)),
        }
        write_all(folder, {**files, **both})
        store = EmbeddedStore(folder)
        TALLY["pairs of files"] += 1
        with pytest.raises(StoreDamaged):
            workload.dump(store)
        with pytest.raises(StoreDamaged, match="--accept-loss"):
            store.repair(accept_loss=False)
        assert read_all(folder).items() >= both.items()
        store.repair(accept_loss=True)
        found = workload.content(folder)
        assert found == prefix(found)
        assert workload.done(found) < COUNT
        assert set(both.values()) <= set(read_all(folder).values())  # set aside
        assert all(finding.ok for finding in store.check())


@pytest.mark.parametrize("name", ["journal.spm", "graph.spm", "vectors.json", "lock"])
def test_a_missing_file(name: str, made: dict[str, Files], folder: Path) -> None:
    write_all(folder, {n: d for n, d in made["in_step"].items() if n != name})
    store = EmbeddedStore(folder)
    if name == "journal.spm":
        with pytest.raises(StoreDamaged, match="ends at byte 0"):
            workload.dump(store)
        store.repair(accept_loss=False)
    assert workload.content(folder) == FULL
    assert all(finding.ok for finding in store.check())


def test_missing_vectors_and_base_files(made: dict[str, Files], folder: Path) -> None:
    for gone in ("tool-", "base-"):
        write_all(
            folder, {n: d for n, d in made["repaired_before"].items() if not n.startswith(gone)}
        )
        store = EmbeddedStore(folder)
        assert not all(finding.ok for finding in store.check())
        if gone == "tool-":
            with pytest.raises(StoreDamaged, match="missing"):
                store.nearest("tool", VECTOR, 2)
        store.repair(accept_loss=False)
        assert workload.content(folder) == FULL
        assert all(finding.ok for finding in store.check())


def test_base_and_graph_file_damaged(made: dict[str, Files], folder: Path) -> None:
    files = made["repaired_before"]
    base = next(name for name in files if name.startswith("base-"))
    rotten = {name: damaged(files[name], ("flip", 300, 1)) for name in (base, "graph.spm")}
    write_all(folder, {**files, **rotten})
    store = EmbeddedStore(folder)
    with pytest.raises(StoreDamaged, match="--accept-loss"):
        store.repair(accept_loss=False)
    store.repair(accept_loss=True)
    assert not any(workload.content(folder).values())  # the empty prefix
    assert rotten[base] in read_all(folder).values()


def test_files_of_another_store(made: dict[str, Files], folder: Path, tmp_path: Path) -> None:
    """A graph file or a journal that does not belong to the other."""
    workload.fill(tmp_path, 3)
    for name in ("journal.spm", "graph.spm"):
        write_all(folder, {**made["in_step"], name: (tmp_path / name).read_bytes()})
        store = EmbeddedStore(folder)
        with pytest.raises(StoreDamaged):
            workload.dump(store)
        assert not all(finding.ok for finding in store.check())


def test_operations_left_out_or_exchanged(made: dict[str, Files], folder: Path) -> None:
    files = made["without_graph_file"]
    lines = files["journal.spm"].splitlines(keepends=True)
    for i in range(len(lines) - 1):
        for changed in (
            [*lines[:i], *lines[i + 1 :]],
            [*lines[: i + 1], *lines[i:]],
            [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]],
        ):
            write_all(folder, {**files, "journal.spm": b"".join(changed)})
            TALLY["operations left out, doubled or exchanged"] += 1
            with pytest.raises(StoreDamaged):
                workload.content(folder)


@pytest.mark.campaign
def test_zeros_after_a_power_loss_are_a_torn_tail(made: dict[str, Files], folder: Path) -> None:
    """The file grew, its data did not arrive: wherever the zeros begin, the last record is torn."""
    files = made["without_graph_file"]
    journal = files["journal.spm"]
    last = len(journal) - len(journal.splitlines(keepends=True)[-1])
    for place in (
        *range(last, last + 60, 24 // PLACES),
        *range(last + 60, len(journal), 4_000 // PLACES),
    ):
        for more in (0, 4096):
            zeros = bytes(len(journal) - place + more)
            write_all(folder, {**files, "journal.spm": journal[:place] + zeros})
            assert workload.verify(folder, COUNT - 1, COUNT - 1)
            store = EmbeddedStore(folder)
            workload.perform(store, COUNT - 1)
            store.close()
            assert workload.verify(folder, COUNT, COUNT)
            (folder / "graph.spm").unlink()


def test_a_reader_never_answers_from_half_a_replay(folder: Path) -> None:
    """The first read fails, and so does the second; it once answered from what was replayed."""
    workload.fill(folder, COUNT)
    (folder / "graph.spm").unlink()
    size = Journal(folder / "journal.spm").size()
    flip(folder / "journal.spm", size - 100, 0)
    store = EmbeddedStore(folder)
    for _ in range(3):
        with pytest.raises(StoreDamaged):
            store.read("tools/names")
    with pytest.raises(StoreDamaged):
        workload.perform(store, COUNT)


@pytest.mark.campaign
def test_say_how_many(
    capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    """The figures of the tests above."""
    for name, figure in TALLY.items():
        record_property(name, figure)
    with capsys.disabled():
        told = ", ".join(f"{figure} {name}" for name, figure in sorted(TALLY.items()))
        print(f"\ndamaged files, embedded store: {told}, 0 silent, 0 other errors")
    assert TALLY["files"] >= 300 or not TALLY or PLACES < 8
