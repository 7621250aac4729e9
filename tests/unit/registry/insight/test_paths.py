"""Ways between tools, and plans: both walk the FEEDS edges that Cypher shows."""

from typing import Any

import pytest

from spm.registry.errors import UnknownField, UnknownTool
from spm.registry.insight.paths import Hop

FED = """
MATCH p = (:Tool {id: $source})-[:FEEDS*1..8]->(:Tool {id: $target})
RETURN length(p) AS hops
ORDER BY hops
LIMIT 1
"""


@pytest.fixture
def build(registry, manifest, trace):
    """Register tools of one service and import trajectories given as strings of names.

    A tool of a pair (what it takes, what it gives) reads what it is called after.
    """

    def make(*observed: str, **tools: Any) -> Any:
        registry.register(manifest("s", **{name: _spec(name, t) for name, t in tools.items()}))
        registry.import_traces(
            trace(*path.split(), request=str(i)) for i, path in enumerate(observed)
        )
        return registry

    return make


def _spec(name: str, tool: Any) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    takes, gives = ([{"name": field} for field in fields] for fields in tool)
    return {"family": name, "inputs": takes, "outputs": gives}


def hops(registry, source, target):
    found = {path.kind: path.hops for path in registry.paths(source, target)}
    return {
        kind: [(h.source[2:], h.count or " ".join(h.fields), h.target[2:]) for h in way]
        for kind, way in found.items()
    }


# -- ways --------------------------------------------------------------------------------------


def test_the_shortest_way_goes_along_feeds(build):
    registry = build(
        a=([], ["x_id"]),
        b=(["x_id"], ["y_id"]),
        c=(["y_id"], ["z_id"]),
        d=(["z_id"], []),
        short=(["x_id"], ["z_id"]),
    )
    assert hops(registry, "a", "d") == {"feeds": [("a", "x_id", "short"), ("short", "z_id", "d")]}


def test_ways_are_those_that_cypher_finds(shop):
    ids = [row["id"] for row in shop.tools()][::7]
    found = 0
    for source in ids:
        for target in ids:
            if source == target:
                continue
            rows = shop.cypher(FED, {"source": source, "target": target}).rows
            ways = [way for way in shop.paths(source, target) if way.kind == "feeds"]
            assert [len(way.hops) for way in ways] == [row["hops"] for row in rows]
            found += len(ways)
    assert found > 3


def test_of_ways_of_one_length_the_stronger_is_shown(build):
    registry = build(
        first=([], ["x_id"]),
        create_y=(["x_id"], ["y_id"]),
        list_y=(["x_id"], ["y_id"]),
        last=(["y_id"], []),
    )
    assert [h[0] for h in hops(registry, "first", "last")["feeds"]] == ["first", "list_y"]


def test_the_shortest_observed_way_prefers_the_more_travelled(build):
    registry = build(
        "a b d", "a c d", "a c d", a=([], []), b=([], []), c=([], []), d=([], []), e=([], [])
    )
    assert hops(registry, "a", "d") == {"observed": [("a", 2, "c"), ("c", 2, "d")]}


def test_both_ways_are_shown_when_there_are_both(build):
    registry = build("a m b", a=([], ["x_id"]), m=([], []), b=(["x_id"], []))
    assert hops(registry, "a", "b") == {
        "feeds": [("a", "x_id", "b")],
        "observed": [("a", 1, "m"), ("m", 1, "b")],
    }


def test_there_may_be_no_way(build):
    registry = build("b a", a=([], ["x_id"]), b=(["y_id"], []))
    assert registry.paths("a", "b") == []


def test_content_is_no_way(build):
    registry = build(a=([], ["subject"]), b=(["subject"], []))
    assert registry.paths("a", "b") == []


def test_cycles_do_not_trap_the_search(build):
    registry = build(
        "a b a b c",
        a=(["y_id"], ["x_id"]),
        b=(["x_id"], ["y_id", "z_id"]),
        c=(["z_id"], ["x_id"]),
        d=(["q_id"], []),
    )
    assert hops(registry, "a", "c")["feeds"] == [("a", "x_id", "b"), ("b", "z_id", "c")]
    assert hops(registry, "a", "c")["observed"] == [("a", 2, "b"), ("b", 1, "c")]
    assert registry.paths("a", "d") == []


def test_tools_that_are_not_active_are_no_way(build):
    registry = build(
        a=([], ["x_id"]),
        old={
            "status": "deprecated",
            "inputs": [{"name": "x_id"}],
            "outputs": [{"name": "y_id"}],
            "family": "old",
        },
        b=(["y_id"], []),
    )
    assert registry.paths("a", "b") == []


def test_a_way_of_more_than_eight_hops_is_not_looked_for(build):
    names = "ant bee cat dog elk fox gnu hen ibis jay koi".split()
    chain = {f"t{i}": ([f"{names[i]}_id"], [f"{names[i + 1]}_id"]) for i in range(10)}
    registry = build(**chain)
    assert len(hops(registry, "t0", "t8")["feeds"]) == 8
    assert registry.paths("t0", "t9") == []


def test_unknown_ends_are_named(build):
    registry = build(a=([], []))
    with pytest.raises(UnknownTool, match="nobody"):
        registry.paths("a", "nobody")
    with pytest.raises(UnknownTool, match="nobody"):
        registry.paths("nobody", "a")


