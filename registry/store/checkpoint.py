"""The graph file: the engine's bytes under a header that says which journal position they equal."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from spm.registry.errors import StoreDamaged
from spm.registry.store import disk
from spm.registry.store.journal import Position

_MAGIC = b"spm-graph-1 "


def write(path: Path, position: Position, graph: bytes) -> str:
    """Replace the graph file; returns its checksum.

    Raises:
        StoreWriteFailed: the old file is untouched.
    """
    sha256 = _checksum(position, graph)
    header = json.dumps({**asdict(position), "sha256": sha256}).encode()
    disk.replace(path, _MAGIC, header, b"\n", graph)
    return sha256


def read(path: Path) -> tuple[Position, bytes] | None:
    """Read and verify the graph file; None when there is none.

    Raises:
        StoreDamaged: it does not verify.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreDamaged(f"The graph file {str(path)!r} cannot be read: {error}.") from error
    header, _, graph = raw.partition(b"\n")
    try:
        if not header.startswith(_MAGIC):
            raise ValueError("not a graph file")
        said = json.loads(header[len(_MAGIC) :])
        position = Position(int(said["seq"]), int(said["offset"]), str(said["digest"]))
        if _checksum(position, graph) != said["sha256"]:
            raise ValueError("its checksum does not match")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise StoreDamaged(
            f"The graph file {str(path)!r} is damaged: {error}. The journal has everything; "
            "rebuild with: spm doctor --repair"
        ) from error
    return position, graph


def _checksum(position: Position, graph: bytes) -> str:
    # The position is covered too: a graph at the wrong place of the journal is a wrong graph.
    place = json.dumps(asdict(position), sort_keys=True).encode()
    return hashlib.sha256(place + graph).hexdigest()
