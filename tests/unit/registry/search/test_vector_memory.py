"""Vectors that a process keeps: the nearest are those of the whole ranking."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.search.vector_memory import Kept
from spm.registry.store.interface import rank


def some(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Unit vectors, many of which are equal, and some zeros."""
    kinds = rng.normal(size=(max(1, rows // 3), 8)).astype(np.float32)
    kinds /= np.linalg.norm(kinds, axis=1, keepdims=True)
    found = kinds[rng.integers(0, len(kinds), rows)]
    found[rng.random(rows) < 0.1] = 0
    return found


def kept(ids: list[str], matrix: np.ndarray) -> Kept:
    return Kept((1, "e"), ids, [None] * len(ids), matrix, np.flatnonzero(matrix.any(axis=1)))


@given(st.integers(0, 10_000), st.integers(0, 60), st.integers(1, 20), st.integers(1, 3))
def test_the_nearest_are_the_first_of_a_whole_ranking(
    seed: int, rows: int, count: int, asked: int
) -> None:
    rng = np.random.default_rng(seed)
    matrix, wanted = some(rng, rows), some(rng, 3 * asked)[:asked]
    ids = [f"t{at:03}" for at in range(rows)]
    seen = rng.random(rows) < 0.6
    there = np.flatnonzero(matrix.any(axis=1) & seen)
    expected = [node for node, _ in rank([ids[at] for at in there], matrix[there], wanted, count)]
    assert kept(ids, matrix).nearest(wanted, count, seen) == expected
    # As if those that are not seen were not there at all.
    alone = kept([ids[at] for at in np.flatnonzero(seen)], matrix[seen])
    assert alone.nearest(wanted, count) == expected
