"""The features of a frontier: numbers for each tool, relations and numbers for each pair.

Nothing here knows a tool by name: every number means the same in any library. Features have names,
and `Inputs` says which of them the networks of a model read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spm.gnn.networks.sizes import VECTOR
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.menus.menu import PREFIX

# The paper's twelve, then what trials on real data added (request memory and words).
PAPER = (
    "similarity", "similarity_rank", "entry_frequency", "tool_frequency", "from_anchors",
    "to_anchors", "with_anchors", "flow_in", "flow_out", "ready", "missing", "family",
)  # fmt: skip
ADDED = (
    "words", "words_rank", "fused", "vote", "sharp_vote", "words_vote", "entry_vote", "last_vote",
    "place", "nearest", "from_votes", "to_votes", "familiar", "evidence",
    "clause", "clause_rank", "clause_alone", "clause_place", "clause_words", "clause_words_rank",
    "with_votes",
)  # fmt: skip
NODE = PAPER + ADDED
PAIR = (
    "rank", "similarity", "order", "follows", "followed", "feeds", "fed", "service", "family",
    "name", "alike", "out_in", "in_in", "out_out", "frequency", "entry",
    "clause", "recalled_order", "recalled_sharply", "recalled_next",  # beyond the paper's sixteen
)  # fmt: skip
RECALLED = PAIR[-3:]
# As the paper defines what PAIR has in another form: rho without a scale, whether a transition was
# ever observed, and the difference of the cosines to the request.
PUBLISHED_PAIR = ("precedence", "observed", "observed_back", "meaning")
# What the first network says of a chosen tool, and the share of its inputs that are not given.
SAID = ("score", "rank", "member", *(f"slot_{at}" for at in range(1, PREFIX + 1)), "unready")
CHOSEN = (*SAID[:-1], *NODE)
RELATIONS = ("neutral", "forward", "reverse", "name", "family")
NEUTRAL, FORWARD, REVERSE, NAME, FAMILY = range(5)
RELATION_NAMES = ("neutral", "forward", "reverse", "name", "family")
SOFT, SHARP = 0.1, 0.03
# Shares of kept declarations: no better than chance, as good as a promise, and what a library
# without traces is credited with, as if so many pairs had been seen. (Measured: TRAJECT-Bench .53,
# NESTFUL .60, TaskBench .73, the demo .98.)
CHANCE, PROMISE = 0.6, 0.9
CREDIT = (0.8, 10.0)


@dataclass(frozen=True)
class Inputs:
    """What the networks of a model read, by name.

    Attributes:
        vectors: whether the text vectors of tool and request are among it.
        dimensions: so many leading dimensions of a vector are kept, of unit length again.
        candidate: features of each candidate, for the first network.
        chosen: features of each chosen tool, for the second.
        pair: features of each ordered pair of chosen tools.
        relations: types of pairs of candidates that are told apart; all others are neutral.
    """

    vectors: bool = True
    dimensions: int = VECTOR
    candidate: tuple[str, ...] = NODE
    chosen: tuple[str, ...] = CHOSEN
    pair: tuple[str, ...] = PAIR
    relations: tuple[str, ...] = RELATIONS

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        for part, known in (
            ("candidate", NODE),
            ("chosen", (*SAID, *NODE)),
            ("pair", (*PAIR, *PUBLISHED_PAIR)),
            ("relations", RELATIONS),
        ):
            names = getattr(self, part)
            if unknown := [name for name in names if name not in known]:
                raise ValueError(f"{part} has no feature {unknown[0]!r}; known: {', '.join(known)}")
            if len({*names}) < len(names):
                raise ValueError(f"{part} names a feature twice (got {', '.join(names)})")
        if not self.candidate or not self.chosen or not self.pair:
            raise ValueError("candidate, chosen and pair need a feature each")
        if self.dimensions < 1:
            raise ValueError(f"dimensions (got {self.dimensions}) must be 1 or more")


SHIPPED = Inputs()


@dataclass(frozen=True)
class Facts:
    """What is derived of a frontier once and used by both networks and both decoders."""

    nodes: Floats  # (n, len(NODE))
    relations: NDArray[np.int64]  # (n, n)
    feeds: Floats  # (n, n) kappa: share of j's inputs that i makes
    order: Floats  # (n, n) rho: who came first
    follows: Floats  # (n, n) share of i's followers that are j
    alike: Floats  # (n, n) cosine of documents
    same_name: NDArray[np.bool_]  # (n, n)
    same_family: NDArray[np.bool_]  # (n, n)
    vectors: Floats  # (n, dimensions) unit length
    request: Floats  # (dimensions,) unit length
    votes: "Votes"
    clause: Floats  # (n,) which clause of the request asks for the tool, 0 the first, 1 the last


@dataclass(frozen=True)
class Votes:
    """How the nearest observed requests speak for each tool; every array is (n,)."""

    soft: Floats
    sharp: Floats
    words: Floats
    entry: Floats
    last: Floats
    place: Floats  # mean place in their paths, 0 first, 1 last; 0.5 where nobody used it
    nearest: Floats  # cosine of the nearest request that used it


def derive(frontier: Frontier, inputs: Inputs = SHIPPED) -> Facts:
    """Compute all that the networks and decoders need."""
    feeds = frontier.gives @ frontier.takes.T / np.maximum(1.0, frontier.takes.sum(1))
    order = np.log((frontier.before + 1.0) / (frontier.before.T + 1.0))
    follows = frontier.precedes / np.maximum(1.0, frontier.precedes.sum(1, keepdims=True))
    same_name, same_family = _shared_names(frontier), _shared(frontier.family)
    vectors = shortened(frontier.vectors, inputs.dimensions)
    request = shortened(frontier.request, inputs.dimensions)
    votes = count_votes(frontier)
    return Facts(
        nodes=_nodes(frontier, votes, feeds, follows, same_family),
        relations=_relations(frontier, feeds, same_name, same_family, inputs.relations),
        feeds=feeds,
        order=order.astype(np.float32),
        follows=follows,
        alike=vectors @ vectors.T,
        same_name=same_name,
        same_family=same_family,
        vectors=vectors,
        request=request,
        votes=votes,
        clause=clause_places(frontier),
    )


def shortened(vectors: Floats, dimensions: int = VECTOR) -> Floats:
    """The first dimensions, of unit length again."""
    cut = vectors[..., :dimensions]
    return cut / np.maximum(1e-6, np.linalg.norm(cut, axis=-1, keepdims=True))


def strictness(frontier: Frontier, feeds: Floats) -> float:
    """How far the library's declared fields can be trusted to say what has to come first.

    Where traces ran producers before consumers nearly always, a declaration is a promise; where
    they did so half the time, names meet by chance. Without traces declarations get credit.

    Returns:
        0 (no better than chance) to 1 (always kept).
    """
    linked = (feeds > 0) & ~np.eye(len(feeds), dtype=bool)
    kept = float(frontier.before[linked].sum())
    seen = kept + float(frontier.before.T[linked].sum())
    share = (kept + CREDIT[0] * CREDIT[1]) / (seen + CREDIT[1])
    return float(np.clip((share - CHANCE) / (PROMISE - CHANCE), 0.0, 1.0))


def anchors(frontier: Frontier) -> Floats:
    """The weight of each anchor: its fused rank score, summing to 1; 0 for all other tools."""
    weights = np.zeros_like(frontier.fused)
    best = np.argsort(-frontier.fused, kind="stable")[: frontier.anchors]
    weights[best] = frontier.fused[best]
    return weights / max(1e-9, float(weights.sum()))


def count_votes(frontier: Frontier) -> Votes:
    """Let every remembered trajectory speak for its tools, louder the nearer it is."""
    memory, size = frontier.memory, len(frontier.tools)
    row, tool, place, length = memory.steps.T
    near = memory.similarity
    soft, sharp = _weights(near, SOFT), _weights(near, SHARP)
    words = memory.lexical / max(1e-9, float(memory.lexical.sum())) if len(near) else near

    def total(weights: Floats, where: NDArray[np.bool_] | None = None) -> Floats:
        chosen = slice(None) if where is None else where
        return np.bincount(tool[chosen], weights[row[chosen]], size).astype(np.float32)

    mentioned = total(soft)
    relative = place / np.maximum(1, length - 1)
    places = np.bincount(tool, soft[row] * relative, size) if len(row) else np.zeros(size)
    nearest = np.zeros(size, dtype=np.float32)
    np.maximum.at(nearest, tool, near[row])
    return Votes(
        soft=mentioned,
        sharp=total(sharp),
        words=total(words),
        entry=total(soft, place == 0),
        last=total(soft, place == length - 1),
        place=np.where(mentioned > 0, places / np.maximum(1e-9, mentioned), 0.5).astype(np.float32),
        nearest=nearest,
    )


def _weights(near: Floats, scale: float) -> Floats:
    """Shares of the remembered requests, falling by a factor of e per `scale` of cosine."""
    if not len(near):
        return near
    raised = np.exp((near - near.max()) / scale)
    return (raised / raised.sum()).astype(np.float32)


def _nodes(
    frontier: Frontier,
    votes: Votes,
    feeds: Floats,
    follows: Floats,
    same_family: NDArray[np.bool_],
) -> Floats:
    weight = anchors(frontier)
    together = frontier.before + frontier.before.T
    together = together / np.maximum(1.0, np.sqrt(np.outer(frontier.frequency, frontier.frequency)))
    needed = frontier.takes.sum(1)
    met = frontier.takes @ frontier.given
    ones = np.ones_like(weight)
    seen = evidence(frontier)
    best = float(frontier.memory.similarity.max()) if len(frontier.memory.similarity) else 0.0
    columns = {
        "similarity": frontier.similarity,
        "similarity_rank": _reciprocal(frontier.similarity),
        "entry_frequency": np.log1p(frontier.entry) / seen,
        "tool_frequency": np.log1p(frontier.frequency) / seen,
        "from_anchors": weight @ follows,
        "to_anchors": follows @ weight,
        "with_anchors": together @ weight,
        "flow_in": weight @ feeds,
        "flow_out": feeds @ weight,
        "ready": (met + (needed == 0)) / np.maximum(1.0, needed),
        "missing": np.minimum(needed - met, 8) / 8,
        "family": same_family @ weight,
        "words": frontier.lexical / max(1e-6, float(frontier.lexical.max(initial=0.0))),
        "words_rank": _reciprocal(frontier.lexical),
        "fused": frontier.fused * 15,
        "vote": votes.soft,
        "sharp_vote": votes.sharp,
        "words_vote": votes.words,
        "entry_vote": votes.entry,
        "last_vote": votes.last,
        "place": votes.place,
        "nearest": votes.nearest,
        "from_votes": votes.soft @ follows,
        "to_votes": follows @ votes.soft,
        "familiar": ones * best,
        "evidence": ones * seen / 10,
        **_clauses(frontier),
        "with_votes": together @ votes.soft,
    }
    return np.stack([columns[name] for name in NODE], axis=1).astype(np.float32)


def _clauses(frontier: Frontier) -> dict[str, Floats]:
    """How the clauses of the request speak for each tool, each as if it were asked alone."""
    best = frontier.clauses.max(axis=1, initial=-1.0)
    mean = frontier.clauses.mean(axis=1) if frontier.clauses.shape[1] else best
    loudest = frontier.clause_lexical / np.maximum(
        1e-6, frontier.clause_lexical.max(axis=0, initial=0.0)
    )
    return {
        "clause": best,
        "clause_rank": _best_rank(frontier.clauses),
        "clause_alone": best - mean,
        "clause_place": clause_places(frontier),
        "clause_words": loudest.max(axis=1, initial=0.0),
        "clause_words_rank": _best_rank(frontier.clause_lexical),
    }


def clause_places(frontier: Frontier) -> Floats:
    """Where in the request each tool is asked for, by meaning: 0 first, 1 last, else between."""
    count = frontier.clauses.shape[1]
    if count < 2:
        return np.full(len(frontier.tools), 0.5, dtype=np.float32)
    return (frontier.clauses.argmax(axis=1) / (count - 1)).astype(np.float32)


def _best_rank(scores: Floats) -> Floats:
    """One over the best place in the ranking of any clause; 0 for what has no score."""
    ranks = [_reciprocal(column) for column in scores.T]
    return np.max(ranks, axis=0, initial=0.0) if ranks else np.zeros(len(scores), np.float32)


def evidence(frontier: Frontier) -> float:
    """How much was observed around here: the logarithm of the most used candidate's count."""
    return max(1.0, float(np.log1p(frontier.frequency.max(initial=0.0))))


