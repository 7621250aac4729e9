"""The highest of many scores. Every ranking outside the networks takes them from here."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

EVERY = 16  # of many scores, one in so many says where the best begin


def top(
    scores: NDArray[Any],
    count: int,
    among: NDArray[np.integer[Any]] | None = None,
    *,
    ids: Sequence[str] | None = None,
) -> list[int]:
    """Return the places of the highest scores, best first.

    Args:
        scores: one for each place.
        count: how many at most.
        among: the places to choose from; None: all.
        ids: equal scores come in the order of these ids; None: of their places, which is the same
            where places follow ids.
    """
    places = np.arange(len(scores)) if among is None else among
    if len(places) > count:
        places = places[scores[places] >= kth(scores[places], count)]
    if ids is not None:
        return sorted(places.tolist(), key=lambda place: (-scores[place], ids[place]))[:count]
    best: list[int] = places[np.lexsort((places, -scores[places]))[:count]].tolist()
    return best


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
