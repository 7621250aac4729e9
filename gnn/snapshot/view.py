"""What one caller sees of a snapshot: masks, and counts of the trajectories that are seen.

The rule is the one of the queries under `cypher/`: a tool is seen by its owner, scopes and effects,
a trajectory when all of its steps are. Nothing that is hidden is counted or scored. Vectors, texts
and fields are shared by all views.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spm.gnn.expansion import Question, expand
from spm.gnn.finding import EVERYTHING, Sight
from spm.gnn.library import Counts, Ints, Library, Rows
from spm.gnn.nearness import Mask
from spm.gnn.snapshot.reading import Rights, Snapshot
from spm.registry.access import Caller
from spm.registry.frontier import Frontier
from spm.registry.spoken import Vocabulary


@dataclass(frozen=True)
class View:
    """A snapshot as one caller sees it."""

    snapshot: Snapshot
    library: Library
    sight: Sight

    @classmethod
    def of(cls, snapshot: Snapshot, caller: Caller) -> "View":
        """What a caller sees."""
        if not caller.restricted:
            return cls(snapshot, snapshot.library, EVERYTHING)
        tools = visible(snapshot.rights, caller)
        paths = _whole(snapshot.library.paths, tools)
        sight = Sight(tools, paths[: len(snapshot.library.trajectories)])
        return cls(snapshot, _counted(snapshot.library, np.flatnonzero(paths)), sight)

    def frontier(self, question: Question, must: tuple[str, ...] = ()) -> Frontier:
        """The frontier of a request; tools that must be there come in where they are seen."""
        found = (self.snapshot.ids.get(tool) for tool in must)
        numbers = [at for at in found if at is not None and self._sees(at)]
        return expand(self.library, question, self.sight, numbers)

    def _sees(self, tool: int) -> bool:
        return self.sight.tools is None or bool(self.sight.tools[tool])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The fields that the caller may know of.

        Types and spellings of a field come from all tools that have it, also hidden ones, so that
        a restricted caller gets names alone.
        """
        rows = self.snapshot.vocabulary
        if self.sight.tools is None:
            return Vocabulary(rows)
        known = np.unique(self.snapshot.mentions.of_all(np.flatnonzero(self.sight.tools))[1])
        return Vocabulary([rows[at]["field"] for at in known])


def visible(rights: Rights, caller: Caller) -> Mask:
    """The tools that a caller sees; see `cypher/access/tools.cypher`."""
    seen = np.ones(len(rights.public), dtype=bool)
    if caller.team is not None:
        team = rights.owners.get(caller.team)
        seen &= rights.public if team is None else rights.public | (rights.owner == team)
    if caller.scopes is not None:
        granted = np.zeros(len(rights.scopes), dtype=bool)
        granted[[at for s in caller.scopes if (at := rights.scopes.get(s)) is not None]] = True
        owner, needed = rights.needs.of_all(np.arange(len(seen)))
        seen[owner[~granted[needed]]] = False
    if caller.read_only:
        seen &= rights.reads
    return seen


def _whole(paths: Rows, tools: Mask) -> Mask:
    """The trajectories of which every step is seen."""
    owner = np.repeat(np.arange(len(paths)), np.diff(paths.starts))
    found: Mask = np.bincount(owner[~tools[paths.values]], minlength=len(paths)) == 0
    return found


def _counted(library: Library, rows: Ints) -> Library:
    """The library with all counts taken from some trajectories, as if there were no others."""
    size = len(library.tools)
    _, used = library.ways.of_all(rows)
    first = library.paths.values[library.paths.starts[rows]]
    followers = _pairs(library.paths, rows, size, far=False)
    seen = replace(
        library,
        frequency=np.bincount(used, minlength=size).astype(np.float32),
        entries=np.bincount(first, minlength=size).astype(np.float32),
        followers=followers,
        later=_pairs(library.ways, rows, size, far=True),
    )
    vars(seen).update(
        ways=library.ways,
        spelled=library.spelled,
        makers=library.makers,
        leaders=followers.turned(),
        coarse=library.coarse,
        request_coarse=library.request_coarse,
    )
    return seen


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
