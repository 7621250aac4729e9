"""Candidates without traces: what is fitted, what is measured, and what may teach."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.day_one.examples import read, write
from benchmarks.day_one.scores import measure
from tests.data.day_one import example


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


@pytest.fixture(scope="module")
def fitted():
    done = subprocess.run(
        [sys.executable, "-m", "tests.data.workers.day_one"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_fitted_finds_needed_tools_and_who_is_first(fitted):
    assert fitted["chain@5"] > 0.95
    assert fitted["first@1"] > 0.9


def test_a_library_is_measured_without_itself(fitted):
    assert fitted["requests"] == {"one": 30, "two": 80, "toolhop": 30}
    gain, low, high = fitted["gain"]
    assert low <= gain <= high
    assert low > 0.5


def test_data_whose_licence_forbids_it_does_not_teach():
    assert example(1).request.teaches
    assert not example(1, "toolhop").request.teaches
    assert not example(1, "one", "valid").request.teaches


def test_examples_are_read_as_they_were_written(tmp_path):
    kept = [example(1), example(2, size=7)]
    write(kept, tmp_path / "x.npz")
    found = read(tmp_path / "x.npz")
    assert [one.request for one in found] == [one.request for one in kept]
    for one, other in zip(found, kept, strict=True):
        assert (one.step == other.step).all()
        assert one.orders == other.orders
        assert all(np.allclose(one.numbers[name], other.numbers[name]) for name in one.numbers)
