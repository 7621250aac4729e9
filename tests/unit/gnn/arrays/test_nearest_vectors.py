"""The nearest rows: the same in single precision and from bytes, and the same as comparing all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.gnn.arrays import int8_vectors, nearest_vectors
from spm.gnn.arrays.int8_vectors import Coarse
from spm.registry.frontier.frontier import clause_cosines


def rough(known: np.ndarray, asked: np.ndarray) -> nearest_vectors.Rough:
    """The quick pass over bytes, as in a process where sessions pay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPM_RUNTIME", "onnx")
        return nearest_vectors.rough(known, Coarse.of(known), asked)


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
    plain, quick = nearest_vectors.rough(known, None, asked), rough(known, asked)
    assert (plain.coarse, quick.coarse) == (False, True)
    for found in (plain, quick):
        assert nearest_vectors.nearest(known, found, asked, count, seen) == expected


def test_many_rows_are_found_from_bytes_where_sessions_pay():
    known, asked = vectors(5, 6_000, 384), vectors(6, 4, 384)
    quick, plain = rough(known, asked), nearest_vectors.rough(known, None, asked)
    for some in (slice(1), slice(1, None)):
        exact = clause_cosines(known, asked[some]).max(axis=1)
        expected = np.lexsort((np.arange(len(known)), -exact))
        expected = expected[known[expected].any(axis=1)][:128].tolist()
        for found in (quick, plain):
            assert nearest_vectors.nearest(known, found.of(some), asked[some], 128) == expected


def test_bytes_are_only_read_where_onnxruntime_is_at_work(monkeypatch):
    monkeypatch.setenv("SPM_RUNTIME", "numpy")
    known = vectors(5, 50)
    assert not nearest_vectors.rough(known, Coarse.of(known), known[:2]).coarse


@given(st.integers(0, 200), st.sampled_from([1, 7, 12, 64, 384]), st.floats(1e-3, 50))
def test_products_of_bytes_are_off_by_no_more_than_is_said(seed, width, size):
    known, asked = size * vectors(seed, 40, width), vectors(seed + 1, 3, width)
    found = rough(known, asked)
    true = asked.astype(np.float64) @ known.astype(np.float64).T
    margin = found.margin - nearest_vectors.NEARLY  # that is for the roundings of single precision
    assert (np.abs(found.products - true) <= margin + 1e-6 * size).all()


def test_what_rounding_takes_from_a_request_is_in_the_bounds():
    """Rows that are exact in bytes and lie along what is lost, so that nothing else is off."""
    asked = vectors(2, 3, 64)
    turned = int8_vectors.spread(asked)
    digits, unit, lost = int8_vectors._digits(turned)
    written = digits.astype(np.float32) - int8_vectors.BASE
    left = turned - (written[0::2] * int8_vectors.BASE + written[1::2]) * unit[:, None]
    known = int8_vectors.spread((np.sign(left) / 8).astype(np.float32))  # turned twice is as before
    found = rough(known, asked)
    off = np.abs(found.products - asked.astype(np.float64) @ known.astype(np.float64).T)
    assert off.max() > 0.5 * lost
    assert (off <= found.margin - nearest_vectors.NEARLY + 1e-6).all()


def test_very_wide_vectors_do_not_overflow():
    known = np.zeros((3, 8_192), dtype=np.float32)
    known[0] = int8_vectors.spread(np.ones((1, 8_192), dtype=np.float32))[0]
    known[1] = -known[0]
    known[2, 5] = 1.0
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    found = rough(known, known)
    assert (np.abs(found.products - known @ known.T) <= found.margin).all()


def test_some_rows_are_the_rows_of_all():
    known = vectors(3, 30, 24)
    some = np.array([4, 29, 0])
    for name, values in Coarse.of(known).rows(some).items():
        # A product of fewer rows may be added up in another order, on some processors.
        np.testing.assert_allclose(values, Coarse.of(known[some]).arrays[name], atol=1e-6)


def test_the_bounds_are_narrow():
    known, asked = vectors(8, 500, 384), vectors(9, 4, 384)
    found = rough(known, asked)
    assert np.max(found.margin) < 0.02
    assert np.abs(found.products - asked @ known.T).max() < 0.004


def test_spreading_changes_no_product():
    known, asked = vectors(1, 30, 48), vectors(2, 5, 48)
    turned = int8_vectors.spread(asked) @ int8_vectors.spread(known).T
    np.testing.assert_allclose(turned, asked @ known.T, atol=1e-5)
    # One large part is spread over as many as a power of two divides.
    assert np.abs(int8_vectors.spread(np.eye(48, dtype=np.float32)[:1])).max() == pytest.approx(
        0.25
    )


def test_no_rows_and_no_width_are_rows_too():
    assert Coarse.of(np.zeros((0, 384), np.float32)).arrays["numbers"].shape == (384, 0)
    assert Coarse.of(np.zeros((5, 0), np.float32)).arrays["numbers"].shape == (0, 5)


@pytest.mark.parametrize("rows", [1, 5, 10, 23])
def test_blocks_give_all_products(monkeypatch, rows):
    monkeypatch.setattr(nearest_vectors, "BLOCK", 5)
    known, asked = vectors(3, rows), vectors(4, 2)
    found = nearest_vectors.rough(known, None, asked).products
    assert found == pytest.approx(asked @ known.T, abs=1e-6)
