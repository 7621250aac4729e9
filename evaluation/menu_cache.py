"""The cache of menus: JSON lines, one for each menu that was built.

The file says what it was made for; one made for anything else is begun anew. A line that a kill
tore is dropped with all behind it. One process at a time: a second one waits, and then finds what
the first has built.
"""

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from spm.registry.errors import InputError


@dataclass(frozen=True)
class Built:
    """One menu by numbers of tools, what it was chosen from, and how long it took."""

    menu: list[int]
    frontier: list[int] | None
    ms: float


class Kept:
    """The menus of one constructor for one content.

    Args:
        file: where they lie; its folder is made.
        head: what they were made for, word for word.
        waits: called when another process has the file.

    Raises:
        InputError: the file cannot be written.
    """

    def __init__(self, file: Path, head: str, waits: Callable[[], None]) -> None:
        self._file, self._head, self._waits = file, head, waits
        self.built: dict[str, Built] = {}
        self.fit_seconds: float | None = None
        self._open: BinaryIO | None = None

    def __enter__(self) -> "Kept":
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._open = os.fdopen(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
            self._lock(self._open)
            self._read(self._open)
        except OSError as error:
            self.__exit__(None, None, None)
            raise InputError(
                f"Cannot use {str(self._file)!r}: {error.strerror or error}. "
                "Choose another folder with --cache."
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._open:
            self._open.close()
            self._open = None

    def fitted(self, seconds: float) -> None:
        """Remember how long the constructor took to be made; the first time counts."""
        if self.fit_seconds is None:
            self.fit_seconds = seconds
            self._append({"fit": round(seconds, 4)})

    def add(self, key: str, built: Built) -> None:
        """Remember a menu; it outlives this process from here on."""
        self.built[key] = built
        line = {"q": key, "menu": built.menu, "ms": built.ms}
        self._append(line if built.frontier is None else {**line, "frontier": built.frontier})

    def _lock(self, file: BinaryIO) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._waits()
            fcntl.flock(file, fcntl.LOCK_EX)

    def _read(self, file: BinaryIO) -> None:
        """Take in whole lines; cut the file behind the last of them."""
        whole = 0
        if file.readline() == self._first():
            whole = file.tell()
            for line in file:
                if not line.endswith(b"\n") or not self._take(line):
                    break
                whole += len(line)
        file.truncate(whole)
        file.seek(whole)
        if not whole:
            file.write(self._first())
            file.flush()

    def _first(self) -> bytes:
        return json.dumps({"for": self._head}).encode() + b"\n"

    def _take(self, line: bytes) -> bool:
        try:
            said = json.loads(line)
            if "fit" in said:
                self.fit_seconds = float(said["fit"])
            else:
                self.built[said["q"]] = Built(said["menu"], said.get("frontier"), said["ms"])
        except (ValueError, KeyError, TypeError):
            return False
        return True

    def _append(self, said: dict[str, object]) -> None:
        if self._open is None:
            raise ValueError("expected an open file (got a closed one)")
        try:
            self._open.write(json.dumps(said, separators=(",", ":")).encode() + b"\n")
            self._open.flush()
        except OSError as error:
            raise InputError(
                f"Cannot write {str(self._file)!r}: {error.strerror or error}. "
                "What was built until now is kept; make room and run the same again."
            ) from error
