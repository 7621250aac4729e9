"""Every feature against its definition, written as loops over tools (method, sections 2, 4, 5)."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log, sqrt
from statistics import mean

import numpy as np
import pytest

from spm.gnn import features
from spm.gnn.decoding import Chosen
from spm.gnn.features import (
    NODE,
    PAIR,
    PAPER,
    PUBLISHED_PAIR,
    RELATIONS,
    Inputs,
    derive,
    pairs,
)
from spm.gnn.networks.input_rows import candidate_rows, chosen_rows, widths
from spm.gnn.training.config import shipped
from spm.registry.frontier.frontier import Frontier

# seed, tools, fields, memories: also a single tool, no fields, no memory.
SHAPES = [(0, 1, 0, 0), (1, 1, 3, 2), (2, 5, 0, 3), (3, 6, 4, 0), (4, 2, 1, 1)] + [
    (seed, 1 + seed % 12, seed % 7, seed % 5) for seed in range(5, 40)
]


@pytest.fixture(scope="module")
def cases(random_frontier):
    found = [random_frontier(*shape) for shape in SHAPES]
    assert any(not f.memory.ids for f in found)
    assert any(not f.fields for f in found)
    assert {len(f.tools) for f in found} == set(range(1, 13))
    return [(frontier, derive(frontier)) for frontier in found]


# -- the definitions -------------------------------------------------------------------------


def kappa(f: Frontier, i: int, j: int) -> float:
    """The share of j's required inputs that i makes."""
    needs = [x for x in range(len(f.fields)) if f.takes[j, x]]
    return sum(1 for x in needs if f.gives[i, x]) / max(1, len(needs))


def rho(f: Frontier, i: int, j: int) -> float:
    return log((f.before[i, j] + 1) / (f.before[j, i] + 1))


def follows(f: Frontier, i: int, j: int) -> float:
    """The share of i's followers that are j; less than one follower counts as one."""
    return float(f.precedes[i, j]) / max(1.0, sum(float(n) for n in f.precedes[i]))


def place(scores: list[float], i: int) -> int:
    """The place in the ranking, from 1; of equal ones the first comes first."""
    return 1 + sum(s > scores[i] or (s == scores[i] and j < i) for j, s in enumerate(scores))


def reciprocal(scores: list[float], i: int) -> float:
    return 1 / place(scores, i) if scores[i] > 0 else 0.0


def anchor(f: Frontier, i: int) -> float:
    """How much i counts as an anchor: its share of the anchors' fused scores."""
    scores = f.fused.tolist()
    chosen = [j for j in range(len(scores)) if place(scores, j) <= f.anchors]
    whole = sum(scores[j] for j in chosen)
    return scores[i] / whole if i in chosen and whole else 0.0


def family(f: Frontier, i: int, j: int) -> bool:
    return bool(f.family[i] == f.family[j] and f.family[i] != -1)


def name(f: Frontier, i: int, j: int) -> bool:
    one, other = (set(np.flatnonzero(f.words[at]).tolist()) for at in (i, j))
    return bool(one | other) and 2 * len(one & other) >= len(one | other)


def needed(f: Frontier, i: int) -> int:
    return sum(1 for x in range(len(f.fields)) if f.takes[i, x])


def met(f: Frontier, i: int) -> int:
    return sum(1 for x in range(len(f.fields)) if f.takes[i, x] and f.given[x])


def chi(f: Frontier, i: int) -> float:
    return (met(f, i) + (needed(f, i) == 0)) / max(1, needed(f, i))


def together(f: Frontier, i: int, j: int) -> float:
    both = float(f.before[i, j] + f.before[j, i])
    return both / max(1.0, sqrt(float(f.frequency[i]) * float(f.frequency[j])))


def evidence(f: Frontier) -> float:
    return max([1.0, *(log(1 + n) for n in f.frequency.tolist())])


def shares(f: Frontier, scale: float) -> list[float]:
    near = f.memory.similarity.tolist()
    raised = [exp((n - max(near)) / scale) for n in near]
    return [r / sum(raised) for r in raised]


def by_words(f: Frontier) -> list[float]:
    whole = sum(f.memory.lexical.tolist())
    return [score / whole if whole else 0.0 for score in f.memory.lexical.tolist()]


def vote(f: Frontier, i: int, weights: list[float], when: Callable[[int, int], bool]) -> float:
    steps: list[list[int]] = f.memory.steps.tolist()
    return sum(weights[row] for row, tool, at, size in steps if tool == i and when(at, size))


