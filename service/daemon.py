"""A warm process behind a socket of its user: answers one question at a time, ends when idle.

It knows nothing of menus: whoever starts it says how a question is answered. `terminal` is the
other side. A question that is declined, or that fails, is simply done by the one who asked.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from spm.registry.errors import InputError, StoreError
from spm.service.terminal import FORMAT, ask, own, place

Answer = Callable[[dict[str, Any]], dict[str, Any] | None]
LARGEST = 1_000_000  # bytes of a question
QUESTION_SECONDS = 2.0
START_SECONDS = 60.0


class Daemon:
    """Serves one socket until it is stopped or nobody asked for a while.

    Args:
        path: of the socket.
        answer: makes an answer of a question; None declines.
        idle: seconds without a question after which it ends.
        about: what it says of itself when it is asked.
    """

    def __init__(self, path: str, answer: Answer, idle: float, about: dict[str, Any]) -> None:
        self._path, self._answer, self._idle, self._about = path, answer, idle, about
        self._answered = 0
        self._going = True

    def run(self) -> None:
        """Listen; returns when it is over.

        Raises:
            StoreError: the socket cannot be made.
        """
        listening = self._bound()
        mark = os.stat(self._path).st_ino
        try:
            with listening:
                listening.settimeout(self._idle)
                while self._going:
                    try:
                        line, _ = listening.accept()
                    except TimeoutError:
                        break
                    with line, suppress(OSError, ValueError):
                        self._serve(line)
        finally:
            with suppress(OSError):
                if os.stat(self._path).st_ino == mark:  # or another one took the place
                    os.unlink(self._path)

    def _bound(self) -> socket.socket:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                os.unlink(self._path)  # of one that was killed: a living one was looked for before
            line.bind(self._path)
            line.listen(16)
        except OSError as error:
            line.close()
            raise StoreError(
                f"Cannot listen at {self._path!r}: {error.strerror or error}. "
                "Set XDG_RUNTIME_DIR to a folder of yours."
            ) from error
        finally:
            os.umask(before)
        return line

    def _serve(self, line: socket.socket) -> None:
        if not own(line):
            return
        line.settimeout(QUESTION_SECONDS)
        found: dict[str, Any] | None = self._answered_to(_read(line))
        if found is not None:
            line.sendall(json.dumps(found).encode() + b"\n")

    def _answered_to(self, question: dict[str, Any]) -> dict[str, Any] | None:
        if "stop" in question:
            self._going = False
        if "stop" in question or "status" in question:
            return {**self._about, "pid": os.getpid(), "answered": self._answered}
        if question.get("format") != FORMAT:
            return None
        found = self._answer(question)
        self._answered += found is not None
        return found


def _read(line: socket.socket) -> dict[str, Any]:
    data = b""
    while not data.endswith(b"\n"):
        part = line.recv(65_536)
        data += part
        if not part or len(data) > LARGEST:
            raise ValueError("not a question")
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("not a question")
    return found


def status(path: str, *, stop: bool = False) -> dict[str, Any] | None:
    """What the process behind a socket says of itself; None when there is none."""
    with suppress(OSError, ValueError):
        return ask(path, {"stop": True} if stop else {"status": True})
    return None


def start(command: Sequence[str], path: str) -> dict[str, Any]:
    """Start a process that serves `path` and outlives this one; returns what it says of itself.

    Raises:
        InputError: it did not come up; says what it said.
    """
    safe_folder()
    with open(f"{path[:-5]}.log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if found := status(path):
                return found
            if process.poll() is not None:
                break
            time.sleep(0.02)
        log.seek(0)
        said = log.read().strip()
    raise InputError(f"The warm process did not come up: {said or 'it said nothing'}")


def safe_folder() -> None:
    """Make the folder of the sockets, for this user alone.

    Raises:
        InputError: it is there and others could write into it.
    """
    folder = place()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        raise InputError(f"Cannot make {folder!r}: {error.strerror or error}.") from error
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise InputError(
            f"{folder!r} is not yours alone. Remove it, or set XDG_RUNTIME_DIR to one of yours."
        )


def itself(*arguments: str) -> list[str]:
    """The command of spm with this interpreter."""
    return [sys.executable, "-m", "spm.cli", *arguments]
