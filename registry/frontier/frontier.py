"""The frontier of a request: up to 128 candidates, and everything that is known among them.

Cypher fills it, or arrays (snapshots, training). Features, networks and decoders see nothing else.
The rule that both fillings share (quotas, fusion, who is admitted) is in this module too.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

SIZE = 128
# How many are looked up by meaning and by words, and how many of each source are let in. The
# fallback fills the rest, so that a registry without traces gets what text alone would give.
LOOKUP = 128
MEMORIES = 48
ANCHORS = 40
REMEMBERED = 64
NEIGHBOURS = 16
PRODUCERS = 8
# Neighbours are asked of this many tools, four of each.
SOURCES = 48
PER_SOURCE = 4
# How much a place among the tools that were found counts, how soon that falls, and how many places
# further back a tool counts that has no word of the request: about as much as the sum of four
# reciprocal ranks, which the shipped prior learned from.
FUSED, FALL, WORDLESS = 2_200_000, 35, 40
# Reciprocal rank fusion of memories: they are few and weigh steeply.
FUSION = 60
FUSION_MEMORY = 20
# Scores are millionths in whole numbers, which every engine adds up to the same.
UNIT = 1_000_000

Floats = NDArray[np.float32]
Floats64 = NDArray[np.float64]
Key = TypeVar("Key", int, str)  # tools by number or by id; ids have the order of their numbers


@dataclass(frozen=True)
class Rule:
    """How many of each source come into a frontier; the numbers of a configuration.

    Attributes:
        size: how many candidates there are at most.
        memories: similar solved requests whose tools are looked at.
        remembered: tools of these that come in.
        anchors: tools that text puts in front and that come in.
        sources: tools whose neighbours and producers are asked for.
        per_source: neighbours of each of them.
        neighbours: neighbours that come in besides.
        producers: producers of missing fields that come in besides.
        words: whether anchors are found by words and meaning together, or by meaning alone.
    """

    size: int = SIZE
    memories: int = MEMORIES
    remembered: int = REMEMBERED
    anchors: int = ANCHORS
    sources: int = SOURCES
    per_source: int = PER_SOURCE
    neighbours: int = NEIGHBOURS
    producers: int = PRODUCERS
    words: bool = True

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        if not 1 <= self.size <= SIZE:
            raise ValueError(f"size (got {self.size}) must be from 1 to {SIZE}")
        if not 0 <= self.memories <= MEMORIES:
            raise ValueError(f"memories (got {self.memories}) must be from 0 to {MEMORIES}")
        rest = ("remembered", "anchors", "sources", "per_source", "neighbours", "producers")
        if wrong := [name for name in rest if getattr(self, name) < 0]:
            raise ValueError(f"{wrong[0]} (got {getattr(self, wrong[0])}) must not be negative")


PRODUCT = Rule()


@dataclass(frozen=True)
class Memory:
    """The nearest observed requests and how they were solved.

    Attributes:
        ids: the trajectories, nearest first.
        similarity: their cosine to the request.
        lexical: their BM25 score, 0 for those that words did not find.
        steps: rows (trajectory, candidate, place, length) of all steps inside the frontier.
    """

    ids: list[str]
    similarity: Floats
    lexical: Floats
    steps: NDArray[np.int64]


@dataclass(frozen=True)
class Frontier:
    """Candidates of one request with their facts, in arrays over n tools and f fields."""

    tools: list[str]
    similarity: Floats  # (n,) cosine of request and document
    lexical: Floats  # (n,) BM25, 0 for tools that words did not find
    vectors: Floats  # (n, d) documents
    request: Floats  # (d,)
    family: NDArray[np.int64]  # (n,) numbered as they appear; -1: none
    service: NDArray[np.int64]  # (n,) likewise
    words: Floats  # (n, w) 1 where a tool's name has a word; words are sorted
    takes: Floats  # (n, f) 1 where a tool requires a field
    gives: Floats  # (n, f) 1 where it produces one
    given: Floats  # (f,) 1 where the request shows it
    frequency: Floats  # (n,) successful trajectories with the tool
    entry: Floats  # (n,) trajectories that begin with it
    precedes: Floats  # (n, n) how often i ran right before j
    before: Floats  # (n, n) how often i ran before j
    memory: Memory
    fields: list[str]
    anchors: int  # the first so many by fused rank are anchors
    fused: Floats  # (n,) by the place among the tools that were found, see `fused_places`
    clauses: Floats  # (n, m) cosine of each clause of the request and document
    clause_lexical: Floats  # (n, m) BM25 of each clause, 0 for tools that words did not find


@dataclass(frozen=True)
class Start(Generic[Key]):
    """What is settled before the graph is walked.

    Attributes:
        fused: scores of what text found, best first.
        sources: whose neighbours and producers are asked for, with how much each counts.
        kept: who comes in first, in this order.
        fallback: who fills the room that is left.
    """

    fused: dict[Key, int]
    sources: dict[Key, int]
    kept: list[Key]
    fallback: list[Key]


@cache
def weight(place: int, constant: int = FUSION) -> int:
    """What a place in a ranking counts; whole numbers add up to the same in any order."""
    return UNIT // (constant + place)


def fuse(*rankings: Sequence[Key], constant: int = FUSION) -> dict[Key, int]:
    """Reciprocal rank fusion: what several rankings put in front comes first, ties by key."""
    scores: dict[Key, int] = {}
    counts = [weight(place, constant) for place in range(max(map(len, rankings), default=0))]
    for ranking in rankings:
        for count, key in zip(counts, ranking, strict=False):
            scores[key] = scores.get(key, 0) + count
    return {key: scores[key] for key in ranked(scores)}


def ranked(scores: Mapping[Key, float]) -> list[Key]:
    """Keys from best to worst, ties by key."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # sorting keeps ties


