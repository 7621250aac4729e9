"""The measures against cases counted by hand (method, section 7)."""

import pytest

from spm.gnn.training.measures import Measures, mean, measure

MENU = [f"t{at}" for at in range(40)]


def test_everything_right():
    found = measure(MENU, ["t0", "t1", "t2"], MENU)
    assert found == Measures(1, 1, 1, 1, 1, 1)
    assert found.order == 1


def test_chain_and_recall_look_at_the_first_32():
    assert measure(MENU, ["t0", "t31"]).chain == 1
    assert measure(MENU, ["t0", "t32"]).chain == 0
    assert measure(MENU, ["t0", "t32"]).recall == 0.5
    assert measure(MENU, ["t33", "t32"]).recall == 0


def test_the_first_tool_in_the_top_1_and_5():
    assert (measure(MENU, ["t0"]).first1, measure(MENU, ["t0"]).first5) == (1, 1)
    assert (measure(MENU, ["t4", "t0"]).first1, measure(MENU, ["t4", "t0"]).first5) == (0, 1)
    assert measure(MENU, ["t5", "t0"]).first5 == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (["t0", "t3", "t7"], 1.0),  # with others between them
        (["t3", "t0"], 0.5),  # t0 does not come after t3
        (["t0", "t2", "t1", "t3"], 0.5),  # a prefix: what comes after a gap does not count
        (["t8", "t0"], 0.0),  # the first is not among the leading eight
        (["t0", "t9"], 0.5),
        ([f"t{at}" for at in range(10)], 0.8),  # eight places for ten tools
    ],
)
def test_the_ordered_prefix(path, expected):
    assert measure(MENU, path).prefix == pytest.approx(expected)


def test_repeats_count_once():
    assert measure(["a", "b"], ["a", "b", "a", "b"]) == measure(["a", "b"], ["a", "b"])


def test_the_ceiling_is_the_frontier():
    assert measure(["a"], ["a", "b"], ["b", "a", "c"]).ceiling == 1
    assert measure(["a", "b"], ["a", "b"], ["a"]).ceiling == 0


def test_a_short_menu():
    found = measure([], ["a"])
    assert (found.chain, found.recall, found.first1, found.first5, found.prefix) == (0, 0, 0, 0, 0)


def test_means_are_means():
    both = mean([measure(["a", "b"], ["a", "b"]), measure(["b", "a"], ["a", "c"])])
    assert both.rounded() == {
        "chain": 0.5,
        "recall": 0.75,
        "first1": 0.5,
        "first5": 1.0,
        "prefix": 0.75,
        "ceiling": 0.0,
    }
    assert both.order == pytest.approx((0.5 + 1 + 0.75) / 3)
    assert mean([]) == Measures(0, 0, 0, 0, 0, 0)
