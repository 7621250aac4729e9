"""A registry in arrays: the demo counted by hand, rows taken out, and groups that hold together."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from spm.gnn.arrays import from_store
from spm.gnn.arrays.from_store import groups, load, paths_of
from spm.gnn.arrays.library import Counts, Library, Rows, orders, transitions
from spm.registry import demo
from spm.registry.registry import Registry
from spm.registry.search.bm25 import stems
from tests.data.workers import tiny_training as tiny


@pytest.fixture(scope="module")
def library(shop: Registry) -> Library:
    return load(shop.store)


@pytest.fixture(scope="module")
def solved(library: Library) -> dict[str, list[str]]:
    """The demo's successful trajectories as their file has them: the calls that did not fail."""
    full = {tool.partition("/")[2]: tool for tool in library.tools}
    assert len(full) == len(library.tools)
    found = {
        trace.identity(): [full[step.tool] for step in trace.steps if step.ok]
        for trace in demo.trajectories()
        if trace.success
    }
    return {name: path for name, path in found.items() if path}


def dense(counts: Counts, size: int) -> np.ndarray:
    found = np.zeros((size, size), dtype=np.float32)
    for tool in range(size):
        span = slice(counts.starts[tool], counts.starts[tool + 1])
        found[tool, counts.others[span]] = counts.counts[span]
    return found


def counted(pairs: Counter[tuple[str, str]], tools: list[str]) -> np.ndarray:
    return np.array([[pairs[a, b] for b in tools] for a in tools], dtype=np.float32)


# -- the demo --------------------------------------------------------------------------------


def test_tools_are_those_of_the_manifests(library):
    declared = {
        f"{manifest.service.name}/{tool.name}": tool.status
        for manifest in demo.manifests()
        for tool in manifest.tools
    }
    assert library.tools == sorted(tool for tool in declared if declared[tool] == "active")
    assert len(library.tools) < len(declared)  # two are not active: nobody shall learn them
    services = [name.partition("/")[0] for name in library.tools]
    for i, first in enumerate(services):
        for j, second in enumerate(services):
            assert (first == second) == (library.service[i] == library.service[j])
    assert library.vectors.shape[0] == len(library.tools)
    np.testing.assert_allclose(np.linalg.norm(library.vectors, axis=1), 1, atol=1e-4)


def test_trajectories_are_the_successful_ones(library, solved):
    assert library.trajectories == sorted(solved)
    assert len(library.trajectories) == 487
    requests = {trace.identity(): trace.request for trace in demo.trajectories()}
    for at, name in enumerate(library.trajectories):
        assert [library.tools[tool] for tool in library.paths[at]] == solved[name]
        assert library.requests[at] == requests[name]
        assert [library.tools[tool] for tool in library.path(at)] == list(
            dict.fromkeys(solved[name])
        )


def test_counts_are_those_of_the_trajectories(library, solved):
    used = Counter(tool for path in solved.values() for tool in set(path))
    begun = Counter(path[0] for path in solved.values())
    ran = Counter(pair for path in solved.values() for pair in pairwise(path))
    later: Counter[tuple[str, str]] = Counter()
    for path in solved.values():
        first = list(dict.fromkeys(path))
        later.update((a, b) for i, a in enumerate(first) for b in first[i + 1 :])
    tools = library.tools
    assert library.frequency.tolist() == [used[tool] for tool in tools]
    assert library.entries.tolist() == [begun[tool] for tool in tools]
    np.testing.assert_array_equal(dense(library.followers, len(tools)), counted(ran, tools))
    np.testing.assert_array_equal(dense(library.later, len(tools)), counted(later, tools))
    np.testing.assert_array_equal(dense(library.leaders, len(tools)), counted(ran, tools).T)


def test_contracts_are_those_of_the_registry(library, shop):
    needs: dict[str, set[str]] = {tool: set() for tool in library.tools}
    makes: dict[str, set[str]] = {tool: set() for tool in library.tools}
    for row in shop.store.read("insight/inputs"):
        if row["required"] and row["id"] in needs:
            needs[row["id"]].add(row["field"])
    for row in shop.store.read("insight/outputs"):
        if row["id"] in makes:
            makes[row["id"]].add(row["field"])
    for at, tool in enumerate(library.tools):
        assert {library.fields[name] for name in library.takes[at]} == needs[tool]
        assert {library.fields[name] for name in library.gives[at]} == makes[tool]
    for name, field in enumerate(library.fields):
        expected = [t for t in library.tools if field in makes[t] and field not in needs[t]]
        assert [library.tools[tool] for tool in library.makers[name]] == expected


def test_vectors_belong_to_their_requests(library, shop, encoder):
    for at in (0, 100, 486):
        vector = encoder.encode([library.requests[at]])[0]
        assert library.request_vectors[at] @ vector == pytest.approx(1, abs=1e-3)


def test_a_store_with_nothing_is_a_library_of_nothing(store):
    empty = load(store)
    assert empty.tools == []
    assert empty.trajectories == []
    assert len(empty.groups) == 0


def test_a_path_through_a_tool_that_is_gone_is_left_out(library):
    rows = [{"trajectory": "t", "idx": 0, "tool": "a"}, {"trajectory": "t", "idx": 1, "tool": "b"}]
    assert paths_of(rows, {"a": 0, "b": 1}) == {"t": [0, 1]}
    assert paths_of(rows, {"a": 0}) == {}


# -- taken out -------------------------------------------------------------------------------


