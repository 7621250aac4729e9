"""Registries that move between the engines and back, without losing a byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spm.registry.catalog.naming import fold
from spm.registry.errors import InputError, StoreError
from spm.registry.exchange import export_registry, import_registry
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store import staging
from tests.support import graphs
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j

Wipe = Callable[[Any], None]


def fill(registry: Registry, seed: int) -> None:
    library = graphs.random_library(seed)
    graphs.fill(registry, library)
    known = {row["field"] for row in registry.store.read("fields/vocabulary")}
    pairs = {(fold(a), fold(b)) for a, b in library.same if {fold(a), fold(b)} <= known}
    rows = [{"first": a, "second": b, "reviewed_by": "Zoë", "at": None} for a, b in sorted(pairs)]
    registry.store.write("review", lambda tx: {"n": len(tx.run("exchange/put_same_as", rows=rows))})


def content(path: Path) -> list[dict[str, Any]]:
    """All lines; what belongs to one store (revision, and the digest over it) is left out."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    del lines[0]["revision"], lines[-1]["sha256"]
    return lines


def moved(source: Registry, target: Registry, folder: Path, name: str) -> Path:
    path = folder / name
    export_registry(source.store, path)
    import_registry(target.store, path)
    return path


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1, 1 + size("exchange_seeds")))
def test_embedded_to_neo4j_and_back_gives_the_same_file(
    seed: int, neo4j_empty: Any, tmp_path: Path
) -> None:
    with (
        Registry.open(Settings(str(tmp_path / "a"))) as first,
        Registry.open(neo4j_empty.settings()) as remote,
        Registry.open(Settings(str(tmp_path / "b"))) as last,
    ):
        fill(first, seed)
        one = moved(first, remote, tmp_path, "1.jsonl")
        two = moved(remote, last, tmp_path, "2.jsonl.gz")
        export_registry(last.store, tmp_path / "3.jsonl")
        assert content(one) == content(tmp_path / "3.jsonl")
        export_registry(last.store, tmp_path / "4.jsonl.gz")
        # From here on the revision stays what it is, so the bytes are the same.
        assert (tmp_path / "4.jsonl.gz").read_bytes() == two.read_bytes()
        for row in first.tools():
            assert remote.show(row["id"]) == first.show(row["id"])


def test_the_same_library_gives_the_same_file_on_both_engines(
    neo4j_empty: Any, tmp_path: Path
) -> None:
    for name, settings in (("e", Settings(str(tmp_path / "a"))), ("n", neo4j_empty.settings())):
        with Registry.open(settings) as registry:
            fill(registry, 7)
            export_registry(registry.store, tmp_path / name)
    assert content(tmp_path / "e") == content(tmp_path / "n")


def test_a_server_that_is_not_empty_is_left_alone(neo4j_empty: Any, tmp_path: Path) -> None:
    with Registry.open(neo4j_empty.settings()) as remote:
        fill(remote, 2)
        export_registry(remote.store, tmp_path / "f")
        before = remote.status()
        with pytest.raises(InputError, match="not empty"):
            import_registry(remote.store, tmp_path / "f")
        assert remote.status() == before


