"""Once for each operation id, nothing for nothing, newer schemas refused, no values kept."""

from pathlib import Path

import numpy as np
import pytest

from spm.registry.catalog.registration import register
from spm.registry.errors import QueryFailed, SchemaTooNew, VersionConflict
from spm.registry.models import Manifest
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.interface import Transaction, Work
from tests.data.workers import workload


def test_the_same_operation_twice_is_done_once(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    calls = []

    def work(tx: Transaction) -> dict[str, object]:
        calls.append(1)
        tx.run("state/encoder", encoder=f"call {len(calls)}")
        return {"answer": [len(calls), "ä"]}

    first = store.write("test", work, "operation-1")
    size = store.journal.size()
    assert store.write("test", work, "operation-1") == first == {"answer": [1, "ä"], "revision": 2}
    store.close()
    again = EmbeddedStore(tmp_path)  # also from the files
    assert again.write("test", work, "operation-1") == first
    again.close()
    (tmp_path / "graph.spm").unlink()  # also from the journal alone
    again = EmbeddedStore(tmp_path)
    assert again.write("test", work, "operation-1") == first
    assert len(calls) == 1
    assert again.journal.size() == size
    assert again.read("state/registry")[0]["encoder"] == "call 1"
    second = again.write("test", work, "operation-2")
    assert second == {"answer": [2, "ä"], "revision": 3}


def test_nothing_to_do_leaves_no_trace(tmp_path: Path) -> None:
    store = workload.fill(tmp_path, 4, close=False)
    before, size = workload.dump(store), store.journal.size()
    assert store.write("test", lambda tx: None) is None
    workload.perform(store, 1)  # known trajectories
    register(store, Manifest.model_validate(unchanged(store)))
    assert workload.dump(store) == before
    assert store.journal.size() == size
    store.close()
    files = workload.checksum(tmp_path)
    other = EmbeddedStore(tmp_path)
    assert other.write("test", lambda tx: None) is None
    other.close()
    assert workload.checksum(tmp_path) == files


def unchanged(store: EmbeddedStore) -> dict[str, object]:
    tools = workload.manifest("s000", "second").model_dump(mode="json")["tools"]
    return {"spm": 1, "service": "s000", "tools": tools[:4]}


def test_an_error_of_the_work_leaves_no_trace(tmp_path: Path) -> None:
    store = workload.fill(tmp_path, 2, close=False)
    before, size = workload.dump(store), store.journal.size()

    def failing(error: Exception) -> Work:
        def work(tx: Transaction) -> None:
            tx.run("tools/remove", id="s000/t0")
            raise error

        return work

    for error in (VersionConflict("s000/t0", "1"), QueryFailed("refused"), RuntimeError("bug")):
        with pytest.raises(type(error)):
            store.write("test", failing(error))
        assert workload.dump(store) == before
        assert store.journal.size() == size
    workload.perform(store, 2)
    store.close()
    workload.verify(tmp_path, 3, 3)


def test_reading_writes_nothing(tmp_path: Path) -> None:
    absent = EmbeddedStore(tmp_path / "absent")
    assert not any(workload.dump(absent).values())
    assert all(finding.ok for finding in absent.check())
    absent.close()
    assert not (tmp_path / "absent").exists()
    workload.fill(tmp_path / "store", 5)
    files = workload.checksum(tmp_path / "store")
    reader = EmbeddedStore(tmp_path / "store")
    workload.dump(reader)
    reader.check()
    reader.close()
    assert workload.checksum(tmp_path / "store") == files


def test_a_newer_schema_is_refused_unharmed(tmp_path: Path) -> None:
    store = workload.fill(tmp_path, 2, close=False)

    def newer(tx: Transaction) -> dict[str, object]:
        tx.run("state/migrated", number=999, name="schema/999_future", at="2030-01-01T00:00:00Z")
        return {"applied": ["schema/999_future"]}

    store.write("migrate", newer)
    store.close()
    files = workload.checksum(tmp_path)
    old = EmbeddedStore(tmp_path)
    # Reading too, as on Neo4j: names may mean something else by then.
    for use in (
        lambda: workload.perform(old, 2),
        lambda: register(old, workload.manifest("other")),
        old.migrate,
        lambda: old.read("tools/names"),
        lambda: old.query("MATCH (t:Tool) RETURN t.id", {}, limit=1, timeout=1),
    ):
        with pytest.raises(SchemaTooNew, match=r"999.*Upgrade.*Nothing was changed"):
            use()
    # The doctor looks without understanding: checksums and replay need no schema.
    assert all(finding.ok for finding in old.check())
    old.close()
    assert workload.checksum(tmp_path) == files


def test_values_of_calls_are_nowhere(tmp_path: Path) -> None:
    store = workload.fill(tmp_path, 6, close=False)  # its traces carry a secret in every call
    ids = [row["id"] for row in store.read("vectors/trajectory_texts")]
    rows = np.eye(len(ids), 8, dtype=np.float32)
    store.put_vectors("trajectory", ids, ["t"] * len(ids), ["d"] * len(ids), rows, "encoder")
    store.close()
    repaired = EmbeddedStore(tmp_path)
    repaired.repair(accept_loss=False)
    searched = 0
    for path in tmp_path.rglob("*"):
        data = path.read_bytes()
        searched += len(data)
        assert workload.SECRET.encode() not in data
        assert b"password" not in data
    assert searched > 10_000
    assert workload.SECRET not in str(workload.dump(repaired))
    assert workload.SECRET not in repr(workload.traces("s000"))


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = workload.fill(folder, 2, close=False)
    store.put_vectors(
        "tool", ["s000/t0"], ["t"], ["d"], np.ones((1, 4), dtype=np.float32), "encoder"
    )
    store.close()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir()} == {
        path.name: 0 for path in folder.iterdir()
    }


def test_the_graph_file_is_refreshed_in_mid_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spm.registry.store.embedded_store.CHECKPOINT_BYTES", 10_000)
    store = workload.fill(tmp_path, 3, close=False)
    assert (tmp_path / "graph.spm").exists()
    store._lock.release()  # killed
    workload.verify(tmp_path, 3, 3)


def test_repair_of_a_sound_store_changes_nothing_that_is_read(tmp_path: Path) -> None:
    store = workload.fill(tmp_path, 5)
    for _ in range(2):
        done = store.repair(accept_loss=False)
        assert done == ["rebuilt the graph file from 6 operations of the journal"]
        workload.verify(tmp_path, 5, 5)
    empty = EmbeddedStore(tmp_path / "empty")
    empty.repair(accept_loss=False)
    assert not any(workload.dump(empty).values())
    workload.perform(empty, 0)
    empty.close()
    workload.verify(tmp_path / "empty", 1, 1)


def test_put_vectors_names_the_encoder_before_it_keeps_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workload.fill(tmp_path, 1, close=False)

    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store.files, "put", killed)
    with pytest.raises(KeyboardInterrupt):
        store.put_vectors(
            "tool", ["s000/t0"], ["t"], ["d"], np.ones((1, 4), dtype=np.float32), "mine"
        )
    store.close()
    assert EmbeddedStore(tmp_path).read("state/registry")[0]["encoder"] == "mine"
