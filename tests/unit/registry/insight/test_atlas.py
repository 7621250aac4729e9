"""The survey of a registry: hand-made graphs, and reachability against brute force."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.catalog.field_decisions import merge
from spm.registry.errors import UnknownField
from spm.registry.importers.detection import read_document, read_source
from spm.registry.insight.atlas import Contracts, duplicates, read_contracts, survey
from tests.support.help_desk import SPECIFICATION


@pytest.fixture
def build(registry, manifest, trace):
    def make(*observed, **tools):
        registry.register(manifest("s", **tools))
        registry.import_traces(trace(*o.split(), request=str(i)) for i, o in enumerate(observed))
        return registry.store

    return make


def contracts(tools, makers):
    row = {"status": "active", "family": "", "frequency": 0, "effects": "read", "verbs": []}
    return Contracts(
        dict.fromkeys(tools, row),
        {name: set(needs) for name, (needs, _) in tools.items()},
        {},
        {name: set(gives) for name, (_, gives) in tools.items()},
        {},
        makers,
    )


def test_fields_that_nobody_makes_come_by_weight(build):
    store = build(a=(["x", "y"], ["z"]), b=(["y"], []), c=(["z"], []))
    found = survey(store)
    assert [(a.field, a.consumers, a.examples) for a in found.asked] == [
        ("y", 2, ["s/a", "s/b"]),
        ("x", 1, ["s/a"]),
    ]
    assert (found.tools, found.active, found.fields) == (3, 3, 3)


def test_a_cycle_that_nobody_can_enter_is_unreachable_with_what_hangs_on_it(build):
    store = build(a=(["x"], ["y"]), b=(["y"], ["x"]), c=(["y", "q"], []), free=([], ["w"]))
    found = survey(store)
    assert [(u.tool, u.missing) for u in found.unreachable] == [
        ("s/a", {"x": ["s/b"]}),
        ("s/b", {"y": ["s/a"]}),
        ("s/c", {"y": ["s/a"]}),
    ]
    assert survey(store, ["x"]).unreachable == []
    assert survey(store, ["X"]).visible == ["x"]


def test_a_tool_that_makes_what_it_needs_does_not_feed_itself(build):
    found = survey(build(a=(["x"], ["x"])))
    assert [(a.field, a.consumers) for a in found.asked] == [("x", 1)]
    assert (found.unreachable, found.single_producers) == ([], [])


def test_a_visible_field_that_nobody_knows_is_refused(build):
    with pytest.raises(UnknownField, match="order_id"):
        survey(build(a=(["order_id"], [])), ["order_idx"])


def test_single_producers_count_who_depends_on_them(build):
    store = build(
        a=([], ["x", "y", "alone"]), b=(["x"], []), c=(["x"], []), d=([], ["y"]), e=(["y"], [])
    )
    found = survey(store)
    assert [(s.field, s.producer, s.consumers) for s in found.single_producers] == [("x", "s/a", 2)]


def test_fields_reviewed_as_the_same_feed_each_other(build):
    store = build(a=([], ["mail"]), b=(["email"], []))
    assert [a.field for a in survey(store).asked] == ["email"]
    merge(store, "email", "mail", "Zoë")
    found = survey(store)
    assert found.asked == []
    assert ("email", "s/a", 1) in [
        (s.field, s.producer, s.consumers) for s in found.single_producers
    ]


def test_a_survey_says_what_saved_queries_say(registry):
    registry.add(read_source(str(SPECIFICATION)))
    registry.remove("whoIsOnCall")
    found = survey(registry.store)
    assert [(a.field, a.examples) for a in found.asked] == [
        ("subject", ["help-desk/createTicket"]),
        ("user_email", ["help-desk/findUser"]),
    ]
    assert [(s.field, s.producer, s.consumers) for s in found.single_producers] == [
        ("assignee_id", "help-desk/findUser", 1),
        ("requester_id", "help-desk/findUser", 1),
    ]


def test_tools_that_take_and_give_the_same_are_grouped(build):
    store = build(
        a=(["x"], ["y"]), b=(["x"], ["y"]), c=(["x", "w"], ["y"]), d=(["x"], []), e=(["x"], [])
    )
    found = survey(store)
    assert found.duplicates == [["s/a", "s/b"]]
    assert found.without_outputs == ["s/d", "s/e"]


def test_tools_that_do_something_else_are_no_duplicates(registry):
    operations = {
        "/bookings/{bookingId}": {"get": "getBooking", "patch": "moveBooking"},
        "/bookings/{bookingId}/cancel": {"post": "cancelBooking"},
        "/old/bookings/{bookingId}": {"get": "readBooking"},
    }
    booking = {"type": "object", "properties": {"bookingId": {"type": "string"}, "at": {}}}
    answer = {"200": {"content": {"application/json": {"schema": booking}}}}
    path = {"name": "bookingId", "in": "path", "required": True, "schema": {"type": "string"}}
    paths = {
        at: {
            method: {"operationId": name, "parameters": [path], "responses": answer}
            for method, name in methods.items()
        }
        for at, methods in operations.items()
    }
    document = {"openapi": "3.1.0", "info": {"title": "Desk"}, "paths": paths}
    registry.add(read_document(document, "desk"))
    assert survey(registry.store).duplicates == [["desk/getBooking", "desk/readBooking"]]


def test_tools_out_of_service_neither_make_nor_need(build):
    store = build(
        a={"outputs": [{"name": "x"}], "status": "deprecated"},
        b={"inputs": [{"name": "x"}], "description": "takes x"},
        c={"inputs": [{"name": "q"}], "status": "quarantined"},
    )
    found = survey(store)
    assert (found.tools, found.active) == (3, 1)
    assert [a.field for a in found.asked] == ["x"]
    assert found.without_description == []


def test_unused_and_failing_tools_are_listed(build):
    store = build(*["a b!"] * 4, "a! b", "a", a=([], []), b=([], []), c=([], []))
    found = survey(store)
    assert found.unused == ["s/c"]
    assert [(f.tool, f.calls, f.errors, f.share) for f in found.failing] == [("s/b", 5, 4, 0.8)]
    assert len(survey(store, error_share=0.1).failing) == 2
    assert len(survey(store, error_share=0.0).failing) == 2  # never those without an error


def test_optional_inputs_hold_nobody_up(build):
    store = build(a={"inputs": [{"name": "x", "required": False}]}, b=(["y"], ["x"]))
    assert survey(store).unreachable == []
    assert [a.field for a in survey(store).asked] == ["y"]


def test_an_empty_registry_has_nothing_to_survey(store):
    found = survey(store)
    assert (found.tools, found.asked, found.unreachable, found.unused) == (0, [], [], [])


def test_the_demo_has_no_dead_ends(shop):
    found = survey(shop.store)
    assert found.unreachable == []
    assert found.asked[0].consumers >= found.asked[-1].consumers
    assert duplicates(read_contracts(shop.store)) == found.duplicates


FIELDS = st.lists(st.sampled_from("uvwxyz"), max_size=2)
EDGES = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("uvwxyz")))


@given(st.lists(st.tuples(FIELDS, FIELDS), max_size=5), EDGES, st.sets(st.sampled_from("uvwxyz")))
def test_reach_is_what_some_order_can_run(tools, edges, said):
    makers: dict[tuple[str, str], set[str]] = {}
    for first, then, name in edges:
        if first != then and max(first, then) < len(tools) and name in tools[then][0]:
            makers.setdefault((f"t{then}", name), set()).add(f"t{first}")
    found = contracts({f"t{i}": tool for i, tool in enumerate(tools)}, makers)
    asked = {name for tool in found.tools for name in found.required[tool]
             if (tool, name) not in makers}  # fmt: skip
    best: set[str] = set()
    for order in permutations(found.tools):
        hand = said | asked
        ran: set[str] = set()
        for tool in order:
            fed = {name for name in found.required[tool] if makers.get((tool, name), set()) & ran}
            if found.required[tool] <= hand | fed:
                ran.add(tool)
                hand |= found.gives[tool]
        best = max(best, ran, key=len)
    runs, waits = found.reach(said)
    assert runs == best
    assert {tool for tool, fields in waits.items() if not fields} == best
