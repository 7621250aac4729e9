"""Both decoders against the same rules written as loops (method, sections 4 and 5)."""

import math
from dataclasses import replace

import numpy as np
import pytest

from spm.gnn.decoding import (
    SHIPPED,
    TERMS,
    Contracts,
    OrderWeights,
    Scores,
    SetWeights,
    arrange,
    beginnings,
    choose,
    missing_fields,
)
from spm.registry.frontier.frontier import Floats

PAPER = SetWeights(slot=0.45, field=0.45, alike=0.12)


def grid(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers with one decimal, so that there are ties."""
    return np.round(rng.random(shape), 1).astype(np.float32)


def marks(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return (rng.random(shape) < 0.4).astype(np.float32)


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    vectors = rng.normal(size=shape)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def none(*shape: int) -> Floats:
    return np.zeros(shape, dtype=np.float32)


def first_best(values: dict[int, float], digits: int) -> int:
    """The key of the highest value; of equal ones the lowest key."""
    return min(values, key=lambda at: (-round(values[at], digits), at))


# -- which -----------------------------------------------------------------------------------


def slow_choice(member, slots, makes, vectors, weights, size):
    chosen: list[int] = []
    scores: list[float] = []
    while len(chosen) < min(size, len(member)):
        totals = {}
        for i in set(range(len(member))) - set(chosen):
            slot = sum(
                max(0.0, float(slots[i, r]) - max([0.0, *(float(slots[j, r]) for j in chosen)]))
                for r in range(slots.shape[1])
            )
            field = sum(
                max(0.0, float(makes[i, f]) - max([0.0, *(float(makes[j, f]) for j in chosen)]))
                for f in range(makes.shape[1])
            ) / max(1, makes.shape[1])
            alike = max((float(vectors[i] @ vectors[j]) for j in chosen), default=0.0)
            gained = weights.slot * slot + weights.field * field - weights.alike * alike
            totals[i] = float(member[i]) + gained
        best = first_best(totals, 6)
        chosen.append(best)
        scores.append(totals[best])
    return chosen, scores


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("weights", [SetWeights(), PAPER], ids=["members", "paper"])
def test_the_choice_is_the_greedy_one(seed, weights):
    rng = np.random.default_rng(seed)
    n, f, size = int(rng.integers(1, 15)), int(rng.integers(0, 5)), int(rng.integers(1, 12))
    given = grid(rng, n), grid(rng, n, 8), marks(rng, n, f), unit(rng, n, 6)
    found = choose(*given, weights, size)
    order, scores = slow_choice(*given, weights, size)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.score, scores, atol=1e-5)


def test_a_choice_explains_itself():
    rng = np.random.default_rng(0)
    member = grid(rng, 12)
    found = choose(member, grid(rng, 12, 8), marks(rng, 12, 4), unit(rng, 12, 6), PAPER, 9)
    summed = member[found.order] + 0.45 * (found.terms["slot"] + found.terms["field"])
    np.testing.assert_allclose(summed - 0.12 * found.terms["alike"], found.score, atol=1e-5)
    assert len(set(found.order.tolist())) == 9
    assert found.terms["alike"][0] == 0  # nothing is chosen yet


def test_of_equal_tools_the_first_is_chosen():
    same, nothing = np.full(6, 0.5, dtype=np.float32), np.zeros((6, 8), dtype=np.float32)
    found = choose(same, nothing, nothing[:, :0], np.eye(6, dtype=np.float32), SetWeights(), 4)
    assert found.order.tolist() == [0, 1, 2, 3]
    nearly = same + np.linspace(0, 1e-7, 6, dtype=np.float32)  # noise of another machine
    again = choose(nearly, nothing, nothing[:, :0], np.eye(6, dtype=np.float32), SetWeights(), 4)
    assert again.order.tolist() == [0, 1, 2, 3]


def test_coverage_brings_in_who_makes_what_is_missing():
    member = np.array([0.9, 0.8, 0.6], dtype=np.float32)
    makes = np.array([[0], [0], [1]], dtype=np.float32)
    given = member, np.zeros((3, 8), dtype=np.float32), makes, np.eye(3, dtype=np.float32)
    assert choose(*given, SetWeights(), 2).order.tolist() == [0, 1]
    assert choose(*given, SetWeights(field=0.45), 2).order.tolist() == [2, 0]


def test_missing_fields_are_those_of_the_likeliest_tools():
    takes = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=np.float32)
    given = np.array([1, 0, 0, 0], dtype=np.float32)
    member = np.array([0.2, 0.7, 0.9], dtype=np.float32)
    assert missing_fields(takes, given, member).tolist() == [1, 2]  # 0 is given, 3 nobody needs
    assert missing_fields(takes, given * 0, member).tolist() == [1, 2, 0]
    assert missing_fields(takes, given, member * 0).tolist() == []


@pytest.mark.parametrize("seed", range(10))
def test_missing_fields_by_a_loop(seed):
    rng = np.random.default_rng(seed)
    takes, given, member = marks(rng, 9, 50), marks(rng, 50), grid(rng, 9)
    need = {
        f: max(float(member[i]) for i in range(9) if takes[i, f])
        for f in range(50)
        if not given[f] and takes[:, f].any()
    }
    slow = sorted((f for f in need if need[f] > 0), key=lambda f: (-need[f], f))[:32]
    assert missing_fields(takes, given, member).tolist() == slow


def test_no_fields_no_missing_ones():
    assert missing_fields(none(3, 0), none(0), none(3) + 1).tolist() == []


# -- in which order --------------------------------------------------------------------------


def random_scores(rng: np.random.Generator, k: int, f: int) -> Scores:
    return Scores(
        member=grid(rng, k),
        entry=grid(rng, k),
        slot=grid(rng, k, 8),
        precedence=grid(rng, k, k),
        follows=grid(rng, k, k),
        feeds=grid(rng, k, k),
        recalled=grid(rng, k, k),
        takes=marks(rng, k, f),
        gives=marks(rng, k, f),
        belongs=grid(rng, k),
        strictness=float(rng.choice([0.0, 0.3, 1.0])),
    )


def slow_ready(scores: Scores, i: int, have: set[int]) -> float:
    needs = {f for f in range(scores.takes.shape[1]) if scores.takes[i, f]}
    return len(needs & have) / len(needs) if needs else 1.0


def slow_blocked(scores: Scores, i: int, have: set[int], waiting: set[int]) -> tuple[float, float]:
    """The share of i's inputs that somebody waiting would make, and the likeliest of them."""
    needs = {f for f in range(scores.takes.shape[1]) if scores.takes[i, f]}
    makers = {
        f: [float(scores.belongs[j]) for j in waiting if scores.gives[j, f] > scores.takes[j, f]]
        for f in needs - have
    }
    likely = [max(found, default=0.0) for found in makers.values()]
    return sum(likely) / max(1, len(needs)), max(likely, default=0.0)


def slow_order(scores, given, weights, length, done=()):
    placed, k = list(done), len(scores.member)
    have = {f for f in range(len(given)) if given[f]}
    for tool in done:
        have |= set(np.flatnonzero(scores.gives[tool]).tolist())
    totals: list[float] = []
    while len(placed) - len(done) < min(length, k - len(done)):
        waiting, at, points = set(range(k)) - set(placed), len(placed), {}
        for i in waiting:
            b = scores.precedence
            lead = sum(float(b[j, i]) - float(b[i, j]) for j in placed)
            last = placed[-1] if placed else None
            points[i] = (
                weights.member * float(scores.member[i])
                + weights.slot * float(scores.slot[i, min(at, 7)])
                + weights.ready * slow_ready(scores, i, have)
                + weights.entry * float(scores.entry[i]) * (at == 0)
                + weights.before / max(1, at) * lead
                + weights.follows * (0.0 if last is None else float(scores.follows[last, i]))
                + weights.fed * (0.0 if last is None else float(scores.feeds[last, i]))
                + weights.recalled * (0.0 if last is None else float(scores.recalled[last, i]))
                + weights.blocked * slow_blocked(scores, i, have, waiting)[0]
                - 10 * scores.strictness**2 * slow_blocked(scores, i, have, waiting)[1]
            )
        best = first_best(points, 5)
        placed.append(best)
        totals.append(points[best])
        have |= set(np.flatnonzero(scores.gives[best]).tolist())
    return placed[len(done) :], totals


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_the_greedy_one(seed):
    rng = np.random.default_rng(seed)
    k, f, length = int(rng.integers(1, 13)), int(rng.integers(0, 6)), int(rng.integers(1, 11))
    scores, given = random_scores(rng, k, f), marks(rng, f)
    done = tuple(rng.permutation(k)[: rng.integers(0, 3)].tolist()) if seed % 2 else ()
    found = arrange(scores, given, OrderWeights(), length, done)
    order, totals = slow_order(scores, given, OrderWeights(), length, done)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.score, totals, atol=1e-5)
    np.testing.assert_allclose(sum(found.terms.values()), found.score, atol=1e-5)
    assert not set(done) & set(order)


