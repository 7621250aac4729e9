"""Fresh processes: what somebody waits for who types one command."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.speed import generator
from benchmarks.speed.library import VECTORS
from benchmarks.speed.machine import KILO, load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.report.goals import named
from benchmarks.speed.samples import Progress, Sample, ratio, summed
from spm.registry.errors import InputError

TORCH = 'python -c "import torch"'
BARE = 'python -c ""'
GOAL = "16,000 tools"
_PYTHON = [sys.executable, "-c"]


class Process:
    """A command that is run afresh each time, with what its processes took."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._arguments = list(arguments)
        self._environment = dict(environment)
        self.sample = Sample()
        self.rss = 0.0

    def run(self) -> None:
        """Run it once to its end; its output is not looked at.

        Raises:
            InputError: it failed; says what it said.
        """
        start = time.perf_counter()
        with subprocess.Popen(
            self._arguments,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            said = process.stderr.read() if process.stderr else ""
            _, status, used = os.wait4(process.pid, 0)
            wall = 1000 * (time.perf_counter() - start)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise InputError(f"{' '.join(self._arguments)} failed: {said.strip()}")
        self.sample.add(wall, 1000 * (used.ru_utime + used.ru_stime))
        self.rss = max(self.rss, used.ru_maxrss / (KILO if sys.platform == "linux" else KILO**2))


def measure(
    stores: Mapping[str, Path],
    runs: int,
    progress: Progress | None = None,
) -> Finding:
    """Time fresh processes of `spm menu` beside those of Python, alone and with torch.

    Args:
        stores: registries to ask, by what they are; the first one is compared with torch.
        runs: of each command, in turns. One run before them is not counted: it warms the disk.
        progress: hears the runs.
    """
    before, asked = load(), next(iter(stores)) == GOAL
    commands = {BARE: [*_PYTHON, ""]}
    if find_spec("torch"):
        commands[TORCH] = [*_PYTHON, "import torch"]
    for name, store in stores.items():
        commands[f"spm menu, {name}"] = _menu(store)
    processes = {name: Process(one, os.environ) for name, one in commands.items()}
    _run(processes, runs, progress)
    return found(
        "cold",
        {"runs": runs, "stores": list(stores)},
        [summed(name, one.sample, rss=round(one.rss, 1)) for name, one in processes.items()],
        _figures(processes, f"spm menu, {next(iter(stores))}", asked),
        ["Wall time of whole processes, the disk's pages in memory; rss is the peak.", VECTORS]
        + ([] if TORCH in processes else ["torch is not installed: nothing to compare with."]),
        before,
    )


def _menu(store: Path) -> list[str]:
    (request,) = generator.requests(1)
    return [sys.executable, "-m", "spm.cli", "menu", request, "--store", str(store)]


def _run(processes: Mapping[str, Process], runs: int, progress: Progress | None) -> None:
    for process in processes.values():
        process.run()
        process.sample = Sample()
    for number in range(runs):
        for process in processes.values():
            process.run()
        if progress:
            progress(number + 1, runs)


def _figures(processes: Mapping[str, Process], menu: str, asked: bool) -> list[Figure]:
    def over(name: str, above: str, below: str) -> Figure:
        one: dict[str, Any] = ratio(processes[above].sample.wall, processes[below].sample.wall)
        return Figure(name, one["median"], one["minima"])

    name = named("cold_over_torch", asked)
    figures = [over(name, menu, TORCH)] if TORCH in processes else []
    return [*figures, over("cold menu / bare python", menu, BARE)]
