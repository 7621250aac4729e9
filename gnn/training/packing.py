"""Training examples in a tenth of their memory: packed without loss, unpacked for their batch.

Most numbers of an example are nothing or repeat, and the same text vectors stand in thousands.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from spm.gnn.training.examples import Example
from spm.registry.frontier.frontier import Frontier

Array = NDArray[Any]
LEVEL = 1  # of zlib: higher ones take longer to pack, and hardly less room


@dataclass(frozen=True, slots=True)
class PackedArray:
    """An array; whole numbers in as few bytes as they need, tables column by column."""

    content: bytes
    kept: np.dtype[Any]
    meant: np.dtype[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: Array) -> "PackedArray":
        """Pack an array."""
        kept = _smallest(array) if array.dtype.kind == "i" else array.dtype
        turned = np.ascontiguousarray(array.astype(kept, copy=False).T)
        return cls(zlib.compress(turned.tobytes(), LEVEL), kept, array.dtype, array.shape)

    def array(self) -> Array:
        """The same array as before, in memory of its own."""
        flat = np.frombuffer(zlib.decompress(self.content), dtype=self.kept)
        return np.array(flat.reshape(self.shape[::-1]).T, dtype=self.meant, order="C")


def _smallest(numbers: Array) -> np.dtype[Any]:
    least, most = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    return np.result_type(np.min_scalar_type(least), np.min_scalar_type(most))


class Texts:
    """Text vectors, equal ones once; examples name them by number."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._rows: list[bytes] = []

    def numbers(self, vectors: Array) -> Array:
        """The number of each row, in as few bytes as they need."""
        found = [self._number(row.tobytes()) for row in vectors]
        return np.array(found, dtype=np.min_scalar_type(len(self._rows)))

    def vectors(self, numbers: Array, width: int) -> Array:
        """The rows that have these numbers."""
        found = b"".join([self._rows[number] for number in numbers.tolist()])
        return np.frombuffer(found, dtype=np.float32).reshape(len(numbers), width)

    def _number(self, row: bytes) -> int:
        number = self._numbers.setdefault(row, len(self._rows))
        if number == len(self._rows):
            self._rows.append(row)
        return number


class PackedGraph:
    """A graph of a request.

    Args:
        graph: as `request_graphs` makes it.
        texts: keeps the vectors that its rows begin with: the tool's and the request's.
        width: how long each of them is; 0: there are none.
    """

    __slots__ = ("_arrays", "_request", "_texts", "_tools", "_width")

    def __init__(self, graph: Data, texts: Texts, width: int) -> None:
        self._texts, self._width = texts, width
        found = {name: value.numpy() for name, value in graph.to_dict().items()}
        if width:
            rows = found["x"]
            self._tools = texts.numbers(rows[:, :width])
            self._request = texts.numbers(rows[:1, width : 2 * width])
            found["x"] = rows[:, 2 * width :]
        self._arrays = {name: PackedArray.of(value) for name, value in found.items()}

    def graph(self) -> Data:
        """The graph as it was."""
        found = _unpacked(self._arrays)
        if self._width:
            tools = self._texts.vectors(self._tools, self._width)
            request = self._texts.vectors(self._request, self._width)
            both = tools, np.repeat(request, len(tools), axis=0)
            found["x"] = np.concatenate([*both, found["x"]], axis=1)
        return Data(**{name: torch.from_numpy(value) for name, value in found.items()})


class PackedExample:
    """A frontier with the path that it should lead to."""

    __slots__ = ("_arrays", "_frontier", "_memory", "_path", "_texts", "_tools")

    def __init__(self, example: Example, texts: Texts) -> None:
        frontier = example.frontier
        self._path, self._texts = example.path, texts
        self._tools = texts.numbers(frontier.vectors)
        without = replace(frontier, vectors=_NOTHING)
        self._arrays, self._memory = _packed(without), _packed(frontier.memory)
        memory = replace(frontier.memory, **_emptied(self._memory))
        self._frontier: Frontier = replace(without, **_emptied(self._arrays), memory=memory)

    def example(self) -> Example:
        """The example as it was."""
        found = _unpacked(self._arrays)
        found["vectors"] = self._texts.vectors(self._tools, len(found["request"]))
        memory = replace(self._frontier.memory, **_unpacked(self._memory))
        return Example(replace(self._frontier, **found, memory=memory), self._path)


_NOTHING: Array = np.zeros(0, dtype=np.float32)


def _packed(holder: Any) -> dict[str, PackedArray]:
    """The arrays of a dataclass."""
    found = {one.name: getattr(holder, one.name) for one in fields(holder)}
    return {k: PackedArray.of(value) for k, value in found.items() if isinstance(value, np.ndarray)}


def _emptied(arrays: Mapping[str, PackedArray]) -> dict[str, Any]:
    return dict.fromkeys(arrays, _NOTHING)


def _unpacked(arrays: Mapping[str, PackedArray]) -> dict[str, Any]:
    return {name: packed.array() for name, packed in arrays.items()}


class PackedExamples(Sequence[Example]):
    """Examples that are asked again and again; each is unpacked when its turn comes."""

    def __init__(self, examples: Iterable[Example], texts: Texts) -> None:
        self._kept = [PackedExample(one, texts) for one in examples]

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, at: int) -> Example: ...

    @overload
    def __getitem__(self, at: slice) -> list[Example]: ...

    def __getitem__(self, at: int | slice) -> Example | list[Example]:
        if isinstance(at, slice):
            return [one.example() for one in self._kept[at]]
        return self._kept[at].example()

    def __iter__(self) -> Iterator[Example]:
        return (one.example() for one in self._kept)
