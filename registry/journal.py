"""The embedded store's truth: an append-only, chained, checksummed list of operations.

The graph file beside it is only a quick way to the same state. A record is one line:

    spm1 SEQ LENGTH CHECK DIGEST {json}

SEQ, LENGTH and CHECK are eight hex digits; CHECK covers the two before it, so a record that was
cut off while being written (LENGTH is right, bytes are missing) is told from one that was damaged
later. DIGEST covers the record before it and this one, so none can vanish or change places.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spm.registry import disk
from spm.registry.errors import StoreDamaged

_MAGIC = b"spm1 "
_HEAD = len(_MAGIC) + 3 * 9 + 17


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
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(position.offset)
            while True:
                entry = self._next(file.read(_HEAD), file, position)
                if entry is None:
                    return
                yield entry
                position = entry.after

    def _next(self, head: bytes, file: Any, position: Position) -> Entry | None:
        if len(head) < _HEAD or not head.strip(b"\0"):
            if not _MAGIC.startswith(head[: len(_MAGIC)].rstrip(b"\0")):
                raise self._damaged(position, "its head is not a record")
            return None
        seq, length = self._lengths(head, position)
        line = file.read(length + 1)
        # A file that grew without all of its data (power loss) ends in zeros.
        if len(line) <= length or line[-1:] == b"\0":
            return None
        digest = head[-17:-1].decode("ascii", "replace")
        if _chain(position.digest, line[:-1]) != digest or line[-1:] != b"\n":
            raise self._damaged(position, "its checksum does not match")
        if seq != position.seq + 1:
            raise self._damaged(position, f"it carries the number {seq}")
        after = Position(seq, position.offset + _HEAD + length + 1, digest)
        return Entry(json.loads(line), after)

    def _lengths(self, head: bytes, position: Position) -> tuple[int, int]:
        try:
            seq, length, check = (int(head[i : i + 8], 16) for i in (5, 14, 23))
        except ValueError:
            raise self._damaged(position, "its head is not a record") from None
        if head[:5] != _MAGIC or zlib.crc32(head[5:22]) != check:
            raise self._damaged(position, "its head does not match its check")
        return seq, length

    def _damaged(self, position: Position, why: str) -> StoreDamaged:
        return StoreDamaged(
            f"The journal {str(self.path)!r} is damaged at byte {position.offset:,} "
            f"(operation {position.seq + 1}): {why}. Mend with: spm doctor --repair"
        )

    def append(self, position: Position, body: dict[str, Any]) -> Position:
        """Write one record after `position` and make it durable.

        Raises:
            StoreWriteFailed: nothing was kept.
        """
        line, after = record(position, body)
        disk.append(self.path, position.offset, line)
        return after

    def cut(self, position: Position) -> None:
        """Drop a torn tail, so that the next record starts where the last whole one ended."""
        if self.size() > position.offset:
            disk.truncate(self.path, position.offset)


def record(position: Position, body: dict[str, Any]) -> tuple[bytes, Position]:
    """Format the record that follows `position`."""
    payload = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    seq = position.seq + 1
    numbers = f"{seq:08x} {len(payload):08x}".encode()
    digest = _chain(position.digest, payload)
    head = _MAGIC + numbers + f" {zlib.crc32(numbers):08x} {digest} ".encode()
    line = head + payload + b"\n"
    return line, Position(seq, position.offset + len(line), digest)


def _chain(previous: str, payload: bytes) -> str:
    return hashlib.sha256(previous.encode("ascii") + payload).hexdigest()[:16]
