"""The highest scores: as a whole sort gives them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.search.top import EVERY, kth, top

SCORES = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.75, 2.0]), max_size=30).map(np.array)


@given(SCORES, st.integers(0, 40), st.data())
def test_the_top_is_the_beginning_of_a_whole_sort(scores, count, data):
    ids = [f"t{n}" for n in data.draw(st.permutations(range(len(scores))))]
    some = data.draw(st.lists(st.sampled_from(range(len(scores))), unique=True)) if ids else []
    among = np.array(some, dtype=np.int64)
    by_place = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    by_id = sorted(some, key=lambda at: (-scores[at], ids[at]))
    assert top(scores, count) == by_place[:count]
    assert top(scores, count, among) == [at for at in by_place if at in some][:count]
    assert top(scores, count, among, ids=ids) == by_id[:count]


@given(
    st.integers(0, 10_000),
    st.integers(1, 6_000),
    st.integers(1, 200),
    st.sampled_from([0.0, 0.5, 0.95, 0.999]),
    st.sampled_from([0.0, -np.inf]),
)
def test_the_kth_best_is_that_of_a_whole_sort(seed, size, count, tied, floor):
    chance = np.random.default_rng(seed)
    scores = np.round(chance.random(size), 3).astype(np.float32)
    scores[chance.random(size) < tied] = floor
    expected = np.sort(scores)[-count] if size >= count else -np.inf
    assert kth(scores, count) == expected


def test_a_sample_that_misleads_loses_nobody():
    scores = np.zeros(8_000)
    scores[::EVERY] = 1.0  # all that the sample sees is high, and there are few of it
    assert len(scores) > EVERY * (400 + EVERY)  # so that there is a sample
    assert kth(scores, 400) == 1.0
    assert kth(scores[1:], 400) == 1.0
    assert kth(scores, 501) == 0.0
    scores[::2] = 2.0
    assert kth(scores, 480) == 2.0


def test_nobody_is_the_kth_of_none():
    assert kth(np.zeros(0), 0) == -np.inf
    assert kth(np.zeros(3), 4) == -np.inf
