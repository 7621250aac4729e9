"""The file of a snapshot: named arrays under a header, mapped into memory and never copied.

    spm-snapshot-1 | length and checksum of the header | header (JSON) | arrays, 64 bytes apart

The header says of what the file was made and where each array lies, with its checksum. All are
compared when the file is opened, once per process: a file that was cut, or changed by a failing
disk, is told apart from a whole one before anything is believed. Processes that map the same file
share its pages.
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.registry.store import disk

MAGIC = b"spm-snapshot-1\n"
_APART = 64  # where an array may begin: a line of the processor's cache
_TYPES = {"<f4", "<f8", "<i8", "|u1", "|i1", "|b1"}

Arrays = Mapping[str, NDArray[Any]]


class Unusable(Exception):
    """The file is no whole snapshot."""


@dataclass(frozen=True)
class Container:
    """An open file.

    Attributes:
        said: what its writer said about it.
        arrays: read-only.
    """

    said: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    def part(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays whose names begin alike, under the rest of their names."""
        found = self.arrays.items()
        return {name.removeprefix(prefix): a for name, a in found if name.startswith(prefix)}


def write(path: Path, said: Mapping[str, Any], arrays: Arrays) -> None:
    """Put a file in its place, whole or not at all.

    Raises:
        StoreWriteFailed: it could not be written.
    """
    kept = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    places, offset = {}, 0
    for name, values in kept.items():
        places[name] = [values.dtype.str, values.shape, offset, _sum(values)]
        offset += values.nbytes + -values.nbytes % _APART
    header = json.dumps({"said": said, "arrays": places, "bytes": offset}).encode()
    head = MAGIC + b"%016x %08x\n" % (len(header), zlib.crc32(header)) + header
    disk.replace(path, head, b"\n" * (-len(head) % _APART), *_padded(kept))


def _padded(arrays: Arrays) -> Iterator[bytes]:
    for values in arrays.values():
        yield values.tobytes()
        yield b"\0" * (-values.nbytes % _APART)


def read(path: Path) -> Container:
    """Map a file.

    Raises:
        FileNotFoundError: there is none.
        Unusable: it is damaged, or not of this format.
    """
    try:
        data = np.asarray(np.memmap(path, np.uint8, "r"))
        start = len(MAGIC) + 26
        head = data[:start].tobytes()
        length, check = int(head[len(MAGIC) : -10], 16), int(head[-9:-1], 16)
        header = data[start : start + length].tobytes()
        if not head.startswith(MAGIC) or zlib.crc32(header) != check:
            raise Unusable("its header does not verify")
        return _opened(data, start + length, json.loads(header))
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise Unusable(str(error)) from error


def _opened(data: NDArray[np.uint8], end: int, header: dict[str, Any]) -> Container:
    start = end + -end % _APART
    if len(data) != start + header["bytes"]:
        raise Unusable("it is cut off")
    arrays: dict[str, NDArray[Any]] = {}
    for name, (kind, shape, offset, check) in header["arrays"].items():
        if kind not in _TYPES:
            raise Unusable(f"{name} has the type {kind}")
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        part = data[start + offset : start + offset + size]
        arrays[name] = part.view(kind).reshape(shape)
        if _sum(part) != check:
            raise Unusable(f"{name} does not match its checksum")
    return Container(header["said"], arrays)


def _sum(values: NDArray[Any]) -> str:
    """A checksum at the speed of memory, against failing disks and not against people.

    A cyclic one takes ten times as long, which every cold menu of a large registry would pay.
    """
    flat = values.reshape(-1).view(np.uint8)
    whole = len(flat) - len(flat) % 8
    words, rest = flat[:whole].view("<u8"), flat[whole:].tobytes()
    added = int(np.add.reduce(words, dtype=np.uint64))
    return f"{added:016x}{int(np.bitwise_xor.reduce(words)):016x}{zlib.crc32(rest):08x}"
