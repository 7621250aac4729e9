"""Vectors beside the embedded graph: one memory-mapped `.npy` per kind and a small index.

Vectors are derived from texts and can always be made again, so they are not in the journal. The
index is replaced last and names the file it belongs to: readers see the old state or the new one.
"""

import hashlib
import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from spm.registry import disk
from spm.registry.errors import StoreDamaged
from spm.registry.store import Kind, Vector, rank

_ADVICE = "Make the vectors again with: spm doctor --repair"


class VectorFiles:
    """The vectors of one store folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "vectors.json"

    def encoded(self, kind: Kind) -> dict[str, str]:
        """Which text (as a digest) each vector was made of.

        Raises:
            StoreDamaged: the index cannot be read.
        """
        entry = self._entry(kind)
        return dict(zip(entry["ids"], entry["digests"], strict=True)) if entry else {}

    def put(
        self,
        kind: Kind,
        ids: Sequence[str],
        digests: Sequence[str],
        vectors: Vector,
        keep: set[str],
    ) -> None:
        """Add or replace vectors; those of nodes not in `keep` are dropped."""
        old_ids, old = self.matrix(kind)
        old_digests = self.encoded(kind)
        fresh = set(ids)
        kept = [i for i, node in enumerate(old_ids) if node in keep and node not in fresh]
        all_ids = [old_ids[i] for i in kept] + list(ids)
        matrix = np.concatenate([old[kept], vectors]) if kept else vectors
        digest_of = {**old_digests, **dict(zip(ids, digests, strict=True))}
        order = sorted(range(len(all_ids)), key=all_ids.__getitem__)
        self._write(kind, [all_ids[i] for i in order], digest_of, matrix[order])

    def _write(self, kind: Kind, ids: list[str], digest_of: dict[str, str], matrix: Vector) -> None:
        buffer = BytesIO()
        np.save(buffer, np.ascontiguousarray(matrix, dtype=np.float32), allow_pickle=False)
        data = buffer.getvalue()
        sha256 = hashlib.sha256(data).hexdigest()
        index = self._index()
        before = index.get(kind, {}).get("file")
        file = f"{kind}-{sha256[:16]}.npy"
        disk.replace(self.folder / file, data)
        index[kind] = {
            "file": file,
            "sha256": sha256,
            "ids": ids,
            "digests": [digest_of[i] for i in ids],
        }
        disk.replace(self.index, json.dumps(index, ensure_ascii=False).encode())
        if before and before != file:
            (self.folder / before).unlink(missing_ok=True)

    def matrix(self, kind: Kind) -> tuple[list[str], Vector]:
        """Ids and their vectors, memory-mapped.

        Raises:
            StoreDamaged: the file is missing or has another shape than the index says.
        """
        for _ in range(3):  # a writer may replace the file between the two reads
            entry = self._entry(kind)
            if not entry:
                return [], np.zeros((0, 0), dtype=np.float32)
            try:
                found = np.load(self.folder / entry["file"], mmap_mode="r", allow_pickle=False)
            except FileNotFoundError:
                continue
            except (ValueError, OSError) as error:
                raise StoreDamaged(
                    f"The vectors {entry['file']!r} cannot be read. {_ADVICE}"
                ) from error
            if found.ndim != 2 or len(found) != len(entry["ids"]) or found.dtype != np.float32:
                raise StoreDamaged(
                    f"The vectors {entry['file']!r} do not fit their index. {_ADVICE}"
                )
            return entry["ids"], found
        raise StoreDamaged(f"The vectors of kind {kind!r} are missing. {_ADVICE}")

    def nearest(self, kind: Kind, vector: Vector, count: int) -> list[tuple[str, float]]:
        """The ids nearest to `vector`, best first."""
        ids, matrix = self.matrix(kind)
        if len(ids) <= 4 * count:
            return rank(ids, matrix, vector, count)
        # One quick pass keeps a generous margin; the exact scores decide among the survivors.
        rough = matrix @ vector
        best = np.argpartition(-rough, 2 * count)[: 2 * count]
        return rank([ids[i] for i in best], matrix[best], vector, count)

    def verify(self) -> list[str]:
        """Compare every file with its checksum; returns what is wrong."""
        try:
            index = self._index()
        except StoreDamaged as error:
            return [str(error)]
        return [
            f"{entry['file']}: does not match its checksum"
            for entry in index.values()
            if not self._matches(entry)
        ]

    def drop(self) -> None:
        """Forget all vectors; the next encoding makes them again."""
        self.index.unlink(missing_ok=True)
        for file in self.folder.glob("*-*.npy"):
            file.unlink()

    def _matches(self, entry: dict[str, Any]) -> bool:
        file = self.folder / entry["file"]
        return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == str(
            entry["sha256"]
        )

    def _entry(self, kind: Kind) -> dict[str, Any]:
        entry: dict[str, Any] = self._index().get(kind, {})
        return entry

    def _index(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self.index.read_text(encoding="utf-8"))
            # A file name from the index must never lead out of the folder.
            if all(Path(entry["file"]).name == entry["file"] for entry in found.values()):
                return found
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        raise StoreDamaged(f"The index {str(self.index)!r} is damaged. {_ADVICE}")
