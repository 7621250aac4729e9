"""The fast experiments, run as `make reproduce FAST=1` runs them, on data that is not ours."""

from pathlib import Path

import pytest

from benchmarks.reproduce import experiments, line, run
from tests.support.campaigns import size

DATA = Path(__file__).parents[3] / "shared" / "data"
FAST = [one for one in experiments() if one.fast][-size("experiments") :]


@pytest.mark.campaign
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmarks at {DATA}")
@pytest.mark.parametrize("experiment", FAST, ids=lambda one: one.name)
def test_a_fast_experiment_gives_what_is_written_down(experiment, tmp_path):
    verdict = run(experiment, DATA, tmp_path)
    print(line(verdict))
    assert verdict.word in ("OK", "OKish"), line(verdict)
