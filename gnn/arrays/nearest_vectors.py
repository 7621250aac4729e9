"""Nearest rows of a matrix: a quick pass over all rows, an exact one over the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats
from spm.registry.search.top import kth, top

Mask = NDArray[np.bool_]
BLOCK = 1_024  # rows of 1.5 kB: what BLAS copies of them stays in the processor's cache
NEARLY = 1e-4  # two products of single precision that are further apart are not the same


@dataclass(frozen=True)
class Rough:
    """What a quick pass says of all rows: a row of products for each vector that was asked."""

    products: Floats

    def of(self, asked: slice) -> "Rough":
        """The same for some of what was asked."""
        return Rough(self.products[asked])


def rough(vectors: Floats, asked: Floats) -> Rough:
    """Multiply all rows with all that is asked, in single precision."""
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
    there = _likely(scores, count)
    exact = rule.clause_cosines(vectors[there], asked).max(axis=1)
    return there[top(exact, count)].tolist()


def _hide(scores: Floats, vectors: Floats, seen: Mask | None) -> None:
    """Take out what is not seen, and rows of zeros: they are no vectors, and stores find none."""
    blank = np.flatnonzero(scores == 0)
    scores[blank[~vectors[blank].any(axis=1)]] = -np.inf
    if seen is not None:
        scores[~seen] = -np.inf


def _likely(scores: Floats, count: int) -> NDArray[np.intp]:
    """Those that may be among the best, where each score may be off a little."""
    least = kth(scores - NEARLY, count)
    found = np.flatnonzero(scores + NEARLY >= least)
    return found[scores[found] > -np.inf]
