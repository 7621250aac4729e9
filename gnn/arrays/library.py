"""The library: a whole registry as arrays, for training and for snapshots."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier.frontier import Floats
from spm.registry.search.bm25 import Index, request_gains

Ints = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Lists of numbers of different lengths in two arrays."""

    starts: Ints
    values: Ints

    @classmethod
    def of(cls, lists: Iterable[Sequence[int] | NDArray[np.integer[Any]]]) -> "Rows":
        """Pack lists."""
        kept = [np.asarray(part, dtype=np.int64) for part in lists]
        starts = np.cumsum([0, *map(len, kept)])
        values = np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)
        return cls(starts.astype(np.int64), values)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> Ints:
        return self.values[self.starts[index] : self.starts[index + 1]]

    def of_all(self, lists: Ints) -> tuple[Ints, Ints]:
        """The numbers of several lists end to end, and which of `lists` each comes from."""
        owner, at = spread(self.starts, lists)
        return owner, self.values[at]

    def joined(self, lists: Ints) -> tuple[Ints, Ints]:
        """How many numbers several lists have, and these end to end.

        Of long lists in a third of the time that `of_all` takes, which numbers every place.
        """
        begins, ends = self.starts[lists], self.starts[lists + 1]
        spans = zip(begins.tolist(), ends.tolist(), strict=True)
        parts = [self.values[begin:end] for begin, end in spans]
        return ends - begins, np.concatenate([self.values[:0], *parts])


