"""The experiments again: run what `experiments.yaml` names, and compare with what it says.

    python -m benchmarks reproduce [NAME…] --data FOLDER [--fast] [--update]

Each experiment is a command of spm with `--json`. OK: every score within the tolerance; OKish:
within three times; FAIL: further, or the command failed. With `--update` what was measured becomes
what is expected, and the tables of README.md and docs/results.md are written anew.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spm.registry.errors import InputError

EXPERIMENTS = Path(__file__).with_name("experiments.yaml")
FURTHER = 3  # times the tolerance is still OKish
Scores = dict[str, dict[str, float]]  # by constructor (with @share), then by measure
Intervals = dict[str, dict[str, list[float]]]  # likewise: from where to where


@dataclass(frozen=True)
class Experiment:
    """One command and what it should find.

    Attributes:
        name: `table/row`.
        command: arguments of spm; `{data}` stands for the folder of data sets.
        measures: what is compared and shown.
        expected: scores by constructor and measure; empty until it was run once.
        tolerance: how far a score may be off.
        fast: whether it is small enough for every CI run.
        about: what it shows, in a sentence.
        intervals: 95 % intervals of the scores, where the experiment keeps them.
    """

    name: str
    command: list[str]
    measures: list[str]
    expected: Scores
    tolerance: float
    fast: bool = False
    about: str = ""
    intervals: Intervals | None = None

    @property
    def table(self) -> str:
        """The table that it is a part of."""
        return self.name.partition("/")[0]

    def arguments(self, data: Path) -> list[str]:
        """The command with the folder put in."""
        return [part.replace("{data}", str(data)) for part in self.command]


@dataclass(frozen=True)
class Verdict:
    """How an experiment went."""

    experiment: Experiment
    measured: Scores
    seconds: float
    error: str = ""
    intervals: Intervals | None = None

    @property
    def worst(self) -> float:
        """The largest difference to what was expected, in tolerances."""
        expected = self.experiment.expected
        differences = [
            abs(self.measured.get(who, {}).get(measure, 1e9) - score)
            for who, scores in expected.items()
            for measure, score in scores.items()
        ]
        return max(differences, default=0.0) / self.experiment.tolerance

    @property
    def word(self) -> str:
        """OK, OKish or FAIL; NEW where nothing was expected yet."""
        if self.error:
            return "FAIL"
        if not self.experiment.expected:
            return "NEW"
        return "OK" if self.worst <= 1 else "OKish" if self.worst <= FURTHER else "FAIL"


def experiments(text: str | None = None) -> list[Experiment]:
    """Read the list of experiments.

    Raises:
        InputError: an entry lacks something.
    """
    said = yaml.safe_load(text or EXPERIMENTS.read_text(encoding="utf-8"))
    try:
        return [
            Experiment(
                name=one["name"],
                command=str(one["command"]).split(),
                measures=str(one.get("measures", said["measures"])).split(),
                expected=one.get("expected") or {},
                tolerance=float(one.get("tolerance", said["tolerance"])),
                fast=bool(one.get("fast", False)),
                about=one.get("about", ""),
                intervals=one.get("intervals"),
            )
            for one in said["experiments"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"experiments.yaml has an entry that cannot be used: {error!r}") from error


def run(experiment: Experiment, data: Path, cache: Path) -> Verdict:
    """Run one experiment in a process of its own."""
    command = [sys.executable, "-m", "spm.cli", *experiment.arguments(data)]
    start = time.monotonic()
    made = subprocess.run(
        [*command, "--cache", str(cache), "--json"], capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - start
    if made.returncode:
        return Verdict(experiment, {}, seconds, made.stderr.strip()[-500:])
    result = json.loads(made.stdout)
    measured = scores(result, experiment.measures)
    return Verdict(experiment, measured, seconds, "", intervals(result, experiment.measures))


def scores(result: Mapping[str, Any], measures: Sequence[str]) -> Scores:
    """The scores of an evaluation by constructor; at shares of the traces as `name@share`."""
    found = {who: _chosen(means, measures) for who, means in result["all"]["means"].items()}
    for part in result["shares"]:
        for who, means in part["means"].items():
            found[f"{who}@{part['share']:g}"] = _chosen(means, measures)
    return found


def intervals(result: Mapping[str, Any], measures: Sequence[str]) -> Intervals:
    """The intervals of the scores on the whole evaluation."""
    return {
        who: {
            m: [means[m]["low"], means[m]["high"]] for m in measures if means[m]["mean"] is not None
        }
        for who, means in result["all"]["means"].items()
    }


def _chosen(means: Mapping[str, Any], measures: Sequence[str]) -> dict[str, float]:
    return {m: means[m]["mean"] for m in measures if means[m]["mean"] is not None}


def updated(text: str, verdicts: Sequence[Verdict]) -> str:
    """The list of experiments with what was measured; its head of comments stays.

    Intervals are kept where an experiment has the key, so that tables of many rows stay readable.
    """
    said = yaml.safe_load(text)
    new = {one.experiment.name: one for one in verdicts if not one.error}
    for one in said["experiments"]:
        found = new.get(one["name"])
        one["expected"] = found.measured if found else one.get("expected") or {}
        if found and "intervals" in one:
            one["intervals"] = found.intervals
    head = "".join(_head(text))
    body = yaml.safe_dump(said, sort_keys=False, width=110, default_flow_style=None)
    return f"{head}{body}"


def _head(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        if not line.startswith("#"):
            return
        yield line


def chosen(names: Sequence[str], fast: bool) -> list[Experiment]:
    """The experiments of these names or tables, all without any; `fast`: only fast ones."""
    return [
        one
        for one in experiments()
        if (not names or one.name in names or one.table in names) and (one.fast or not fast)
    ]


def update(verdicts: Sequence[Verdict]) -> None:
    """Write down what was measured as what is expected from now on."""
    EXPERIMENTS.write_text(updated(EXPERIMENTS.read_text("utf-8"), verdicts), "utf-8")


def line(verdict: Verdict) -> str:
    """One experiment as a line for people."""
    off = f"{verdict.worst * verdict.experiment.tolerance:.4f} off" if verdict.measured else ""
    said = verdict.error.splitlines()[-1] if verdict.error else off
    return f"{verdict.word:5} {verdict.experiment.name:32} {verdict.seconds:7.1f} s  {said}"
