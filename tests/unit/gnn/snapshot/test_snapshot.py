"""The serving snapshot: the frontier of the store, byte for byte, or no answer at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm.gnn.arrays.array_expansion import Question
from spm.gnn.frontier_source import CypherSource, SnapshotSource
from spm.gnn.model_store import prior
from spm.gnn.ranker import LearnedRanker
from spm.gnn.snapshot import container, lifecycle
from spm.gnn.snapshot.lifecycle import Snapshots
from spm.gnn.snapshot.strings import Sorted, Texts
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.frontier.frontier import Frontier
from spm.registry.menus.menu import Ask
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.registry.search.results import Probes
from tests.data.frontiers import FIELDS, RULES, WORDS, Worded, World, differing, limits, worlds

ENCODER = Worded()
PARTS = st.lists(st.sampled_from([*WORDS, "nothing"]), max_size=4).map(" ".join)
REQUESTS = st.lists(PARTS, max_size=3).map(", then ".join)
GIVEN = st.frozensets(st.sampled_from(FIELDS), max_size=2)
RIGHTS = st.fixed_dictionaries(
    {},
    optional={
        "visibility": st.sampled_from(["public", "team", "private"]),
        "owner": st.sampled_from(["a", "b"]),
        "scopes": st.lists(st.sampled_from(["x", "y"]), unique=True),
        "effects": st.sampled_from(["read", "write", "destructive"]),
    },
)
CALLERS = (
    EVERYTHING,
    Caller("a"),
    Caller("nobody"),
    Caller(scopes=()),
    Caller(scopes=("x", "unheard of")),
    Caller(read_only=True),
    Caller("b", ("x", "y"), read_only=True),
)


@contextmanager
def opened(world: World) -> Iterator[Registry]:
    with tempfile.TemporaryDirectory() as folder, Registry.open(folder) as registry:
        world.fill(registry)
        yield registry


def asked(registry: Registry, text: str, fields: frozenset[str], caller: Caller) -> Frontier:
    probes = Probes.of(text, ENCODER.encode_clauses([text])[0])
    return Expansion(registry.store).frontier(probes, fields, caller, ("shop/t0", "mail/t1"))


def mapped(snapshots: Snapshots, text: str, fields: frozenset[str], caller: Caller) -> Frontier:
    rows = ENCODER.encode_clauses([text])[0]
    snapshot = snapshots.made()
    assert snapshot is not None
    view = snapshots.view(snapshot, caller)
    question = Question(text, rows[0], fields, None, rows[1:])
    return view.frontier(question, ("shop/t0", "mail/t1"))


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {
        "service": "shop",
        "name": name,
        "description": name,
        "inputs": [],
        "outputs": [],
    } | more


def ranker(registry: Registry, snapshots: Snapshots | None) -> LearnedRanker:
    source = SnapshotSource(snapshots, lambda name: ENCODER) if snapshots else None
    return LearnedRanker(registry.store, lambda: ENCODER, prior, source)


# -- the same frontier ----------------------------------------------------------------------------


@settings(max_examples=25)
@given(worlds(), REQUESTS, GIVEN, st.sampled_from(RULES), st.data())
def test_the_snapshot_and_the_store_give_the_same(
    world: World,
    text: str,
    fields: frozenset[str],
    sizes: dict[str, int],
    data: st.DataObject,
) -> None:
    """For everybody: with all rights, with some, with none; decayed counts included."""
    world.tools[:] = [{**spec, **data.draw(RIGHTS)} for spec in world.tools]
    with opened(world) as registry, limits(**sizes):
        snapshots = Snapshots(registry.store)
        for caller in CALLERS:
            found = mapped(snapshots, text, fields, caller)
            assert differing(found, asked(registry, text, fields, caller)) == [], caller


WORLD = World(
    [
        tool("find", inputs=[{"name": "tax"}], outputs=[{"name": "parcel"}]),
        tool("secret", visibility="private", owner="b", outputs=[{"name": "größe"}]),
        tool("mail", inputs=[{"name": "parcel"}], scopes=["x"], effects="write"),
    ],
    [
        {"trace_id": "1", "request": "order", "steps": [{"tool": "shop/find"}]},
        {"trace_id": "2", "request": "", "steps": [{"tool": "shop/find"}, {"tool": "shop/mail"}]},
        {
            "trace_id": "3",
            "request": "mail",
            "steps": [{"tool": "shop/secret"}, {"tool": "shop/mail"}],
        },
    ],
)


@pytest.mark.parametrize("caller", CALLERS, ids=str)
def test_material_is_the_same_from_both(caller: Caller) -> None:
    """Cards, visible fields and the revision too, which a frontier does not carry."""
    with opened(WORLD) as registry:
        one = SnapshotSource(Snapshots(registry.store), lambda name: ENCODER)
        ask = Ask("order with größe 38 and tax 4", ("parcel",), caller=caller)
        first, second = one.collect(ask), CypherSource(registry.store, lambda: ENCODER).collect(ask)
    assert first is not None
    assert (first.given, first.revision) == (second.given, second.revision)
    assert first.frontier.tools == second.frontier.tools
    for name in second.frontier.tools:
        shown = first.cards[name]
        assert shown == {key: second.cards[name][key] for key in shown}


# -- only of this moment --------------------------------------------------------------------------


def test_every_change_makes_a_file_stale(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        snapshots = Snapshots(registry.store)
        first = snapshots.made()
        assert first is not None
        assert snapshots.current() is first
        World([tool("new")]).fill(registry)
        assert snapshots.current() is None
        second = snapshots.made()
        assert second is not None
        assert list(second.ids) == ["shop/find", "shop/mail", "shop/new", "shop/secret"]
        assert second.revision > first.revision
        assert len(list(tmp_path.glob("*.snapshot"))) == 1


def test_a_state_without_its_vectors_has_no_snapshot(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        old = registry.store.stamp()
        registry.register(
            Manifest.model_validate({"spm": 1, "service": "more", "tools": [{"name": "order"}]})
        )
        snapshots = Snapshots(registry.store)
        assert registry.store.stamp() != old
        assert snapshots.made() is None
        menu = registry.menu("order", ranker=ranker(registry, snapshots))
    assert {item.id for item in menu.items} >= {"more/order", "shop/find"}


def test_other_processes_changes_are_seen_at_once(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
    with Registry.open(str(tmp_path)) as reader:
        snapshots = Snapshots(reader.store)
        chosen = ranker(reader, snapshots)
        before = {item.id for item in reader.menu("order", ranker=chosen).items}
        reader.tools()  # has the graph in memory
        with Registry.open(str(tmp_path)) as writer:
            World([tool("new")]).fill(writer)
        after = {item.id for item in reader.menu("order", ranker=chosen).items}
        assert after - before == {"shop/new"}
        assert {row["id"] for row in reader.tools()} >= after


@pytest.mark.parametrize("place", [0, 20, 60, 0.3, 0.6, 0.9, -1])
def test_a_damaged_file_is_not_believed(place: float, tmp_path: Path) -> None:
    """Whichever byte is wrong; what pads the arrays is of no matter."""
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        whole = Snapshots(registry.store).made()
        assert whole is not None
        (path,) = tmp_path.glob("*.snapshot")
        data = bytearray(path.read_bytes())
        at = int(place * len(data)) if 0 < place < 1 else int(place)
        while not 0 < data[at] < 255:
            at -= 1
        data[at] ^= 0x41
        path.write_bytes(data)
        assert Snapshots(registry.store).current() is None
        path.write_bytes(data[:-70])
        assert Snapshots(registry.store).current() is None
        again = Snapshots(registry.store).made()  # the state is the same: written once more
        assert again is not None
        assert list(again.ids) == list(whole.ids)


def test_a_file_of_another_format_or_state_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        assert Snapshots(registry.store).made() is not None
        (path,) = tmp_path.glob("*.snapshot")
        kept = path.read_bytes()
        World([tool("new")]).fill(registry)
        stamp = registry.store.stamp()
        path.with_name(f"{stamp}.snapshot").write_bytes(kept)  # under the name of this state
        assert Snapshots(registry.store).current() is None
        assert Snapshots(registry.store).made() is not None
        monkeypatch.setattr(lifecycle, "FORMAT", lifecycle.FORMAT + 1)
        assert Snapshots(registry.store).current() is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_asked_in_cypher(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
    tmp_path.chmod(0o500)
    try:
        with Registry.open(str(tmp_path)) as registry:
            snapshots = Snapshots(registry.store)
            assert registry.menu("order", ranker=ranker(registry, snapshots)).items
            assert snapshots.current() is None
    finally:
        tmp_path.chmod(0o700)


def test_where_writing_fails_the_store_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        snapshots = Snapshots(registry.store)
        tries = []

        def full(*_: object) -> None:
            tries.append(1)
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.replace", full)
        for _ in range(3):
            assert registry.menu("order", ranker=ranker(registry, snapshots)).items
        assert len(tries) == 1  # not with every menu
    assert not list(tmp_path.glob("*.snapshot"))


def test_an_empty_registry_has_a_snapshot_of_nothing(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        assert Snapshots(registry.store).made() is None
        registry.store.migrate()
        found = mapped(Snapshots(registry.store), "order", frozenset(), EVERYTHING)
        assert differing(found, asked(registry, "order", frozenset(), EVERYTHING)) == []


# -- made from the one before ---------------------------------------------------------------------


@settings(max_examples=15)
@given(worlds(faded=False), worlds(faded=False), REQUESTS)
def test_what_is_copied_is_what_would_be_made(first: World, second: World, text: str) -> None:
    with opened(first) as registry:
        snapshots = Snapshots(registry.store)
        assert snapshots.made() is not None
        for at, trace in enumerate(second.traces):
            trace["trace_id"] = f"later {at}"
        second.same.clear()
        second.fill(registry)
        grown = snapshots.made()
        assert grown is not None
        with tempfile.TemporaryDirectory() as folder:
            plain = Snapshots(registry.store)
            plain.folder = lambda: Path(folder)  # type: ignore[method-assign]
            fresh = plain.write()
        assert fresh is not None
        assert grown.container.said == fresh.container.said
        assert grown.container.arrays.keys() == fresh.container.arrays.keys()
        for name, values in fresh.container.arrays.items():
            assert values.tobytes() == grown.container.arrays[name].tobytes(), name


def test_unchanged_vectors_are_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        snapshots = Snapshots(registry.store)
        assert snapshots.made() is not None
        World([tool("new")]).fill(registry)
        wanted: list[str] = []
        real = registry.store.vectors

        def counted(kind: Any, ids: Any) -> Any:
            wanted.extend(ids)
            return real(kind, ids)

        monkeypatch.setattr(registry.store, "vectors", counted)
        assert snapshots.made() is not None
    assert wanted == ["shop/new"]


# -- cheap ----------------------------------------------------------------------------------------


COLD = """
import json, sys
from spm.registry.registry import Registry
with Registry.open(sys.argv[1]) as registry:
    found = registry.menu("Email the customer the receipt for order 4821")
    print(json.dumps([len(found.items), registry.store._graph is None]))
