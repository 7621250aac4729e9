"""Importing trajectories: counted once, in order, without values."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import AmbiguousTool, TraceError
from spm.registry.models import Trace
from spm.registry.traces import field_evidence
from spm.registry.traces.counts import orders, transitions, usage
from spm.registry.traces.trace_origin import with_token


@pytest.fixture
def abc(registry, manifest):
    registry.register(manifest("s", a=([], []), b=([], []), c=([], [])))
    return registry


def precedes(registry):
    rows = registry.cypher(
        "MATCH (a:Tool)-[e:PRECEDES]->(b:Tool) RETURN a.name AS a, b.name AS b, e.count AS n"
    ).rows
    return {(row["a"] + row["b"]): row["n"] for row in rows}


def before(registry):
    rows = registry.cypher(
        "MATCH (a:Tool)-[e:BEFORE]->(b:Tool) RETURN a.name AS a, b.name AS b, e.count AS n"
    ).rows
    return {(row["a"] + row["b"]): row["n"] for row in rows}


def counters(registry, name):
    tool = registry.show(name).tool
    return [tool[k] for k in ("frequency", "entry_frequency", "calls", "errors")]


def test_importing_twice_changes_nothing(abc, store, trace):
    traces = [trace("a", "b", "c"), trace("a", "c", trace_id="t2")]
    first = abc.import_traces(traces)
    assert (first.imported, first.known, first.skipped, first.steps) == (2, 0, 0, 5)
    state = store.journal.size(), abc.status(), precedes(abc), counters(abc, "a")
    again = abc.import_traces(traces)
    assert (again.imported, again.known) == (0, 2)
    assert (store.journal.size(), abc.status(), precedes(abc), counters(abc, "a")) == state


def test_only_what_is_new_is_counted(abc, trace):
    abc.import_traces([trace("a", "b", trace_id="t1")])
    result = abc.import_traces([trace("a", "b", trace_id="t1"), trace("a", "b", trace_id="t2")])
    assert (result.imported, result.known) == (1, 1)
    assert precedes(abc) == {"ab": 2}


def test_the_same_trajectory_twice_in_one_file_counts_once(abc, trace):
    result = abc.import_traces([trace("a", "b"), trace("a", "b")])
    assert (result.imported, result.known) == (1, 1)
    assert precedes(abc) == {"ab": 1}


def test_failed_steps_count_for_calls_and_not_for_precedence(abc, trace):
    abc.import_traces([trace("a", "b!", "c")])
    assert precedes(abc) == {"ac": 1}
    assert before(abc) == {"ac": 1}
    assert counters(abc, "b") == [0, 0, 1, 1]
    assert counters(abc, "a") == [1, 1, 1, 0]


def test_the_first_step_that_worked_is_the_entry(abc, trace):
    abc.import_traces([trace("a!", "b", "c")])
    assert counters(abc, "a") == [0, 0, 1, 1]
    assert counters(abc, "b") == [1, 1, 1, 0]


def test_unsuccessful_trajectories_count_for_calls_alone(abc, trace):
    abc.import_traces([trace("a", "b!", success=False)])
    assert precedes(abc) == {}
    assert before(abc) == {}
    assert counters(abc, "a") == [0, 0, 1, 0]
    assert counters(abc, "b") == [0, 0, 1, 1]
    assert abc.status()["trajectories"] == 1


def test_a_tool_called_twice_counts_as_one_trajectory_and_two_calls(abc, trace):
    abc.import_traces([trace("a", "b", "a")])
    assert counters(abc, "a") == [1, 1, 2, 0]
    assert precedes(abc) == {"ab": 1, "ba": 1}
    assert before(abc) == {"ab": 1}


def test_steps_keep_their_places(abc, trace):
    abc.import_traces([trace("a", "b!", "a", trace_id="t1")])
    rows = abc.cypher(
        "MATCH (:Trajectory {id: 't1'})-[s:STEP]->(t:Tool) "
        "RETURN s.idx AS idx, t.name AS tool, s.ok AS ok ORDER BY idx"
    ).rows
    assert [(r["idx"], r["tool"], r["ok"]) for r in rows] == [
        (0, "a", True),
        (1, "b", False),
        (2, "a", True),
    ]


def test_the_latest_time_of_a_transition_is_kept(abc, trace):
    times = ["2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z"]
    abc.import_traces([trace("a", "b", time=t) for t in times])
    abc.import_traces([trace("a", "b", time="2026-02-01T00:00:00Z")])
    (row,) = abc.saved("most_travelled").rows
    assert (row["count"], row["last_seen"]) == (3, "2026-03-01T00:00:00Z")


def test_an_unknown_tool_stops_the_import_and_nothing_is_kept(abc, store, trace):
    size = store.journal.size()
    with pytest.raises(TraceError, match=r"'t2' calls 'bb'.*--skip-unknown\. Nothing was imported"):
        abc.import_traces([trace("a", trace_id="t1"), trace("bb", trace_id="t2")])
    assert store.journal.size() == size
    assert abc.status()["trajectories"] == 0


def test_unknown_tools_may_be_left_out(abc, trace):
    result = abc.import_traces([trace("a", "b"), trace("a", "zz")], skip_unknown=True)
    assert (result.imported, result.skipped) == (1, 1)
    assert abc.status()["trajectories"] == 1


def test_an_ambiguous_tool_stops_the_import(abc, manifest, trace):
    abc.register(manifest("other", a=([], [])))
    with pytest.raises(AmbiguousTool):
        abc.import_traces([trace("a")], skip_unknown=True)
    assert abc.import_traces([trace("other/a")]).imported == 1


def test_one_id_with_two_contents_is_refused(abc, trace):
    with pytest.raises(TraceError, match="Two different trajectories carry the id 't1'"):
        abc.import_traces([trace("a", trace_id="t1"), trace("b", trace_id="t1")])
    assert abc.status()["trajectories"] == 0


@pytest.mark.parametrize(
    "other",
    [
        {"request": "another"},
        {"success": False},
        {"source": "log"},
        {"time": "2026-01-01T00:00:00Z"},
        {"steps": ["a", "c"]},
    ],
    ids=str,
)
def test_a_known_id_with_other_content_is_told(abc, store, other):
    def line(**more):
        told = {"trace_id": "t1", "request": "x", "steps": ["a", "b"], **more}
        return Trace.model_validate(told)

    abc.import_traces([line()])
    size = store.journal.size()
    again = abc.import_traces([line()])
    assert (again.known, again.differing) == (1, 0)
    found = abc.import_traces([line(**other)])
    assert (found.imported, found.known, found.differing) == (0, 1, 1)
    assert store.journal.size() == size
    fresh = Trace.model_validate({"trace_id": "t2", "request": "x", "steps": ["a"]})
    found = abc.import_traces([line(**other), fresh])
    assert (found.imported, found.known, found.differing) == (1, 1, 1)
    abc.store.write("prune", lambda tx: {"n": len(tx.run("traces/prune", ids=["t1"]))})
    assert abc.import_traces([line(**other)]).differing == 0  # nothing left to compare with


@pytest.mark.parametrize("sender", ["", "token b", "token a"])
def test_who_delivered_a_trace_is_no_content(abc, sender):
    def line(source, **more):
        told = {"trace_id": "t1", "request": "x", "steps": ["a", "b"], "source": source, **more}
        return Trace.model_validate(told)

    abc.import_traces([line("token a")])
    assert abc.import_traces([line(sender)]).differing == 0
    assert abc.import_traces([line(sender, request="y")]).differing == 1
    assert abc.import_traces([line("log")]).differing == 1


def test_the_same_trace_by_another_token_is_known(abc, store):
    bare = Trace.model_validate({"request": "x", "steps": ["a", "b"]})
    abc.import_traces([with_token(bare, "a")])
    size = store.journal.size()
    for trace in (bare, with_token(bare, "a"), with_token(bare, "b")):
        found = abc.import_traces([trace])
        assert (found.imported, found.known, found.differing) == (0, 1, 0)
    assert store.journal.size() == size
    assert abc.show("a").tool["calls"] == 1


def test_values_of_calls_never_reach_the_disk(abc, store):
    secret = "hunter2-4711"
    step = {"tool": "a", "arguments": {"password": secret}, "result": [secret]}
    abc.import_traces([Trace.model_validate({"request": "log in", "steps": [step]})])
    abc.close()
    for file in store.folder.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_nothing_to_import_writes_nothing(abc, store):
    size = store.journal.size()
    assert abc.import_traces([]).imported == 0
    assert store.journal.size() == size


def test_progress_hears_how_many_were_read(abc, trace):
    heard: list[int] = []
    traces = [trace("a", trace_id=str(i)) for i in range(5_500)]
    abc.import_traces(traces, progress=heard.append)
    assert heard == [5_000, 500]


# -- the counts against a naive loop -----------------------------------------------------------

TRACES = st.lists(
    st.builds(
        lambda steps, success: Trace.model_validate(
            {
                "request": "x",
                "steps": [{"tool": t, "ok": ok} for t, ok in steps],
                "success": success,
            }
        ),
        st.lists(
            st.tuples(st.sampled_from("abcd"), st.sampled_from([True, True, False])),
            min_size=1,
            max_size=6,
        ),
        st.sampled_from([True, True, False]),
    ),
    max_size=5,
)


def resolved(traces):
    return [(trace, [step.tool for step in trace.steps]) for trace in traces]


@given(TRACES)
def test_orders_equal_a_naive_count(traces):
    naive: Counter[tuple[str, str]] = Counter()
    for trace in traces:
        calls = [step.tool for step in trace.steps if step.ok and trace.success]
        for first in "abcd":
            for second in "abcd":
                if first != second and first in calls and second in calls:
                    # by first calls: a tool called again later does not come before itself
                    naive[first, second] += calls.index(first) < calls.index(second)
    assert {(r["first"], r["second"]): r["count"] for r in orders(resolved(traces))} == dict(+naive)


@given(TRACES)
def test_transitions_equal_a_naive_count(traces):
    naive: Counter[tuple[str, str]] = Counter()
    for trace in traces:
        calls = [step.tool for step in trace.steps if step.ok and trace.success]
        for i in range(len(calls) - 1):
            naive[calls[i], calls[i + 1]] += 1
    found = {(r["first"], r["second"]): r["count"] for r in transitions(resolved(traces))}
    assert found == dict(naive)


@given(TRACES)
def test_usage_equals_a_naive_count(traces):
    for row in usage(resolved(traces)):
        steps = [s for t in traces for s in t.steps if s.tool == row["id"]]
        paths = [[s.tool for s in t.steps if s.ok] for t in traces if t.success]
        assert row["calls"] == len(steps)
        assert row["errors"] == sum(not s.ok for s in steps)
        assert row["frequency"] == sum(row["id"] in path for path in paths)
        assert row["entry_frequency"] == sum(path[:1] == [row["id"]] for path in paths)


def observed(registry):
    rows = registry.cypher(
        "MATCH (t:Tool {name: 'a'})-[e:PRODUCES]->(f:Field) RETURN f.name AS f, e.count AS n"
    ).rows
    return {row["f"]: row["n"] for row in rows}


def giving(identity, *names):
    step = {"tool": "a", "gives": dict.fromkeys(names, "string")}
    return Trace.model_validate({"trace_id": identity, "request": "x", "steps": [step]})


def test_traces_add_only_so_many_outputs_to_a_tool(registry, manifest, monkeypatch):
    monkeypatch.setattr(field_evidence, "MOST_OUTPUTS", 3)
    registry.register(manifest("s", a=([], ["told"])))
    first = registry.import_traces(
        [giving("1", "rare", "told", "one", "two"), giving("2", "one", "two"), giving("3", "late")]
    )
    # Most often seen first; what is declared needs no room.
    assert (first.imported, first.dropped) == (3, 1)
    assert observed(registry) == {"told": 1, "one": 2, "two": 2, "late": 1}
    again = registry.import_traces([giving("4", "rare", "one", "told", "other")])
    assert (again.imported, again.dropped) == (1, 2)
    assert observed(registry) == {"told": 2, "one": 3, "two": 2, "late": 1}
    fields = {row["n"] for row in registry.cypher("MATCH (f:Field) RETURN f.name AS n").rows}
    assert fields == {"told", "one", "two", "late"}


def test_an_output_for_which_there_is_no_room_is_told_once(registry, manifest, monkeypatch):
    monkeypatch.setattr(field_evidence, "MOST_OUTPUTS", 1)
    monkeypatch.setattr("spm.registry.traces.importer.BATCH", 1)
    registry.register(manifest("s", a=([], [])))
    done = registry.import_traces([giving("1", "kept"), giving("2", "more"), giving("3", "more")])
    assert (done.imported, done.dropped) == (3, 1)
