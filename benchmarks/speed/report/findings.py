"""What a bench found, as JSON keeps it, and the file in which the last ones are kept."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import Machine, describe
from benchmarks.speed.report.goals import GOALS
from benchmarks.speed.samples import Row
from spm.registry.errors import InputError

FORMAT = 1
KEPT = Path(__file__).parents[1] / "figures.json"  # what the tables are rendered from


@dataclass(frozen=True)
class Figure:
    """One number that a run is for.

    Attributes:
        name: a goal's, where there is one.
        value: the number; of ratios, the median of those of each round.
        minima: of ratios, the one between the quickest runs.
        said: what must be known to read it, as: extrapolated from 500 requests.
    """

    name: str
    value: float
    minima: float | None = None
    said: str = ""

    @property
    def title(self) -> str:
        """What it is, for people."""
        return GOALS[self.name].title if self.name in GOALS else self.name

    @property
    def verdict(self) -> str:
        """Which bar it reaches; nothing where there is no bar."""
        return GOALS[self.name].verdict(self.value) if self.name in GOALS else ""


@dataclass(frozen=True)
class Finding:
    """A bench that was run.

    Attributes:
        bench: its name.
        settings: what it was asked for.
        rows: what was timed, in milliseconds.
        figures: what comes of it.
        notes: what a reader should know.
    """

    bench: str
    settings: dict[str, Any]
    rows: list[Row]
    figures: list[Figure]
    notes: list[str]
    machine: Machine
    at: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"))

    def figure(self, name: str) -> Figure:
        """A figure by name."""
        return next(one for one in self.figures if one.name == name)


def found(
    bench: str,
    settings: dict[str, Any],
    rows: list[Row],
    figures: list[Figure],
    notes: list[str],
    load: float,
) -> Finding:
    """A finding on this machine, whose load was `load` when it began."""
    return Finding(bench, settings, rows, figures, notes, describe(load))


def plain(finding: Finding) -> dict[str, Any]:
    """A finding as JSON says it: absent values are left out, every figure has its bars."""
    said = {"format": FORMAT, **asdict(finding)}
    said["rows"] = [{k: v for k, v in row.items() if v is not None} for row in said["rows"]]
    said["figures"] = [
        {k: v for k, v in asdict(one).items() if v not in (None, "")} | _bars(one)
        for one in finding.figures
    ]
    return said


def _bars(figure: Figure) -> dict[str, Any]:
    goal = GOALS.get(figure.name)
    if goal is None:
        return {}
    return {"must": goal.must, "aim": goal.aim, "verdict": figure.verdict}


def kept(file: Path | None = None) -> dict[str, dict[str, Any]]:
    """The last findings by bench: those of the repository, or of a file.

    Raises:
        InputError: the file is there and holds something else.
    """
    try:
        text = (file or KEPT).read_text(encoding="utf-8")
        said = json.loads(text)
        return {str(one["bench"]): one for one in said}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{str(file or KEPT)!r} does not hold findings of benches ({error}). Give another file."
        ) from error


def keep(finding: Finding, file: Path) -> None:
    """Put a finding in the place of the last one of the same bench.

    Raises:
        InputError: the file cannot be written, or holds something else.
    """
    known = kept(file) | {finding.bench: plain(finding)}
    text = json.dumps([known[name] for name in sorted(known)], indent=1, ensure_ascii=False)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {str(file)!r}: {error.strerror or error}.") from error
