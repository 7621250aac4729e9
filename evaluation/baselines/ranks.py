"""Tools by number in the order of their scores; equal ones by id, which numbers follow."""

from collections.abc import Iterable
from itertools import islice

import numpy as np

from spm.gnn.arrays.library import Library, Numbers
from spm.registry.frontier.frontier import SIZE
from spm.registry.search.top import top


def best(scores: Numbers, count: int = SIZE, *, found: bool = False) -> list[int]:
    """The highest scores first; with `found` only those above nothing.

    Sums are rounded first, so that equal evidence stays equal in whatever order it was added.
    """
    return top(np.round(scores, 9), count, np.flatnonzero(scores > 0) if found else None)


def joined(*parts: Iterable[int], count: int = SIZE) -> list[int]:
    """Rankings one after another, each tool where it first stands."""
    seen: dict[int, None] = {}
    for part in parts:
        seen |= dict.fromkeys(part)
    return list(islice(seen, count))


def named(library: Library, order: Iterable[int]) -> list[str]:
    """The ids of tools by number."""
    return [library.tools[at] for at in order]


def scaled(scores: Numbers) -> Numbers:
    """Scores as shares of the highest; nothing stays nothing."""
    top = float(scores.max(initial=0.0))
    return np.maximum(scores, 0.0) / top if top > 0 else np.zeros(len(scores))