def test_a_hop_says_every_field_that_it_hands_on(build):
    registry = build(a=([], ["x_id", "y_id"]), b=(["y_id", "x_id"], []))
    assert registry.paths("a", "b")[0].hops == [Hop("s/a", "s/b", fields=["x_id", "y_id"])]


# -- plans -------------------------------------------------------------------------------------


def test_a_plan_takes_the_cheaper_of_two_producers(build):
    registry = build(
        goal=(["x_id"], []),
        long_way=(["p_id"], ["x_id"]),
        first=(["q_id"], ["p_id"]),
        short_way=(["q_id"], ["x_id"]),
    )
    assert registry.plan(["q_id"], "goal").steps == ["s/short_way", "s/goal"]


def test_what_is_given_is_not_made(build):
    registry = build(goal=(["x_id", "y_id"], []), make=([], ["x_id"]), more=([], ["y_id"]))
    found = registry.plan(["X-ID"], "goal")
    assert found.steps == ["s/more", "s/goal"]
    assert found.have == ["x_id"]
    assert found.supplies["s/goal"] == {"x_id": "given", "y_id": "s/more"}


def test_a_field_that_nobody_makes_is_asked_for(build):
    registry = build(goal=(["x_id", "riddle"], []), make=([], ["x_id"]))
    found = registry.plan([], "goal")
    assert found.ask == ["riddle"]
    assert found.supplies["s/goal"] == {"riddle": "ask", "x_id": "s/make"}
    assert found.steps == ["s/make", "s/goal"]


def test_a_tool_that_needs_nothing_is_its_own_plan(build):
    registry = build(goal=([], ["x_id"]), other=(["x_id"], []))
    found = registry.plan([], "goal")
    assert (found.steps, found.ask, found.supplies) == (["s/goal"], [], {"s/goal": {}})


def test_optional_inputs_are_not_planned_for(build):
    inputs = [{"name": "x_id", "required": False}]
    registry = build(create_goal={"inputs": inputs}, make=([], ["x_id"]))
    assert registry.plan([], "create_goal").steps == ["s/create_goal"]


def test_two_tools_that_feed_each_other_must_be_asked_for(build):
    registry = build(goal=(["x_id"], ["y_id"]), other=(["y_id"], ["x_id"]))
    found = registry.plan([], "goal")
    assert found.steps[-1] == "s/goal"
    assert len(found.ask) == 1


def test_deprecated_tools_are_not_planned_with(build):
    old = {"status": "deprecated", "outputs": [{"name": "x_id"}]}
    assert build(goal=(["x_id"], []), old=old).plan([], "goal").ask == ["x_id"]


def test_a_tool_that_two_others_need_runs_once_and_first(build):
    registry = build(
        goal=(["ant_id", "bee_id"], []),
        cow=(["elk_id"], ["ant_id"]),
        pig=(["elk_id"], ["bee_id"]),
        root=([], ["elk_id"]),
    )
    steps = registry.plan([], "goal").steps
    assert sorted(steps) == ["s/cow", "s/goal", "s/pig", "s/root"]
    assert (steps[0], steps[-1]) == ("s/root", "s/goal")


def test_a_tool_that_writes_makes_an_input_only_when_allowed(build):
    made = {"effects": "write", "outputs": [{"name": "cart_id"}]}
    registry = build(pay=(["cart_id"], []), create_cart=made)
    found = registry.plan([], "pay")
    assert (found.steps, found.ask) == (["s/pay"], ["cart_id"])
    assert found.writers == {"cart_id": ["s/create_cart"]}
    allowed = registry.plan([], "pay", allow_writes=True)
    assert (allowed.steps, allowed.ask) == (["s/create_cart", "s/pay"], [])
    assert allowed.writers == {}


DESK = {
    "find_user": {
        "family": "search",
        "inputs": [{"name": "email"}],
        "outputs": [{"name": "user_id"}],
    },
    "create_ticket": {
        "effects": "write",
        "inputs": [{"name": "user_id"}, {"name": "subject"}],
    },
}


def test_a_field_is_also_known_by_what_a_tool_calls_its_input(build):
    registry = build(**DESK)
    (field,) = {row["field"] for row in registry.store.read("tools/inputs", ids=["s/find_user"])}
    assert field == "search_email"
    found = registry.plan(["email"], "create_ticket")
    assert found.steps == ["s/find_user", "s/create_ticket"]
    assert found.supplies["s/find_user"] == {"search_email": "given"}
    assert found.ask == ["subject"]


def test_a_bare_key_is_that_of_the_target(build):
    one = {"family": "cart", "inputs": [{"name": "id"}], "outputs": [{"name": "coupon_id"}]}
    other = {"family": "till", "inputs": [{"name": "id"}, {"name": "coupon_id"}]}
    found = build(get_coupon=one, pay=other).plan(["id"], "pay")
    assert found.have == ["till_id"]
    assert found.supplies["s/get_coupon"]["cart_id"] == "ask"


def test_unknown_fields_and_tools_are_named(build):
    registry = build(goal=(["order_id"], []))
    with pytest.raises(UnknownField, match=r"field 'ordr_id'\. Nearest: 'order_id'"):
        registry.plan(["ordr_id"], "goal")
    with pytest.raises(UnknownTool):
        registry.plan([], "nobody")
