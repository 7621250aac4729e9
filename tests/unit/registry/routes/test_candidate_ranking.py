"""The order of candidates where no observed request helps."""

import numpy as np
import pytest

from spm.gnn.ranker import LearnedRanker
from spm.registry.importers.detection import read_source
from spm.registry.menus.menu import Ask
from spm.registry.routes.candidate_ranking import (
    CandidateRanking,
    Forest,
    Scorer,
    in_spreads,
    interleaved,
    shipped,
)
from spm.registry.routes.route import rank_candidates, ranking_features
from tests.support.help_desk import SERVICE, SPECIFICATION


def forest(feature, threshold, left, right, value, depth):
    return Forest(
        np.array(feature), np.array(threshold, float), np.array(left), np.array(right),
        np.array(value, float), depth,
    )  # fmt: skip


# The first asks number 0, then number 1 on its right side; the second asks number 1 alone.
TWO = forest(
    [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0]],
    [[0.5, 0, 2.0, 0, 0], [1.0, 0, 0, 0, 0]],
    [[1, 1, 3, 3, 4], [1, 1, 2, 3, 4]],
    [[2, 1, 4, 3, 4], [2, 1, 2, 3, 4]],
    [[0, 1.0, 0, 10.0, 100.0], [0, 0.25, 0.5, 0, 0]],
    2,
)


def scorer(weights, trees=TWO):
    count = len(weights)
    return Scorer(np.zeros(count), np.ones(count), np.array(weights, float), trees)


def test_trees_send_each_row_down_their_own_way():
    rows = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1], [0.0, 1.0]])
    assert TWO.scores(rows).tolist() == [1.5, 10.5, 100.5, 1.25]


def test_numbers_far_away_count_as_a_few_spreads():
    rows = np.array([[4.0, 0.0], [400.0, 0.0], [-400.0, 0.0]])
    assert scorer([2.0, 0.0]).linear(rows).tolist() == [8.0, 8.0, -8.0]


def test_who_runs_first_stands_in_front_of_who_is_needed_most():
    none = forest([[0]], [[0]], [[0]], [[0]], [[0]], 0)
    ranking = CandidateRanking(
        ("fused", "early"), scorer([1.0, 0.0], none), scorer([0.0, 1.0], none)
    )
    features = {"fused": np.array([3.0, 2.0, 1.0]), "early": np.array([0.0, 0.0, 1.0])}
    assert ranking.order(features, ranking.scores(features)) == [2, 0, 1]


def test_behind_the_first_places_both_orders_take_turns():
    learned, planned = list(range(20)), [19, 18, 3, *range(17, 3, -1), 0, 1, 2]
    found = interleaved(learned, planned)
    assert found[:10] == learned[:10]
    assert found[10:14] == [19, 10, 18, 11]
    assert sorted(found) == learned
    assert interleaved([1, 2], [2, 1]) == [1, 2]


def test_equal_values_have_no_spread():
    assert in_spreads(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]


@pytest.fixture
def planned(registry, encoder):
    registry.add(read_source(str(SPECIFICATION)))
    registry.encode(encoder)
    ranker = registry.ranker()
    assert isinstance(ranker, LearnedRanker)

    def ask(text):
        inputs, proposal = ranker.planned_inputs(Ask(text))
        return inputs, ranking_features(inputs.map, inputs.frontier, inputs.cards, proposal)

    return ask


def test_what_was_learned_reads_the_numbers_that_menus_make(planned):
    inputs, found = planned("Open a ticket for jane@acme.com about a broken printer")
    ranking = shipped()
    assert {*ranking.names} <= found.keys()
    assert all(len(values) == len(inputs.frontier.tools) for values in found.values())
    assert all(np.isfinite(values).all() for values in found.values())
    for one in (ranking.needed, ranking.first):
        assert one.forest.feature.max() < len(ranking.names) == len(one.weights)


def test_a_producer_of_what_is_likely_needed_is_told_by_its_feeding(planned):
    inputs, found = planned("Open a ticket for jane@acme.com about a broken printer")
    feeds = dict(zip(inputs.frontier.tools, found["feeds_most"].tolist(), strict=True))
    assert feeds[f"{SERVICE}/findUser"] > feeds[f"{SERVICE}/purgeTicket"] == 0.0


def test_a_menu_holds_each_candidate_once_and_begins_with_its_route(planned, registry):
    menu = registry.menu("Open a ticket for jane@acme.com about a broken printer")
    ids = [item.id for item in menu.items]
    assert len(ids) == len({*ids}) == 8
    assert (
        ids[: len(menu.route)] == menu.route == [f"{SERVICE}/findUser", f"{SERVICE}/createTicket"]
    )


REQUEST = "Email the customer the receipt for order 4821"


@pytest.fixture
def ranked(shop, monkeypatch):
    """The order of the demo's candidates where a ranking looks at one number alone."""
    ranker = shop.ranker()
    inputs, proposal = ranker.planned_inputs(Ask(REQUEST))
    none = forest([[0]], [[0]], [[0]], [[0]], [[0]], 0)

    def order(number, observed=None):
        one = CandidateRanking(
            ("fused", number), scorer([0.0, 1.0], none), scorer([0.0, 1.0], none)
        )
        monkeypatch.setattr("spm.registry.routes.route.shipped", lambda: one)
        found = rank_candidates(inputs.map, inputs.frontier, inputs.cards, proposal, observed)
        return found, proposal, inputs

    return order


def test_behind_the_route_stands_what_the_ranking_puts_in_front(ranked):
    found, proposal, inputs = ranked("effects_destructive")
    rest = [tool for tool in found if tool not in proposal.route]
    assert found[: len(proposal.route)] == proposal.route
    assert inputs.cards[rest[0]]["effects"] == "destructive"
    assert inputs.cards[proposal.order[len(proposal.route)]]["effects"] != "destructive"


def test_later_places_are_shared_with_the_plans(ranked):
    found, proposal, _ = ranked("words_place")  # the worst by words in front
    shown = [tool for tool in proposal.order if tool not in found[:10]]
    assert [found[10], found[12]] == shown[:2]


def test_what_was_observed_moves_candidates_forward(ranked):
    plain, proposal, inputs = ranked("words")
    late = plain[-1]
    observed = np.array([float(tool == late) for tool in inputs.frontier.tools], np.float32)
    moved, *_ = ranked("words", observed * 10)
    assert moved.index(late) <= len(proposal.route) + 1  # behind who begins