def fused_places(found: Iterable[Key], worded: Iterable[bool]) -> dict[Key, int]:
    """How much tools that were found count, best first; `worded` says who holds a word."""
    pairs = enumerate(zip(found, worded, strict=True))
    return {key: FUSED // (FALL + at + (0 if word else WORDLESS)) for at, (key, word) in pairs}


def remember(near: Sequence[Key], worded: Sequence[Key]) -> list[Key]:
    """Which trajectories are remembered: the nearest by meaning and by words, fused."""
    return list(fuse(near, worded, constant=FUSION_MEMORY))[:MEMORIES]


def begin(
    fused: dict[Key, int],
    ways: Sequence[Sequence[Key]],
    must: Sequence[Key] = (),
    rule: Rule | None = None,
) -> Start[Key]:
    """Weigh what was looked up.

    Args:
        fused: tools, best first, with how much each counts.
        ways: the distinct tools of each remembered trajectory, nearest first.
        must: tools that come in before all others.
        rule: how many of each source; the product's where none is given.
    """
    rule = rule or PRODUCT
    votes = _votes(ways)
    sources = ranked({**_shares(fused), **votes})[: rule.sources]
    remembered: list[Key] = ranked(votes)
    anchors: list[Key] = list(fused)
    first = list(must) + remembered[: rule.remembered] + anchors[: rule.anchors]
    kept: dict[Key, None] = dict.fromkeys(first)
    others: list[Key] = [key for key in dict.fromkeys(anchors + remembered) if key not in kept]
    return Start(
        fused=fused,
        sources={key: weight(place) for place, key in enumerate(sources)},
        kept=list(kept),
        fallback=others[: rule.size],
    )


def _votes(ways: Sequence[Sequence[Key]]) -> dict[Key, int]:
    """How many of the remembered trajectories used a tool, the nearer the more."""
    votes: dict[Key, int] = {}
    for place, way in enumerate(ways):
        count = weight(place, FUSION_MEMORY)
        for tool in way:
            votes[tool] = votes.get(tool, 0) + count
    whole = sum(weight(place, FUSION_MEMORY) for place in range(len(ways)))
    return {tool: UNIT * vote // whole for tool, vote in votes.items()}


def _shares(fused: Mapping[Key, int]) -> dict[Key, int]:
    """Fused scores brought to the scale of votes: the best anchor counts as one vote in two."""
    best = max(fused.values(), default=1)
    return {tool: UNIT * score // (2 * best) for tool, score in fused.items()}


def joined(start: Start[Key], neighbours: Sequence[Key], rule: Rule | None = None) -> Start[Key]:
    """Let the best neighbours in behind those kept."""
    room = (rule or PRODUCT).neighbours
    there = set(start.kept)
    new: list[Key] = list(islice((key for key in neighbours if key not in there), room))
    fallback = [key for key in start.fallback if key not in new]
    return Start(start.fused, start.sources, start.kept + new, fallback)


def admit(
    start: Start[Key],
    neighbours: Sequence[Key],
    producers: Sequence[Key],
    spare: int = 0,
    rule: Rule | None = None,
) -> list[Key]:
    """Who comes into the frontier: a share of every source, then what text ranks next.

    `spare` more are named, where some may turn out to be hidden.
    """
    rule = rule or PRODUCT
    chosen = dict.fromkeys(joined(start, neighbours, rule).kept)
    makers = islice((key for key in producers if key not in chosen), rule.producers)
    chosen |= dict.fromkeys(makers)
    return list(islice(chosen | dict.fromkeys(start.fallback), rule.size + spare))


def cosines(vectors: Floats | Floats64, vector: Floats) -> Floats64:
    """Scores as every store makes them: in double precision and rounded."""
    if not vectors.shape[1]:  # nothing was encoded yet
        return np.zeros(len(vectors))
    found: Floats64 = np.round(
        np.einsum("ij,j->i", vectors.astype(np.float64, copy=False), vector.astype(np.float64)), 6
    )
    return found


def clause_cosines(vectors: Floats, asked: Floats) -> Floats64:
    """The cosines of all rows of two matrices, exact like `cosines`."""
    if not vectors.shape[1]:
        return np.zeros((len(vectors), len(asked)))
    exact = vectors.astype(np.float64)
    return np.stack([cosines(exact, row) for row in asked], axis=1)


def pad_vectors(vectors: Floats, vector: Floats) -> Floats:
    """Vectors as long as `vector`, also where nothing was encoded yet."""
    return vectors if vectors.shape[1] else np.zeros((len(vectors), len(vector)), np.float32)


def fused_scores(fused: Mapping[Key, int], chosen: Iterable[Key]) -> Floats:
    """The fused scores of candidates, 0 for those that text did not find."""
    return np.array([fused.get(key, 0) / UNIT for key in chosen], dtype=np.float32)


def name_overlap(names: Sequence[frozenset[str]]) -> Floats:
    """`Frontier.words` of names that are given as their words."""
    place = {word: at for at, word in enumerate(sorted(frozenset().union(*names)))}
    found = np.zeros((len(names), len(place)), dtype=np.float32)
    for row, name in zip(found, names, strict=True):
        row[[place[word] for word in name]] = 1.0
    return found


def codes(names: Iterable[Hashable]) -> NDArray[np.int64]:
    """Numbers for names in the order in which they first appear; -1 for none."""
    known: dict[Hashable, int] = {}
    return np.array(
        [-1 if name in (None, "") else known.setdefault(name, len(known)) for name in names],
        dtype=np.int64,
    )


def representatives(pairs: Iterable[Sequence[str]]) -> dict[str, str]:
    """Which name stands for each of the fields that a person declared to be the same."""
    stands: dict[str, str] = {}

    def find(name: str) -> str:
        while stands.get(name, name) != name:
            name = stands[name]
        return name

    for first, second in pairs:
        least, other = sorted((find(first), find(second)))
        stands[other] = least
        stands.setdefault(least, least)
    return {name: find(name) for name in stands}


def places(ways: Sequence[Sequence[Key]], place: Mapping[Key, int]) -> NDArray[np.int64]:
    """The rows of `Memory.steps`: the steps of remembered trajectories that are candidates."""
    found = [
        (row, place[tool], at, len(way))
        for row, way in enumerate(ways)
        for at, tool in enumerate(way)
        if tool in place
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 4)
