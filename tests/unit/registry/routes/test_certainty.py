"""How likely a planned route is right."""

import numpy as np
import pytest

from spm.registry.routes.certainty import CLEAR, MOST, ODDS, Target, plan_signs, target_signs
from spm.registry.routes.closure import Plan
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import FEATURES
from spm.registry.routes.tool_map import MapCard, Need

SIGNS = {
    "odds": 3.0, "meaning": 3.0, "words": 4.0, "clause_cosine": 0.7, "named": 1.0, "act": 1.0,
    "unused": 0.0, "asked": 0.0,
}  # fmt: skip


class Values(RequestValues):
    """A request that names something at 0 and at 9."""

    names = frozenset({(0, 3), (9, 12)})

    def __init__(self, **taken):
        self._taken = taken
        self.was_read: list[str] = []

    def read(self, tools):
        self.was_read += tools

    def spans(self, tool):
        return frozenset(self._taken.get(tool, ()))


def test_a_target_that_everything_speaks_for_is_clear():
    assert Target("t", True, SIGNS).certainty > 0.8
    assert Target("t", True, {}).certainty < CLEAR


@pytest.mark.parametrize("sign", ["unused", "asked"])
def test_values_left_over_and_ids_to_ask_for_speak_against_a_plan(sign):
    assert Target("t", True, SIGNS | {sign: 1.0}).certainty < Target("t", True, SIGNS).certainty


def test_a_plan_that_asks_for_an_id_is_not_shown():
    assert Target("t", True, SIGNS | {"asked": 1.0}).certainty < CLEAR


def test_the_odds_count_all_that_do_the_same():
    numbers, scores = np.zeros(len(FEATURES)), np.array([2.0, 2.0, 0.0])
    alone = target_signs(numbers, scores, np.array([True, False, False]))
    either = target_signs(numbers, scores, np.array([True, True, False]))
    assert alone["odds"] < 0 < either["odds"]


def test_a_tool_that_is_alone_is_not_therefore_right():
    signs = target_signs(np.zeros(len(FEATURES)), np.array([2.0]), np.array([True]))
    assert signs["odds"] == ODDS
    assert Target("t", True, signs).certainty < CLEAR


def test_what_a_plan_leaves_unused_and_asks_for():
    plan = Plan("b", ["a", "b"], {"a": {}, "b": {"x_id": "ask", "text": "ask", "y_id": "a"}}, 1.0)
    card = MapCard("get", "s/x", "s", "read", (Need("x_id", True, "s/x"), Need("text", True)))
    values = Values(a={(0, 3)})
    assert plan_signs([plan], plan, values, card) == {"unused": 1.0, "asked": 1.0}
    assert values.was_read == ["a", "b"]
    other = Plan("c", ["c"], {"c": {}}, 1.0)
    both = Values(a={(0, 3)}, c={(9, 12)})
    assert plan_signs([plan, other], plan, both, card)["unused"] == 0.0


def test_what_is_counted_is_bounded():
    asked = {f"f{n}": "ask" for n in range(9)}
    card = MapCard("get", "s/x", "s", "read", tuple(Need(f, True, "s/x") for f in asked))
    plan = Plan("b", ["b"], {"b": asked}, 1.0)
    assert plan_signs([plan], plan, Values(), card)["asked"] == MOST
