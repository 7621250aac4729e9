"""Which trajectories of one import carry the id of another: told by digests, not by keeping them.

Of each trajectory 32 bytes are kept, so that a million takes as much memory as one large batch.
"""

import hashlib
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.registry.models import Trace

_ROW = struct.Struct("<16sQQ")  # which id, which content, whether it can be imported
_COLUMNS = np.dtype([("low", "<u8"), ("high", "<u8"), ("content", "<u8"), ("known", "<u8")])


class Repeats:
    """What a first pass through an import found.

    Attributes:
        repeated: how many trajectories carry the id of an earlier one.
        skipped: how many ids there are whose trajectory cannot be imported.
        again: the digests of ids that come more than once.
        conflict: the digest of an id under which different trajectories came, if there is one.
    """

    def __init__(self, traces: Iterable[tuple[Trace, bool]]) -> None:
        """Read everything; of each trajectory it is said whether it can be imported."""
        rows = bytearray()
        for trace, known in traces:
            content = hashlib.sha256(trace.model_dump_json().encode()).digest()[:8]
            rows += _ROW.pack(of(trace), int.from_bytes(content, "little"), known)
        self.again: set[bytes] = set()
        self.conflict: bytes | None = None
        self._settle(np.frombuffer(bytes(rows), dtype=_COLUMNS))

    def _settle(self, found: NDArray[Any]) -> None:
        found = found[np.lexsort((found["low"], found["high"]))]
        ids = found[["low", "high"]]
        same = ids[1:] == ids[:-1]
        first = np.ones(len(found), dtype=bool)
        first[1:] = ~same
        self.repeated = int(same.sum())
        self.skipped = int((first & (found["known"] == 0)).sum())
        self.again = {_packed(row) for row in ids[1:][same]}
        differs = same & (found["content"][1:] != found["content"][:-1])
        if differs.any():
            self.conflict = _packed(ids[1:][differs][0])


def _packed(row: Any) -> bytes:
    return struct.pack("<QQ", *map(int, row))


def of(trace: Trace) -> bytes:
    """The digest of a trajectory's id."""
    return hashlib.sha256(trace.identity().encode("utf-8", "surrogatepass")).digest()[:16]