@pytest.mark.parametrize("term", TERMS)
def test_every_term_decides_when_it_is_the_only_one(term):
    """A term that two implementations both forgot would be equal in both; this one is not."""
    learned = TERMS[:-1]
    weights = OrderWeights(**{name: float(name == term) for name in learned})
    differs = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        scores, given = random_scores(rng, 6, 4), marks(rng, 4)
        scores = replace(scores, strictness=float(term == "waits"))
        found = arrange(scores, given, weights, 6)
        assert found.order.tolist() == slow_order(scores, given, weights, 6)[0]
        differs += found.order.tolist() != list(range(6))
    assert differs


def test_of_equal_tools_the_first_comes_first():
    rng = np.random.default_rng(0)
    flat = {name: 0 * value for name, value in vars(random_scores(rng, 5, 2)).items()}
    assert arrange(Scores(**flat), none(2), OrderWeights()).order.tolist() == [0, 1, 2, 3, 4]


def test_the_running_example_runs():
    """Email the receipt: text puts SendEmailReceipt (3) first, where it cannot run."""
    takes = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    takes = np.concatenate([takes, np.array([[0], [0], [0], [1]], dtype=np.float32)], axis=1)
    gives = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.float32)
    nothing = np.zeros((4, 4), dtype=np.float32)
    scores = Scores(
        member=np.array([0.1, 0.2, 0.2, 0.9], dtype=np.float32),
        entry=np.zeros(4, dtype=np.float32),
        slot=np.zeros((4, 8), dtype=np.float32),
        precedence=nothing,
        follows=nothing,
        feeds=nothing,
        recalled=nothing,
        takes=takes,
        gives=gives,
        belongs=np.ones(4, dtype=np.float32),
    )
    given = np.array([1, 0, 0, 0], dtype=np.float32)
    assert arrange(scores, given, OrderWeights()).order.tolist() == [0, 1, 2, 3]
    assert arrange(scores, given, OrderWeights(), done=(0,)).order.tolist() == [1, 2, 3]
    assert arrange(scores, given, OrderWeights(ready=0, blocked=0)).order.tolist()[0] == 3


