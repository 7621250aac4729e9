"""A service as a process of its own, started for a bench and stopped with it."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.speed.machine import memory
from spm.registry.errors import InputError

STOP_SECONDS = 30.0


@dataclass(frozen=True)
class Started:
    """A service that runs.

    Attributes:
        url: where it answers.
        process: the id of its first process, whose children are the workers.
        engine: of its store.
    """

    url: str
    process: int
    engine: str


@contextmanager
def started(store: str, workers: int = 1, *options: str) -> Iterator[Started]:
    """Run `spm serve` on a free port until the end of the block.

    Raises:
        InputError: it did not start; the message holds the last lines of its log.
    """
    command = [sys.executable, "-m", "spm.cli", "serve", "--store", store, "--port", "0", "--json"]
    command += ["--workers", str(workers), *options]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            told = _announced(process.stdout or ())
            if told is None:
                raise InputError(f"`spm serve` did not start: {_end(log)}")
            yield Started(told["url"], process.pid, told["engine"])
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def held(process: int) -> float:
    """MB of memory of a process and its children, shared pages counted once; 0 if not known."""
    return sum(memory(one).get("pss", 0.0) for one in (process, *children(process)))


def children(process: int) -> list[int]:
    """The processes that a process started and that still run (Linux)."""
    try:
        lists = [file.read_text() for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return sorted(int(one) for text in lists for one in text.split())


def _announced(lines: Iterable[str]) -> dict[str, Any] | None:
    """The first JSON object, which ends with a line of its own."""
    text = ""
    for line in lines:
        text += line
        if line.rstrip() == "}":
            found: dict[str, Any] = json.loads(text)
            return found
    return None


def _end(log: IO[str]) -> str:
    time.sleep(0.1)  # for what it says last
    log.seek(0)
    return " ".join(log.read().splitlines()[-3:])[-500:]