"""


def test_a_cold_menu_does_not_read_the_graph(demo_folder: Path) -> None:
    program = [sys.executable, "-c", COLD, str(demo_folder)]
    answers = [
        json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert answers[1] == [32, True]


def test_views_share_the_vectors_and_only_the_latest_are_kept(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        WORLD.fill(registry)
        snapshots = Snapshots(registry.store)
        snapshot = snapshots.made()
        assert snapshot is not None
        callers = [Caller(f"team {at}") for at in range(lifecycle.CALLERS + 1)]
        views = [snapshots.view(snapshot, caller) for caller in callers]
        assert all(view.library.vectors is snapshot.library.vectors for view in views)
        assert snapshots.view(snapshot, callers[-1]) is views[-1]
        assert snapshots.view(snapshot, callers[0]) is not views[0]


@given(st.lists(st.text(), unique=True), st.text())
def test_strings_come_back_and_are_found(texts: list[str], other: str) -> None:
    assert list(Texts.of(texts)) == texts
    ordered = Sorted.of(sorted(texts))
    rows = np.arange(len(texts))[::-1]
    for kept in (Texts.of(texts), ordered):
        assert kept.some(rows) == list(kept)[::-1]
    assert [ordered.get(text) for text in sorted(texts)] == list(range(len(texts)))
    assert (ordered.get(other) is None) == (other not in texts)


def test_the_file_gives_back_its_arrays_read_only(tmp_path: Path) -> None:
    arrays: dict[str, np.ndarray] = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.zeros((0, 4), dtype=np.int64),
        "c": np.array([True, False]),
    }
    container.write(tmp_path / "file", {"x": 1}, arrays)
    found = container.read(tmp_path / "file")
    assert found.said == {"x": 1}
    for name, values in arrays.items():
        assert np.array_equal(found.arrays[name], values)
        assert not found.arrays[name].flags.writeable
    with pytest.raises(FileNotFoundError):
        container.read(tmp_path / "none")