def same(left: Library, right: Library) -> None:
    size = len(left.tools)
    assert left.trajectories == right.trajectories
    assert left.requests == right.requests
    np.testing.assert_array_equal(left.request_vectors, right.request_vectors)
    np.testing.assert_array_equal(left.frequency, right.frequency)
    np.testing.assert_array_equal(left.entries, right.entries)
    for ours, theirs in ((left.followers, right.followers), (left.later, right.later)):
        np.testing.assert_array_equal(dense(ours, size), dense(theirs, size))
    assert [left.path(at) for at in range(len(left.paths))] == [
        right.path(at) for at in range(len(right.paths))
    ]
    np.testing.assert_array_equal(left.groups, right.groups)
    for request in left.requests[:5]:
        weights = dict.fromkeys(stems(request), 2.0)
        found = [x.request_texts.overlap(weights) for x in (left, right)]
        np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("gone", [[], [0], [3, 1, 20], list(range(0, 28, 2)), list(range(28))])
def test_without_rows_it_is_the_library_of_the_others(gone):
    whole = tiny.library()
    same(whole.without(gone), tiny.only(whole, [at for at in range(tiny.ROWS) if at not in gone]))


def test_taking_out_does_not_change_the_library():
    whole = tiny.library()
    whole.without([0, 5])
    same(whole, tiny.library())


def test_without_works_on_the_demo(library, solved):
    """Counts that came from the database lose exactly what a trajectory brought."""
    gone = list(range(0, 487, 3))
    left = library.without(gone)
    kept = [solved[name] for name in left.trajectories]
    assert len(kept) == 487 - len(gone)
    ran = Counter(pair for path in kept for pair in pairwise(path))
    used = Counter(tool for path in kept for tool in set(path))
    size = len(library.tools)
    np.testing.assert_array_equal(dense(left.followers, size), counted(ran, library.tools))
    assert left.frequency.tolist() == [used[tool] for tool in library.tools]


def test_old_counts_never_fall_below_nothing():
    counts = Counts.of({(0, 1): 0.5, (1, 0): 3.0}, 3)
    left = counts.less({(0, 1): 2, (1, 0): 1, (2, 1): 5})
    assert dense(left, 3).tolist() == [[0, 0, 0], [2, 0, 0], [0, 0, 0]]
    assert dense(counts, 3)[0, 1] == 0.5


# -- the arrays ------------------------------------------------------------------------------


def test_pairs_of_a_path():
    assert transitions([1, 2, 2, 1]) == [(1, 2), (2, 2), (2, 1)]
    assert orders([1, 2, 3]) == [(1, 2), (1, 3), (2, 3)]
    assert transitions([1]) == orders([1]) == []


def test_rows_of_different_lengths():
    rows = Rows.of([[3, 1], [], [2]])
    assert len(rows) == 3
    assert [rows[at].tolist() for at in range(3)] == [[3, 1], [], [2]]
    assert len(Rows.of([])) == 0


def test_counts_in_every_view():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (7, 7)).astype(np.float32)
    pairs = {(i, j): float(table[i, j]) for i in range(7) for j in range(7) if table[i, j]}
    counts = Counts.of(pairs, 7)
    np.testing.assert_array_equal(dense(counts, 7), table)
    np.testing.assert_array_equal(dense(counts.turned(), 7), table.T)
    owner, others, numbers = counts.of_all(np.array([5, 0, 3]))
    found = list(zip(owner.tolist(), others.tolist(), numbers.tolist(), strict=True))
    assert found == [
        (at, j, table[tool, j])
        for at, tool in enumerate([5, 0, 3])
        for j in np.flatnonzero(table[tool]).tolist()
    ]
    assert not dense(Counts.of({}, 3), 3).any()


# -- groups ----------------------------------------------------------------------------------


def slow_groups(paths: list[list[int]], vectors: np.ndarray) -> list[set[int]]:
    """Join whatever may not be apart until nothing changes."""
    parts = [{at} for at in range(len(paths))]
    for i in range(len(paths)):
        for j in range(i):
            if paths[i] == paths[j] or vectors[i] @ vectors[j] >= 0.95:
                first = next(part for part in parts if i in part)
                second = next(part for part in parts if j in part)
                if first is not second:
                    parts.remove(second)
                    first |= second
    return sorted(parts, key=min)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("block", [3, 1_000])
def test_groups_hold_together_what_gives_each_other_away(monkeypatch, seed, block):
    monkeypatch.setattr(from_store, "BLOCK", block)
    rng = np.random.default_rng(seed)
    paths = [sorted({*rng.integers(0, 6, 3).tolist()}) for _ in range(40)]
    vectors = rng.normal(size=(12, 16))[rng.integers(0, 12, 40)] + rng.normal(size=(40, 16)) * 0.25
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = groups(paths, vectors)
    parts = slow_groups(paths, vectors)
    assert 1 < len(parts) < 40
    for part in parts:
        assert {int(found[row]) for row in part} == {min(part)}  # numbered by its first row


def test_groups_of_the_demo(library):
    paths = [tuple(sorted(set(library.path(at)))) for at in range(len(library.trajectories))]
    assert 1 < len(set(library.groups.tolist())) < len(paths)
    by_path: dict[tuple[int, ...], set[int]] = {}
    for path, group in zip(paths, library.groups.tolist(), strict=True):
        by_path.setdefault(path, set()).add(group)
    assert all(len(numbers) == 1 for numbers in by_path.values())
    alike = np.argwhere(library.request_vectors @ library.request_vectors.T >= from_store.TWINS)
    assert (library.groups[alike[:, 0]] == library.groups[alike[:, 1]]).all()


def test_members_are_the_rows_of_each_group(library):
    for group, rows in library.members.items():
        assert np.flatnonzero(library.groups == group).tolist() == rows


def test_no_trajectories_no_groups():
    assert len(groups([], np.zeros((0, 4), dtype=np.float32))) == 0