def spread(starts: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Where the contents of several rows stand, and which of `rows` each belongs to."""
    sizes = starts[rows + 1] - starts[rows]
    owner = np.repeat(np.arange(len(rows)), sizes)
    shift = starts[rows] - (np.cumsum(sizes) - sizes)
    return owner, np.arange(len(owner)) + shift[owner]


@dataclass(frozen=True)
class Feeders:
    """Which tools feed each tool: the FEEDS edges of a registry, by consumer.

    Attributes:
        starts: where the edges of each consumer begin.
        producers: of each edge.
        weights: likewise, in thousandths.
        carried: the fields of each edge, numbers into `fields`.
        fields: their names, as tools have them.
    """

    starts: Ints
    producers: Ints
    weights: Ints
    carried: Rows
    fields: Sequence[str]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], number: Mapping[str, int]) -> "Feeders":
        """Pack edges between tools that are known; they come in the order of their consumers."""
        known = [row for row in rows if row["producer"] in number and row["consumer"] in number]
        known.sort(key=lambda row: number[row["consumer"]])
        fields = sorted({name for row in known for name in row["fields"]})
        code = {name: at for at, name in enumerate(fields)}
        consumers = np.array([number[row["consumer"]] for row in known], dtype=np.int64)
        return cls(
            np.searchsorted(consumers, np.arange(len(number) + 1)).astype(np.int64),
            np.array([number[row["producer"]] for row in known], dtype=np.int64),
            np.array([round(1000 * row["weight"]) for row in known], dtype=np.int64),
            Rows.of([code[name] for name in row["fields"]] for row in known),
            fields,
        )

    def of_all(self, tools: Ints) -> tuple[Ints, Ints]:
        """The edges into several tools, and whose they are."""
        return spread(self.starts, tools)


@dataclass(frozen=True)
class Derived:
    """What a library otherwise computes from its other arrays when it is first used.

    A snapshot has these arrays in its file, and a view shares those of the whole snapshot.
    """

    ways: Rows
    spelled: Rows
    leaders: "Counts"


@dataclass(frozen=True)
class Library:
    """Tools, contracts and trajectories by number, in the order of their ids.

    Trajectories of one group (the same tools, or nearly the same words) never teach each other:
    features of a row are made without its group.
    """

    tools: Sequence[str]
    family: Ints
    service: Ints
    words: Sequence[frozenset[str]]
    fields: Sequence[str]
    takes: Rows
    gives: Rows
    vectors: Floats
    texts: Index
    grams: Rows  # of titles and names
    trajectories: Sequence[str]
    requests: Sequence[str]
    request_vectors: Floats
    request_texts: Index
    paths: Rows  # as they ran, repeats included
    groups: Ints
    frequency: Floats  # trajectories with each tool
    entries: Floats  # trajectories that begin with it
    followers: "Counts"  # which tool ran right after which, and how often
    later: "Counts"  # which tool ran after which at any distance, once per trajectory
    feeders: Feeders
    same: Mapping[str, str] = field(default_factory=dict)  # which of `fields` stands for a name
    # Not compared, because it is no content. Replace it together with the arrays it is made of.
    derived: Derived | None = field(default=None, compare=False)

    @cached_property
    def spelled(self) -> Rows:
        """The words of each name as numbers, in the order of the words."""
        if self.derived:
            return self.derived.spelled
        known = {word: at for at, word in enumerate(sorted(frozenset().union(*self.words)))}
        return Rows.of([sorted(known[word] for word in name) for name in self.words])

    @cached_property
    def leaders(self) -> "Counts":
        """Followers, looked at from the second tool."""
        return self.derived.leaders if self.derived else self.followers.turned()

    @cached_property
    def ways(self) -> Rows:
        """The distinct tools of each trajectory in the order in which they first ran."""
        if self.derived:
            return self.derived.ways
        return Rows.of(
            [list(dict.fromkeys(self.paths[row].tolist())) for row in range(len(self.paths))]
        )

    def path(self, row: int) -> list[int]:
        """The distinct tools of a trajectory in the order in which they first ran."""
        return self.ways[row].tolist()

    def without(self, rows: Sequence[int]) -> "Library":
        """The library as if some trajectories had never been observed."""
        gone = set(rows)
        kept = [row for row in range(len(self.trajectories)) if row not in gone]
        frequency, entries = self.frequency.copy(), self.entries.copy()
        for row in rows:
            frequency[self.path(row)] -= 1
            entries[self.paths[row][0]] -= 1
        ran = Counter(pair for row in rows for pair in transitions(self.paths[row].tolist()))
        ways = Counter(pair for row in rows for pair in orders(self.path(row)))
        requests = [self.requests[row] for row in kept]
        return replace(
            self,
            trajectories=[self.trajectories[row] for row in kept],
            requests=requests,
            request_vectors=self.request_vectors[kept],
            request_texts=Index(map(request_gains, requests)),
            paths=Rows.of([self.paths[row] for row in kept]),
            groups=self.groups[kept],
            frequency=frequency,
            entries=entries,
            followers=self.followers.less(ran),
            later=self.later.less(ways),
            derived=None,
        )

    @cached_property
    def makers(self) -> Rows:
        """The tools that make each field; one that also takes it only echoes it."""
        found: list[list[int]] = [[] for _ in self.fields]
        for tool in range(len(self.tools)):
            for name in set(self.gives[tool].tolist()) - set(self.takes[tool].tolist()):
                found[name].append(tool)
        return Rows.of(found)

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The trajectories of each group."""
        found: dict[int, list[int]] = {}
        for row, group in enumerate(self.groups.tolist()):
            found.setdefault(group, []).append(row)
        return found


def transitions(path: list[int]) -> list[tuple[int, int]]:
    """The adjacent pairs that a trajectory as it ran counts for."""
    return list(pairwise(path))


def orders(path: list[int]) -> list[tuple[int, int]]:
    """The ordered pairs at any distance that a distinct path counts for."""
    return [(a, b) for i, a in enumerate(path) for b in path[i + 1 :]]


@dataclass(frozen=True)
class Counts:
    """Sparse counts of ordered pairs of tools."""

    starts: Ints
    others: Ints
    counts: Numbers  # of old transitions, what is left after decay

    @classmethod
    def of(cls, counted: Mapping[tuple[int, int], float], size: int) -> "Counts":
        """Pack counts of pairs."""
        rows = sorted(counted.items())
        firsts = np.array([a for (a, _), _ in rows], dtype=np.int64)
        return cls(
            np.searchsorted(firsts, np.arange(size + 1)).astype(np.int64),
            np.array([b for (_, b), _ in rows], dtype=np.int64),
            np.array([n for _, n in rows], dtype=np.float64),
        )

    def less(self, gone: Mapping[tuple[int, int], int]) -> "Counts":
        """These counts without some; never below nothing, because old ones may weigh less."""
        if not gone:
            return self
        left = self.counts.copy()
        for (first, second), count in gone.items():
            span = slice(self.starts[first], self.starts[first + 1])
            at = int(self.starts[first]) + int(np.searchsorted(self.others[span], second))
            if at < self.starts[first + 1] and self.others[at] == second:
                left[at] = max(0.0, left[at] - count)
        return replace(self, counts=left)

    def turned(self) -> "Counts":
        """The same counts with the pairs the other way round."""
        size = len(self.starts) - 1
        firsts = np.repeat(np.arange(size), np.diff(self.starts))
        order = np.lexsort((firsts, self.others))
        starts = np.searchsorted(self.others[order], np.arange(size + 1))
        return Counts(starts.astype(np.int64), firsts[order], self.counts[order])

    def of_all(self, tools: Ints) -> tuple[Ints, Ints, Numbers]:
        """The partners of several tools with their counts, and whose they are."""
        owner, at = spread(self.starts, tools)
        return owner, self.others[at], self.counts[at]