def test_a_failed_import_leaves_nothing_on_the_server(
    neo4j_empty: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spm.registry import exchange

    verify = exchange.verify

    def then_cut(path: Path) -> Any:
        done = verify(path)
        path.write_bytes(path.read_bytes()[:-200])
        return done

    monkeypatch.setattr(exchange, "verify", then_cut)
    with (
        Registry.open(Settings(str(tmp_path / "a"))) as first,
        Registry.open(neo4j_empty.settings()) as remote,
    ):
        fill(first, 3)
        export_registry(first.store, tmp_path / "f")
        with pytest.raises(InputError, match="damaged"):
            import_registry(remote.store, tmp_path / "f")
        status = remote.status()
        assert not [name for name in ("tools", "fields", "trajectories") if status[name]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An export; each of its batches goes into a transaction of its own."""
    monkeypatch.setattr(staging, "BATCHES", 1)
    with Registry.open(Settings(str(tmp_path / "source"))) as first:
        fill(first, 5)
        export_registry(first.store, tmp_path / "file")
    return tmp_path / "file"


def visible(server: Any) -> int:
    """What a reader finds who opens the store now."""
    with Registry.open(server.settings()) as reader:
        counts = reader.store.read("state/counts")[0]
        return sum(counts.values()) + len(reader.tools()) + len(reader.store.read("traces/ages"))


def test_an_import_becomes_visible_at_once(neo4j_empty: Any, file: Path) -> None:
    seen: list[int] = []
    with Registry.open(neo4j_empty.settings()) as remote:
        import_registry(remote.store, file, lambda done, total: seen.append(visible(neo4j_empty)))
        assert len(seen) > 10
        assert set(seen) == {0}
        assert visible(neo4j_empty) > 0
        assert remote.store.read("staging/waiting") == [{"nodes": 0}]
        export_registry(remote.store, file.with_name("again"))
    assert content(file.with_name("again")) == content(file)


def test_an_import_that_was_killed_leaves_an_empty_registry_and_can_be_repeated(
    neo4j_empty: Any, file: Path
) -> None:
    def kill_at(share: float) -> None:
        def killed(done: int, total: int) -> None:
            if done > share * total:
                raise KeyboardInterrupt  # nothing is tidied up, as after a SIGKILL

        with (
            Registry.open(neo4j_empty.settings()) as remote,
            pytest.raises(KeyboardInterrupt),
        ):
            import_registry(remote.store, file, killed)

    kill_at(0.5)
    assert visible(neo4j_empty) == 0
    with Registry.open(neo4j_empty.settings()) as remote:
        (said,) = [found for found in remote.store.check() if found.name == "import"]
        assert "spm doctor --repair" in said.detail
        remote.store.repair(accept_loss=False)
        assert remote.store.read("staging/waiting") == [{"nodes": 0}]
        assert not [found for found in remote.store.check() if found.name == "import"]
    kill_at(0.99)
    assert visible(neo4j_empty) == 0
    with Registry.open(neo4j_empty.settings()) as remote:
        import_registry(remote.store, file)
        export_registry(remote.store, file.with_name("again"))
    assert content(file.with_name("again")) == content(file)


def test_of_two_imports_at_once_one_is_kept_whole(neo4j_empty: Any, file: Path) -> None:
    with Registry.open(neo4j_empty.settings()) as first:

        def overtaken(done: int, total: int) -> None:
            if not visible(neo4j_empty):
                with Registry.open(neo4j_empty.settings()) as second:
                    import_registry(second.store, file)

        with pytest.raises(StoreError, match="Another import"):
            import_registry(first.store, file, overtaken)
        export_registry(first.store, file.with_name("again"))
    assert content(file.with_name("again")) == content(file)


def test_an_export_beside_writers_is_of_one_moment(neo4j_empty: Any, tmp_path: Path) -> None:
    with Registry.open(neo4j_empty.settings()) as remote:
        fill(remote, 4)
    stop = threading.Event()

    def keep_writing(number: int) -> None:
        with Registry.open(neo4j_empty.settings()) as registry:
            count = 0
            while not stop.is_set():
                registry.register(graphs.small_manifest(f"w{number}-{count}", tools=3))
                count += 1

    writers = [threading.Thread(target=keep_writing, args=(i,)) for i in range(2)]
    for writer in writers:
        writer.start()
    try:
        with Registry.open(neo4j_empty.settings()) as remote:
            for i in range(4):
                export_registry(remote.store, tmp_path / f"{i}.jsonl")
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    for i in range(4):
        with Registry.open(Settings(str(tmp_path / f"s{i}"))) as registry:
            import_registry(registry.store, tmp_path / f"{i}.jsonl")
            tools = [row["id"] for row in registry.tools() if row["service"].startswith("w")]
            # Each write was of three tools: half a write would show as another number.
            assert len(tools) % 3 == 0
