"""From scores to a menu: which tools (set decoding) and in which order (order decoding)."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier.frontier import Floats
from spm.registry.menus.menu import PREFIX, SIZE

TINY = 1e-9


@dataclass(frozen=True)
class SetWeights:
    """What the greedy choice of tools adds up; the paper's values are .45, .45 and .12."""

    slot: float = 0.0
    field: float = 0.0
    alike: float = 0.0

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class OrderWeights:
    """What the greedy order adds up. Learned with the path loss; these are where it begins.

    The paper's are the first five, and fixed; a term of weight 0 is left out.
    """

    member: float = 0.35
    slot: float = 0.65
    ready: float = 0.60
    entry: float = 0.55
    before: float = 0.90
    follows: float = 0.50
    fed: float = 0.50
    recalled: float = 0.50
    blocked: float = -0.60

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def array(self) -> Floats:
        """In the order of the terms."""
        return np.array(list(asdict(self).values()), dtype=np.float32)


# The last term is not learned: how strictly a library's own declarations are kept.
TERMS = (*asdict(OrderWeights()), "waits")


@dataclass(frozen=True)
class Routing:
    """What becomes of the leading tools: which are the route, and what is put beside it.

    Attributes:
        strict: how strictly a library's own declarations are kept, as far as traces show that
            they are; 0: no more than the order's weights say.
        doubt: how far missing inputs weaken a tool's claim to the route. On the demo, which no
            model was trained on: none and 1 gave worse routes than values between.
        promised: from which strictness on a declared input is a promise, so that its producer is
            taken along; above 1: never. On the demo with half of its traces: the path's first tool
            in front .56 instead of .49, ordered prefix .61 instead of .55, routes that are the path
            .18 instead of .10; .02 and .1 for `likely` gave less. Without traces (strictness .67)
            it would cost TaskBench more than the demo gains.
        likely: how likely such a producer must belong.
        beginnings: where the beginning is in doubt, at most so many tools that could well come
            first; 0: none is put behind the route.
        mass: until they carry so much of the belief. Both chosen on valid of TRAJECT-Bench
            (sequential) and ToolLinkOS out of 3 to 5 tools and .7 to .98.
        planned: whether the graph plans the route where similar requests say too little.
        missing: how many missing fields the choice of tools looks at.
    """

    strict: float = 10.0
    doubt: float = 0.4
    promised: float = 0.9
    likely: float = 0.05
    beginnings: int = 4
    mass: float = 0.95
    planned: bool = True
    missing: int = 32

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        for name in ("strict", "doubt", "promised", "likely", "beginnings", "mass", "missing"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} (got {getattr(self, name)}) must not be negative")


SHIPPED = Routing()


@dataclass(frozen=True)
class Chosen:
    """Chosen tools, best first, with the terms that each was chosen by."""

    order: NDArray[np.int64]
    score: Floats
    terms: dict[str, Floats]  # before their weights; those that weigh nothing may be left out


@dataclass(frozen=True)
class Arranged(Chosen):
    """Tools in order, and who else could well come first."""

    beginnings: NDArray[np.int64]


_NOBODY = np.zeros(0, dtype=np.int64)
UNARRANGED = Arranged(_NOBODY, np.zeros(0, dtype=np.float32), {}, _NOBODY)


def missing_fields(
    takes: Floats, given: Floats, member: Floats, count: int = SHIPPED.missing
) -> NDArray[np.int64]:
    """The required fields that nobody has said: those of the likeliest tools, at most so many."""
    wanted = (takes * member[:, None]).max(axis=0, initial=0.0) * (given == 0)
    best = np.argsort(-wanted, kind="stable")[:count]
    return best[wanted[best] > 0]


def choose(
    member: Floats,
    slots: Floats,
    makes: Floats,
    vectors: Floats,
    weights: SetWeights,
    size: int = SIZE,
) -> Chosen:
    """Greedy set decoding.

    Each step takes the tool with the highest membership, plus what it adds to the coverage of
    slots and missing fields, minus how much it resembles a tool that is in already.

    Args:
        member: (n,) probability of belonging.
        slots: (n, 8) probability of each place, over candidates.
        makes: (n, f) 1 where a tool makes a missing field.
        vectors: (n, d) of unit length.
        weights: of the three additions.
        size: how many to choose.
    """
    count = min(size, len(member))
    if weights == SetWeights():  # most models: nothing is added, and the choice is a sorting
        order = np.argsort(-np.round(member.astype(np.float64), 6), kind="stable")[:count]
        return Chosen(order, member[order], {})
    covered, made = np.zeros(slots.shape[1]), np.zeros(makes.shape[1])
    alike = np.zeros(len(member))
    free = np.ones(len(member), dtype=bool)
    order = np.zeros(count, dtype=np.int64)
    score = np.zeros(count, dtype=np.float32)
    terms = {name: np.zeros(count, dtype=np.float32) for name in ("slot", "field", "alike")}
    for at in range(count):
        slot = np.maximum(slots - covered, 0).sum(1)
        field = np.maximum(makes - made, 0).sum(1) / max(1, makes.shape[1])
        total = member + weights.slot * slot + weights.field * field - weights.alike * alike
        best = int(np.argmax(np.where(free, np.round(total, 6), -np.inf)))
        order[at], score[at] = best, total[best]
        for name, values in (("slot", slot), ("field", field), ("alike", alike)):
            terms[name][at] = values[best]
        free[best] = False
        covered, made = np.maximum(covered, slots[best]), np.maximum(made, makes[best])
        similar = vectors @ vectors[best]
        alike = similar if at == 0 else np.maximum(alike, similar)
    return Chosen(order, score, terms)


