"""A person's decisions about fields, on both engines: what they make feed what, and undone."""

import json

import pytest

from spm.registry.catalog.field_decisions import declare, merge, retract, split
from spm.registry.errors import InputError, UnknownField
from spm.registry.exchange import export_registry
from spm.registry.menus.menu import Ask
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings

EDGES = """MATCH (a:Tool)-[e:FEEDS]->(b:Tool)
RETURN a.name AS a, b.name AS b, e.fields AS fields, e.evidence AS evidence, e.weight AS weight
ORDER BY a, b"""


@pytest.fixture(params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def desk(request, tmp_path, manifest):
    """Names say nothing of who is a user here: `agent_ref` and `customer_ref` are."""
    place = Settings(str(tmp_path / "store"))
    if request.param == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        request.getfixturevalue("empty")(server)
        place = server.settings()
    with Registry.open(place) as registry:
        registry.register(
            manifest(
                "desk",
                find_user=(["email"], ["user_id"]),
                list_cases=([], ["case_id", "agent_ref"]),
                open_case={"inputs": [{"name": "customer_ref"}], "effects": "write"},
                hand_over={
                    "inputs": [{"name": "case_id"}, {"name": "agent_ref"}],
                    "effects": "write",
                },
            )
        )
        registry.register(
            manifest("mail", greet={"inputs": [{"name": "recipient_ref"}], "effects": "write"})
        )
        yield registry


def edges(registry):
    return {(r["a"], r["b"]): r["fields"] for r in registry.cypher(EDGES, {}).rows}


def evidence(registry, first, second):
    rows = registry.cypher(EDGES, {}).rows
    return next((r["evidence"], r["weight"]) for r in rows if (r["a"], r["b"]) == (first, second))


def exported(registry, path):
    """Every record of the graph as bytes; the first line counts writes, the last one hashes it."""
    export_registry(registry.store, path, replace=True)
    return path.read_bytes().splitlines()[1:-1]


def contracts(registry):
    rows = registry.store.read("insight/inputs"), registry.store.read("insight/outputs")
    return json.dumps(rows)


def test_a_field_that_is_another_is_fed_by_who_makes_that(desk):
    before, had = edges(desk), contracts(desk)
    assert ("find_user", "hand_over") not in before
    row = declare(desk.store, "agentRef", "User ID", "Ann")
    assert row == {"field": "agent_ref", "kind": "user_id", "reviewed_by": "Ann"}
    after = edges(desk)
    assert after == {**before, ("find_user", "hand_over"): ["agent_ref"]}
    assert evidence(desk, "find_user", "hand_over") == ("reviewed", 0.9)
    assert contracts(desk) == had  # no tool takes or gives anything else than before


def test_two_fields_that_are_one_do_not_feed_each_other(desk):
    declare(desk.store, "agent_ref", "user_id", "Ann")
    declare(desk.store, "customer_ref", "user_id", "Ann")
    found = edges(desk)
    assert found["find_user", "open_case"] == ["customer_ref"]
    assert ("list_cases", "open_case") not in found  # it makes an agent_ref, which is no customer


def test_another_service_is_fed_where_a_person_said_so(desk, manifest):
    declare(desk.store, "recipient_ref", "user_id", "Ann")
    assert edges(desk)["find_user", "greet"] == ["recipient_ref"]
    desk.register(manifest("mail", find_member=(["email"], ["user_id"])))
    assert edges(desk)["find_member", "greet"] == ["recipient_ref"]
    own, other = (evidence(desk, name, "greet") for name in ("find_member", "find_user"))
    assert (own[0], other[0]) == ("reviewed", "reviewed")
    assert own[1] > other[1]
    desk.remove("find_member")
    assert edges(desk)["find_user", "greet"] == ["recipient_ref"]
    desk.remove("find_user")
    assert "greet" not in {consumer for _, consumer in edges(desk)}


def test_decisions_outlive_registration(desk, manifest):
    declare(desk.store, "agent_ref", "user_id", "Ann")
    before = edges(desk)
    changed = {"description": "new", "outputs": [{"name": "user_id"}], "inputs": []}
    desk.register(manifest("desk", find_user=changed))
    assert edges(desk)["find_user", "hand_over"] == before["find_user", "hand_over"]


@pytest.mark.parametrize(
    ("decide", "undo"),
    [
        (lambda s: declare(s, "agent_ref", "user_id", "Ann"),
         lambda s: retract(s, "agent_ref", "user_id")),
        (lambda s: declare(s, "recipient_ref", "user_id", "Ann"),
         lambda s: retract(s, "recipient_ref", "user_id")),
        (lambda s: merge(s, "agent_ref", "user_id", "Ann"),
         lambda s: split(s, "user_id", "agent_ref")),
    ],
)  # fmt: skip
def test_what_is_taken_back_leaves_the_graph_as_it_was_to_the_byte(desk, tmp_path, decide, undo):
    before = exported(desk, tmp_path / "export.jsonl")
    decide(desk.store)
    assert exported(desk, tmp_path / "export.jsonl") != before
    undo(desk.store)
    assert exported(desk, tmp_path / "export.jsonl") == before


def test_merged_fields_feed_each_other_under_the_names_that_tools_have(desk):
    merge(desk.store, "user_id", "agent_ref", "Ann")
    merge(desk.store, "user_id", "customer_ref", "Ann")
    found = edges(desk)
    assert found["find_user", "hand_over"] == ["agent_ref"]
    assert found["find_user", "open_case"] == ["customer_ref"]


def test_both_directions_are_a_merge_and_nothing_is_itself(desk):
    declare(desk.store, "agent_ref", "user_id", "Ann")
    with pytest.raises(InputError, match="spm fields merge user_id agent_ref"):
        declare(desk.store, "user_id", "agent_ref", "Ann")
    with pytest.raises(InputError, match="one field already"):
        declare(desk.store, "user_id", "User IDs", "Ann")
    with pytest.raises(InputError, match="Nobody said that"):
        retract(desk.store, "customer_ref", "user_id")
    with pytest.raises(UnknownField, match="user_id"):
        declare(desk.store, "agent_ref", "user_idd", "Ann")


# -- observed ----------------------------------------------------------------------------------


def handed(count, first="t", **extra):
    """Trajectories in which what `find_user` returned became the customer of `open_case`."""
    return [
        Trace.model_validate(
            {
                "trace_id": f"{first}{i}",
                "request": "open a case",
                "time": "2026-01-01T00:00:00Z",
                "steps": [
                    {"tool": "find_user", "result": {"user_id": f"u-4711-{i}"}},
                    {"tool": "open_case", "arguments": {"customer_ref": f"u-4711-{i}"}},
                ],
                **extra,
            }
        )
        for i in range(count)
    ]


def test_two_observations_make_an_edge_the_strongest(desk):
    desk.import_traces(handed(1))
    assert ("find_user", "open_case") not in edges(desk)
    desk.import_traces(handed(2))  # one of them is known
    assert edges(desk)["find_user", "open_case"] == ["customer_ref"]
    assert evidence(desk, "find_user", "open_case") == ("observed", 1.0)
    declare(desk.store, "customer_ref", "user_id", "Ann")
    assert evidence(desk, "find_user", "open_case") == ("observed", 1.0)


def test_failed_trajectories_show_nothing(desk):
    desk.import_traces(handed(3, success=False))
    assert ("find_user", "open_case") not in edges(desk)


def test_observed_edges_stay_when_traces_are_pruned_and_go_with_their_tools(desk, manifest):
    from datetime import UTC, datetime

    from spm.registry.traces.statistics import prune

    desk.import_traces(handed(3))
    before = edges(desk)
    assert prune(desk.store, datetime(2026, 6, 1, tzinfo=UTC)) == 3
    assert edges(desk) == before
    changed = {"inputs": [{"name": "subject_ref"}], "effects": "write"}
    desk.register(manifest("desk", open_case=changed))
    assert ("find_user", "open_case") not in edges(desk)
    desk.remove("find_user", force=True)
    assert "find_user" not in {producer for producer, _ in edges(desk)}


def test_an_output_that_traces_show_feeds_who_takes_it(desk):
    trace = {
        "request": "x",
        "steps": [{"tool": "list_cases", "result": {"user_id": "u-1234", "case_id": "c-9876"}}],
    }
    desk.import_traces([Trace.model_validate(trace)])
    declare(desk.store, "customer_ref", "user_id", "Ann")
    before = edges(desk)
    assert ("list_cases", "open_case") in before


# -- menus -------------------------------------------------------------------------------------


def test_menus_speak_of_the_inputs_that_tools_declare(desk, encoder):
    merge(desk.store, "user_id", "agent_ref", "Ann")
    merge(desk.store, "user_id", "customer_ref", "Ann")
    desk.encode(encoder)
    declared: dict[str, set[str]] = {}
    for row in desk.store.read("insight/inputs"):
        declared.setdefault(row["id"], set()).add(row["field"])
    for asked in ("open a case for ann@acme.com", "hand over case 17", "find the user"):
        menu = desk.menu(asked)
        for item in menu.items:
            assert set(item.needs) == declared.get(item.id, set())
        for edge in menu.edges:
            assert not edge.field or edge.field in declared[edge.target]
    items = {item.name: item for item in desk.menu("hand over case 17").items}
    assert items["hand_over"].needs["agent_ref"]
    assert items["find_user"].gives == ["user_id"]
    items = {item.name: item for item in desk.menu("open a case", state=("user_id",)).items}
    assert items["open_case"].needs == {"customer_ref": ["request"]}


def test_a_decision_brings_the_producer_into_the_route(desk, encoder):
    desk.encode(encoder)
    declare(desk.store, "customer_ref", "user_id", "Ann")
    menu = desk.menu("open a case for ann@acme.com")
    items = {item.name: item for item in menu.items}
    assert items["open_case"].needs == {"customer_ref": ["desk/find_user"]}
    assert menu.route == ["desk/find_user", "desk/open_case"]


def test_why_not_advises_the_decision_that_is_missing(desk, encoder, manifest):
    approve = {"inputs": [{"name": "approver_id"}], "effects": "write"}
    desk.register(manifest("desk", approve_case=approve))
    desk.encode(encoder)
    found = desk.why_not(Ask("approve the case", size=1), "find_user")
    assert found.admitted_by[0] == (
        "saying that approver_id is a user_id: spm fields is approver_id user_id"
    )
    declare(desk.store, "approver_id", "user_id", "Ann")
    again = desk.why_not(Ask("approve the case", size=1), "find_user")
    assert not any("spm fields is" in change for change in again.admitted_by)
