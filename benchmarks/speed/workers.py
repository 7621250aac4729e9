"""Other processes that measure, seen from the one that compares."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.speed.menu_process import FRONTIER, MEMORY, MENU, QUERIES, SEMANTIC
from benchmarks.speed.samples import Progress, Sample
from spm.registry.errors import InputError

Tell = Callable[[str, int, int], None]
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Taken:
    """What one kind of question took in one process, with the stages of every menu."""

    whole: Sample = field(default_factory=Sample)
    stages: dict[str, list[float]] = field(default_factory=dict)

    def add(self, answer: Mapping[str, Any]) -> None:
        """Take in one answer."""
        self.whole.add(answer["wall"], answer["cpu"])
        for name, ms in answer["stages"].items():
            self.stages.setdefault(name, []).append(ms)


def environment() -> dict[str, str]:
    """The environment of a process that imports this package, whichever folder it starts in."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


class Server:
    """A process that serves one store; see `menu_process`.

    Args:
        store: its folder or address.
        queries: it asks the store for every menu, whether there is a snapshot or not.
    """

    def __init__(self, store: str, *, queries: bool = False) -> None:
        how = [QUERIES] if queries else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.speed.menu_process", store, *how],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        head = self._hear()
        self.engine: str = head["engine"]
        self.tools: int = head["tools"]
        self.menus, self.semantic, self.frontiers = Taken(), Taken(), Taken()

    def warm(self, requests: Sequence[str]) -> dict[str, float]:
        """Build menus that do not count; returns the memory that serving takes."""
        for text in requests:
            self._ask(MENU, text)
        return {name: float(mb) for name, mb in self._ask(MEMORY).items()}

    def menu(self, text: str) -> None:
        """Build a menu that counts."""
        self.menus.add(self._ask(MENU, text))

    def top(self, text: str) -> None:
        """Find the nearest tools, which counts too; the first time does not."""
        if not self.semantic.whole.wall:
            self._ask(SEMANTIC, text)
        self.semantic.add(self._ask(SEMANTIC, text))

    def frontier(self, text: str) -> None:
        """Ask the database for the candidates of a request."""
        if not self.frontiers.whole.wall:
            self._ask(FRONTIER, text)
        self.frontiers.add(self._ask(FRONTIER, text))

    def _ask(self, what: str, text: str = "") -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps([what, text]) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended; what it says to that is read next
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"failed": "It ended too early."}
        if "failed" in answer:
            self._end()
            raise InputError(f"The process that serves menus failed: {answer['failed']}")
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        """End the process, by its own number, and close both pipes."""
        self._process.terminate()
        with self._process:
            pass


def run(module: str, *arguments: object, tell: Tell | None = None) -> dict[str, Any]:
    """Run a module to its end; it says how far it is by JSON lines, and at last its result.

    Raises:
        InputError: it failed.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    answer: dict[str, Any] = {}
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            answer = json.loads(line)
            if tell and "stage" in answer:
                tell(answer["stage"], answer["done"], answer["total"])
    if process.returncode or "failed" in answer:
        said = answer.get("failed", "see above")
        raise InputError(f"python -m {module} failed: {said}")
    return answer


def rounds(count: int, seconds: float, work: Callable[[int], None], bar: Progress | None) -> int:
    """Do a work so many times, but begin none after so many seconds; returns how often."""
    end = time.monotonic() + seconds
    for number in range(count):
        if number and time.monotonic() > end:
            return number
        work(number)
        if bar:
            bar(number + 1, count)
    return count
