import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import StoreDamaged, StoreWriteFailed
from spm.registry.store import disk
from spm.registry.store.interface import Vector, rank
from spm.registry.store.vector_files import VectorFiles

SIZE = 8


def unit(seed: int, count: int, size: int = SIZE) -> Vector:
    rows = np.random.default_rng(seed).normal(size=(count, size))
    found: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def put(files: VectorFiles, ids: list[str], rows: Vector, keep: set[str] | None = None) -> None:
    files.put("tool", ids, [f"of {i}" for i in ids], rows, keep or set(ids))


def test_put_adds_replaces_and_drops(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    assert files.encoded("tool") == {}
    assert files.nearest("tool", unit(0, 1)[0], 3) == []
    rows = unit(1, 3)
    put(files, ["b", "a", "c"], rows)
    ids, matrix = files.matrix("tool")
    assert ids == ["a", "b", "c"]
    assert np.array_equal(matrix, rows[[1, 0, 2]])
    fresh = unit(2, 2)
    put(files, ["d", "a"], fresh, {"a", "c", "d"})  # a again, b was removed
    ids, matrix = files.matrix("tool")
    assert ids == ["a", "c", "d"]
    assert np.array_equal(matrix, [fresh[1], rows[2], fresh[0]])
    assert files.encoded("tool") == {"a": "of a", "c": "of c", "d": "of d"}
    assert len(list(tmp_path.glob("*.npy"))) == 1
    assert files.verify() == []
    assert files.encoded("trajectory") == {}


def test_kinds_do_not_touch_each_other(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a"], unit(1, 1))
    files.put("trajectory", ["j"], ["x"], unit(2, 1), {"j"})
    put(files, ["a", "b"], unit(3, 2))
    assert files.encoded("trajectory") == {"j": "x"}
    assert len(list(tmp_path.glob("*.npy"))) == 2
    assert json.loads(files.index.read_text())["kinds"].keys() == {"tool", "trajectory"}


def test_the_matrix_is_memory_mapped_and_read_only(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a"], unit(1, 1))
    _, matrix = files.matrix("tool")
    assert isinstance(matrix, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 1


@pytest.mark.parametrize("fails", [1, 2])
def test_a_failed_put_leaves_the_old_vectors(
    fails: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a", "b"], unit(1, 2))
    real, calls = disk.replace, []

    def replace(*given: object) -> None:
        calls.append(1)
        if len(calls) == fails:
            raise StoreWriteFailed("full")
        real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(disk, "replace", replace)
    with pytest.raises(StoreWriteFailed):
        put(files, ["a", "b", "c"], unit(2, 3))
    monkeypatch.undo()
    for reader in (files, VectorFiles(tmp_path)):
        ids, matrix = reader.matrix("tool")
        assert ids == ["a", "b"]
        assert np.array_equal(matrix, unit(1, 2))
    assert files.verify() == []
    put(files, ["a"], unit(3, 1), {"a"})
    assert len(list(tmp_path.glob("*.npy"))) == 1  # also what the failed one left


def test_a_reader_beside_a_writer(tmp_path: Path) -> None:
    writer, reader = VectorFiles(tmp_path), VectorFiles(tmp_path)
    for number in range(1, 6):
        put(writer, [f"n{i}" for i in range(number)], unit(number, number))
        ids, matrix = reader.matrix("tool")
        assert len(ids) == len(matrix) == number
        assert np.array_equal(matrix, unit(number, number))


def test_every_change_of_one_byte_is_noticed(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a", "b"], unit(1, 2))
    for path in (files.index, next(tmp_path.glob("*.npy"))):
        data = path.read_bytes()
        for place, byte in enumerate(data):
            path.write_bytes(data[:place] + bytes([byte ^ 1]) + data[place + 1 :])
            fresh = VectorFiles(tmp_path)
            with pytest.raises(StoreDamaged):
                fresh.matrix("tool")
            assert fresh.verify()
        path.write_bytes(data)
    assert VectorFiles(tmp_path).matrix("tool")[0] == ["a", "b"]


def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    from spm.registry.store import vector_files

    files = VectorFiles(tmp_path / "store")
    (tmp_path / "store").mkdir()
    entry = {"file": "../secret.npy", "sha256": "0", "ids": ["a"], "digests": ["d"]}
    files.index.write_bytes(vector_files._wrapped(json.dumps({"tool": entry}).encode()))
    with pytest.raises(StoreDamaged):
        files.matrix("tool")


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    import hashlib
    import io

    from spm.registry.store import vector_files

    files = VectorFiles(tmp_path)
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"code": 1}], dtype=object), allow_pickle=True)
    data = buffer.getvalue()
    (tmp_path / "tool-x.npy").write_bytes(data)
    entry = {
        "file": "tool-x.npy",
        "sha256": hashlib.sha256(data).hexdigest(),
        "ids": ["a"],
        "digests": ["d"],
    }
    files.index.write_bytes(vector_files._wrapped(json.dumps({"tool": entry}).encode()))
    with pytest.raises(StoreDamaged, match="cannot be read"):
        files.matrix("tool")


def test_drop_sets_damaged_files_aside(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a"], unit(1, 1))
    npy = next(tmp_path.glob("*.npy"))
    npy.write_bytes(b"rotten")
    assert files.drop() == [f"{npy}.damaged-1"]
    assert files.encoded("tool") == {}
    files.index.write_bytes(b"rotten")
    assert files.drop() == [f"{files.index}.damaged-1"]
    assert files.verify() == []
    put(files, ["a"], unit(1, 1))
    assert files.drop() == []
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {
        npy.name.partition(".")[0],
        "vectors",
    }


def test_many_vectors_rank_like_all_of_them(tmp_path: Path) -> None:
    """The quick pass over everything must not change the answer."""
    files = VectorFiles(tmp_path)
    ids = [f"n{i:04}" for i in range(500)]
    rows = unit(7, 500, 32)
    put(files, ids, rows)
    for seed in range(20):
        vector = unit(100 + seed, 1, 32)[0]
        assert files.nearest("tool", vector, 10) == rank(ids, rows, vector, 10)


def test_equals_are_ordered_by_id_however_many_there_are(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    ids = [f"n{i:04}" for i in range(500)]
    rows = np.repeat(unit(7, 5), 100, axis=0)
    put(files, ids, rows)
    for row in unit(7, 5):
        found = files.nearest("tool", row, 7)
        assert found == rank(ids, rows, row, 7)
        assert [name for name, _ in found] == sorted(name for name, _ in found)


@given(st.integers(0, 1_000), st.integers(1, 40), st.integers(1, 10), st.randoms())
def test_rank_depends_on_nothing_but_the_vectors(
    seed: int, size: int, count: int, chance: Random
) -> None:
    ids = [f"n{i}" for i in range(size)]
    rows, vector = unit(seed, size), unit(seed + 1, 1)[0]
    rows[size // 2 :] = rows[: size - size // 2]  # ties
    wanted = rank(ids, rows, vector, count)
    order = list(range(size))
    chance.shuffle(order)
    assert rank([ids[i] for i in order], rows[order], vector, count) == wanted
    assert wanted == sorted(wanted, key=lambda pair: (-pair[1], pair[0]))
    scores = dict(rank(ids, rows, vector, size))
    alone = {ids[i]: rank([ids[i]], rows[[i]], vector, 1)[0][1] for i in range(size)}
    assert scores == alone  # whoever is scored beside it


def test_rank_of_nothing() -> None:
    assert rank([], np.zeros((0, 0), dtype=np.float32), unit(1, 1)[0], 3) == []


def test_an_emptied_index_is_damage_and_not_a_store_without_vectors(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    put(files, ["a"], unit(1, 1))
    files.index.write_bytes(b"")
    for reader in (files, VectorFiles(tmp_path)):
        with pytest.raises(StoreDamaged):
            reader.matrix("tool")


def test_nearest_among_some_is_the_nearest_of_these(tmp_path: Path) -> None:
    files = VectorFiles(tmp_path)
    ids = [f"n{i:04}" for i in range(500)]
    rows = unit(7, 500, 32)
    put(files, ids, rows)
    for step in (1, 3, 100, 499):
        some = ids[::step]
        for seed in range(5):
            vector = unit(200 + seed, 1, 32)[0]
            expected = rank(some, rows[::step], vector, 10)
            assert files.nearest("tool", vector, 10, frozenset(some)) == expected
    assert files.nearest("tool", vector, 10, frozenset()) == []
