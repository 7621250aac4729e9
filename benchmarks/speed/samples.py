"""Taking time: works take turns, so that a busy machine slows all of them alike."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

Progress = Callable[[int, int], None]


@dataclass
class Sample:
    """The milliseconds of one work, run by run; CPU time counts all threads of the process."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, wall: float, cpu: float) -> None:
        """Take in one run."""
        self.wall.append(wall)
        self.cpu.append(cpu)

    def time(self, work: Callable[[], Any]) -> Any:
        """Run a work once."""
        wall, cpu = time.perf_counter(), time.process_time()
        found = work()
        self.add(1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu))
        return found


@dataclass(frozen=True)
class Row:
    """What was measured of one work, in milliseconds; memory in MB where it was looked at."""

    name: str
    runs: int
    minimum: float
    p50: float
    p95: float
    cpu: float | None = None  # the median
    rss: float | None = None
    pss: float | None = None


def summed(name: str, sample: Sample, **memory: float) -> Row:
    """A sample as a row of a table."""
    return Row(
        name,
        len(sample.wall),
        minimum=_round(min(sample.wall)),
        p50=_round(float(np.percentile(sample.wall, 50))),
        p95=_round(float(np.percentile(sample.wall, 95))),
        cpu=_round(float(np.percentile(sample.cpu, 50))) if sample.cpu else None,
        **memory,
    )


def turns(
    works: Mapping[str, Callable[[int], Any]],
    rounds: int,
    seconds: float = float("inf"),
    progress: Progress | None = None,
) -> dict[str, Sample]:
    """Run every work once a round; stop after so many rounds, or when the time is over.

    Args:
        works: by name; each is told the number of the round.
        rounds: at most so many, at least one.
        seconds: no round begins after them.
        progress: hears the rounds.
    """
    found = {name: Sample() for name in works}
    end = time.monotonic() + seconds
    for number in range(rounds):
        if number and time.monotonic() > end:
            break
        for name, work in works.items():
            found[name].time(partial(work, number))
        if progress:
            progress(number + 1, rounds)
    return found


def ratio(above: Sequence[float], below: Sequence[float]) -> dict[str, float]:
    """How many times as long, by the minima and by the medians of the same rounds.

    The median is that of each round's own ratio: what slowed a whole round is in both parts.
    """
    each = [a / b for a, b in zip(above, below, strict=True)]
    return {
        "minima": round(min(above) / min(below), 3),
        "median": round(float(np.median(each)), 3),
    }


def _round(value: float) -> float:
    return float(f"{value:.4g}")
