"""A snapshot as one caller sees it: masks, and counts over the visible trajectories.

`registry.access.rules` decides which tools a caller sees; it sees a trajectory when it sees all of
its tools. Hidden tools and trajectories are neither counted nor scored. All views share vectors,
texts and fields.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.array_expansion import Found, Question, search, walk
from spm.gnn.arrays.library import Counts, Derived, Ints, Library, Rows
from spm.gnn.arrays.merged_fields import MergedFields
from spm.gnn.arrays.nearest_vectors import Mask
from spm.gnn.arrays.text_search import ALL_ROWS, VisibleRows
from spm.gnn.snapshot.snapshot import Snapshot
from spm.registry.access.caller import Caller
from spm.registry.frontier.frontier import Frontier, Rule
from spm.registry.request.vocabulary import Vocabulary


@dataclass(frozen=True)
class View:
    """A snapshot as one caller sees it."""

    snapshot: Snapshot
    library: Library
    visible: VisibleRows

    @classmethod
    def of(cls, snapshot: Snapshot, caller: Caller) -> "View":
        """What a caller sees."""
        if not caller.restricted:
            return cls(snapshot, snapshot.library, ALL_ROWS)
        tools = snapshot.access_classes.visible(caller)
        paths = _whole(snapshot.library.paths, tools)
        visible = VisibleRows(tools, paths[: len(snapshot.library.trajectories)])
        fields = _fields(snapshot, tools)
        return cls(snapshot, _counted(snapshot.library, np.flatnonzero(paths), fields), visible)

    def frontier(self, question: Question, must: tuple[str, ...] = ()) -> Frontier:
        """The frontier of a request; tools that must be there come in where they are seen."""
        return self.walk(question, self.search(question), must)

    def search(self, question: Question) -> Found:
        """What the frontier of a request begins at."""
        return search(self.library, question, self.visible)

    def walk(
        self,
        question: Question,
        found: Found,
        must: tuple[str, ...] = (),
        rule: Rule | None = None,
    ) -> Frontier:
        """The frontier around what a search found."""
        numbers = (self.snapshot.ids.get(tool) for tool in must)
        seen = [at for at in numbers if at is not None and self.sees(at)]
        return walk(self.library, question, found, self.visible, seen, rule)

    def sees(self, tool: int) -> bool:
        """Whether the caller sees the tool of a number."""
        return self.visible.tools is None or bool(self.visible.tools[tool])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The fields that the caller may know of.

        Types and spellings of a field come from all tools that have it, also hidden ones, so that
        a restricted caller gets names alone.
        """
        rows = self.snapshot.vocabulary
        if self.visible.tools is None:
            return Vocabulary(rows)
        return Vocabulary(_names(self.snapshot, self.visible.tools))


def _whole(paths: Rows, tools: Mask) -> Mask:
    """Return the mask of the trajectories of which every tool is visible."""
    owner = np.repeat(np.arange(len(paths)), np.diff(paths.starts))
    found: Mask = np.bincount(owner[~tools[paths.values]], minlength=len(paths)) == 0
    return found


def _names(snapshot: Snapshot, tools: Mask) -> list[str]:
    """The fields of some tools."""
    known = np.unique(snapshot.mentions.of_all(np.flatnonzero(tools))[1])
    return [snapshot.vocabulary[at]["field"] for at in known]


def _fields(snapshot: Snapshot, tools: Mask) -> MergedFields:
    """The contracts of tools, merged by the pairs of which the caller knows both fields.

    A field that only hidden tools have must not join two others, nor stand for another.
    """
    library, pairs = snapshot.library, snapshot.pairs
    known = set(_names(snapshot, tools)) if pairs else set()
    seen = [pair for pair in pairs if known.issuperset(pair)]
    if len(seen) < len(pairs):
        return snapshot.merged(seen)
    return MergedFields(library.fields, library.takes, library.gives, library.same)


def _counted(library: Library, rows: Ints, fields: MergedFields) -> Library:
    """The library with all counts taken from some trajectories, as if there were no others."""
    size = len(library.tools)
    _, used = library.ways.of_all(rows)
    first = library.paths.values[library.paths.starts[rows]]
    followers = _pairs(library.paths, rows, size, far=False)
    return replace(
        library,
        fields=fields.fields,
        takes=fields.takes,
        gives=fields.gives,
        same=fields.same,
        frequency=np.bincount(used, minlength=size).astype(np.float32),
        entries=np.bincount(first, minlength=size).astype(np.float32),
        followers=followers,
        later=_pairs(library.ways, rows, size, far=True),
        derived=Derived(
            ways=library.ways,
            spelled=library.spelled,
            leaders=followers.turned(),
        ),
    )


def _pairs(paths: Rows, rows: Ints, size: int, *, far: bool) -> Counts:
    """How often one tool ran before another: right before it, or with `far` at any distance."""
    owner, tools = paths.of_all(rows)
    longest = int(np.bincount(owner, minlength=1).max())
    found: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for apart in range(1, longest if far else min(longest, 2)):
        together = owner[apart:] == owner[:-apart]
        found.append((tools[:-apart] * size + tools[apart:])[together])
    keys, counts = np.unique(np.concatenate(found), return_counts=True)
    firsts, seconds = np.divmod(keys, max(1, size))
    starts = np.searchsorted(firsts, np.arange(size + 1)).astype(np.int64)
    return Counts(starts, seconds, counts.astype(np.float64))
