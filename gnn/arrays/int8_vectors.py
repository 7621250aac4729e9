"""Vectors quantised to int8; an error bound keeps every true neighbour.

A row is a step and whole numbers from -127 to 127, a quarter of its size in single precision; what
rounding took from it is kept as a length. By Cauchy and Schwarz a product is off by no more than
that length, so that whoever may be among the best is told apart from whoever cannot be, and those
few are multiplied again in full.

Encoders have a few parts that are far larger than the others, and would make every step too wide.
Turning all vectors in the same way (Hadamard) spreads them over many parts and changes no product:
on 16,000 generated vectors the lengths fall from .0155 to .0069, and those let through to find the
best 128 from 1,066 to 370 (medians).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.networks import runtime
from spm.registry.frontier.frontier import Floats

MANY = 1_000  # rows below which a pass over all is as quick in single precision
LEVELS = 127  # of a row's numbers, to both sides
HALF = 63  # of the two numbers that a request's number is written with; see `_digits`
BASE = 64
BLOCK = 4_096  # rows turned at once
TINY = np.float32(1e-30)


class Coarse:
    """The rows of a matrix in bytes.

    Args:
        arrays: `numbers` (width, rows) of all rows, turned and end to end; `step` (rows,) what one
            stands for; `error` (rows,) the length of what rounding took away; `length` (rows,) of
            the row itself.
        runs: how many products are sure to be asked for.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], runs: int = 0) -> None:
        self.arrays = arrays
        self._runs = runs
        self._graph: runtime.Graph | None = None

    @classmethod
    def of(cls, vectors: Floats, runs: int = 0) -> "Coarse":
        """Round all rows."""
        count, width = vectors.shape
        numbers = np.empty((width, count), dtype=np.int8)
        step, error, length = (np.empty(count, dtype=np.float32) for _ in range(3))
        for start in range(0, count, BLOCK):
            part = slice(start, start + BLOCK)
            rows = spread(vectors[part])
            step[part] = np.abs(rows).max(axis=1, initial=0.0) / LEVELS
            whole = np.rint(rows / np.maximum(step[part], TINY)[:, None])
            numbers[:, part] = whole.T
            error[part] = np.linalg.norm(rows - whole * step[part][:, None], axis=1)
            length[part] = np.linalg.norm(rows, axis=1)
        arrays: dict[str, NDArray[Any]] = {
            "numbers": numbers,
            "step": step,
            "error": error,
            "length": length,
        }
        return cls(arrays, runs)

    def rows(self, some: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The arrays of some of the rows."""
        return {name: values[..., some] for name, values in self.arrays.items()}

    def products(self, asked: Floats) -> tuple[Floats, Floats] | None:
        """Multiply all rows with all that is asked; None where onnxruntime is not at work.

        Returns:
            A row of products for each that is asked, and by how much those of each row of the
            matrix may be off.
        """
        if self._graph is None:
            self._graph = runtime.graph("bytes", {"rows": self.arrays["numbers"]}, self._runs)
        if self._graph is None:
            return None
        written, unit, lost = _digits(spread(asked))
        (found,) = self._graph.run(asked=written)
        digits = found.astype(np.float32)  # whole numbers would overflow in very wide vectors
        products = (digits[0::2] * BASE + digits[1::2]) * unit[:, None] * self.arrays["step"]
        longest = np.linalg.norm(asked, axis=1).max() + lost
        return products, self.arrays["error"] * longest + self.arrays["length"] * lost


def spread(vectors: Floats) -> Floats:
    """Rows turned by Hadamard's matrix, as many parts together as a power of two divides."""
    count, width = vectors.shape
    size = max(1, width & -width)
    return (vectors.reshape(-1, size) @ _hadamard(size)).reshape(count, width)


@cache
def _hadamard(size: int) -> Floats:
    found = np.ones((1, 1))
    while len(found) < size:
        found = np.block([[found, found], [found, -found]])
    return (found / np.sqrt(size)).astype(np.float32)


def _digits(rows: Floats) -> tuple[NDArray[np.uint8], Floats, np.float32]:
    """What is asked, each number in two digits of base 64, the digits in rows of their own.

    Some processors add up two products of bytes in sixteen bits, which digits below 128 never
    overflow.

    Returns:
        Digits around 64, what one of the lower digit stands for in each row, and the greatest
        length that rounding took from one.
    """
    unit = np.maximum(np.abs(rows).max(axis=1, initial=0.0) / (HALF * BASE), TINY)
    whole = np.rint(rows / unit[:, None])
    lost = np.linalg.norm(rows - whole * unit[:, None], axis=1).max(initial=0.0)
    high = np.floor((whole + BASE // 2) / BASE)
    digits = np.stack([high, whole - BASE * high], axis=1).reshape(-1, rows.shape[1]) + BASE
    return digits.astype(np.uint8), unit, lost
