"""The rows of a matrix nearest to what is asked: a quick pass over all, an exact one over the best.

The quick pass is bound by memory, so that where onnxruntime is at work it reads bytes (`coarse`):
four vectors asked of 16,000 take 1.0 instead of 5.9 ms, one 0.7 instead of 2.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.coarse import Coarse
from spm.registry import frontier as rule
from spm.registry.frontier import Floats, Floats64

Mask = NDArray[np.bool_]
BLOCK = 1_024  # rows of 1.5 kB: what BLAS copies of them stays in the processor's cache
NEARLY = 1e-4  # two products of single precision that are further apart are not the same
EVERY = 16  # of many scores, one in so many says where the best begin


@dataclass(frozen=True)
class Rough:
    """What a quick pass says of all rows.

    Attributes:
        products: a row for each vector that was asked.
        margin: by how much they may be off, of all rows or of each.
        coarse: whether that is much.
    """

    products: Floats
    margin: Floats | float = NEARLY
    coarse: bool = False

    def of(self, asked: slice) -> "Rough":
        """The same for some of what was asked."""
        return Rough(self.products[asked], self.margin, self.coarse)


def rough(vectors: Floats, coarse: Coarse | None, asked: Floats) -> Rough:
    """Multiply all rows with all that is asked, as quickly as this process can.

    Args:
        vectors: the rows.
        coarse: the same in bytes; None: not known.
        asked: rows.
    """
    if coarse is not None and (found := coarse.products(asked)) is not None:
        return Rough(found[0], found[1] + NEARLY, coarse=True)
    products = np.empty((len(asked), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        np.matmul(asked, vectors[part].T, out=products[:, part])
    return Rough(products)


def nearest(
    vectors: Floats, known: Rough, asked: Floats, count: int, seen: Mask | None = None
) -> list[int]:
    """The rows nearest to any that is asked for, equal ones by number (the order of their ids).

    Args:
        vectors: all rows.
        known: what a quick pass says of them.
        asked: what is looked for.
        count: how many.
        seen: which may be found; None: all.
    """
    scores = known.products.max(axis=0)
    _hide(scores, vectors, seen)
    there = _likely(scores, known.margin, count)
    if known.coarse:
        there = there[_likely((asked @ vectors[there].T).max(axis=0), NEARLY, count)]
    exact = rule.likeness(vectors[there], asked).max(axis=1)
    return there[top(exact, np.arange(len(there)), count)].tolist()


def _hide(scores: Floats, vectors: Floats, seen: Mask | None) -> None:
    """Take out what is not seen, and rows of zeros: they are no vectors, and stores find none."""
    blank = np.flatnonzero(scores == 0)
    scores[blank[~vectors[blank].any(axis=1)]] = -np.inf
    if seen is not None:
        scores[~seen] = -np.inf


def _likely(scores: Floats, margin: Floats | float, count: int) -> NDArray[np.intp]:
    """Those that may be among the best, where each score may be off by a margin."""
    least = kth(scores - margin, count)
    found = np.flatnonzero(scores + margin >= least)
    return found[scores[found] > -np.inf]


def top(scores: Floats64, found: NDArray[np.intp], count: int) -> list[int]:
    """The best of those that were found, equal ones by number."""
    if len(found) > count:
        found = found[scores[found] >= kth(scores[found], count)]
    return found[np.lexsort((found, -scores[found]))[:count]].tolist()


def kth(scores: NDArray[Any], count: int) -> float:
    """The score that so many reach; -inf where there are fewer.

    Of many, a sample says which are looked at: selecting among 16,000 takes 0.15 ms, which a menu
    does several times, and among 100,000 of which most are equal 25 ms.
    """
    if not 0 < count <= len(scores):
        return -np.inf
    if len(scores) > EVERY * (count + EVERY):
        few = 2 * count // EVERY + EVERY
        low = _nth(scores[::EVERY], few)
        above = scores[scores > low]
        if len(above) >= count:
            scores = above
        elif np.count_nonzero(scores >= low) >= count:
            return float(low)
    return float(_nth(scores, count))


def _nth(scores: NDArray[Any], count: int) -> Any:
    """The score at a place from the best on.

    From the other end it takes 50 to 150 instead of 10 us for 2,000 scores of which most are equal
    and low: numpy then goes through them once for each place.
    """
    return -np.partition(-scores, count - 1)[count - 1]
