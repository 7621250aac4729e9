"""The fast experiments, run as `make reproduce FAST=1` runs them, on data that is not ours."""

from pathlib import Path

import pytest

from spm.evaluation.reproduction import experiments, line, run

DATA = Path(__file__).parents[3] / "shared" / "data"
FAST = [one for one in experiments() if one.fast]


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmarks at {DATA}")
@pytest.mark.parametrize("experiment", FAST, ids=lambda one: one.name)
def test_a_fast_experiment_gives_what_is_written_down(experiment, tmp_path):
    verdict = run(experiment, DATA, tmp_path)
    print(line(verdict))
    assert verdict.word in ("OK", "OKish"), line(verdict)
    assert verdict.seconds < 300
