"""The nearest rows: the same from rows and from columns, and the same as comparing all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.gnn import nearness
from spm.registry.frontier import likeness


def vectors(seed: int, rows: int) -> np.ndarray:
    """Unit vectors, some the same and some of zeros."""
    chance = np.random.default_rng(seed)
    made = chance.standard_normal((rows, 12)).astype(np.float32)
    made[chance.random(rows) < 0.3] = made[0]
    made[chance.random(rows) < 0.1] = 0
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return made / np.where(lengths == 0, 1, lengths)


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 9), st.booleans())
def test_the_quick_pass_loses_nobody(seed, rows, count, hide):
    known, asked = vectors(seed, rows), vectors(seed + 1, 3)
    seen = np.random.default_rng(seed).random(rows) < 0.7 if hide else None
    exact = likeness(known, asked).max(axis=1)
    there = [at for at in range(rows) if known[at].any() and (seen is None or seen[at])]
    expected = sorted(there, key=lambda at: (-exact[at], at))[:count]
    for columns in (None, np.ascontiguousarray(known.T)):
        rough = nearness.products(known, columns, asked)
        assert nearness.nearest(known, rough, asked, count, seen) == expected


@pytest.mark.parametrize("rows", [1, 5, 10, 23])
def test_blocks_give_all_products(monkeypatch, rows):
    monkeypatch.setattr(nearness, "BLOCK", 5)
    known, asked = vectors(3, rows), vectors(4, 2)
    found = nearness.products(known, None, asked)
    assert found == pytest.approx(asked @ known.T, abs=1e-6)
