"""Taking time: in turns, by minima and medians."""

import mmap
import time

import pytest

from benchmarks.speed.machine import describe, load, memory
from benchmarks.speed.samples import Sample, ratio, summed, turns


def test_works_take_turns_and_each_is_told_the_round():
    order: list[tuple[str, int]] = []
    works = {name: lambda at, name=name: order.append((name, at)) for name in ("a", "b")}
    heard: list[tuple[int, int]] = []
    found = turns(works, 3, progress=lambda *said: heard.append(said))
    assert order == [(name, at) for at in range(3) for name in ("a", "b")]
    assert [len(found[name].wall) for name in works] == [3, 3]
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_when_the_time_is_over_no_round_begins_but_one_is_always_whole():
    found = turns({"slow": lambda _: time.sleep(0.02)}, 1_000, seconds=0)
    assert len(found["slow"].wall) == 1
    assert found["slow"].wall[0] >= 20
    assert found["slow"].cpu[0] < found["slow"].wall[0]  # sleeping costs no CPU time


def test_a_row_says_minimum_percentiles_and_memory():
    row = summed("x", Sample([float(n) for n in range(1, 101)], [2.0] * 100), rss=12.5)
    assert (row.runs, row.minimum, row.p50, row.p95, row.cpu, row.rss) == (
        100, 1, 50.5, 95.05, 2, 12.5,
    )  # fmt: skip
    assert row.pss is None


def test_a_ratio_is_the_median_of_rounds_so_that_a_slow_round_does_not_count():
    assert ratio([20, 200, 22], [10, 100, 10]) == {"minima": 2.0, "median": 2.0}
    assert ratio([30, 40], [10, 10]) == {"minima": 3.0, "median": 3.5}
    with pytest.raises(ValueError, match="zip"):
        ratio([1, 2], [1])


def test_a_machine_is_described_without_its_name():
    found = describe(load())
    assert found.cores >= 1
    assert found.memory_gb >= 1
    assert found.load[0] >= 0


def test_memory_counts_what_is_held():
    before = memory()
    # Not by malloc, which may have as much left of what other tests gave back.
    with mmap.mmap(-1, 60_000_000) as held:
        for at in range(0, len(held), mmap.PAGESIZE):
            held[at] = 1
        after = memory()
    if before:
        assert after["rss"] - before["rss"] > 40
        assert after["pss"] <= after["rss"]
