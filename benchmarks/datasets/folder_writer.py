"""Writing a data set's folder: the same bytes for the same rows, and the whole folder or none."""

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.datasets.rows import Row
from spm.registry.errors import InputError

MANIFEST = "SOURCE.json"


def fingerprint(*files: Iterable[Row]) -> str:
    """Equal for equal rows, whatever their order and the order of their keys."""
    digest = hashlib.sha256()
    for rows in files:
        for line in sorted(json.dumps(row, sort_keys=True) for row in rows):
            digest.update(line.encode() + b"\n")
        digest.update(b"\0")
    return digest.hexdigest()


def occupied(folder: Path) -> None:
    """Refuse a folder that would be overwritten.

    Raises:
        InputError: there is something in its place.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{str(folder)!r} is already there. Name another folder with --out.")


def write(folder: Path, files: dict[str, list[Row]], manifest: dict[str, Any]) -> None:
    """Write rows as compressed JSON lines and the manifest with their digests.

    Everything is written into a folder beside, which gets its name when it is complete.

    Raises:
        InputError: there is something in the folder's place, or it cannot be written.
    """
    occupied(folder)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.draft")
    try:
        draft.mkdir(parents=True)
        try:
            said = {name: _rows(draft / name, rows) for name, rows in files.items()}
            text = json.dumps({**manifest, "files": said}, indent=2, ensure_ascii=False)
            _durable(draft / MANIFEST, (text + "\n").encode())
            os.replace(draft, folder)  # also in the place of an empty folder
        finally:
            with suppress(OSError):
                shutil.rmtree(draft)
    except OSError as error:
        raise InputError(
            f"Cannot write {str(folder)!r}: {error.strerror or error}. Nothing was kept."
        ) from error


def _rows(path: Path, rows: list[Row]) -> dict[str, Any]:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    data = gzip.compress(text.encode(), mtime=0)
    _durable(path, data)
    return {"rows": len(rows), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _durable(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
