"""Strings in arrays: decoded one by one when they are asked for, found by halving."""

from collections.abc import Iterable, Sequence
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.library import Ints

Bytes = NDArray[np.uint8]
KNOWN = 16_384  # menus ask for the same tools and fields again and again: so many stay decoded


class Texts(Sequence[str]):
    """A list of strings as one run of bytes and where each begins."""

    def __init__(self, starts: Ints, data: Bytes) -> None:
        self.starts = starts
        self.data = data
        self._view = data.data  # slices of a memoryview cost a third of an array's
        self._known: dict[int, str] = {}

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Pack strings; half characters of a bad decoding are kept as they are."""
        coded = [text.encode("utf-8", "surrogatepass") for text in texts]
        starts = np.cumsum([0, *map(len, coded)], dtype=np.int64)
        return cls(starts, np.frombuffer(b"".join(coded), dtype=np.uint8))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[row] for row in range(len(self))[at]]
        found = self._known.get(at)
        if found is None:
            if not 0 <= at < len(self):
                raise IndexError(at)
            if len(self._known) >= KNOWN:
                self._known = {}
            found = self._known[at] = self._decoded(at)
        return found

    def once(self, at: int) -> str:
        """One that need not stay decoded."""
        return self._decoded(at)

    def some(self, rows: Ints) -> list[str]:
        """Several at once: 128 new ones take 35 us, and one by one 140."""
        begins, ends = self.starts[rows].tolist(), self.starts[rows + 1].tolist()
        spans = zip(begins, ends, strict=True)
        return [str(self._view[a:b], "utf-8", "surrogatepass") for a, b in spans]

    def _decoded(self, at: int) -> str:
        return str(self._bytes(at), "utf-8", "surrogatepass")

    def _bytes(self, at: int) -> bytes:
        begin = self.starts.item  # numbers of Python: slicing by an array's takes twice as long
        return bytes(self._view[begin(at) : begin(at + 1)])


class Sorted(Texts):
    """Strings in the order of their characters, each once: ids and terms."""

    def __init__(self, starts: Ints, data: Bytes) -> None:
        super().__init__(starts, data)
        self._places: dict[str, int] = {}

    def some(self, rows: Ints) -> list[str]:
        """Decode, and remember where: what was just read is what is looked for next."""
        found = super().some(rows)
        self._remember(zip(found, rows.tolist(), strict=True))
        return found

    def _decoded(self, at: int) -> str:
        found = super()._decoded(at)
        self._remember([(found, at)])
        return found

    def _remember(self, places: Iterable[tuple[str, int]]) -> None:
        if len(self._places) >= KNOWN:
            self._places = {}
        self._places.update(places)

    def get(self, text: str) -> int | None:
        """The place of a string; None: it is not among them."""
        if (known := self._places.get(text)) is not None:
            return known
        wanted = text.encode("utf-8", "surrogatepass")  # bytes have the order of characters
        first, behind = 0, len(self)
        while first < behind:
            middle = (first + behind) // 2
            if self._bytes(middle) < wanted:
                first = middle + 1
            else:
                behind = middle
        return first if first < len(self) and self._bytes(first) == wanted else None