def test_readiness():
    takes = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=np.float32)
    state = np.array([1, 0, 1], dtype=np.float32)
    assert Contracts(takes, 0 * takes).ready(state).tolist() == [0.5, 1.0, 1.0]
    assert Contracts(none(2, 0), none(2, 0)).ready(none(0)).tolist() == [1.0, 1.0]


def test_only_what_somebody_still_makes_blocks():
    takes = np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]], dtype=np.float32)
    gives = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)  # 2 echoes its input
    state = np.zeros(3, dtype=np.float32)
    waiting = np.array([1, 0.5, 1], dtype=np.float32)
    # Tool 0 needs two fields; one nobody makes, one comes from tool 1, which may not belong.
    contracts = Contracts(takes, gives)
    share, likeliest = contracts.blocked(state, waiting)
    assert share.tolist() == [0.25, 0.0, 0.0]
    assert likeliest.tolist() == [0.5, 0.0, 0.0]
    there = np.array([0, 1, 0], dtype=np.float32)
    for found in (
        *contracts.blocked(there, waiting),
        *contracts.blocked(state, 0 * waiting),
    ):
        assert found.tolist() == [0.0, 0.0, 0.0]


# -- who else could come first -----------------------------------------------------------------


def test_a_sure_beginning_stands_alone():
    sums = np.array([9.0, 0.0, 1.0], dtype=np.float32)
    assert beginnings(sums, np.ones(3, dtype=bool)).tolist() == [0]


@pytest.mark.parametrize("seed", range(20))
def test_beginnings_carry_the_belief_and_not_one_more(seed):
    rng = np.random.default_rng(seed)
    sums = (rng.normal(size=12) * rng.uniform(0.1, 4)).astype(np.float32)
    free = rng.random(12) < 0.8
    free[0] = True
    belief = {i: math.exp(sums[i]) for i in range(12) if free[i]}
    whole, carried, slow = sum(belief.values()), 0.0, []
    for i in sorted(belief, key=lambda i: -belief[i])[: SHIPPED.beginnings]:
        if carried >= SHIPPED.mass:
            break
        slow.append(i)
        carried += belief[i] / whole
    assert beginnings(sums, free).tolist() == slow


def test_of_nobody_there_is_no_beginning():
    assert beginnings(none(3), np.zeros(3, dtype=bool)).tolist() == []