def always(at: int, length: int) -> bool:
    return True


def soft(f: Frontier, i: int) -> float:
    return vote(f, i, shares(f, features.SOFT), always)


def mean_place(f: Frontier, i: int) -> float:
    weights = shares(f, features.SOFT)
    found = [
        (weights[row], at / max(1, length - 1))
        for row, tool, at, length in f.memory.steps.tolist()
        if tool == i
    ]
    return sum(w * p for w, p in found) / sum(w for w, _ in found) if found else 0.5


def nearest(f: Frontier, i: int) -> float:
    used = [f.memory.similarity[row] for row, tool, _, _ in f.memory.steps.tolist() if tool == i]
    return max([0.0, *map(float, used)])


def over(f: Frontier, term: Callable[[int], float]) -> float:
    return sum(term(j) for j in range(len(f.tools)))


NODES: dict[str, Callable[[Frontier, int], float]] = {
    "similarity": lambda f, i: float(f.similarity[i]),
    "similarity_rank": lambda f, i: reciprocal(f.similarity.tolist(), i),
    "entry_frequency": lambda f, i: log(1 + float(f.entry[i])) / evidence(f),
    "tool_frequency": lambda f, i: log(1 + float(f.frequency[i])) / evidence(f),
    "from_anchors": lambda f, i: over(f, lambda a: anchor(f, a) * follows(f, a, i)),
    "to_anchors": lambda f, i: over(f, lambda a: anchor(f, a) * follows(f, i, a)),
    "with_anchors": lambda f, i: over(f, lambda a: anchor(f, a) * together(f, i, a)),
    "flow_in": lambda f, i: over(f, lambda a: anchor(f, a) * kappa(f, a, i)),
    "flow_out": lambda f, i: over(f, lambda a: anchor(f, a) * kappa(f, i, a)),
    "ready": chi,
    "missing": lambda f, i: min(needed(f, i) - met(f, i), 8) / 8,
    "family": lambda f, i: over(f, lambda a: anchor(f, a) * family(f, i, a)),
    "words": lambda f, i: float(f.lexical[i]) / max(1e-6, *f.lexical.tolist(), 0.0),
    "words_rank": lambda f, i: reciprocal(f.lexical.tolist(), i),
    "fused": lambda f, i: 15 * float(f.fused[i]),
    "vote": soft,
    "sharp_vote": lambda f, i: vote(f, i, shares(f, features.SHARP), always),
    "words_vote": lambda f, i: vote(f, i, by_words(f), always),
    "entry_vote": lambda f, i: vote(f, i, shares(f, 0.1), lambda at, _: at == 0),
    "last_vote": lambda f, i: vote(f, i, shares(f, 0.1), lambda at, length: at == length - 1),
    "place": mean_place,
    "nearest": nearest,
    "from_votes": lambda f, i: over(f, lambda a: soft(f, a) * follows(f, a, i)),
    "to_votes": lambda f, i: over(f, lambda a: soft(f, a) * follows(f, i, a)),
    "familiar": lambda f, i: max(f.memory.similarity.tolist(), default=0.0),
    "evidence": lambda f, i: evidence(f) / 10,
    "clause": lambda f, i: max(f.clauses[i].tolist()),
    "clause_rank": lambda f, i: best_rank(f.clauses, i),
    "clause_alone": lambda f, i: max(f.clauses[i].tolist()) - mean(f.clauses[i].tolist()),
    "clause_place": lambda f, i: clause_place(f, i),
    "clause_words": lambda f, i: max(
        said / max(1e-6, *column) if said else 0.0
        for said, column in zip(
            f.clause_lexical[i].tolist(), f.clause_lexical.T.tolist(), strict=True
        )
    ),
    "clause_words_rank": lambda f, i: best_rank(f.clause_lexical, i),
    "with_votes": lambda f, i: over(f, lambda a: soft(f, a) * together(f, i, a)),
}


def best_rank(scores: np.ndarray, i: int) -> float:
    return max(reciprocal(column, i) for column in scores.T.tolist())


def clause_place(f: Frontier, i: int) -> float:
    """Which clause speaks loudest for a tool; the first of equals."""
    said = f.clauses[i].tolist()
    return said.index(max(said)) / (len(said) - 1) if len(said) > 1 else 0.5


def shared(f: Frontier, left: np.ndarray, right: np.ndarray) -> float:
    return min(4, sum(1 for x in range(len(f.fields)) if left[x] and right[x])) / 4