def _reciprocal(scores: Floats) -> Floats:
    """One over the place in the ranking; 0 for what has no score."""
    places = np.empty(len(scores), dtype=np.float32)
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return np.where(scores > 0, 1.0 / places, 0.0).astype(np.float32)


def _relations(
    frontier: Frontier,
    feeds: Floats,
    same_name: NDArray[np.bool_],
    same_family: NDArray[np.bool_],
    told: tuple[str, ...],
) -> NDArray[np.int64]:
    """One type per ordered pair; a dependency says more than a shared name or family."""
    forward = (feeds > 0) | (frontier.precedes > 0)
    # Where evidence points both ways, the order in which agents ran them decides.
    both = forward & forward.T
    leads = frontier.precedes > frontier.precedes.T
    forward = np.where(both, leads, forward)
    types = np.full(forward.shape, NEUTRAL)
    found = {"family": same_family, "name": same_name, "reverse": forward.T, "forward": forward}
    for name, pairs_of_it in found.items():
        if name in told:
            types = np.where(pairs_of_it, RELATIONS.index(name), types)
    np.fill_diagonal(types, NEUTRAL)
    return types.astype(np.int64)


def _shared(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (codes[:, None] == codes[None, :]) & (codes[:, None] >= 0)


def _shared_names(frontier: Frontier) -> NDArray[np.bool_]:
    """Names that have at least half of their words in common."""
    used = frontier.words
    common = used @ used.T
    count = used.sum(1)
    return 2 * common >= np.maximum(1.0, count[:, None] + count[None, :] - common)


def pairs(
    frontier: Frontier,
    facts: Facts,
    chosen: NDArray[np.int64],
    score: Floats,
    names: tuple[str, ...] = PAIR,
) -> Floats:
    """The named pair features of the chosen tools, (k, k, names); `score` are the retriever's."""
    local = np.ix_(chosen, chosen)
    takes, gives = frontier.takes[chosen], frontier.gives[chosen]
    rank = np.arange(len(chosen)) / max(1, len(chosen) - 1)
    seen = evidence(frontier)
    service = frontier.service[chosen]
    columns: dict[str, Callable[[], NDArray[np.generic]]] = {
        "rank": lambda: _difference(rank),
        "similarity": lambda: _difference(score),
        "order": lambda: facts.order[local] / 3,
        "follows": lambda: facts.follows[local],
        "followed": lambda: facts.follows[local].T,
        "feeds": lambda: facts.feeds[local],
        "fed": lambda: facts.feeds[local].T,
        "service": lambda: service[:, None] == service[None, :],
        "family": lambda: facts.same_family[local],
        "name": lambda: facts.same_name[local],
        "alike": lambda: facts.alike[local],
        "out_in": lambda: np.minimum(gives @ takes.T, 4) / 4,
        "in_in": lambda: np.minimum(takes @ takes.T, 4) / 4,
        "out_out": lambda: np.minimum(gives @ gives.T, 4) / 4,
        "frequency": lambda: _difference(np.log1p(frontier.frequency[chosen]) / seen),
        "entry": lambda: _difference(np.log1p(frontier.entry[chosen]) / seen),
        "clause": lambda: _difference(facts.clause[chosen]),
        "precedence": lambda: facts.order[local],
        "observed": lambda: frontier.precedes[local] > 0,
        "observed_back": lambda: frontier.precedes[local].T > 0,
        "meaning": lambda: _difference(frontier.similarity[chosen]),
    }
    if any(name in RECALLED for name in names):  # counting them takes as long as all the others
        known = dict(zip(RECALLED, recalled(frontier, chosen), strict=True))
    made = [known[name] if name in RECALLED else columns[name]() for name in names]
    return np.stack(made, axis=-1).astype(np.float32)


def recalled(frontier: Frontier, chosen: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """In which order the nearest solved requests ran these tools, each (k, k).

    Returns:
        How much more of them, by weight, ran i before j than j before i; the same with the very
        nearest weighing most; and the weight of those that ran j right after i.
    """
    memory, size = frontier.memory, len(chosen)
    where = np.full(len(frontier.tools), -1, dtype=np.int64)
    where[chosen] = np.arange(size)
    row, tool, place, _ = memory.steps[where[memory.steps[:, 1]] >= 0].T
    first, second = np.nonzero((row[:, None] == row) & (place[:, None] < place))
    pair = where[tool[first]] * size + where[tool[second]]
    soft, sharp = (_weights(memory.similarity, scale)[row[first]] for scale in (SOFT, SHARP))
    adjacent = place[second] - place[first] == 1

    def total(weights: Floats) -> Floats:
        return np.bincount(pair, weights, size * size).astype(np.float32).reshape(size, size)

    lead, sharply = total(soft), total(sharp)
    return lead - lead.T, sharply - sharply.T, total(sharp * adjacent)


def _difference(values: NDArray[np.floating]) -> Floats:
    return np.asarray(values[:, None] - values[None, :], dtype=np.float32)
