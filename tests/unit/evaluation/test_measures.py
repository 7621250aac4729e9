"""Every measure: by hand, and against its definition in plain loops."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.evaluation.measures import KS, MEASURES, Contracts, replay, runs, score
from tests.data.corpora import FLOW, RECEIPT, SHOP, Contract, library, task

CONTRACTS = Contracts.of(library())
FIND, MAIL, MAKE, SEND = RECEIPT
REST = ["shop/weather", "shop/wait", "shop/echo", "shop/refund"]


def test_every_measure_is_told_and_nothing_else():
    found = score([*RECEIPT], task(RECEIPT, "order_number"), CONTRACTS)
    assert list(found) == list(MEASURES)
    assert all(one.title and one.about.endswith(".") for one in MEASURES.values())


def test_the_path_as_a_menu_is_as_good_as_can_be():
    asked = task(RECEIPT, edges=FLOW)
    found = score(RECEIPT, asked, CONTRACTS, RECEIPT)
    assert {name: value for name, value in found.items() if value != 1} == {}


def test_the_target_first_is_found_but_cannot_run():
    menu = [SEND, *REST, FIND, MAIL, MAKE]
    found = score(menu, task(RECEIPT, edges=FLOW), CONTRACTS, menu[:7])
    assert found["chain@5"] == 0
    assert found["chain@8"] == 1
    assert found["recall@5"] == 0.25
    assert found["target@5"] == 1
    assert found["mrr"] == 1
    assert (found["first@1"], found["first@5"]) == (0, 0)
    # find_order, find_mail and make_receipt stand in order behind; send came too early
    assert found["prefix"] == 0.75
    assert found["executable_prefix"] == 0.75
    # send and refund cannot run when they come; weather, wait and echo need nothing that is made
    assert found["executable"] == 6 / 8
    # two of the four pairs end in send, which stands before both of its makers
    assert found["edges"] == 0.5
    # eight calls are enough: weather, wait, echo, find, mail, make, then send, then refund
    assert found["replay"] == 1
    assert found["ceiling"] == 0


def test_ranks_are_discounted_as_defined():
    found = score([FIND, "shop/wait", MAIL], task([FIND, MAIL]), CONTRACTS)
    best = 1 + 1 / math.log2(3)
    assert found["ndcg@5"] == pytest.approx((1 + 1 / math.log2(4)) / best)
    assert found["map@5"] == pytest.approx((1 + 2 / 3) / 2)


def test_a_menu_smaller_than_the_path_is_measured_by_what_it_could_hold():
    path = [f"shop/{at}" for at in range(7)]
    shelf = library({tool: ([], []) for tool in path}, [])
    found = score(path, task(path), Contracts.of(shelf))
    assert found["chain@5"] == 0
    assert found["recall@5"] == pytest.approx(5 / 7)
    assert (found["ndcg@5"], found["map@5"]) == (1, 1)


def test_known_fields_let_a_tool_run_by_any_of_their_names():
    assert runs([MAKE], CONTRACTS, CONTRACTS.start(["order"])) == [True]
    assert runs([MAKE], CONTRACTS, CONTRACTS.start(["Order"])) == [True]
    assert runs([MAKE], CONTRACTS, CONTRACTS.start(["another"])) == [False]


def test_what_no_tool_makes_counts_as_known_and_is_counted():
    # nobody makes order_number, city or subject: the tool that gives subject takes it too
    assert runs([FIND, "shop/weather", "shop/echo"], CONTRACTS, frozenset()) == [True] * 3
    found = CONTRACTS.sources(task(["shop/echo", FIND, MAKE, SEND], "order_number"))
    assert found == {"request": 1, "tools": 2, "nobody": 1, "missing": 1}


def test_only_tools_that_ran_add_what_they_give():
    assert runs([MAIL, SEND, FIND, MAKE, SEND], CONTRACTS, frozenset()) == [
        False, False, True, True, False
    ]  # fmt: skip


def test_an_executable_prefix_ends_where_a_tool_cannot_run():
    found = score([MAKE, FIND], task([MAKE, FIND]), CONTRACTS)
    assert (found["prefix"], found["executable_prefix"]) == (1, 0)
    found = score([FIND, SEND], task([FIND, SEND]), CONTRACTS)
    assert (found["prefix"], found["executable_prefix"]) == (1, 0.5)


def test_an_agent_calls_the_first_that_can_run_and_stops_after_eight():
    assert replay([SEND, MAIL, FIND, MAKE], CONTRACTS, frozenset()) == [FIND, MAIL, MAKE, SEND]
    assert replay([SEND, MAIL], CONTRACTS, frozenset()) == []
    many: dict[str, Contract] = {f"shop/{at:02}": ([], []) for at in range(20)}
    contracts = Contracts.of(library(many, []))
    assert replay(sorted(many), contracts, frozenset()) == sorted(many)[:8]
    menu = sorted(many)
    assert score(menu, task(menu[:8]), contracts)["replay"] == 1
    assert score(menu, task(menu[1:9]), contracts)["replay"] == 0


def test_a_replay_in_the_wrong_order_does_not_count():
    free: dict[str, Contract] = {tool: ([], []) for tool in SHOP}
    contracts = Contracts.of(library(free, []))
    assert score([MAIL, FIND], task([FIND, MAIL]), contracts)["replay"] == 1
    asked = task([FIND, MAIL], edges=[(FIND, MAIL)])
    assert score([MAIL, FIND], asked, contracts)["replay"] == 0
    assert score([FIND, MAIL], asked, contracts)["replay"] == 1


def test_what_is_not_defined_is_left_out():
    found = score(RECEIPT, task(RECEIPT), CONTRACTS)
    assert found["edges"] is None
    assert found["ceiling"] is None
    alone = task(RECEIPT, edges=[(FIND, FIND)])  # a tool that feeds itself has no order
    assert score(RECEIPT, alone, CONTRACTS)["edges"] is None


def test_a_repeated_tool_counts_once():
    asked = task([FIND, "shop/refund", FIND])
    assert score([FIND, "shop/refund"], asked, CONTRACTS)["prefix"] == 1


def test_an_empty_menu_is_worth_nothing():
    found = score([], task(RECEIPT, edges=FLOW), CONTRACTS)
    assert {value for name, value in found.items() if name != "ceiling"} == {0}


# -- plain loops --------------------------------------------------------------------------------


def plainly(menu, asked, takes, gives, k):
    """The measures that depend on ranks and contracts, as slowly as they are defined."""
    gold = []
    for tool in asked.path:
        if tool not in gold:
            gold.append(tool)
    found: dict[str, float | None] = {}
    inside = [tool for tool in gold if tool in menu[:k]]
    found[f"chain@{k}"] = 1.0 if len(inside) == len(gold) else 0.0
    found[f"recall@{k}"] = len(inside) / len(gold)
    gain = ideal = precision = 0.0
    for rank in range(1, k + 1):
        if rank <= len(menu) and menu[rank - 1] in gold:
            gain += 1 / math.log2(rank + 1)
            precision += len([t for t in menu[:rank] if t in gold]) / rank
        if rank <= len(gold):
            ideal += 1 / math.log2(rank + 1)
    found[f"ndcg@{k}"] = gain / ideal
    found[f"map@{k}"] = precision / min(k, len(gold))
    makers = {f for tool in takes for f in gives[tool] if f not in takes[tool]}
    known, called = set(asked.question.given), []
    for _ in range(8):
        for tool in menu[:32]:
            if tool not in called and all(f in known or f not in makers for f in takes[tool]):
                called.append(tool)
                known |= set(gives[tool])
                break
    right = all(called.index(a) < called.index(b) for a, b in asked.edges
                if a != b and a in called and b in called)  # fmt: skip
    found["replay"] = float(all(tool in called for tool in gold) and right)
    good = [
        a in menu[:32] and b in menu[:32] and menu.index(a) < menu.index(b)
        for a, b in {pair for pair in asked.edges if pair[0] != pair[1]}
    ]
    found["edges"] = sum(good) / len(good) if good else None
    return found


@given(st.integers(0, 10_000))
def test_measures_agree_with_plain_loops(seed):
    rng = random.Random(seed)
    tools = [f"s/{at:02}" for at in range(rng.randint(1, 40))]
    names = [f"f{at}" for at in range(5)]
    contracts = {
        tool: (rng.sample(names, rng.randint(0, 2)), rng.sample(names, rng.randint(0, 2)))
        for tool in tools
    }
    menu = rng.sample(tools, rng.randint(0, len(tools)))
    path = rng.choices(tools, k=rng.randint(1, 6))
    edges = [(rng.choice(path), rng.choice(path)) for _ in range(rng.randint(0, 3))]
    asked = task(path, *rng.sample(names, 2), edges=edges)
    found = score(menu, asked, Contracts.of(library(contracts, [])))
    takes, gives = ({tool: one[side] for tool, one in contracts.items()} for side in (0, 1))
    for k in KS:
        for name, value in plainly(menu, asked, takes, gives, k).items():
            assert found[name] == pytest.approx(value), name
    assert all(value is None or 0 <= value <= 1 for value in found.values())