def cosine(f: Frontier, i: int, j: int) -> float:
    a, b = (list(map(float, f.vectors[at, :64])) for at in (i, j))
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / sqrt(sum(x * x for x in a) * sum(y * y for y in b))


# Of the chosen tools: i, j are candidates, at, to their places among the chosen.
PAIRS: dict[str, Callable[[Frontier, int, int], float]] = {
    "order": lambda f, i, j: rho(f, i, j) / 3,
    "follows": follows,
    "followed": lambda f, i, j: follows(f, j, i),
    "feeds": kappa,
    "fed": lambda f, i, j: kappa(f, j, i),
    "service": lambda f, i, j: f.service[i] == f.service[j],
    "family": family,
    "name": name,
    "alike": cosine,
    "out_in": lambda f, i, j: shared(f, f.gives[i], f.takes[j]),
    "in_in": lambda f, i, j: shared(f, f.takes[i], f.takes[j]),
    "out_out": lambda f, i, j: shared(f, f.gives[i], f.gives[j]),
    "frequency": lambda f, i, j: log((1 + f.frequency[i]) / (1 + f.frequency[j])) / evidence(f),
    "entry": lambda f, i, j: log((1 + f.entry[i]) / (1 + f.entry[j])) / evidence(f),
    "clause": lambda f, i, j: clause_place(f, i) - clause_place(f, j),
    "recalled_order": lambda f, i, j: ran_before(f, i, j, shares(f, features.SOFT)),
    "recalled_sharply": lambda f, i, j: ran_before(f, i, j, shares(f, features.SHARP)),
    "recalled_next": lambda f, i, j: sum(
        weight * (after == at + 1) for weight, at, after in both(f, i, j, shares(f, features.SHARP))
    ),
}


def both(f: Frontier, i: int, j: int, weights: list[float]) -> list[tuple[float, int, int]]:
    """The memories that used both tools: their weight, and where they used them."""
    steps: dict[tuple[int, int], int] = {(r, t): at for r, t, at, _ in f.memory.steps.tolist()}
    return [
        (weights[row], steps[row, i], steps[row, j])
        for row in range(len(f.memory.ids))
        if (row, i) in steps and (row, j) in steps
    ]


def ran_before(f: Frontier, i: int, j: int, weights: list[float]) -> float:
    found = both(f, i, j, weights)
    return sum(weight * ((at < after) - (at > after)) for weight, at, after in found)


def relation(f: Frontier, i: int, j: int) -> int:
    """A dependency before a name before a family; observed order decides where both ways lead."""
    if i == j:
        return features.NEUTRAL
    forward = kappa(f, i, j) > 0 or f.precedes[i, j] > 0
    reverse = kappa(f, j, i) > 0 or f.precedes[j, i] > 0
    if forward and reverse:
        forward = bool(f.precedes[i, j] > f.precedes[j, i])
        reverse = bool(f.precedes[j, i] > f.precedes[i, j])
    if forward:
        return features.FORWARD
    if reverse:
        return features.REVERSE
    if name(f, i, j):
        return features.NAME
    return features.FAMILY if family(f, i, j) else features.NEUTRAL


# -- the comparisons -------------------------------------------------------------------------


def table(f: Frontier, term: Callable[[Frontier, int, int], float]) -> np.ndarray:
    size = range(len(f.tools))
    return np.array([[float(term(f, i, j)) for j in size] for i in size])


def test_the_features_of_the_paper_come_first():
    assert NODE[:12] == PAPER
    assert set(NODES) == set(NODE)
    assert set(PAIRS) | {"rank", "similarity"} == set(PAIR)
    assert PAIR[16:] == (
        "clause",
        "recalled_order",
        "recalled_sharply",
        "recalled_next",
    )


@pytest.mark.parametrize("column", NODE)
def test_a_node_feature_is_what_its_definition_says(cases, column):
    seen = []
    for frontier, facts in cases:
        slow = [float(NODES[column](frontier, i)) for i in range(len(frontier.tools))]
        np.testing.assert_allclose(facts.nodes[:, NODE.index(column)], slow, atol=2e-6)
        seen += slow
    assert len(set(np.round(seen, 4))) > 3  # the comparison is not of zeros


