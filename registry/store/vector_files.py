"""Vectors beside the embedded graph: one memory-mapped `.npy` per kind and a small index.

Vectors are derived from texts and can always be made again, so they are not in the journal. The
index is replaced last and names the file it belongs to: readers see the old state or the new one.
Both carry checksums, which are compared when a file is first read.
"""

import hashlib
import json
from collections.abc import Container, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from spm.registry.errors import StoreDamaged, StoreWriteFailed
from spm.registry.search.top import kth
from spm.registry.store import disk
from spm.registry.store.interface import Kind, Vector, rank

_ADVICE = "Make the vectors again with: spm doctor --repair"
_WRAPPER = b'{"sha256": "%s", "kinds": %s}'
_PAYLOAD = slice(len(_WRAPPER % (b"0" * 64, b"")) - 1, -1)


class VectorFiles:
    """The vectors of one store folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "vectors.json"
        self._verified: dict[str, Vector] = {}
        self._parsed: tuple[bytes, dict[str, Any]] | None = None

    def stamp(self) -> str:
        """The checksum of the index, which names the files with theirs; empty without vectors."""
        try:
            with self.index.open("rb") as file:
                return file.read(_PAYLOAD.start).decode("ascii", "replace")
        except OSError:
            return ""

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
        file = f"{kind}-{sha256[:16]}.npy"
        disk.replace(self.folder / file, data)
        index[kind] = {
            "file": file,
            "sha256": sha256,
            "ids": ids,
            "digests": [digest_of[i] for i in ids],
        }
        payload = json.dumps(index, ensure_ascii=False).encode()
        disk.replace(self.index, _wrapped(payload))
        for stale in self.folder.glob(f"{kind}-*.npy"):  # also those of writers that were killed
            if stale.name != file:
                with suppress(StoreWriteFailed):
                    disk.remove(stale)

    def matrix(self, kind: Kind) -> tuple[list[str], Vector]:
        """Ids and their vectors, memory-mapped.

        Raises:
            StoreDamaged: the file is missing or does not match its checksum.
        """
        for _ in range(3):  # a writer may replace the file between the two reads
            entry = self._entry(kind)
            if not entry:
                return [], np.zeros((0, 0), dtype=np.float32)
            try:
                return entry["ids"], self._mapped(entry)
            except FileNotFoundError:
                continue
        raise StoreDamaged(f"The vectors of kind {kind!r} are missing. {_ADVICE}")

    def _mapped(self, entry: dict[str, Any]) -> Vector:
        name: str = entry["file"]
        if name not in self._verified:
            try:
                if not self._matches(entry):
                    raise ValueError("another checksum")
                found = np.load(self.folder / name, mmap_mode="r", allow_pickle=False)
            except FileNotFoundError:
                raise
            except (ValueError, OSError) as error:
                raise StoreDamaged(
                    f"The vectors {name!r} cannot be read: {error}. {_ADVICE}"
                ) from error
            # The name is made of the checksum, so what was verified under it stays right.
            kind = name.partition("-")[0]
            others = {n: v for n, v in self._verified.items() if n.partition("-")[0] != kind}
            self._verified = {**others, name: found}
        return self._verified[name]

    def nearest(
        self, kind: Kind, vector: Vector, count: int, among: Container[str] | None = None
    ) -> list[tuple[str, float]]:
        """The ids nearest to `vector` or any of its rows; `among` leaves all others out."""
        ids, matrix = self.matrix(kind)
        seen = [place for place, node in enumerate(ids) if among is None or node in among]
        if len(seen) <= 4 * count:
            return rank([ids[place] for place in seen], matrix[seen], vector, count)
        # One quick pass keeps all that may be among the best, equals included; rows have unit
        # length, so its error is far below the margin. The exact scores decide among them.
        places = np.array(seen)
        rough = (matrix @ np.atleast_2d(vector).T).max(axis=1)[places]
        best = places[rough >= kth(rough, count) - 1e-4]
        return rank([ids[place] for place in best], matrix[best], vector, count)

    def rows(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The vectors of these nodes in this order; zeros where there is none."""
        known, matrix = self.matrix(kind)
        place = {node: at for at, node in enumerate(known)}
        there = [at for at, node in enumerate(ids) if node in place]
        found = np.zeros((len(ids), matrix.shape[1]), dtype=np.float32)
        found[there] = matrix[[place[ids[at]] for at in there]]
        return found

    def verify(self) -> list[str]:
        """Compare every file with its checksum; returns what is wrong."""
        try:
            index = self._index()
        except StoreDamaged as error:
            return [str(error)]
        return [
            f"{entry['file']}: missing or does not match its checksum"
            for entry in index.values()
            if not self._fits(entry)
        ]

    def drop(self) -> list[str]:
        """Forget all vectors, the next encoding makes them again; returns what was set aside.

        Raises:
            StoreWriteFailed: some are still there.
        """
        self._verified = {}
        try:
            damaged = [self.folder / e["file"] for e in self._index().values() if not self._fits(e)]
        except StoreDamaged:
            damaged = [self.index]
        aside = [disk.set_aside(path) for path in damaged if path.exists()]
        for path in (self.index, *self.folder.glob("*-*.npy")):
            disk.remove(path)
        return aside

    def _fits(self, entry: dict[str, Any]) -> bool:
        try:
            return self._matches(entry)
        except OSError:
            return False

    def _matches(self, entry: dict[str, Any]) -> bool:
        data = (self.folder / entry["file"]).read_bytes()
        return hashlib.sha256(data).hexdigest() == str(entry["sha256"])

    def _entry(self, kind: Kind) -> dict[str, Any]:
        entry: dict[str, Any] = self._index().get(kind, {})
        return entry

    def _index(self) -> dict[str, Any]:
        try:
            raw = self.index.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreDamaged(f"The index {str(self.index)!r} cannot be read: {error}.") from error
        if self._parsed and raw == self._parsed[0]:
            return dict(self._parsed[1])
        if raw != _wrapped(raw[_PAYLOAD]):
            raise StoreDamaged(f"The index {str(self.index)!r} is damaged. {_ADVICE}")
        found: dict[str, Any] = json.loads(raw[_PAYLOAD])
        # A file name from the index must never lead out of the folder.
        if any(Path(entry["file"]).name != entry["file"] for entry in found.values()):
            raise StoreDamaged(f"The index {str(self.index)!r} is damaged. {_ADVICE}")
        self._parsed = (raw, found)
        return dict(found)


def _wrapped(payload: bytes) -> bytes:
    return _WRAPPER % (hashlib.sha256(payload).hexdigest().encode(), payload)
