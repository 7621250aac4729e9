"""Candidates without traces: what is fitted, what is measured, and what may teach."""

import numpy as np
import pytest

from benchmarks.day_one.examples import Example, read, write
from benchmarks.day_one.fitting import fit
from benchmarks.day_one.libraries import Request
from benchmarks.day_one.scores import gains, left_out, measure

pytest.importorskip("lightgbm")


def example(number, library="one", split="train", size=12):
    """The needed tools are told by `useful`, the first of them by `early`; words mislead."""
    draw = np.random.default_rng(number)
    step = np.full(size, -1)
    first, second = draw.permutation(size)[:2]
    step[first], step[second] = 0, 1
    numbers = {
        "fused": draw.normal(size=size),
        "useful": (step >= 0) + draw.normal(scale=0.1, size=size),
        "early": (step == 0) + draw.normal(scale=0.1, size=size),
    }
    request = Request(library, library, split, f"r{number}", (frozenset("a"), frozenset("b")))
    worst = np.argsort(numbers["useful"]).tolist()
    return Example(
        request, numbers, step, [], dict.fromkeys(("bm25", "dense", "hybrid", "planned"), worst)
    )


def test_chains_are_counted_by_what_their_steps_need():
    one = example(1)
    first, second = (int(np.flatnonzero(one.step == at)[0]) for at in (0, 1))
    others = [at for at in range(12) if at not in (first, second)]
    good = measure([first, second, *others], one)
    assert (good["chain@5"], good["first@1"], good["prefix"]) == (1.0, 1.0, 1.0)
    late = measure([*others[:9], second, first, others[9]], one)
    assert (late["chain@10"], late["chain@32"], late["first@5"]) == (0.0, 1.0, 0.0)
    turned = measure([second, first, *others], one)
    assert (turned["chain@5"], turned["first@1"], turned["prefix"]) == (1.0, 0.0, 0.5)


def test_what_is_fitted_finds_needed_tools_and_who_is_first():
    ranking, _ = fit([example(number) for number in range(200)])
    unseen = [example(number) for number in range(900, 950)]
    orders = [ranking.order(one.numbers, ranking.scores(one.numbers)) for one in unseen]
    rows = [measure(order, one) for order, one in zip(orders, unseen, strict=True)]
    assert np.mean([row["chain@5"] for row in rows]) > 0.95
    assert np.mean([row["first@1"] for row in rows]) > 0.9


def test_a_library_is_measured_without_itself_and_data_that_may_not_teach_does_not():
    taught = [example(n, "one") for n in range(80)] + [example(n, "two") for n in range(80, 160)]
    asked = [example(n, "one", "valid") for n in range(200, 230)]
    measured = [example(n, "toolhop", "valid") for n in range(300, 330)]
    forbidden = [example(n, "toolhop") for n in range(400, 430)]
    assert not any(one.request.teaches for one in forbidden)
    heard: list[str] = []
    rows = left_out([*taught, *asked, *measured, *forbidden], "valid", heard.append)
    assert {library: len(found["spm"]) for library, found in rows.items()} == {
        "one": 30, "two": 80, "toolhop": 30,
    }  # fmt: skip
    gain, low, high = gains(rows, "spm", "text")["chain@5"]
    assert low <= gain <= high
    assert low > 0.5


def test_examples_are_read_as_they_were_written(tmp_path):
    kept = [example(1), example(2, size=7)]
    write(kept, tmp_path / "x.npz")
    found = read(tmp_path / "x.npz")
    assert [one.request for one in found] == [one.request for one in kept]
    for one, other in zip(found, kept, strict=True):
        assert (one.step == other.step).all()
        assert one.orders == other.orders
        assert all(np.allclose(one.numbers[name], other.numbers[name]) for name in one.numbers)
