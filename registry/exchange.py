"""One file with a whole registry, to move it between stores and engines or to keep as a backup.

JSON lines: a header, typed records in one fixed order, and a last line with counts and a SHA-256 of
all bytes before it. The same registry gives the same bytes on both engines. Not in the file:
vectors, which are encoded again, and the record of past operations, which belongs to one store.
"""

import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from spm.registry.errors import InputError
from spm.registry.exchange_records import SECTIONS, Census, current
from spm.registry.map_renewal import renew_map
from spm.registry.store import disk, migrations
from spm.registry.store.interface import Row, Store, Transaction

VERSION = 1
BATCH = 1_000
MAX_LINE = 64_000_000
# On an export of 30 MB level 6 was measured to be three times as fast as 9 and 3 % larger.
_LEVEL = 6


@dataclass(frozen=True)
class Exchanged:
    """What was exported or imported."""

    file: str
    revision: int
    sha256: str
    counts: dict[str, int]


# -- out ---------------------------------------------------------------------------------------


def export_registry(store: Store, path: Path, *, replace: bool = False) -> Exchanged:
    """Write everything into `path` (compressed when it ends in .gz): all of one moment, or nothing.

    Raises:
        InputError: the file is there and `replace` is false, or the graph breaks spm's own rules.
        StoreWriteFailed: the file cannot be written.
    """
    if path.exists() and not replace:
        raise InputError(f"{str(path)!r} is already there. Choose another name, or add --force.")
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        done = _quiet_export(store, path, draft) or _locked_export(store, path, draft)
        os.replace(draft, path)
    except OSError as error:
        raise disk.failure(path, 0, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return done


def _quiet_export(store: Store, path: Path, draft: Path) -> Exchanged | None:
    """Read without a lock; None when somebody wrote meanwhile."""
    before = _revision(store.read)
    try:
        done = _write(store.read, path, draft, before)
    except InputError:
        if _revision(store.read) == before:
            raise
        return None
    return done if _revision(store.read) == before else None


def _locked_export(store: Store, path: Path, draft: Path) -> Exchanged:
    """Read while all writers wait; the transaction leaves no trace."""
    done: list[Exchanged] = []

    def work(tx: Transaction) -> None:
        # Taking the lock raised the revision, and that is rolled back with the rest.
        done.append(_write(tx.run, path, draft, _revision(tx.run) - 1))

    store.write("export", work)
    return done[-1]


def _write(read: Callable[..., list[Row]], path: Path, draft: Path, revision: int) -> Exchanged:
    census, digest = Census(), hashlib.sha256()
    with _writing(draft, compressed=path.suffix == ".gz") as file:

        def put(value: dict[str, Any]) -> None:
            line = _line(value)
            digest.update(line)
            file.write(line)

        put(_header(read, revision))
        for name, row in _records(read):
            try:
                census.take(name, row)
            except ValueError as error:
                raise InputError(
                    f"The graph breaks a rule of spm, so that the file could not be imported "
                    f"again: {error}. Mend it in the graph first; nothing was written."
                ) from error
            put({"record": name, **row})
        file.write(_line(_footer(census, digest.hexdigest())))
    return Exchanged(str(path), revision, digest.hexdigest(), census.counts)


def _records(read: Callable[..., list[Row]]) -> Iterator[tuple[str, Row]]:
    """All records in the order of the file.

    Ordered here, because the engines order text beyond the basic plane differently.
    """
    ids = {
        "tools": sorted(row["id"] for row in read("tools/names")),
        "published": sorted(row["id"] for row in read("exchange/published")),
        "trajectories": sorted(row["id"] for row in read("exchange/observed")),
    }
    for name, section in SECTIONS.items():
        chosen = ids.get(section.by)
        starts = range(0, len(chosen), BATCH) if chosen is not None else [0]
        for start in starts:
            given = {"ids": chosen[start : start + BATCH]} if chosen is not None else {}
            rows = read(f"exchange/{name}", **given)
            rows.sort(key=lambda row, key=section.key: tuple(row[c] for c in key))  # type: ignore[misc]
            for row in rows:
                yield name, {column: row[column] for column in section.columns}


def _header(read: Callable[..., list[Row]], revision: int) -> dict[str, Any]:
    found = read("state/registry")
    return {
        "spm-export": VERSION,
        # Of this spm, not of the store: Neo4j has more schema files than the other engine.
        "schema": migrations.latest(),
        "encoder": found[0]["encoder"] if found else None,
        "revision": revision,
        "vectors": "not included; they are encoded again after an import",
    }


def _footer(census: Census, sha256: str) -> dict[str, Any]:
    return {"end": census.counts, "sha256": sha256}


def _revision(read: Callable[..., list[Row]]) -> int:
    found = read("state/registry")
    return int(found[0]["revision"]) if found else 0


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@contextmanager
def _writing(draft: Path, *, compressed: bool) -> Iterator[io.BufferedIOBase]:
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        if compressed:
            # No name and no time in it: the same registry gives the same bytes.
            with gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as file:
                yield file
        else:
            yield raw
        raw.flush()
        os.fsync(raw.fileno())


# -- in ----------------------------------------------------------------------------------------


def import_registry(
    store: Store, path: Path, progress: Callable[[int, int], None] | None = None
) -> Exchanged:
    """Fill an empty registry from an export: readers see nothing of it, or all.

    The file is read twice: the first time to the end, before anything is written. On a server rows
    go in by batches that nobody sees, so that its memory does not bound the size of a registry.

    Raises:
        InputError: the file is damaged, cut off, edited or of a newer spm, or the registry is not
            empty; nothing was written.
        StoreWriteFailed: the store could not take it; nothing was written.
    """
    checked = verify(path)
    total = sum(checked.counts.values())
    _require_empty(store.read, store.location)

    reading = _Reading(path)

    def batches() -> Iterator[tuple[str, list[Row]]]:
        done = 0
        for name, rows in _batches(reading.records()):
            yield f"exchange/put_{name}", rows
            done += len(rows)
            if progress:
                progress(done, total)

    def last(tx: Transaction) -> dict[str, Any]:
        tx.run("exchange/resume", revision=checked.revision)
        return {"imported": reading.census.counts}

    def check(tx: Transaction) -> None:
        _require_empty(tx.run, store.location)

    store.fill("import_registry", check, batches(), last)
    renew_map(store)  # the file may come from an earlier spm
    return checked


def verify(path: Path) -> Exchanged:
    """Read an export to its end and compare it with its last line.

    Raises:
        InputError: says what is wrong with it.
    """
    reading = _Reading(path)
    for _ in reading.records():
        pass
    return Exchanged(str(path), reading.revision, reading.sha256, reading.census.counts)


def _require_empty(read: Callable[..., list[Row]], location: str) -> None:
    counts = read("state/counts")[0]
    if there := [f"{count:,} {name}" for name, count in counts.items() if count]:
        raise InputError(
            f"{location!r} is not empty ({', '.join(there)}), and an import never mixes two "
            "registries. Choose a new store with --store; nothing was written."
        )


def _batches(records: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Up to 1,000 records of one kind at a time."""
    name, rows = "", list[Row]()
    for kind, row in records:
        if rows and (kind != name or len(rows) == BATCH):
            yield name, rows
            rows = []
        name = kind
        rows.append(row)
    if rows:
        yield name, rows


class _Reading:
    """One pass through a file; what it learns stands in it afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.census = Census()
        self.revision = 0
        self.sha256 = ""

    def records(self) -> Iterator[tuple[str, Row]]:
        """Every record; raises at the first line that does not fit, at the latest at the end."""
        digest = hashlib.sha256()
        try:
            with self.path.open("rb") as raw:
                packed = raw.read(2) == b"\x1f\x8b"
                raw.seek(0)
                file: io.BufferedIOBase = gzip.GzipFile(fileobj=raw) if packed else raw
                yield from self._lines(file, digest)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise self._refusal(f"its compression is broken ({error})") from error
        except OSError as error:
            raise InputError(f"Cannot read {str(self.path)!r}: {error.strerror}.") from error

    def _lines(self, file: io.BufferedIOBase, digest: Any) -> Iterator[tuple[str, Row]]:
        lines = iter(lambda: file.readline(MAX_LINE), b"")
        first = next(lines, b"")
        self._head(first)
        digest.update(first)
        for number, line in enumerate(lines, 2):
            value = self._parsed(line, number)
            if "end" in value:
                self.sha256 = digest.hexdigest()
                if line != _line(_footer(self.census, self.sha256)):
                    raise self._refusal("its last line does not fit the lines before it")
                if list(islice(lines, 1)):
                    raise self._refusal(f"it goes on after its last line, line {number}")
                return
            digest.update(line)
            name = str(value.pop("record", ""))
            value = current(name, value)
            try:
                self.census.take(name, value)
            except ValueError as error:
                raise self._refusal(f"line {number}: {error}") from error
            yield name, value
        raise self._refusal("its last line is missing: the file was cut off")

    def _head(self, line: bytes) -> None:
        value = self._parsed(line, 1) if line.startswith(b'{"spm-export"') else {}
        version, schema = value.get("spm-export"), value.get("schema")
        if not isinstance(version, int) or not isinstance(schema, int):
            raise InputError(f"{str(self.path)!r} is no export of spm. Make one with: spm export")
        if version > VERSION or schema > migrations.latest():
            raise InputError(
                f"{str(self.path)!r} was made by a newer spm (format {version}, schema {schema}; "
                f"known here are {VERSION} and {migrations.latest()}). "
                "Upgrade with: pip install --upgrade spm-registry"
            )
        revision = value.get("revision")
        if not isinstance(revision, int):
            raise self._refusal("its header names no revision")
        self.revision = revision

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._refusal(f"line {number} is no JSON") from error
        if not isinstance(value, dict) or not line.endswith(b"\n"):
            raise self._refusal(f"line {number} is not whole")
        return value

    def _refusal(self, why: str) -> InputError:
        return InputError(
            f"{str(self.path)!r} is damaged: {why}. Nothing was written. Take another copy of it."
        )
