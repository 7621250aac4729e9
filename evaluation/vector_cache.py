"""Vectors of texts that an earlier evaluation encoded, kept by text in one file of the cache.

Data sets are evaluated in many variants (a part, with wrong steps, all in one library), each with
nearly the same texts; encoding them is most of the time before the first menu.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from spm.registry.encoding import ClauseEncoder
from spm.registry.errors import InputError
from spm.registry.store.interface import Vector

FORMAT = 1
BATCH = 32  # so many texts are encoded between two looks at the file: what a kill may cost
Tell = Callable[[int], None]


class Recalling:
    """An encoder that encodes each text once for all evaluations with the same cache.

    Args:
        encoder: that makes the vectors.
        file: where they lie; several processes may use it at once.
    """

    def __init__(self, encoder: ClauseEncoder, file: Path) -> None:
        self._encoder, self._file = encoder, file
        self.name, self.dimensions = encoder.name, encoder.dimensions

    def encode_documents(self, texts: Sequence[str], progress: Tell | None = None) -> Vector:
        """Encode tool documents."""
        found = self._recall("document", texts, _alone(self._encoder.encode_documents), progress)
        return self._stacked(found)

    def encode_requests(self, texts: Sequence[str], progress: Tell | None = None) -> Vector:
        """Encode requests."""
        found = self._recall("request", texts, _alone(self._encoder.encode_requests), progress)
        return self._stacked(found)

    def encode_clauses(self, texts: Sequence[str], progress: Tell | None = None) -> list[Vector]:
        """Encode requests: of each a row for the whole, and one for each of its clauses."""
        return self._recall("clauses", texts, self._encoder.encode_clauses, progress)

    def _stacked(self, rows: list[Vector]) -> Vector:
        nothing = np.zeros((0, self.dimensions), dtype=np.float32)
        return np.concatenate([nothing, *rows])

    def _recall(
        self,
        kind: str,
        texts: Sequence[str],
        encode: Callable[[Sequence[str]], list[Vector]],
        progress: Tell | None,
    ) -> list[Vector]:
        """The rows of each text: those that are there, and made and kept those that are not."""
        found: list[Vector] = []
        for begin in range(0, len(texts), BATCH):
            part = texts[begin : begin + BATCH]
            keys = [self._key(kind, text) for text in part]
            with self._opened() as kept:
                known = dict(_read(kept, keys, self.dimensions))
            new = {key: text for key, text in zip(keys, part, strict=True) if key not in known}
            if new:
                made = dict(zip(new, encode(list(new.values())), strict=True))
                with self._opened() as kept:
                    _write(kept, made)
                known |= made
            found += [known[key] for key in keys]
            if progress is not None:
                progress(len(found))
        return found

    def _key(self, kind: str, text: str) -> bytes:
        said = "\0".join([str(FORMAT), self.name, kind, text])
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, for one transaction: between two of them other processes have their turn."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=60)) as kept, kept:
                kept.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, rows BLOB NOT NULL)"
                )
                yield kept
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"Cannot use {str(self._file)!r}: {error}. It holds only what can be made again: "
                "delete it, or choose another folder with --cache."
            ) from error


def _alone(
    encode: Callable[[Sequence[str]], Vector],
) -> Callable[[Sequence[str]], list[Vector]]:
    """Rows of a matrix as matrices of one row."""
    return lambda texts: [row[None, :] for row in encode(texts)]


def _read(
    kept: sqlite3.Connection, keys: Sequence[bytes], width: int
) -> Iterator[tuple[bytes, Vector]]:
    places = ",".join("?" * len(keys))
    for key, rows in kept.execute(f"SELECT key, rows FROM vectors WHERE key IN ({places})", keys):
        yield key, np.frombuffer(rows, dtype="<f4").reshape(-1, width)


def _write(kept: sqlite3.Connection, made: dict[bytes, Vector]) -> None:
    rows = [
        (key, np.ascontiguousarray(value, dtype="<f4").tobytes()) for key, value in made.items()
    ]
    kept.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
