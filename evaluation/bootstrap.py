"""How sure a mean is, and a difference of means over the same tasks: percentile bootstrap.

Tasks that belong together (the same tools on their paths) stand or fall together, so whole groups
are drawn. The same seed draws the same groups for every constructor, which makes differences
paired.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
LEVEL = 0.95
# Counters of one block of resamples; more do not fit a processor's cache.
BLOCK = 250_000
# Counters that are kept between measures.
ROOM = 50_000_000
# Sums of thousands of small numbers may miss nothing by this much.
HAIR = 1e-6

Numbers = NDArray[np.float64]
Floats = NDArray[np.float32]
Counted = NDArray[np.uint16]


@dataclass(frozen=True)
class Interval:
    """A mean with its interval; None where no task defines the measure."""

    mean: float | None
    low: float | None
    high: float | None
    count: int  # tasks that define it


@dataclass(frozen=True)
class Difference:
    """A paired difference of means.

    Attributes:
        p: twice the share of resamples on the other side of nothing; small means hardly by chance.
        wins: tasks on which the first is better, `losses` on which it is worse.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    count: int
    wins: int
    losses: int


class Bootstrap:
    """Resamples of one list of tasks.

    Args:
        groups: what each task belongs to; tasks of one group are drawn together.
        resamples: how many.
        seed: the same draws the same.

    Raises:
        ValueError: there is no task.
    """

    def __init__(
        self, groups: Sequence[Hashable], resamples: int = RESAMPLES, seed: int = 0
    ) -> None:
        if not groups:
            raise ValueError("expected at least one task (got none)")
        known: dict[Hashable, int] = {}
        self._group = np.array([known.setdefault(g, len(known)) for g in groups], dtype=np.int64)
        self._size, self._resamples, self._seed = len(known), resamples, seed

    def means(self, values: Numbers) -> list[Interval]:
        """The mean of each column of (tasks, measures) with its interval; NaN is not defined."""
        found = self._intervals(values)
        return [
            Interval(*_three(mean, low, high, count), count)
            for mean, low, high, count in zip(*found[:4], strict=True)
        ]

    def differences(self, first: Numbers, second: Numbers) -> list[Difference]:
        """The mean of first minus second in each column, over tasks that define both."""
        apart = first - second
        *found, drawn = self._intervals(apart)
        said = []
        for at, (mean, low, high, count) in enumerate(zip(*found, strict=True)):
            p = _chance(drawn[:, at]) if count else None
            said.append(
                Difference(
                    *_three(mean, low, high, count),
                    p,
                    count,
                    int((apart[:, at] > 0).sum()),
                    int((apart[:, at] < 0).sum()),
                )
            )
        return said

    def _intervals(
        self, values: Numbers
    ) -> tuple[list[float], list[float], list[float], list[int], Numbers]:
        there = ~np.isnan(values)
        sums, counts = self._by_group(np.where(there, values, 0.0)), self._by_group(there)
        # Most measures are defined for all tasks: their counts are added up once.
        kinds, kind = np.unique(counts, axis=1, return_inverse=True)
        both, wide = np.hstack([sums, kinds]), values.shape[1]
        added = np.concatenate([weights @ both for weights in self._weights()])
        drawn = _share(added[:, :wide], added[:, wide:][:, kind.ravel()])
        edge = (1 - LEVEL) / 2
        # A resample may hold no task that defines a measure; it says nothing then.
        known = np.where(np.isnan(drawn).all(axis=0), 0.0, drawn)
        low, high = np.nanquantile(known, [edge, 1 - edge], axis=0)
        mean = np.asarray(
            np.where(there, values, 0.0).sum(axis=0) / np.maximum(1, there.sum(axis=0))
        )
        return mean.tolist(), low.tolist(), high.tolist(), there.sum(axis=0).tolist(), drawn

    def _by_group(self, values: NDArray[np.generic]) -> Floats:
        found = np.zeros((self._size, values.shape[1]))
        np.add.at(found, self._group, values)
        return found.astype(np.float32)

    def _weights(self) -> Iterator[Floats]:
        """How often each group was drawn, some resamples at a time."""
        for block in self._drawn if self._drawn is not None else self._draw():
            yield block.astype(np.float32)

    @cached_property
    def _drawn(self) -> list[Counted] | None:
        """The draws, where there is room to keep them for the next measures."""
        return list(self._draw()) if self._size * self._resamples <= ROOM else None

    def _draw(self) -> Iterator[Counted]:
        chance = np.random.default_rng(self._seed)
        step = max(1, BLOCK // self._size)
        for start in range(0, self._resamples, step):
            rows = min(step, self._resamples - start)
            drawn = chance.integers(self._size, size=(rows, self._size))
            drawn += np.arange(rows)[:, None] * self._size
            counted = np.bincount(drawn.ravel(), minlength=rows * self._size)
            yield counted.reshape(rows, self._size).astype(np.uint16)


def _share(sums: Floats, counts: Floats) -> Numbers:
    found = np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan)
    return found.astype(np.float64)


def _three(
    mean: float, low: float, high: float, count: int
) -> tuple[float | None, float | None, float | None]:
    return (mean, low, high) if count else (None, None, None)


def _chance(drawn: Numbers) -> float:
    """Twice the smaller share of resamples at or beyond nothing, never quite 0."""
    kept = drawn[~np.isnan(drawn)]
    below, above = int((kept <= HAIR).sum()), int((kept >= -HAIR).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (len(kept) + 1))
