"""Ways between tools and plans, on hand-made graphs and against brute force."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import UnknownField, UnknownTool
from spm.registry.insight.paths import ASK, SAY, Hop, plan

RECEIPT = "messaging/send_email_receipt"


@pytest.fixture
def build(registry, manifest, trace):
    """Register tools of one service and import trajectories given as strings of names."""

    def make(*observed: str, **tools: Any) -> Any:
        registry.register(manifest("s", **tools))
        registry.import_traces(
            trace(*path.split(), request=str(i)) for i, path in enumerate(observed)
        )
        return registry

    return make


def hops(registry, source, target):
    found = {path.kind: path.hops for path in registry.paths(source, target)}
    return {
        kind: [(h.source[2:], h.field or h.count, h.target[2:]) for h in way]
        for kind, way in found.items()
    }


# -- ways --------------------------------------------------------------------------------------


def test_the_shortest_way_goes_through_fields(build):
    registry = build(
        a=([], ["x"]), b=(["x"], ["y"]), c=(["y"], ["z"]), d=(["z"], []), short=(["x"], ["z"])
    )
    assert hops(registry, "a", "d") == {"fields": [("a", "x", "short"), ("short", "z", "d")]}


def test_the_shortest_observed_way_prefers_the_more_travelled(build):
    registry = build(
        "a b d", "a c d", "a c d", a=([], []), b=([], []), c=([], []), d=([], []), e=([], [])
    )
    assert hops(registry, "a", "d") == {"observed": [("a", 2, "c"), ("c", 2, "d")]}


def test_both_ways_are_shown_when_there_are_both(build):
    registry = build("a m b", a=([], ["x"]), m=([], []), b=(["x"], []))
    assert hops(registry, "a", "b") == {
        "fields": [("a", "x", "b")],
        "observed": [("a", 1, "m"), ("m", 1, "b")],
    }


def test_there_may_be_no_way(build):
    registry = build("b a", a=([], ["x"]), b=(["y"], []))
    assert registry.paths("a", "b") == []


def test_optional_inputs_are_no_way(build):
    registry = build(a=([], ["x"]), b={"inputs": [{"name": "x", "required": False}]})
    assert registry.paths("a", "b") == []


def test_cycles_do_not_trap_the_search(build):
    registry = build(
        "a b a b c", a=(["y"], ["x"]), b=(["x"], ["y", "z"]), c=(["z"], ["x"]), d=(["q"], [])
    )
    assert hops(registry, "a", "c")["fields"] == [("a", "x", "b"), ("b", "z", "c")]
    assert hops(registry, "a", "c")["observed"] == [("a", 2, "b"), ("b", 1, "c")]
    assert registry.paths("a", "d") == []


def test_tools_that_are_not_active_are_no_way(build):
    registry = build(
        a=([], ["x"]),
        old={"status": "deprecated", "inputs": [{"name": "x"}], "outputs": [{"name": "y"}]},
        b=(["y"], []),
    )
    assert registry.paths("a", "b") == []


def test_a_way_of_more_than_eight_hops_is_not_looked_for(build):
    chain = {f"t{i}": ([f"f{i}"], [f"f{i + 1}"]) for i in range(10)}
    registry = build(**chain)
    assert len(hops(registry, "t0", "t8")["fields"]) == 8
    assert registry.paths("t0", "t9") == []


def test_unknown_ends_are_named(build):
    registry = build(a=([], []))
    with pytest.raises(UnknownTool, match="nobody"):
        registry.paths("a", "nobody")
    with pytest.raises(UnknownTool, match="nobody"):
        registry.paths("nobody", "a")


def test_fields_reviewed_as_the_same_connect(build, store):
    registry = build(a=([], ["mail"]), b=(["email"], []))
    assert registry.paths("a", "b") == []
    same(store, "email", "mail")
    assert registry.paths("a", "b")[0].hops == [Hop("s/a", "s/b", field="mail")]


def same(store, first, second):
    store._graph.cypher(
        "MATCH (f:Field {name: $first}) MATCH (g:Field {name: $second}) "
        "CREATE (f)-[:SAME_AS {reviewed_by: 'me', at: 'now'}]->(g)",
        params={"first": first, "second": second},
    )


# -- plans -------------------------------------------------------------------------------------


def test_the_receipt_needs_four_tools_in_order(shop):
    found = shop.plan(["order_id"], "send_email_receipt")
    assert found.target == RECEIPT
    assert set(found.steps) == {
        "orders/lookup_order",
        "payments/create_receipt",
        "customers/get_customer_email",
        RECEIPT,
    }
    assert found.steps[0] == "orders/lookup_order"
    assert found.steps[-1] == RECEIPT
    assert found.ask == []
    assert found.supplies["orders/lookup_order"] == {"order_id": "given"}
    assert found.supplies[RECEIPT]["receipt_id"] == "payments/create_receipt"


def test_a_plan_takes_the_cheaper_of_two_producers(build):
    registry = build(
        goal=(["x"], []),
        long_way=(["p"], ["x"]),
        first=(["q"], ["p"]),
        short_way=(["q"], ["x"]),
        other=([], ["q"]),
    )
    assert registry.plan(["q"], "goal").steps == ["s/short_way", "s/goal"]


def test_every_input_of_a_producer_has_its_price(build):
    registry = build(
        goal=(["x"], []),
        wide=(["p", "q", "r"], ["x"]),
        **{f"make_{name}": ([], [name]) for name in "pqr"},
        deep=(["m"], ["x"]),
        deeper=(["n"], ["m"]),
        deepest=([], ["n"]),
    )
    assert registry.plan([], "goal").steps == ["s/deepest", "s/deeper", "s/deep", "s/goal"]


def test_what_is_given_is_not_made(build):
    registry = build(goal=(["x", "y"], []), make=([], ["x"]), more=([], ["y"]))
    found = registry.plan(["X"], "goal")
    assert found.steps == ["s/more", "s/goal"]
    assert found.have == ["x"]
    assert found.supplies["s/goal"] == {"x": "given", "y": "s/more"}


def test_a_field_that_nobody_makes_is_asked_for(build):
    registry = build(goal=(["x", "riddle"], []), make=([], ["x"]))
    found = registry.plan([], "goal")
    assert found.ask == ["riddle"]
    assert found.supplies["s/goal"] == {"riddle": "ask", "x": "s/make"}
    assert found.steps == ["s/make", "s/goal"]


def test_a_user_is_asked_for_what_only_users_know(build):
    registry = build(goal=(["x"], []), make=(["riddle"], ["x"]))
    found = registry.plan([], "goal")
    assert found.steps == ["s/make", "s/goal"]
    assert found.ask == ["riddle"]
    assert registry.plan(["riddle"], "goal").steps == ["s/make", "s/goal"]


def test_a_tool_that_needs_nothing_is_its_own_plan(build):
    registry = build(goal=([], ["x"]), other=(["x"], []))
    found = registry.plan([], "goal")
    assert (found.steps, found.ask, found.supplies) == (["s/goal"], [], {"s/goal": {}})


def test_optional_inputs_are_not_planned_for(build):
    registry = build(goal={"inputs": [{"name": "x", "required": False}]}, make=([], ["x"]))
    assert registry.plan([], "goal").steps == ["s/goal"]


def test_a_tool_that_only_feeds_itself_must_be_asked_for(build):
    registry = build(goal=(["x"], ["x"]))
    found = registry.plan([], "goal")
    assert (found.steps, found.ask) == (["s/goal"], ["x"])


def test_two_tools_that_feed_each_other_must_be_asked_for(build):
    registry = build(goal=(["x"], ["y"]), other=(["y"], ["x"]))
    found = registry.plan([], "goal")
    assert (found.steps, found.ask) == (["s/goal"], ["x"])


def test_deprecated_tools_are_not_planned_with(build):
    registry = build(goal=(["x"], []), old={"status": "deprecated", "outputs": [{"name": "x"}]})
    assert registry.plan([], "goal").ask == ["x"]


def test_a_tool_that_two_others_need_runs_once_and_first(build):
    registry = build(
        goal=(["a", "b"], []), left=(["r"], ["a"]), right=(["r"], ["b"]), root=([], ["r"])
    )
    steps = registry.plan([], "goal").steps
    assert sorted(steps) == ["s/goal", "s/left", "s/right", "s/root"]
    assert (steps[0], steps[-1]) == ("s/root", "s/goal")


def test_fields_reviewed_as_the_same_count_as_given_and_as_made(build, store):
    registry = build(goal=(["email"], []), make=(["customer"], ["mail"]), use=(["mail"], []))
    assert registry.plan(["customer"], "goal").ask == ["email"]
    same(store, "mail", "email")
    assert registry.plan(["customer"], "goal").steps == ["s/make", "s/goal"]
    found = registry.plan(["mail"], "goal")
    assert (found.steps, found.ask) == (["s/goal"], [])
    assert found.supplies["s/goal"] == {"email": "given"}


def test_unknown_fields_and_tools_are_named(build):
    registry = build(goal=(["order_id"], []))
    with pytest.raises(UnknownField, match=r"field 'ordr_id'\. Nearest: 'order_id'"):
        registry.plan(["ordr_id"], "goal")
    with pytest.raises(UnknownTool):
        registry.plan([], "nobody")


# -- plans against brute force -----------------------------------------------------------------


class Tiny:
    """The answers of a store about a few tools, without a store."""

    def __init__(self, tools: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> None:
        self.tools = tools

    def read(self, name: str, /, **params: Any) -> list[dict[str, Any]]:
        match name:
            case "tools/names":
                return [{"id": t, "name": t} for t in sorted(self.tools)]
            case "fields/vocabulary":
                return [{"field": f} for f in "uvwxyz"]
            case "fields/same":
                return []
            case "tools/inputs":
                return [
                    {"id": t, "field": f, "required": True}
                    for t in params["ids"]
                    for f in sorted(self.tools[t][0])
                ]
            case "fields/producers":
                return [
                    {"field": f, "id": t}
                    for f in params["fields"]
                    for t in sorted(self.tools)
                    if f in self.tools[t][1]
                ]
        raise AssertionError(name)


def asked(field: str, tools: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> int:
    return ASK if any(field in gives for _, gives in tools.values()) else SAY


def brute_force(tools: Mapping[str, tuple[Sequence[str], Sequence[str]]], have: set[str]) -> Any:
    """The cheapest derivation of a field: try every producer, never a field within itself."""

    @cache
    def price(field: str, above: frozenset[str]) -> int:
        if field in have:
            return 0
        prices = [asked(field, tools)]
        for needs, gives in tools.values():
            if field in gives and not above & set(needs) and field not in needs:
                prices.append(1 + sum(price(f, above | {field}) for f in needs))
        return min(prices)

    return price


FIELDS = st.sampled_from("uvwxyz")
TWO = st.sets(FIELDS, max_size=2)
LIBRARIES = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), st.tuples(TWO, TWO))


@given(LIBRARIES, st.sets(FIELDS, min_size=1, max_size=3), st.sets(st.sampled_from("uv")))
def test_plans_are_the_cheapest_and_can_run(library, needs, have):
    tools = {**library, "goal": (needs, set())}
    found = plan(Tiny(tools), sorted(have), "goal")
    price = brute_force(tools, have)

    def planned(field: str, tool: str) -> int:
        source = found.supplies[tool][field]
        if source in ("given", "ask"):
            return 0 if source == "given" else asked(field, tools)
        return 1 + sum(planned(f, source) for f in tools[source][0])

    for field in needs:
        assert planned(field, "goal") == price(field, frozenset())
    at_hand = have | set(found.ask)
    for tool in found.steps:  # each step finds what it needs
        assert set(tools[tool][0]) <= at_hand
        at_hand |= set(tools[tool][1])
    assert found.steps[-1] == "goal"
    assert len(set(found.steps)) == len(found.steps)