@pytest.mark.parametrize("column", PAIRS)
def test_a_pair_feature_is_what_its_definition_says(cases, column):
    seen = []
    for seed, (frontier, facts) in enumerate(cases):
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(len(frontier.tools))[: rng.integers(1, 12)]
        score = rng.normal(size=len(chosen)).astype(np.float32)
        found = pairs(frontier, facts, chosen, score)[..., PAIR.index(column)]
        slow = [[float(PAIRS[column](frontier, int(i), int(j))) for j in chosen] for i in chosen]
        np.testing.assert_allclose(found, slow, atol=2e-6)
        seen += np.ravel(slow).tolist()
    assert len(set(np.round(seen, 4))) > 1


PUBLISHED: dict[str, Callable[[Frontier, int, int], float]] = {
    "precedence": rho,
    "observed": lambda f, i, j: f.precedes[i, j] > 0,
    "observed_back": lambda f, i, j: f.precedes[j, i] > 0,
    "meaning": lambda f, i, j: float(f.similarity[i]) - float(f.similarity[j]),
}


def test_pair_features_come_by_name_and_in_the_order_of_the_names(cases):
    assert set(PUBLISHED) == set(PUBLISHED_PAIR)
    names = ("meaning", "feeds", "observed_back", "precedence", "observed", "recalled_next")
    for frontier, facts in cases:
        chosen = np.arange(len(frontier.tools))
        score = np.zeros(len(chosen), dtype=np.float32)
        found, ours = (pairs(frontier, facts, chosen, score, n) for n in (names, PAIR))
        for column, name in enumerate(names):
            expected = table(frontier, PUBLISHED[name]) if name in PUBLISHED else None
            if expected is None:
                expected = ours[..., PAIR.index(name)]
            np.testing.assert_allclose(found[..., column], expected, atol=2e-6)


def test_rows_hold_the_named_features_behind_the_texts(cases):
    inputs = replace(
        shipped("paper").design.inputs, candidate=("family", "similarity"), dimensions=5
    )
    for frontier, _ in cases:
        facts = derive(frontier, inputs)
        size = len(frontier.tools)
        rows = candidate_rows(facts, inputs)
        np.testing.assert_array_equal(rows[:, :5], facts.vectors)
        np.testing.assert_allclose(np.linalg.norm(facts.vectors, axis=1), 1, atol=1e-5)
        for column, name in ((10, "family"), (11, "similarity")):
            np.testing.assert_array_equal(rows[:, column], facts.nodes[:, NODE.index(name)])
        order = np.arange(size)[::-1].copy()
        said = np.linspace(0, 1, 9 * size, dtype=np.float32).reshape(size, 9)
        chosen = Chosen(order, np.linspace(2, 3, size, dtype=np.float32), {})
        found = chosen_rows(facts, chosen, said, inputs)
        assert found.shape == (size, widths(inputs)[1]) == (size, 10 + 14)
        np.testing.assert_array_equal(found[:, 10], chosen.score)
        np.testing.assert_array_equal(found[:, 12:21], said)
        ready = facts.nodes[order, NODE.index("ready")]
        np.testing.assert_array_equal(found[:, 21], ready)
        np.testing.assert_array_equal(found[:, 22], 1 - ready)


def test_relations_that_are_not_told_apart_are_neutral(cases):
    seen: set[int] = set()
    for frontier, facts in cases:
        for at, name in enumerate(RELATIONS[1:], 1):
            told = tuple(other for other in RELATIONS if other != name)
            found = derive(frontier, Inputs(relations=told)).relations
            assert not (found == at).any()
            same = facts.relations != at  # what said something else before still says it
            np.testing.assert_array_equal(found[same], facts.relations[same])
        seen |= {*np.unique(facts.relations).tolist()}
        assert not derive(frontier, Inputs(relations=())).relations.any()
    assert seen == set(range(5))


def test_ranks_and_scores_of_pairs_are_those_of_the_choice(cases):
    for frontier, facts in cases:
        size = len(frontier.tools)
        chosen = np.arange(size)[::-1].copy()
        score = np.linspace(1, -1, size, dtype=np.float32)
        found = pairs(frontier, facts, chosen, score)
        for i in range(size):
            for j in range(size):
                assert found[i, j, 0] == pytest.approx((i - j) / max(1, size - 1), abs=1e-6)
                assert found[i, j, 1] == pytest.approx(float(score[i] - score[j]), abs=1e-6)


