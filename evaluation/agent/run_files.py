"""The files of a series of runs: traces to import, and beside them the records they come from.

Each run is written when it is over. Records are the truth: a series that goes on reads them, drops
what was cut off in the middle of a line or refused by the endpoint, and writes the traces anew.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from pydantic import TypeAdapter, ValidationError

from spm.evaluation.agent.records import Record
from spm.evaluation.agent.runner import Episode
from spm.registry.errors import InputError

_RECORD = TypeAdapter(Record)


class Files:
    """Where the runs of one setting are kept.

    Attributes:
        traces: what `spm traces import` takes.
        records: everything that is kept.
        before: records that were there already.
    """

    def __init__(self, out: Path, setting: dict[str, Any], *, resume: bool = False) -> None:
        """Begin, or go on.

        Raises:
            InputError: the files are there and nobody said to go on, or they were made in another
                setting, or cannot be read or written.
        """
        self.traces, self.records = out, out.with_name(f"{out.stem}.episodes.jsonl")
        there = [file for file in (self.traces, self.records) if file.exists()]
        if there and not resume:
            raise InputError(
                f"{str(there[0])!r} is there already. Go on with --resume, or name another file."
            )
        if self.traces in there and self.records not in there:
            raise InputError(
                f"{str(self.records)!r} is missing, so nobody can tell what {str(out)!r} is about. "
                "Name another file."
            )
        self.before = self._read(setting) if there else []
        self._lock = Lock()
        try:
            _write(self.records, (asdict(one) for one in self.before))
            _write(self.traces, (one.trace for one in self.before if one.trace))
            self._files: list[TextIO] = [
                file.open("a", encoding="utf-8") for file in (self.records, self.traces)
            ]
        except OSError as error:
            raise InputError(f"Cannot write {str(out)!r}: {error.strerror or error}.") from error

    def add(self, record: Record) -> None:
        """Keep a run; from any thread.

        Raises:
            InputError: it cannot be written.
        """
        with self._lock:
            try:
                for file, row in zip(self._files, (asdict(record), record.trace), strict=True):
                    if row is not None:
                        file.write(json.dumps(row) + "\n")
                        file.flush()
            except OSError as error:
                raise InputError(
                    f"Cannot write {str(self.records)!r}: {error.strerror or error}. "
                    "Make room, then go on with --resume."
                ) from error

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files:
            file.close()

    def __enter__(self) -> "Files":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, setting: dict[str, Any]) -> list[Record]:
        try:
            lines = self.records.read_bytes().split(b"\n")
        except OSError as error:
            raise InputError(
                f"Cannot read {str(self.records)!r}: {error.strerror or error}."
            ) from error
        found = []
        for number, line in enumerate(lines[:-1], 1):  # what follows the last newline was cut off
            try:
                one = _RECORD.validate_json(line)
            except ValidationError as error:
                raise InputError(
                    f"{self.records}:{number}: not a record of spm agent run."
                ) from error
            if one.setting != setting:
                raise InputError(_differing(self.records, one.setting, setting))
            found.append(one)
        return [one for one in found if one.ended != "refused"]


def write_transcript(folder: Path, episode: Episode, name: str) -> None:
    """Write a whole conversation, values and all, for whoever looks for a mistake.

    Raises:
        InputError: it cannot be written.
    """
    text = json.dumps(
        {
            "request": episode.task.golden.request,
            "ended": episode.run.ended,
            "messages": episode.run.messages,
            "tools": episode.task.tools.definitions,
        },
        indent=2,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write to {str(folder)!r}: {error.strerror or error}.") from error


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a file whole, in the place of what was there."""
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _differing(path: Path, before: dict[str, Any], now: dict[str, Any]) -> str:
    told = [
        f"{key} was {before.get(key)!r}, now {now.get(key)!r}"
        for key in {**before, **now}
        if before.get(key) != now.get(key)
    ]
    return (
        f"{str(path)!r} was made in another setting: {'; '.join(told)}. "
        "Runs of two settings cannot be counted together. Name another file with --out."
    )
