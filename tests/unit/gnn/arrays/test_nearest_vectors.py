"""The nearest rows: a quick pass over all and an exact one give the same as comparing all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.gnn.arrays import nearest_vectors
from spm.registry.frontier.frontier import clause_cosines


def vectors(seed: int, rows: int, width: int = 12) -> np.ndarray:
    """Unit vectors, some the same, some of zeros, and one part larger than the others."""
    chance = np.random.default_rng(seed)
    made = chance.standard_normal((rows, width)).astype(np.float32)
    made[:, 0] += 3
    made[chance.random(rows) < 0.3] = made[0]
    made[chance.random(rows) < 0.1] = 0
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return made / np.where(lengths == 0, 1, lengths)


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 9), st.booleans())
def test_the_quick_pass_loses_nobody(seed, rows, count, hide):
    known, asked = vectors(seed, rows), vectors(seed + 1, 3)
    seen = np.random.default_rng(seed).random(rows) < 0.7 if hide else None
    exact = clause_cosines(known, asked).max(axis=1)
    there = [at for at in range(rows) if known[at].any() and (seen is None or seen[at])]
    expected = sorted(there, key=lambda at: (-exact[at], at))[:count]
    found = nearest_vectors.rough(known, asked)
    assert nearest_vectors.nearest(known, found, asked, count, seen) == expected


def test_many_rows_are_found_for_parts_of_what_is_asked():
    known, asked = vectors(5, 6_000, 384), vectors(6, 4, 384)
    found = nearest_vectors.rough(known, asked)
    for some in (slice(1), slice(1, None)):
        exact = clause_cosines(known, asked[some]).max(axis=1)
        expected = np.lexsort((np.arange(len(known)), -exact))
        expected = expected[known[expected].any(axis=1)][:128].tolist()
        assert nearest_vectors.nearest(known, found.of(some), asked[some], 128) == expected


@pytest.mark.parametrize("rows", [1, 5, 10, 23])
def test_blocks_give_all_products(monkeypatch, rows):
    monkeypatch.setattr(nearest_vectors, "BLOCK", 5)
    known, asked = vectors(3, rows), vectors(4, 2)
    found = nearest_vectors.rough(known, asked).products
    assert found == pytest.approx(asked @ known.T, abs=1e-6)
