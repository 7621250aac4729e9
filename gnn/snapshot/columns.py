"""Strings in arrays: decoded one by one when they are asked for, found by halving."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from spm.gnn.library import Ints
from spm.registry.naming import words

Bytes = NDArray[np.uint8]


class Texts(Sequence[str]):
    """A list of strings as one run of bytes and where each begins."""

    def __init__(self, starts: Ints, data: Bytes) -> None:
        self.starts = starts
        self.data = data

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
        if not 0 <= at < len(self):
            raise IndexError(at)
        part = self.data[self.starts[at] : self.starts[at + 1]]
        return part.tobytes().decode("utf-8", "surrogatepass")


class Sorted(Texts):
    """Strings in the order of their characters, each once: ids and terms."""

    def get(self, text: str) -> int | None:
        """The place of a string; None: it is not among them."""
        at = bisect_left(self, text)
        return at if at < len(self) and self[at] == text else None


class Words(Sequence[frozenset[str]]):
    """The words of each of some names."""

    def __init__(self, names: Texts) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, at: int) -> frozenset[str]: ...
    @overload
    def __getitem__(self, at: slice) -> list[frozenset[str]]: ...
    def __getitem__(self, at: int | slice) -> frozenset[str] | list[frozenset[str]]:
        if isinstance(at, slice):
            return [frozenset(words(name)) for name in self._names[at]]
        return frozenset(words(self._names[at]))
