"""The frontier from a library in memory: the rule of `registry.frontier`, without a database.

Training asks for thousands of frontiers, each without the trajectories of its own group; the same
rule runs in Cypher when a menu is built, and a test compares the two.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spm.gnn.library import Counts, Ints, Library, Numbers, Rows
from spm.gnn.requests import Seen
from spm.registry import frontier as rule
from spm.registry.clauses import clauses
from spm.registry.frontier import Floats, Frontier, Memory, Start
from spm.registry.lexical import terms

NOBODY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Question:
    """One request as the expansion sees it.

    Attributes:
        text: the request.
        vector: of the whole.
        given: the fields that it shows.
        group: of trajectories that is left out of all evidence.
        clauses: the vectors of its clauses, as many as `registry.clauses` finds; None stands for
            one, the whole.
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

    def parts(self) -> tuple[list[list[str]], Floats]:
        """The terms and the vectors of the clauses."""
        if self.clauses is None:
            return [terms(self.text)], self.vector[None, :]
        return [terms(self.text[a:b]) for a, b in clauses(self.text)], self.clauses


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
        members = library.members.get(group, []) if group is not None else []
        rows, size = np.array(members, dtype=np.int64), len(library.tools)
        return cls(
            rows,
            _Pairs.of(size, library.paths, rows, far=False),
            _Pairs.of(size, library.ways, rows, far=True),
        )


@dataclass(frozen=True)
class _Remembered:
    """Trajectories with their scores."""

    rows: Ints
    similarity: Floats
    lexical: Floats
    ways: list[list[int]]


def expand(library: Library, question: Question) -> Frontier:
    """Collect candidates and what is known among them."""
    asked = terms(question.text)
    parted, vectors = question.parts()
    text = _Text.of(library, [asked], question.vector[None, :])
    parts = _Text.of(library, parted, vectors) if len(parted) > 1 else text
    without = _Without.of(library, question.group)
    memory = _remember(library, question, asked, without.rows)
    found = [text.near, text.worded, parts.near, parts.worded]
    start = rule.begin(found, memory.ways)
    given = frozenset(library.same.get(name, name) for name in question.given)
    chosen = rule.admit(
        start,
        _neighbours(library, start.sources, without),
        _producers(library, start.sources, given),
    )
    made = _frontier(library, question.vector, given, chosen, start, memory, without)
    return replace(
        made,
        lexical=text.spoken(chosen)[:, 0],
        spoken=parts.spoken(chosen),
        clauses=rule.likeness(made.vectors, vectors).astype(np.float32),
    )


@dataclass(frozen=True)
class _Text:
    """What text alone finds, for a request or for its clauses: the best for any of them."""

    near: list[int]
    worded: list[int]
    scores: NDArray[np.float64]  # (tools, clauses) BM25

    @classmethod
    def of(cls, library: Library, asked: list[list[str]], vectors: Floats) -> "_Text":
        """Look up by meaning and by words."""
        everybody = np.ones(len(library.tools), dtype=bool)
        found = [library.texts.scores(words, everybody) for words in asked]
        scores = np.stack([score for score, _ in found], axis=1)
        matched = np.unique(np.concatenate([places for _, places in found]))
        return cls(
            _nearest(library.vectors, vectors, rule.LOOKUP),
            _top(scores.max(axis=1), matched, rule.LOOKUP),
            scores,
        )

    def spoken(self, tools: list[int]) -> Floats:
        """The scores of some tools, 0 for those that words did not find."""
        there = np.isin(tools, self.worded)
        return (self.scores[tools] * there[:, None]).astype(np.float32)


def _nearest(vectors: Floats, asked: Floats, count: int, hidden: Ints = NOBODY) -> list[int]:
    """The rows nearest to any that is asked for, equal ones by number (the order of their ids).

    A quick pass keeps all that may be among the best; exact scores decide among them.
    """
    if not vectors.size:
        return []
    rough = (vectors @ asked.T).max(axis=1)
    rough[hidden] = np.nan
    blank = np.flatnonzero(rough == 0)  # rows of zeros are no vectors: stores do not find them
    rough[blank[~vectors[blank].any(axis=1)]] = np.nan
    there = np.flatnonzero(~np.isnan(rough))
    if len(there) > count:
        lowest = np.partition(rough[there], -count)[-count]
        there = there[rough[there] >= lowest - 1e-4]
    exact = rule.likeness(vectors[there], asked).max(axis=1)
    return there[_top(exact, np.arange(len(there)), count)].tolist()


def _top(scores: NDArray[np.float64], found: NDArray[np.intp], count: int) -> list[int]:
    """The best of those that were found, equal ones by number."""
    return found[np.lexsort((found, -scores[found]))[:count]].tolist()


