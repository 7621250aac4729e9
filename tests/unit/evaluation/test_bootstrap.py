"""Intervals: as wide as they should be, the same for the same seed, paired, and by groups."""

import time
from typing import Any

import numpy as np
import pytest

from spm.evaluation import bootstrap

NAN = np.nan
Bootstrap: Any = bootstrap.Bootstrap  # its numbers may be None; where they are, it is the point


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_the_mean_is_the_mean_and_lies_in_its_interval():
    values = np.random.default_rng(0).random((200, 3))
    found = Bootstrap(range(200)).means(values)
    for at, one in enumerate(found):
        assert one.mean == pytest.approx(values[:, at].mean())
        assert one.low < one.mean < one.high
        assert one.count == 200
        # about two standard errors on both sides
        wide = 3.92 * values[:, at].std() / np.sqrt(200)
        assert one.high - one.low == pytest.approx(wide, rel=0.1)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    held = 0
    for trial in range(300):
        values = (rng.random(100) < 0.7).astype(float)
        (one,) = Bootstrap(range(100), 1_000, trial).means(values[:, None])
        held += one.low <= 0.7 <= one.high
    assert 0.90 <= held / 300 <= 0.98


def test_intervals_of_groups_hold_the_truth_where_those_of_tasks_do_not():
    rng = np.random.default_rng(2)
    alone = together = 0
    groups = np.repeat(np.arange(40), 5)
    for trial in range(200):
        values = np.repeat((rng.random(40) < 0.7).astype(float), 5)[:, None]
        (one,) = Bootstrap(range(200), 1_000, trial).means(values)
        (other,) = Bootstrap(groups.tolist(), 1_000, trial).means(values)
        alone += one.low <= 0.7 <= one.high
        together += other.low <= 0.7 <= other.high
    assert together / 200 >= 0.88
    assert alone / 200 <= 0.75


def test_the_same_seed_gives_the_same():
    values = np.random.default_rng(3).random((50, 2))
    assert Bootstrap(range(50)).means(values) == Bootstrap(range(50)).means(values)
    assert Bootstrap(range(50), seed=1).means(values) != Bootstrap(range(50)).means(values)
    # the names of groups are no matter, and other columns neither
    letters = "".join(map(chr, range(50)))
    assert Bootstrap(letters).means(values) == Bootstrap(range(50)).means(values)
    (alone,) = Bootstrap(range(50)).means(values[:, :1])
    beside = Bootstrap(range(50)).means(values)[0]
    assert (alone.low, alone.high) == pytest.approx((beside.low, beside.high))


def test_a_paired_difference_is_surer_than_two_means():
    rng = np.random.default_rng(4)
    first = rng.random((100, 1))
    second = first + 0.02 + 0.01 * rng.random((100, 1))
    boot = Bootstrap(range(100))
    (apart,) = boot.differences(second, first)
    (one,), (other,) = boot.means(first), boot.means(second)
    assert one.high > other.low  # the means say nothing
    assert apart.low > 0
    assert apart.mean == pytest.approx((second - first).mean())
    assert (apart.wins, apart.losses, apart.count) == (100, 0, 100)
    assert apart.p == pytest.approx(2 / 10_001)
    (back,) = boot.differences(first, second)
    assert (back.mean, back.low, back.high) == pytest.approx((-apart.mean, -apart.high, -apart.low))


def test_no_difference_is_no_difference():
    values = np.random.default_rng(5).random((30, 1))
    (apart,) = Bootstrap(range(30)).differences(values, values)
    assert (apart.mean, apart.low, apart.high, apart.p) == (0, 0, 0, 1)
    assert (apart.wins, apart.losses) == (0, 0)


def test_chance_is_small_as_often_as_it_says():
    rng = np.random.default_rng(6)
    ps = []
    for trial in range(300):
        pair = rng.random((2, 60, 1))
        ps.append(Bootstrap(range(60), 1_000, trial).differences(*pair)[0].p)
    assert 0.02 <= np.mean(np.array(ps) < 0.05) <= 0.09


def test_what_is_not_defined_is_left_out():
    values = np.hstack([column(1, NAN, 0, NAN), column(NAN, NAN, NAN, NAN), column(1, 1, 1, 1)])
    one, other, third = Bootstrap(range(4)).means(values)
    assert (one.mean, one.count) == (0.5, 2)
    assert (one.low, one.high) == (0, 1)
    assert (other.mean, other.low, other.high, other.count) == (None, None, None, 0)
    assert (third.mean, third.low, third.high) == (1, 1, 1)
    apart = Bootstrap(range(4)).differences(column(1, NAN, 1, NAN), column(0, 1, NAN, NAN))[0]
    assert (apart.mean, apart.count, apart.wins, apart.losses) == (1, 1, 1, 0)
    assert Bootstrap([0]).differences(column(NAN), column(1))[0].p is None


def test_groups_of_different_size_weigh_by_their_tasks():
    values = column(1, 1, 1, 0)
    (one,) = Bootstrap(["a", "a", "a", "b"]).means(values)
    assert one.mean == 0.75
    assert (one.low, one.high) == (0, 1)


def test_no_task_is_refused():
    with pytest.raises(ValueError, match="at least one task"):
        Bootstrap([])


def test_a_thousand_tasks_are_not_drawn_one_by_one():
    values = np.random.default_rng(7).random((1_000, 1))
    boot = Bootstrap(range(1_000))

    def seconds(work):
        start = time.process_time()
        work()
        return time.process_time() - start

    counting = min(seconds(lambda: sum(n for n in range(1_000_000))) for _ in range(3))
    assert min(seconds(lambda: boot.differences(values, 1 - values)) for _ in range(3)) < (
        50 * counting  # of so many millions of drawn tasks, each would cost more than a step
    )
