"""Expands the frontier on arrays: for menus from a snapshot, and for training.

Training asks for thousands of frontiers, each without the trajectories of its own group.
`registry.frontier.cypher_expansion` applies the same rule in Cypher; a test compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from spm.gnn.arrays.library import Counts, Ints, Library, Numbers, Rows
from spm.gnn.arrays.nearest_vectors import Mask
from spm.gnn.arrays.text_search import (
    ALL_ROWS,
    NOBODY,
    Remembered,
    VisibleRows,
    find_tools,
    remember,
)
from spm.gnn.request_vectors import Seen
from spm.gnn.snapshot.strings import Texts
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats, Frontier, Memory, Rule, Start
from spm.registry.search.results import Probes
from spm.registry.search.scoring import Scored
from spm.registry.search.top import top
from spm.registry.timing import SEARCH, WALK, stage


@dataclass(frozen=True)
class Question:
    """One request as the expansion sees it.

    Attributes:
        text: the request.
        vector: of the whole.
        given: the fields that it shows.
        group: of trajectories that is left out of all evidence.
        clauses: the vectors of its clauses, as many as `registry.request.clauses` finds; None
            stands for one, the whole.
    """

    text: str
    vector: Floats
    given: frozenset[str] = frozenset()
    group: int | None = None
    clauses: Floats | None = None

    @classmethod
    def of(cls, text: str, seen: Seen, group: int | None = None) -> "Question":
        """A request as it was read."""
        return cls(text, seen.vector, seen.given, group, seen.clauses)

    @property
    def probes(self) -> Probes:
        """The request as it is looked up."""
        parts = self.clauses if self.clauses is not None else self.vector[None, :]
        return Probes.of(self.text, np.concatenate([self.vector[None, :], parts]))


@dataclass(frozen=True)
class _Pairs:
    """Ordered pairs of tools, each as one number, with how often they were counted."""

    size: int
    keys: Ints
    counts: Ints

    @classmethod
    def of(cls, size: int, paths: Rows, rows: Ints, *, far: bool) -> "_Pairs":
        """What some trajectories count for: adjacent pairs, or with `far` any in order."""
        owner, tools = paths.of_all(rows)
        longest = int(np.bincount(owner, minlength=1).max())
        found = [NOBODY]
        for apart in range(1, longest if far else min(longest, 2)):
            together = owner[apart:] == owner[:-apart]
            found.append((tools[:-apart] * size + tools[apart:])[together])
        return cls(size, *np.unique(np.concatenate(found), return_counts=True))

    def taken_from(self, firsts: Ints, seconds: Ints, counts: Numbers) -> Numbers:
        """Counts of pairs without these; never below nothing, because old ones may weigh less."""
        if not len(self.keys):
            return counts
        keys = firsts * self.size + seconds
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        own = np.where(self.keys[at] == keys, self.counts[at], 0)
        return np.maximum(counts - own, 0.0)


@dataclass(frozen=True)
class _Without:
    """What a group of trajectories added to the evidence."""

    rows: Ints
    ran: _Pairs
    before: _Pairs

    @classmethod
    def of(cls, library: Library, group: int | None) -> "_Without":
        """Collect it; of no group there is nothing."""
        members = [] if group is None else library.members.get(group, [])
        rows, size = np.array(members, dtype=np.int64), len(library.tools)
        return cls(
            rows,
            _Pairs.of(size, library.paths, rows, far=False),
            _Pairs.of(size, library.ways, rows, far=True),
        )

    def counts(self, library: Library, tools: Ints) -> tuple[Ints, Ints]:
        """How many of them used some tools, and how many began with them."""
        if not len(self.rows):  # most often: counting takes as long as the library is large
            return np.zeros_like(tools), np.zeros_like(tools)
        used = library.ways.of_all(self.rows)[1]
        began = library.paths.values[library.paths.starts[self.rows]]
        size = len(library.tools)
        return np.bincount(used, minlength=size)[tools], np.bincount(began, minlength=size)[tools]


@dataclass(frozen=True)
class Found:
    """What a search finds: tools, and trajectories.

    Attributes:
        probes: the request as it was looked up.
        tools: with their scores.
        memory: the trajectories that are remembered.
        without: what the trajectories added that are left out.
    """

    probes: Probes
    tools: Scored[int]
    memory: Remembered
    without: _Without


def expand(
    library: Library,
    question: Question,
    visible: VisibleRows = ALL_ROWS,
    must: Sequence[int] = (),
    sizes: Rule | None = None,
) -> Frontier:
    """Collect candidates and what is known among them.

    Args:
        library: what there is; counts of what may not be seen are not in it.
        question: the request.
        visible: what may be found.
        must: tools that come in before all others; all of them are seen.
        sizes: how many of each source; the product's where none is given.
    """
    return walk(library, question, search(library, question, visible), visible, must, sizes)


def search(library: Library, question: Question, visible: VisibleRows = ALL_ROWS) -> Found:
    """Find what a walk begins at."""
    without = _Without.of(library, question.group)
    with stage(SEARCH):
        probes = question.probes
        tools, weights = find_tools(library, probes, visible)
        seen = visible.without(without.rows, len(library.trajectories))
        return Found(probes, tools, remember(library, probes, weights, seen), without)


def walk(
    library: Library,
    question: Question,
    found: Found,
    visible: VisibleRows = ALL_ROWS,
    must: Sequence[int] = (),
    sizes: Rule | None = None,
) -> Frontier:
    """From what was found to its neighbours and producers, and all that is known among them."""
    with stage(WALK):
        return _walk(library, question, found, visible, must, sizes or rule.PRODUCT)


def _walk(
    library: Library,
    question: Question,
    found: Found,
    visible: VisibleRows,
    must: Sequence[int],
    sizes: Rule,
) -> Frontier:
    memory = found.memory.first(sizes.memories)
    start = rule.begin(found.tools.fused(sizes.words), memory.ways, must, sizes)
    given = frozenset(library.same.get(name, name) for name in question.given)
    chosen = rule.admit(
        start,
        _neighbours(library, start.sources, found.without, sizes.per_source),
        _producers(library, start, given, visible.tools),
        rule=sizes,
    )
    made = _frontier(library, question.vector, given, chosen, start, memory, found.without)
    said, asked = found.tools.of(chosen), found.probes.vectors[found.probes.parts]
    return replace(
        made,
        lexical=said[:, 0],
        clause_lexical=said[:, found.tools.parts],
        clauses=rule.clause_cosines(made.vectors, asked).astype(np.float32),
        anchors=sizes.anchors,
    )


def _neighbours(
    library: Library, sources: dict[int, int], without: _Without, count_of_each: int
) -> list[int]:
    """Up to so many observed neighbours of each source; those of several sources first."""
    tools, weights = _columns(sources)
    after, followers, follows = library.followers.of_all(tools)
    ahead, leaders, leads = library.leaders.of_all(tools)
    owner, other = np.concatenate([after, ahead]), np.concatenate([followers, leaders])
    follows = without.ran.taken_from(tools[after], followers, follows)
    leads = without.ran.taken_from(leaders, tools[ahead], leads)
    pairs, place = np.unique(owner * len(library.tools) + other, return_inverse=True)
    count = np.bincount(place, np.concatenate([follows, leads]), len(pairs))
    owner, other = np.divmod(pairs, max(1, len(library.tools)))
    kept = (count > 0) & (other != tools[owner])
    owner, other, count = owner[kept], other[kept], count[kept]
    best = np.lexsort((other, -count, owner))
    rank = np.arange(len(best)) - np.searchsorted(owner[best], owner[best])
    best = best[rank < count_of_each]
    return _ranked(other[best], weights[owner[best]], len(library.tools))


def _producers(
    library: Library, start: Start[int], given: frozenset[str], seen: Mask | None
) -> list[int]:
    """Who feeds the sources what the request does not show; the strongest edges first."""
    tools, weights = _columns(start.sources)
    feeders = library.feeders
    owner, edge = feeders.of_all(tools)
    if seen is not None:
        there = seen[feeders.producers[edge]]
        owner, edge = owner[there], edge[there]
    carrier, field = feeders.carried.of_all(edge)
    missing = np.isin(field, _open(library, np.unique(field), given))
    needed = np.bincount(carrier[missing], minlength=len(edge)) > 0
    owner, edge = owner[needed], edge[needed]
    gains = weights[owner] * feeders.weights[edge]
    return _ranked(feeders.producers[edge], gains, len(library.tools))


def _open(library: Library, fields: Ints, given: frozenset[str]) -> Ints:
    """Of the fields that edges carry those that are not given."""
    names = (library.feeders.fields[field] for field in fields.tolist())
    return fields[[library.same.get(name, name) not in given for name in names]]


def _columns(sources: dict[int, int]) -> tuple[Ints, Ints]:
    return (
        np.fromiter(sources.keys(), dtype=np.int64, count=len(sources)),
        np.fromiter(sources.values(), dtype=np.int64, count=len(sources)),
    )


def _ranked(tools: Ints, gains: Ints | Numbers, size: int) -> list[int]:
    """Tools out of `size` by the sum of what they gained, ties by number."""
    total = np.bincount(tools, gains, size)
    known = np.unique(tools)
    return top(total, len(known), known)


def _frontier(
    library: Library,
    vector: Floats,
    given: frozenset[str],
    chosen: list[int],
    start: Start[int],
    memory: Remembered,
    without: _Without,
) -> Frontier:
    tools = np.array(chosen, dtype=np.int64)
    place = {tool: at for at, tool in enumerate(chosen)}
    needs, makes = library.takes.of_all(tools), library.gives.of_all(tools)
    spelled = library.spelled.of_all(tools)
    names = np.unique(np.concatenate([needs[1], makes[1]]))
    fields = _named(library.fields, names)
    vectors = rule.pad_vectors(library.vectors[tools], vector)
    used, began = without.counts(library, tools)
    return Frontier(
        tools=_named(library.tools, tools),
        similarity=rule.cosines(vectors, vector).astype(np.float32),
        lexical=np.zeros(len(tools), dtype=np.float32),
        vectors=vectors,
        request=vector,
        family=_codes(library.family[tools]),
        service=_codes(library.service[tools]),
        words=_incidence(spelled, np.unique(spelled[1]), len(tools)),
        takes=_incidence(needs, names, len(tools)),
        gives=_incidence(makes, names, len(tools)),
        given=np.array([name in given for name in fields], dtype=np.float32),
        frequency=(library.frequency[tools] - used).astype(np.float32),
        entry=(library.entries[tools] - began).astype(np.float32),
        precedes=_square(library.followers, tools, without.ran),
        before=_square(library.later, tools, without.before),
        memory=Memory(
            _named(library.trajectories, memory.rows),
            memory.similarity,
            memory.lexical,
            rule.places(memory.ways, place),
        ),
        fields=fields,
        anchors=0,
        fused=rule.fused_scores(start.fused, chosen),
        clauses=np.zeros((len(tools), 0), dtype=np.float32),
        clause_lexical=np.zeros((len(tools), 0), dtype=np.float32),
    )


def _named(names: Sequence[str], rows: Ints) -> list[str]:
    return names.some(rows) if isinstance(names, Texts) else [names[row] for row in rows.tolist()]


def _codes(numbers: Ints) -> Ints:
    return rule.codes(None if number < 0 else number for number in numbers.tolist())


def _incidence(used: tuple[Ints, Ints], names: Ints, size: int) -> Floats:
    found = np.zeros((size, len(names)), dtype=np.float32)
    found[used[0], np.searchsorted(names, used[1])] = 1.0
    return found


def _square(counts: Counts, tools: Ints, own: _Pairs) -> Floats:
    """Counts among the candidates, without what the left-out trajectories added."""
    square = np.zeros((len(tools), len(tools)), dtype=np.float32)
    owner, other, count = counts.of_all(tools)
    order = np.argsort(tools)
    column = order[np.minimum(np.searchsorted(tools[order], other), len(order) - 1)]
    inside = tools[column] == other
    owner, other, count, column = owner[inside], other[inside], count[inside], column[inside]
    square[owner, column] = own.taken_from(tools[owner], other, count)
    return square