def _remember(library: Library, question: Question, asked: list[str], without: Ints) -> _Remembered:
    """The nearest trajectories by meaning and by words."""
    seen = np.ones(len(library.trajectories), dtype=bool)
    seen[without] = False
    words, matched = library.request_texts.scores(asked, seen)
    near = _nearest(library.request_vectors, question.vector[None, :], rule.MEMORIES, without)
    worded = _top(words, matched, rule.MEMORIES)
    rows = np.array(rule.remember(near, worded), dtype=np.int64)
    cosine = rule.cosines(library.request_vectors[rows], question.vector)
    # A trajectory that only meaning found has no score of words, also where words know it.
    found = np.where(np.isin(rows, worded), words[rows], 0)
    return _Remembered(
        rows,
        cosine.astype(np.float32),
        found.astype(np.float32),
        [library.path(row) for row in rows],
    )


def _neighbours(library: Library, sources: dict[int, int], without: _Without) -> list[int]:
    """Up to four observed neighbours of each source; those of several sources first."""
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
    best = best[rank < rule.PER_SOURCE]
    return _ranked(other[best], weights[owner[best]])


def _producers(library: Library, sources: dict[int, int], given: frozenset[str]) -> list[int]:
    """Who makes what the sources need and the request does not show; rare makers first."""
    tools, weights = _columns(sources)
    owner, needed = library.takes.of_all(tools)
    fields, field = np.unique(needed, return_inverse=True)
    makers = library.makers.starts[fields + 1] - library.makers.starts[fields]
    open_ = np.array([library.fields[name] not in given for name in fields.tolist()], dtype=bool)
    gain = weights[owner] // np.maximum(1, makers[field])
    total = np.bincount(field, gain, len(fields)).astype(np.int64)
    made, maker = library.makers.of_all(fields[open_])
    return _ranked(maker, total[open_][made])


def _columns(sources: dict[int, int]) -> tuple[Ints, Ints]:
    return (
        np.fromiter(sources.keys(), dtype=np.int64, count=len(sources)),
        np.fromiter(sources.values(), dtype=np.int64, count=len(sources)),
    )


def _ranked(tools: Ints, gains: Ints) -> list[int]:
    """Tools by the sum of what they gained, ties by number."""
    known, place = np.unique(tools, return_inverse=True)
    total = np.bincount(place, gains, len(known))
    return known[np.lexsort((known, -total))].tolist()


def _frontier(
    library: Library,
    vector: Floats,
    given: frozenset[str],
    chosen: list[int],
    start: Start[int],
    memory: _Remembered,
    without: _Without,
) -> Frontier:
    tools = np.array(chosen, dtype=np.int64)
    place = {tool: at for at, tool in enumerate(chosen)}
    needs, makes = library.takes.of_all(tools), library.gives.of_all(tools)
    names = np.unique(np.concatenate([needs[1], makes[1]]))
    fields = [library.fields[name] for name in names.tolist()]
    vectors = rule.filled(library.vectors[tools], vector)
    used = np.bincount(library.ways.of_all(without.rows)[1], minlength=len(library.tools))
    began = np.bincount(
        library.paths.values[library.paths.starts[without.rows]], minlength=len(used)
    )
    return Frontier(
        tools=[library.tools[tool] for tool in chosen],
        similarity=rule.cosines(vectors, vector).astype(np.float32),
        lexical=np.zeros(len(tools), dtype=np.float32),
        vectors=vectors,
        request=vector,
        family=_codes(library.family[tools]),
        service=_codes(library.service[tools]),
        words=[library.words[tool] for tool in chosen],
        takes=_incidence(needs, names, len(tools)),
        gives=_incidence(makes, names, len(tools)),
        given=np.array([name in given for name in fields], dtype=np.float32),
        frequency=(library.frequency[tools] - used[tools]).astype(np.float32),
        entry=(library.entries[tools] - began[tools]).astype(np.float32),
        precedes=_square(library.followers, tools, without.ran),
        before=_square(library.later, tools, without.before),
        memory=Memory(
            [library.trajectories[row] for row in memory.rows.tolist()],
            memory.similarity,
            memory.lexical,
            rule.places(memory.ways, place),
        ),
        fields=fields,
        anchors=rule.ANCHORS,
        fused=rule.fused_scores(start.fused, chosen),
        clauses=np.zeros((len(tools), 0), dtype=np.float32),
        spoken=np.zeros((len(tools), 0), dtype=np.float32),
    )


def _codes(numbers: Ints) -> Ints:
    return rule.codes(None if number < 0 else number for number in numbers.tolist())


def _incidence(used: tuple[Ints, Ints], names: Ints, size: int) -> Floats:
    found = np.zeros((size, len(names)), dtype=np.float32)
    found[used[0], np.searchsorted(names, used[1])] = 1.0
    return found


def _square(counts: Counts, tools: Ints, own: _Pairs) -> Floats:
    """Counts among the candidates, without what the left-out trajectories added."""
    column = np.full(own.size, -1, dtype=np.int64)
    column[tools] = np.arange(len(tools))
    owner, other, count = counts.of_all(tools)
    inside = column[other] >= 0
    owner, other, count = owner[inside], other[inside], count[inside]
    square = np.zeros((len(tools), len(tools)), dtype=np.float32)
    square[owner, column[other]] = own.taken_from(tools[owner], other, count)
    return square
