"""The test's side of writer.py: start writers, hear what they say, kill them."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 60.0


class Forker:
    """A process that forks writers, one at a time."""

    def __init__(self, *prefix: str) -> None:
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "tests.data.workers.writer"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._hear)
        self._thread.start()
        self.pid = 0

    def _hear(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode().rstrip("\n"))
        self._lines.put("end of the forker")

    def __enter__(self) -> "Forker":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self.pid:
            self.signal(signal.SIGKILL)
        self._process.stdin.close()
        self._process.wait(SECONDS)
        self._thread.join(SECONDS)
        self._process.stdout.close()

    def begin(self, task: str, folder: Path, start: int = 0, count: int = 0) -> None:
        """Fork a writer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([task, str(folder), start, count]).encode() + b"\n")
        self._process.stdin.flush()
        words = self.hear()
        assert words[0] == "pid", words
        self.pid = int(words[1])

    def hear(self) -> list[str]:
        """The next line as words."""
        words = self._lines.get(timeout=SECONDS).split(" ")
        if words[0] == "end":
            self.pid = 0
        return words

    def until(self, first: str) -> list[list[str]]:
        """Every line up to one that begins with `first`; an error of the writer is one here too."""
        heard = [self.hear()]
        while heard[-1][0] != first:
            assert heard[-1][0] not in ("error", "end"), heard
            heard.append(self.hear())
        return heard

    def signal(self, number: int) -> None:
        """Send a signal to the writer; it may have ended a moment ago."""
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def run(self, task: str, folder: Path, start: int = 0, count: int = 0) -> list[list[str]]:
        """Fork a writer and hear it out."""
        self.begin(task, folder, start, count)
        return self.until("end")
