"""The embedded store's truth: an append-only, chained, checksummed list of operations.

The graph file beside it is only a quick way to the same state. A record is one line:

    spm1 SEQ LENGTH CHECK DIGEST {json}

SEQ, LENGTH and CHECK are eight hex digits; CHECK covers the two before it, so a record that was
cut off while being written (LENGTH is right, bytes are missing at the end of the file, or are
zeros up to there) is told from one that was damaged later. DIGEST covers the record before it and
this one, so none can vanish or change places.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from spm.registry.errors import StoreDamaged
from spm.registry.store import disk

_MAGIC = b"spm1 "
_HEAD = len(_MAGIC) + 3 * 9 + 17
_BLOCK = 1 << 16


@dataclass(frozen=True)
class Position:
    """A place between two records: how many came before, where it is, what the chain says."""

    seq: int = 0
    offset: int = 0
    digest: str = "0" * 16


@dataclass(frozen=True)
class Entry:
    """One record and the position right after it."""

    body: dict[str, Any]
    after: Position


class Journal:
    """Reads and appends the journal file. Knows nothing of graphs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def size(self) -> int:
        """Bytes in the file, zero when there is none."""
        return self.path.stat().st_size if self.path.exists() else 0

    def tail(self) -> Position | None:
        """The position after the last record, told from its head alone; None: no whole record.

        The chain of digests makes it the name of everything before, as far as nothing was damaged.
        """
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                start = _last_line(file, size)
                file.seek(start)
                head = file.read(_HEAD)
        except OSError:
            return None
        seq, length = _numbers(head) if head.startswith(_MAGIC) else (0, 0)
        if not length or start + _HEAD + length + 1 != size:
            return None  # torn, or damaged: whoever reads it all says which
        return Position(seq, size, head[32:48].decode("ascii", "replace"))

    def entries(self, start: Position | None = None) -> Iterator[Entry]:
        """Read records from `start` on; a torn tail (a write that was cut off) ends the reading.

        Raises:
            StoreDamaged: a record does not verify.
        """
        position = start or Position()
        if self.size() < position.offset:
            raise StoreDamaged(
                f"The journal {str(self.path)!r} ends at byte {self.size():,}, but operation "
                f"{position.seq} ended at byte {position.offset:,}. Mend with: spm doctor --repair"
            )
        try:
            with self.path.open("rb") as file:
                file.seek(position.offset)
                while (entry := self._next(file, position)) is not None:
                    yield entry
                    position = entry.after
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreDamaged(f"The journal {str(self.path)!r} cannot be read: {error}") from error

    def _next(self, file: BinaryIO, position: Position) -> Entry | None:
        head = file.read(_HEAD)
        whole = len(head) == _HEAD and head.startswith(_MAGIC)
        seq, length = _numbers(head) if whole else (0, 0)
        if not length:
            if _torn(head, file):
                return None
            raise self._damaged(position, "its head does not verify")
        line = file.read(length + 1)
        if len(line) <= length or (line[-1:] == b"\0" and _only_zeros(file)):
            return None
        digest = _chain(position.digest, line[:-1])
        if head != _head(seq, length, digest) or line[-1:] != b"\n":
            raise self._damaged(position, "its checksum does not match")
        if seq != position.seq + 1:
            raise self._damaged(position, f"it carries the number {seq}")
        return Entry(json.loads(line), Position(seq, position.offset + _HEAD + len(line), digest))

    def _damaged(self, position: Position, why: str) -> StoreDamaged:
        return StoreDamaged(
            f"The journal {str(self.path)!r} is damaged at byte {position.offset:,} "
            f"(operation {position.seq + 1}): {why}. Mend with: spm doctor --repair"
        )

    def append(self, position: Position, body: dict[str, Any]) -> Position:
        """Write one record after `position` and make it durable.

        Raises:
            StoreWriteFailed: nothing was kept.
            OutcomeUnknown: it may be there or not.
        """
        line, after = record(position, body)
        disk.append(self.path, position.offset, line)
        return after

    def settle(self, position: Position) -> None:
        """Drop a torn tail and make the rest durable: its writer may have died before that.

        Raises:
            StoreWriteFailed: it could not be done.
        """
        if self.size():
            disk.settle(self.path, position.offset)


def record(position: Position, body: dict[str, Any]) -> tuple[bytes, Position]:
    """Format the record that follows `position`."""
    payload = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    seq = position.seq + 1
    digest = _chain(position.digest, payload)
    line = _head(seq, len(payload), digest) + payload + b"\n"
    return line, Position(seq, position.offset + len(line), digest)


def _head(seq: int, length: int, digest: str) -> bytes:
    numbers = f"{seq:08x} {length:08x}".encode()
    return _MAGIC + numbers + f" {zlib.crc32(numbers):08x} {digest} ".encode()


def _numbers(head: bytes) -> tuple[int, int]:
    """Number and length of a record; zeros when the head's check says otherwise."""
    if b"%08x" % zlib.crc32(head[5:22]) != head[23:31]:
        return 0, 0
    return int(head[5:13], 16), int(head[14:22], 16)


def _torn(head: bytes, file: BinaryIO) -> bool:
    """Whether a head was cut off: the file ends in it, or grew without its data (power loss)."""
    start = head.rstrip(b"\0")
    if not _MAGIC.startswith(start[: len(_MAGIC)]):
        return False
    if len(head) < _HEAD:
        return True  # and look no further: a writer may be appending at this moment
    return len(start) < _HEAD and _only_zeros(file)


def _only_zeros(file: BinaryIO) -> bool:
    while block := file.read(1 << 20):
        if block.strip(b"\0"):
            return False
    return True


def _last_line(file: BinaryIO, size: int) -> int:
    """Where the last line begins; no record has a line break inside."""
    end = size - 1
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _chain(previous: str, payload: bytes) -> str:
    return hashlib.sha256(previous.encode("ascii") + payload).hexdigest()[:16]