def test_the_three_signals(cases):
    for frontier, facts in cases:
        np.testing.assert_allclose(facts.feeds, table(frontier, kappa), atol=1e-6)
        np.testing.assert_allclose(facts.order, table(frontier, rho), atol=1e-6)
        np.testing.assert_allclose(facts.follows, table(frontier, follows), atol=1e-6)
        np.testing.assert_allclose(facts.alike, table(frontier, cosine), atol=1e-6)
        assert (facts.same_name == table(frontier, name)).all()
        assert (facts.same_family == table(frontier, family)).all()


def test_relations(cases):
    seen = set()
    for frontier, facts in cases:
        slow = table(frontier, relation)
        np.testing.assert_array_equal(facts.relations, slow)
        seen |= set(slow.ravel().astype(int).tolist())
        forward = facts.relations == features.FORWARD
        assert (forward.T == (facts.relations == features.REVERSE)).all()
    assert seen == set(range(5))


VOTES = {
    "soft": "vote",
    "sharp": "sharp_vote",
    "words": "words_vote",
    "entry": "entry_vote",
    "last": "last_vote",
    "place": "place",
    "nearest": "nearest",
}


def test_votes(cases):
    for frontier, facts in cases:
        for attribute, column in VOTES.items():
            slow = [NODES[column](frontier, i) for i in range(len(frontier.tools))]
            np.testing.assert_allclose(getattr(facts.votes, attribute), slow, atol=2e-6)


def test_vectors_are_cut_and_of_unit_length(cases):
    for frontier, facts in cases:
        assert facts.vectors.shape == (len(frontier.tools), 64)
        np.testing.assert_allclose(np.linalg.norm(facts.vectors, axis=1), 1, atol=1e-5)
        cut = frontier.request[:64] / np.linalg.norm(frontier.request[:64])
        np.testing.assert_allclose(facts.request, cut, atol=1e-6)


def test_without_any_trajectory_nothing_speaks_and_nothing_breaks(random_frontier):
    frontier = random_frontier(1, 6, 3, 0)
    zeros = np.zeros_like(frontier.precedes)
    silent = {"precedes": zeros, "before": zeros, "frequency": zeros[0], "entry": zeros[0]}
    facts = derive(Frontier(**{**vars(frontier), **silent}))
    for column in ("vote", "sharp_vote", "words_vote", "entry_vote", "last_vote", "nearest"):
        assert not facts.nodes[:, NODE.index(column)].any()
    for column in ("from_anchors", "to_anchors", "with_anchors", "tool_frequency", "familiar"):
        assert not facts.nodes[:, NODE.index(column)].any()
    assert (facts.nodes[:, NODE.index("place")] == 0.5).all()
    assert not facts.order.any()
    assert np.isfinite(facts.nodes).all()


def test_everything_is_single_precision(cases):
    """The networks take float32; a column that slips into float64 would stop the training."""
    for frontier, facts in cases:
        assert facts.nodes.dtype == np.float32
        for values in (facts.feeds, facts.order, facts.follows, facts.alike, facts.vectors):
            assert values.dtype == np.float32
        chosen = np.arange(len(frontier.tools))
        assert pairs(frontier, facts, chosen, frontier.fused).dtype == np.float32


def slow_strictness(f: Frontier) -> float:
    """The share of observed orders in which a declared producer ran before its consumer."""
    kept = seen = 0.0
    for i in range(len(f.tools)):
        for j in range(len(f.tools)):
            if i != j and kappa(f, i, j) > 0:
                kept += float(f.before[i, j])
                seen += float(f.before[i, j] + f.before[j, i])
    share, weight = features.CREDIT
    known = (kept + share * weight) / (seen + weight)
    return min(1.0, max(0.0, (known - features.CHANCE) / (features.PROMISE - features.CHANCE)))


def test_strictness_is_how_often_declarations_were_kept(cases):
    found = [(features.strictness(f, facts.feeds), slow_strictness(f)) for f, facts in cases]
    for ours, slow in found:
        assert ours == pytest.approx(slow, abs=1e-6)


def test_declarations_count_as_much_as_traces_kept_them(random_frontier):
    frontier = random_frontier(3, 8, 5, 0)
    feeds = derive(frontier).feeds
    forward = np.where((feeds > 0) & ~(feeds.T > 0), 100, 0).astype(np.float32)
    assert forward.any()
    strict = {}
    for name, before in (("kept", forward), ("broken", forward.T), ("unseen", 0 * forward)):
        other = Frontier(**{**vars(frontier), "before": before})
        strict[name] = features.strictness(other, feeds)
    assert strict["kept"] == pytest.approx(1.0, abs=0.05)
    assert strict["broken"] == 0
    assert 0 < strict["unseen"] <= 1
