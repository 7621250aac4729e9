"""A menu begins with its route; where its beginning is in doubt, the other likely ones follow."""

import pytest

from spm.gnn.constructor import construct
from spm.gnn.decoding import SHIPPED
from spm.gnn.model_store import prior


@pytest.fixture(scope="module")
def built(random_frontier):
    frontiers = (random_frontier(seed, 40, 12, 8) for seed in range(30))
    return [construct(prior(), frontier) for frontier in frontiers]


def doubted(construction):
    """Who else could come first and is not of the route, as numbers of the frontier."""
    likely = [construction.head[i] for i in construction.arranged.beginnings]
    return [tool for tool in likely if tool not in construction.route]


def test_some_beginnings_are_in_doubt_and_some_are_not(built):
    counts = {len(one.arranged.beginnings) for one in built}
    assert max(counts) == SHIPPED.beginnings
    assert min(counts) < SHIPPED.beginnings


def test_a_menu_is_the_route_then_the_other_beginnings(built):
    assert any(doubted(one) for one in built)
    for one in built:
        front = [*one.route, *doubted(one)]
        assert one.sequence[: len(front)] == front


def test_a_menu_no_larger_than_its_route_is_the_route(built):
    for one in built:
        small = construct(prior(), one.frontier, len(one.route))
        assert small.sequence == small.route == one.route
