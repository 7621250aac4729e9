"""What falls when something goes away: hand-made graphs, and losses against brute force."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.catalog.field_decisions import merge
from spm.registry.errors import AmbiguousTool, InputError
from spm.registry.importers.detection import read_source
from spm.registry.insight.atlas import Contracts
from spm.registry.insight.impact import CYCLE, ONLY_PRODUCER, _fall, impact
from spm.registry.menus.golden import read_golden
from tests.support.help_desk import SPECIFICATION


@pytest.fixture
def build(registry, manifest, trace):
    def make(*observed, **tools):
        registry.register(manifest("s", **tools))
        registry.import_traces(
            trace(*o.split(), request=o, time=f"2026-01-0{i + 1}T00:00:00Z")
            for i, o in enumerate(observed)
        )
        return registry.store

    return make


def stops(found):
    return [(row.tool[2:], row.missing, row.distance) for row in found.stopped]


def test_the_last_producer_takes_its_consumers_along(build):
    store = build(
        a=(["ask"], ["x"]), b=(["x"], ["y"]), c=(["y"], ["z"]), d=(["z"], []), free=(["ask"], [])
    )
    found = impact(store, "a")
    assert stops(found) == [("b", ["x"], 1), ("c", ["y"], 2), ("d", ["z"], 3)]
    assert {row.because for row in found.stopped} == {ONLY_PRODUCER}
    assert [(row.field, row.by, row.consumers) for row in found.lost] == [
        ("x", ["s/a"], ["s/b"]),
        ("y", ["s/b"], ["s/c"]),
        ("z", ["s/c"], ["s/d"]),
    ]
    assert (found.kind, found.name, found.status) == ("tool", "s/a", "active")
    assert found.consumers == ["s/b"]


def test_one_of_several_producers_only_weakens(build):
    store = build(a=([], ["x", "y"]), b=([], ["x"]), c=(["x"], []), d=(["x", "y"], []))
    found = impact(store, "a")
    assert stops(found) == [("d", ["y"], 1)]
    assert [(w.tool, w.field, w.left) for w in found.weakened] == [("s/c", "x", ["s/b"])]


def test_a_producer_that_falls_itself_is_no_way_out(build):
    store = build(a=([], ["x"]), b=(["x"], ["y"]), c=([], ["y"]), d=(["y"], ["x2"]), e=(["x2"], []))
    assert stops(impact(store, "a")) == [("b", ["x"], 1)]
    assert [w.tool for w in impact(store, "a").weakened] == []
    assert impact(store, "c").weakened[0].left == ["s/b"]


def test_a_cycle_left_alone_stops_too_and_says_so(build):
    store = build(c=([], ["x"]), a=(["x"], ["y"]), b=(["y"], ["x"]))
    found = impact(store, "c")
    assert found.lost == []
    assert {(row.tool, row.because) for row in found.stopped} == {("s/a", CYCLE), ("s/b", CYCLE)}


def test_a_tool_out_of_service_takes_nothing_along(build):
    store = build(
        a={"outputs": [{"name": "x"}], "status": "deprecated", "successor": "c"},
        b=(["x"], []),
        c=([], []),
    )
    found = impact(store, "a")
    assert (found.status, found.lost, found.stopped) == ("deprecated", [], [])
    assert [(a.tool, a.successor) for a in found.alternatives] == [("s/c", True)]


def test_without_a_field_its_takers_stop(build):
    store = build(
        a=([], ["x"]), b=(["x"], ["y"]), c=(["y"], []),
        d={"inputs": [{"name": "x", "required": False}]},
    )  # fmt: skip
    found = impact(store, "x")
    assert (found.kind, found.producers, found.consumers, found.optional) == (
        "field", ["s/a"], ["s/b"], ["s/d"],
    )  # fmt: skip
    assert stops(found) == [("b", ["x"], 1), ("c", ["y"], 2)]
    assert stops(impact(build(e=(["said"], [])), "said")) == [("e", ["said"], 1)]


def test_fields_reviewed_as_the_same_step_in(build):
    store = build(a=([], ["y"]), b=(["x"], []), c=([], ["x"]))
    assert stops(impact(store, "c")) == [("b", ["x"], 1)]
    merge(store, "x", "y", "Zoë")
    assert stops(impact(store, "c")) == []
    assert stops(impact(store, "x")) == []
    assert impact(store, "c").weakened[0].left == ["s/a"]


def test_alternatives_make_the_same_nearest_first(build):
    kin = {"family": "f", "inputs": [{"name": "i"}]}
    store = build(
        a={**kin, "outputs": [{"name": "x"}, {"name": "y"}]},
        b=([], ["x"]),
        c={**kin, "outputs": [{"name": "x"}]},
        d=(["i"], ["x", "y"]),
        e={**kin, "outputs": []},
    )
    found = [(a.tool[2:], a.fields, a.same_inputs, a.same_family)
             for a in impact(store, "a").alternatives]  # fmt: skip
    assert found == [
        ("d", ["x", "y"], True, False),
        ("c", ["x"], True, True),
        ("b", ["x"], False, False),
    ]


def test_alternatives_feed_the_same_consumers(build):
    store = build(a=([], ["x", "left_over"]), b=([], ["x"]), c=([], ["left_over"]), d=(["x"], []))
    assert [(a.tool, a.fields) for a in impact(store, "a").alternatives] == [("s/b", ["x"])]


def test_a_resource_feeds_the_roles_in_which_others_take_it(registry):
    registry.add(read_source(str(SPECIFICATION)))
    found = impact(registry.store, "findUser")
    on_call = ["help-desk/whoIsOnCall"]
    assert found.consumers == ["help-desk/assignTicket", "help-desk/createTicket"]
    assert [(row.field, row.left) for row in found.weakened] == [
        ("assignee_id", on_call),
        ("requester_id", on_call),
    ]
    assert [(a.tool, a.fields) for a in found.alternatives] == [
        (*on_call, ["assignee_id", "requester_id"])
    ]
    registry.remove("whoIsOnCall")
    found = impact(registry.store, "findUser")
    assert [(row.tool.partition("/")[2], row.missing, row.distance) for row in found.stopped] == [
        ("assignTicket", ["assignee_id"], 1),
        ("createTicket", ["requester_id"], 1),
    ]


def test_content_that_people_write_has_no_makers(registry):
    registry.add(read_source(str(SPECIFICATION)))
    found = impact(registry.store, "subject")
    assert (found.producers, found.consumers) == ([], ["help-desk/createTicket"])
    # Nobody takes this one, so that nothing but the answers tells who makes it.
    assert impact(registry.store, "user_name").producers


def test_a_tool_that_gives_nothing_is_replaced_by_its_like(build):
    kin = {"family": "f", "inputs": [{"name": "i"}]}
    store = build(a=kin, b=kin, c={"inputs": [{"name": "i"}]})
    assert [a.tool for a in impact(store, "a").alternatives] == ["s/b"]


def test_what_agents_did_is_counted(build):
    store = build("a b", "a", "b", "c a b!", a=([], []), b=([], []), c=([], []))
    seen = impact(store, "a").observed
    assert (seen.trajectories, seen.share, seen.newest) == (3, 0.75, "2026-01-04T00:00:00Z")
    assert [e["request"] for e in seen.examples] == ["c a b!", "a", "a b"]
    assert [(t["first"], t["second"], t["count"]) for t in seen.transitions] == [
        ("s/a", "s/b", 1),
        ("s/c", "s/a", 1),
    ]


def test_golden_requests_break_when_a_tool_of_theirs_is_lost(build, tmp_path):
    store = build(a=([], ["x"]), b=(["x"], []), c=([], []))
    file = tmp_path / "golden.jsonl"
    lines = [
        {"request": "1", "path": ["c", "B"]},
        {"request": "2", "steps": [{"tool": "s/c"}, "gone_long_ago"]},
        {"request": "3", "path": ["a"], "more": 1},
    ]
    file.write_text("\n\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    found = impact(store, "a", golden=read_golden(file))
    assert found.golden_checked == 3
    assert [(g.request, g.lost) for g in found.golden] == [("1", ["s/b"]), ("3", ["s/a"])]
    assert impact(store, "a").golden_checked is None


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"request": 1, "path": ["a"]}', '{"request": "a", "path": []}',
             '{"request": "a", "path": [1]}', '{"request": "a", "path": "a"}', '{"request": "a"}',
             "[" * 10_000, '{"request": "a", "steps": [{"name": "a"}]}'],
)  # fmt: skip
def test_golden_lines_that_say_nothing_are_refused_with_their_place(tmp_path, line):
    file = tmp_path / "golden.jsonl"
    file.write_text('{"request": "a", "path": ["b"]}\n' + line)
    with pytest.raises(InputError, match=r"golden\.jsonl:2"):
        list(read_golden(file))


def test_a_golden_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="Cannot read"):
        list(read_golden(tmp_path / "none"))


def test_a_tool_wins_over_a_field_of_the_same_name(build):
    store = build(order=([], ["order"]))
    assert impact(store, "order").kind == "tool"
    assert impact(store, "order", kind="field").kind == "field"
    with pytest.raises(InputError, match="Nearest: 's/order'"):
        impact(store, "ordr")
    with pytest.raises(InputError, match="No tool named"):
        impact(build(x=([], ["lonely"])), "lonely", kind="tool")


def test_a_name_of_several_tools_may_still_be_a_field(build, registry, manifest):
    store = build(a=([], ["b"]), b=([], []))
    registry.register(manifest("t", a=([], []), b=([], [])))
    assert impact(store, "b").kind == "field"
    with pytest.raises(AmbiguousTool):
        impact(store, "a")


def test_the_demo_answers(shop):
    found = impact(shop.store, "customer_email")
    assert found.kind == "field"
    assert "messaging/send_email_receipt" in {row.tool for row in found.stopped}
    assert len(found.observed.examples) == 10


FIELDS = st.lists(st.sampled_from("uvwxyz"), max_size=2, unique=True)


def by_name(tools):
    """Contracts in which equal names feed each other."""
    makers = {
        (taker, name): {maker for maker in tools if name in tools[maker][1]} - {taker}
        for taker, (needs, _) in tools.items()
        for name in needs
    }
    return Contracts(
        {name: {"status": "active"} for name in tools},
        {name: set(needs) for name, (needs, _) in tools.items()},
        {},
        {name: set(gives) for name, (_, gives) in tools.items()},
        {},
        {taken: found for taken, found in makers.items() if found},
    )


@given(tools=st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=6))
def test_what_runs_on_has_a_maker_for_every_input_that_had_one(tools):
    found = by_name({f"t{i}": tool for i, tool in enumerate(tools)})
    lost, stopped = _fall(found, {"t0"}, None)
    gone = {"t0", *(row.tool for row in stopped)}
    for (taker, _), makers in found.makers.items():
        assert taker in gone or makers - gone
    for row in stopped:
        if row.because == ONLY_PRODUCER:
            assert set(row.missing) <= {loss.field for loss in lost if row.tool in loss.consumers}
            assert all(found.makers[row.tool, name] <= gone for name in row.missing)
