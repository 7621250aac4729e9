"""Reading a benchmark's files as they were published, and remembering which ones were read."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.datasets.records import Record, word
from spm.registry.errors import InputError

Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much (0: unknown)
Used = dict[str, tuple[int, bytes]]  # size and SHA-256 of files, by name


@dataclass
class Source:
    """The folders a user downloaded; a file is taken from the first folder that has it.

    Files are named as in the repository, from its top. A folder may also be one further down, such
    as the repository's folder of data: leading parts of a name may be missing.

    Attributes:
        folders: where to look.
        about: the layout that is expected and where to get it, for messages.
        progress: hears how many files were read.
        used: the files that were read, by the name or pattern that asked for them.
        label: which of several folders this is.
    """

    folders: Sequence[Path]
    about: str = ""
    progress: Progress | None = None
    used: dict[str, Used] = field(default_factory=dict)
    label: str = ""

    def each(self) -> "list[Source]":
        """Every folder as a source of its own; what they read is remembered here."""
        return [
            replace(self, folders=[folder], label=f"folder {number}: " if number > 1 else "")
            for number, folder in enumerate(self.folders, 1)
        ]

    def find(self, name: str) -> Path | None:
        """The file of that name, or None."""
        for tail in _tails(name):
            for folder in self.folders:
                if (folder / tail).is_file():
                    return folder / tail
        return None

    def names(self, pattern: str) -> list[str]:
        """Names of the files that fit, sorted; all of them in the first folder that has any."""
        for tail in _tails(pattern):
            for folder in self.folders:
                found = sorted(path for path in folder.glob(tail) if path.is_file())
                if found:
                    top = pattern[: len(pattern) - len(tail)]
                    return [top + path.relative_to(folder).as_posix() for path in found]
        return []

    def needed(self, pattern: str) -> list[str]:
        """The same, where there must be some.

        Raises:
            InputError: no file fits.
        """
        if not (found := self.names(pattern)):
            raise self._missing(pattern)
        return found

    def text(self, name: str, together: str = "") -> str:
        """A file's text; `together` names the many files that are remembered as one.

        Raises:
            InputError: it is missing, cannot be read, or is not UTF-8.
        """
        if (path := self.find(name)) is None:
            raise self._missing(name)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error
        if data.startswith(b"version https://git-lfs"):
            raise InputError(
                f"{str(path)!r} is only a Git LFS pointer. Fetch the content with: git lfs pull"
            )
        known = self.used.setdefault(self.label + (together or name), {})
        known[name] = len(data), hashlib.sha256(data).digest()
        if self.progress:
            self.progress(f"Reading {path.name}", len(known), 0)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(f"{str(path)!r}, line {line}: this is not UTF-8 text.") from error

    def object(self, name: str, together: str = "") -> Record:
        """A file that is one JSON object.

        Raises:
            InputError: it is missing, no JSON, or no object.
        """
        try:
            return Record.of(json.loads(self.text(name, together)), self.place(name))
        except (json.JSONDecodeError, RecursionError) as error:
            raise self._no_json(name, error) from error

    def records(self, name: str) -> Iterator[Record]:
        """The objects of a file that is a JSON list of objects, decoded one at a time.

        Raises:
            InputError: it is missing, no JSON, no list, or an element is no object.
        """
        try:
            for number, value in enumerate(_elements(self.text(name))):
                yield Record.of(value, f"{self.place(name)}, record {number}")
        except (json.JSONDecodeError, RecursionError) as error:
            raise self._no_json(name, error) from error

    def lines(self, name: str) -> Iterator[Record]:
        """The objects of a file of JSON lines, one each.

        Raises:
            InputError: it is missing, or a line is no object.
        """
        for number, line in enumerate(self.text(name).split("\n"), 1):
            if not line.strip():
                continue
            place = f"{self.place(name)}, line {number}"
            try:
                value = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                raise InputError(f"{place}: this is not JSON. Download the file again.") from error
            yield Record.of(value, place)

    def table(self, name: str) -> Iterator[Record]:
        """The rows of a file of comma-separated values with a line of names.

        Raises:
            InputError: it is missing or damaged.
        """
        number = 0
        try:
            for row in csv.DictReader(io.StringIO(self.text(name), newline="")):
                number += 1
                yield Record.of(dict(row), f"{self.place(name)}, row {number}")
        except csv.Error as error:
            raise InputError(f"{self.place(name)}, after row {number}: {error}.") from error

    def summary(self) -> dict[str, dict[str, Any]]:
        """What was read: files, bytes and SHA-256, of many files that of all names and digests."""
        found = {}
        for asked, files in sorted(self.used.items()):
            digest = hashlib.sha256()
            for name, (_, each) in sorted(files.items()):
                digest.update(name.encode() + b"\0" + each)
            only = next(iter(files.values()))[1]
            found[asked] = {
                "files": len(files),
                "bytes": sum(size for size, _ in files.values()),
                "sha256": only.hex() if len(files) == 1 else digest.hexdigest(),
            }
        return found

    def place(self, name: str) -> str:
        """Where a file is, for messages."""
        return repr(str(self.find(name) or name))

    def _missing(self, name: str) -> InputError:
        places = " and ".join(repr(str(folder)) for folder in self.folders)
        return InputError(f"{name!r} is missing in {places}. {self.about}")

    def _no_json(self, name: str, error: Exception) -> InputError:
        where = "nested too deeply"
        if isinstance(error, json.JSONDecodeError):
            where = f"line {error.lineno}, column {error.colno} ({error.msg})"
        return InputError(f"{self.place(name)} is not JSON: {where}. Download the file again.")


def _elements(text: str) -> Iterator[Any]:
    """The elements of a JSON list, without holding all of them: some files are half a gigabyte."""
    decoder = json.JSONDecoder()
    at = _gap(text, 0)
    if text[at : at + 1] != "[":
        found, _ = decoder.raw_decode(text, at)
        raise json.JSONDecodeError(f"a list is expected, this is {word(found)}", text, at)
    at = _gap(text, at + 1)
    more = text[at : at + 1] != "]"
    while more:
        value, at = decoder.raw_decode(text, at)
        yield value
        at = _gap(text, at)
        more = text[at : at + 1] == ","
        if not more and text[at : at + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        at = _gap(text, at + 1) if more else at
    if (end := _gap(text, at + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def _gap(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\n", "\r", "\t"):
        at += 1
    return at


def _tails(name: str) -> Iterator[str]:
    """A name without more and more of its leading folders; a pattern begins with what is none."""
    parts = PurePosixPath(name).parts
    for start in range(len(parts)):
        if start == 0 or "*" not in parts[start]:
            yield "/".join(parts[start:])