class Contracts:
    """What k tools require and make, cut to the fields that one of them requires.

    Args:
        takes: (k, f) 1 where a tool requires a field.
        gives: (k, f) 1 where it makes one.
    """

    def __init__(self, takes: Floats, gives: Floats) -> None:
        self._required = takes.any(axis=0)  # of a frontier's fields few: others decide nothing
        self._takes = takes[:, self._required]
        # An echoed field was there before.
        self._makes = gives[:, self._required] * (1.0 - self._takes)
        needed = self._takes.sum(1)
        self._nothing = needed == 0
        self._needed = np.maximum(1.0, needed)

    def ready(self, state: Floats) -> Floats:
        """The share of required inputs that are in the state; 1 where nothing is needed."""
        return self._takes @ state[self._required] / self._needed + self._nothing

    def blocked(self, state: Floats, waiting: Floats) -> tuple[Floats, Floats]:
        """How far a tool would run too early: inputs are missing that a waiting tool would make.

        What nobody here makes has to come from the user: it blocks nothing.

        Args:
            state: (f,) 1 where a field is there.
            waiting: (k,) how likely each tool is to come; 0 for those that came.

        Returns:
            The share of required inputs so missing, and the likeliest of the tools to wait for.
        """
        best = (self._makes * waiting[:, None]).max(axis=0, initial=0.0)
        best *= 1.0 - state[self._required]
        missing = self._takes * best
        return missing.sum(1) / self._needed, missing.max(axis=1, initial=0.0)


@dataclass(frozen=True)
class Scores:
    """What the reranker says of k tools, and what their state depends on; all (k, …)."""

    member: Floats  # (k,)
    entry: Floats  # (k,)
    slot: Floats  # (k, 8)
    precedence: Floats  # (k, k)
    follows: Floats  # (k, k) share of i's followers that are j
    feeds: Floats  # (k, k) share of j's inputs that i makes
    recalled: Floats  # (k, k) how much of the nearest solved requests ran j right after i
    takes: Floats  # (k, f)
    gives: Floats  # (k, f)
    belongs: Floats  # (k,) the retriever's probability of belonging
    strictness: float = 0.0  # 0 to 1: how far declared fields say what has to come first

    @cached_property
    def contracts(self) -> Contracts:
        """Inputs and outputs as the steps of an order ask for them."""
        return Contracts(self.takes, self.gives)


def arrange(
    scores: Scores,
    given: Floats,
    weights: OrderWeights,
    length: int = PREFIX,
    done: tuple[int, ...] = (),
    routing: Routing = SHIPPED,
) -> Arranged:
    """Greedy order decoding: the best next tool from the state so far, until `length` stand.

    `done` tools ran before: they count as placed, and what they make is there.
    """
    count = len(scores.member)
    free = np.ones(count, dtype=bool)
    state = given.copy()
    lead = scores.precedence - scores.precedence.T  # lead[j, i] > 0: j before i
    ahead = np.zeros(count, dtype=np.float32)
    last = -1
    for tool in done:
        free[tool] = False
        state, ahead, last = np.maximum(state, scores.gives[tool]), ahead + lead[tool], tool
    places = min(length, int(free.sum()))
    order = np.zeros(places, dtype=np.int64)
    total = np.zeros(places, dtype=np.float32)
    terms = np.zeros((len(TERMS), places), dtype=np.float32)
    first = np.zeros(0, dtype=np.int64)
    weight = np.append(weights.array(), np.float32(-routing.strict * scores.strictness**2))
    for at in range(places):
        parts = step_terms(scores, state, ahead, last, at + len(done), free)
        sums = weight @ parts
        first = beginnings(sums, free, routing) if at == 0 else first
        best = int(np.argmax(np.where(free, np.round(sums, 5), -np.inf)))
        order[at], total[at], terms[:, at] = best, sums[best], weight * parts[:, best]
        free[best] = False
        state, ahead, last = np.maximum(state, scores.gives[best]), ahead + lead[best], best
    return Arranged(order, total, dict(zip(TERMS, terms, strict=True)), first)


def beginnings(
    sums: Floats, free: NDArray[np.bool_], routing: Routing = SHIPPED
) -> NDArray[np.int64]:
    """Those that together carry most of the belief in who comes next, likeliest first.

    The path loss trains sums as logits, so that their softmax is the belief.
    """
    belief = np.exp(np.where(free, sums - sums[free].max(initial=-np.inf), -np.inf))
    belief = belief / max(TINY, float(belief.sum()))
    order = np.argsort(-np.round(belief, 5), kind="stable")[: routing.beginnings]
    ahead = np.cumsum(belief[order]) - belief[order]
    return order[(ahead < routing.mass) & (belief[order] > 0)]


def step_terms(
    scores: Scores,
    state: Floats,
    ahead: Floats,
    last: int,
    placed: int,
    free: NDArray[np.bool_],
) -> Floats:
    """The terms of every tool's score for the next place, (terms, k), in the order of `TERMS`."""
    blocked, waits = scores.contracts.blocked(state, scores.belongs * free)
    said: dict[str, NDArray[np.floating]] = {
        "member": scores.member,
        "slot": scores.slot[:, min(placed, scores.slot.shape[1] - 1)],
        "ready": scores.contracts.ready(state),
        "before": ahead / max(1, placed),
        "blocked": blocked,
        "waits": waits,
    }
    if placed == 0:
        said["entry"] = scores.entry
    if last >= 0:
        said |= {
            "follows": scores.follows[last],
            "fed": scores.feeds[last],
            "recalled": scores.recalled[last],
        }
    found = np.zeros((len(TERMS), len(scores.member)), dtype=np.float32)
    for row, name in zip(found, TERMS, strict=True):
        if name in said:
            row[:] = said[name]
    return found
