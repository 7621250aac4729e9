"""Traces of every format through one door: what is counted, what is observed, what never stays."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from spm.registry.errors import TraceError
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.traces.formats import TRACE_FORMATS
from spm.registry.traces.trace_file import MAX_STEPS, TraceFile

DATA = Path(__file__).resolve().parents[3] / "data" / "formats"
FILES = {
    "otlp.json": "otlp",
    "otlp.jsonl": "otlp",
    "phoenix.jsonl": "openinference",
    "chat.jsonl": "openai",
    "responses.json": "openai",
    "anthropic.json": "anthropic",
    "buy.arazzo.yaml": "arazzo",
}


def file(name):
    return DATA / ("openapi" if "arazzo" in name else "traces") / name


def register_tools(registry, manifest, traces, **specs):
    names = {step.tool for trace in traces for step in trace.steps}
    registry.register(manifest("s", **{name: specs.get(name, ([], [])) for name in sorted(names)}))


def outputs(registry, tool):
    return {r["field"]: (r["evidence"], r["count"]) for r in registry.show(tool).outputs}


def everything(registry):
    nodes = registry.cypher(
        "MATCH (n) WHERE NOT n:Operation AND NOT n:Registry RETURN n ORDER BY n.id, n.name"
    ).rows
    edges = registry.cypher(
        "MATCH (a)-[e]->(b) RETURN coalesce(a.id, a.name) AS a, e, coalesce(b.id, b.name) AS b "
        "ORDER BY a, b, type(e), e.idx"
    ).rows
    return nodes, edges


# -- every format ------------------------------------------------------------------------------


def test_every_fixture_and_every_format_is_tried():
    assert {p.name for p in (DATA / "traces").iterdir()} == FILES.keys() - {"buy.arazzo.yaml"}
    assert {*FILES.values(), "spm"} == set(TRACE_FORMATS)


@pytest.mark.parametrize(("name", "format"), FILES.items())
def test_a_file_is_detected_and_imported_once(registry, store, manifest, name, format):
    found = TraceFile(file(name))
    assert found.format == format
    traces = list(found)
    assert traces == list(found) == list(TraceFile(file(name), format))
    register_tools(registry, manifest, traces)
    first = registry.import_traces(found)
    assert (first.imported, first.known) == (len(traces), 0)
    assert first.steps == sum(len(trace.steps) for trace in traces)
    before = everything(registry), registry.status(), store.journal.size()
    again = registry.import_traces(TraceFile(file(name)))
    assert (again.imported, again.known) == (0, len(traces))
    assert (everything(registry), registry.status(), store.journal.size()) == before


@pytest.mark.parametrize("name", FILES)
def test_no_value_reaches_the_disk(registry, store, manifest, name):
    raw = file(name).read_text()
    assert "SECRET" in raw or "arazzo" in name
    register_tools(registry, manifest, list(TraceFile(file(name))))
    registry.import_traces(TraceFile(file(name)))
    registry.close()
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) > 1_000
    assert [path.name for path in files if b"SECRET" in path.read_bytes()] == []
    with Registry.open(str(store.folder)) as opened:
        assert "SECRET" not in repr(everything(opened))


def test_the_projects_own_lines_are_read_too(registry, store, manifest, tmp_path):
    path = tmp_path / "own.jsonl"
    call = {"tool": "find", "arguments": {"q": "SECRET"}, "result": {"parcel_id": "SECRET"}}
    path.write_text(json.dumps({"request": "find it", "steps": [call]}) + "\n")
    assert TraceFile(path).format == "spm"
    register_tools(registry, manifest, list(TraceFile(path)))
    assert registry.import_traces(TraceFile(path)).imported == 1
    assert outputs(registry, "find") == {"parcel_id": ("observed", 1)}
    registry.close()
    files = [f for f in store.folder.rglob("*") if f.is_file()]
    assert not any(b"SECRET" in f.read_bytes() for f in files)


def test_an_empty_file_has_no_traces(registry, tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    assert list(TraceFile(tmp_path / "empty.jsonl")) == []


def test_an_arazzo_document_may_be_json(tmp_path):
    import yaml

    document = yaml.safe_load(file("buy.arazzo.yaml").read_text())
    (tmp_path / "buy.json").write_text(json.dumps(document, indent=1))
    found = TraceFile(tmp_path / "buy.json")
    assert found.format == "arazzo"
    assert {step.tool for trace in found for step in trace.steps} >= {"createOrder", "getOrder"}


def test_steps_of_a_workflow_are_the_tools_of_the_document_beside_it(registry):
    from spm.registry.importers.detection import read_source

    registry.add(read_source(str(file("buy.arazzo.yaml").with_name("shop-3.0.yaml"))))
    found = TraceFile(file("buy.arazzo.yaml"))
    # One step names its operation by path: only the document knows its operationId.
    assert "shop-api/sendReceipt" in {step.tool for trace in found for step in trace.steps}
    assert registry.import_traces(found).imported == len(list(found))


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(TraceError, match=r"No trace format 'zipkin'\. Known: spm, otlp"):
        TraceFile(tmp_path / "x", "zipkin")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TraceError, match="Cannot read"):
        TraceFile(tmp_path / "none.jsonl")
    with pytest.raises(TraceError, match="Cannot read"):
        list(TraceFile(tmp_path / "none.yaml"))


def test_what_is_no_workflow_is_refused_as_a_trace(tmp_path):
    (tmp_path / "x.yaml").write_text("hello: 1\n")
    with pytest.raises(TraceError):
        list(TraceFile(tmp_path / "x.yaml"))


def test_a_loop_is_cut_at_what_a_trace_takes(tmp_path):
    calls = [
        {"id": str(i), "type": "function", "function": {"name": "ping", "arguments": "{}"}}
        for i in range(MAX_STEPS + 5)
    ]
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": calls}]
    (tmp_path / "loop.jsonl").write_text(json.dumps({"messages": messages}))
    (trace,) = TraceFile(tmp_path / "loop.jsonl")
    assert len(trace.steps) == MAX_STEPS


def test_a_bad_line_in_the_middle_leaves_nothing(registry, manifest, tmp_path):
    path = tmp_path / "t.jsonl"
    good = json.dumps({"request": "x", "steps": ["a"]})
    path.write_text(f"{good}\n{{broken\n")
    registry.register(manifest("s", a=([], [])))
    with pytest.raises(TraceError, match=r"t\.jsonl:2"):
        registry.import_traces(TraceFile(path))
    assert registry.status()["trajectories"] == 0


# -- what is observed --------------------------------------------------------------------------


def own(*steps, **more):
    return Trace.model_validate({"request": "x", "steps": list(steps), **more})


def test_observed_results_become_edges_with_their_count(registry, manifest):
    name = "otlp.jsonl"
    register_tools(registry, manifest, list(TraceFile(file(name))))
    registry.import_traces(TraceFile(file(name)))
    assert outputs(registry, "get_customer") == {
        "customer": ("observed", 1),
        "customer_id": ("observed", 1),
        "customer_name": ("observed", 1),
        "vip": ("observed", 1),
    }
    assert outputs(registry, "list_orders") == {}


def test_what_is_declared_stays_declared_and_counts_too(registry, manifest):
    registry.register(manifest("s", find=([], ["parcel_id"])))
    step = {"tool": "find", "result": {"parcelId": 1, "weight": 2.5}}
    registry.import_traces([own(step, step)])
    assert outputs(registry, "find") == {"parcel_id": ("declared", 2), "weight": ("observed", 2)}
    registry.import_traces([own(step, trace_id="later")])
    assert outputs(registry, "find") == {"parcel_id": ("declared", 3), "weight": ("observed", 3)}


def test_failed_calls_give_nothing(registry, manifest):
    registry.register(manifest("s", find=([], [])))
    registry.import_traces([own({"tool": "find", "ok": False, "result": {"parcel_id": 1}})])
    assert outputs(registry, "find") == {}


def test_generic_results_belong_to_the_family_and_control_names_to_nobody(registry, manifest):
    registry.register(manifest("s", find={"family": "parcels"}))
    step = {"tool": "find", "result": {"id": 1, "next_page_token": "x", "weight": 1}}
    registry.import_traces([own(step)])
    assert set(outputs(registry, "find")) == {"parcel_id", "weight"}


def test_an_observed_output_feeds_paths(registry, manifest):
    registry.register(manifest("s", find=([], []), send=(["parcel_id"], [])))
    assert registry.paths("find", "send") == []
    registry.import_traces([own({"tool": "find", "result": {"parcel_id": 1}})])
    assert registry.paths("find", "send")[0].hops[0].fields == ["parcel_id"]


def test_observed_and_then_declared_keeps_the_count(registry, manifest):
    registry.register(manifest("s", find=([], [])))
    registry.import_traces([own({"tool": "find", "result": {"parcel_id": 1}})])
    registry.register(manifest("s", find=([], ["parcel_id"])))
    assert outputs(registry, "find") == {"parcel_id": ("declared", 1)}


def test_what_was_observed_stays_when_the_tool_is_declared_anew(registry, manifest):
    registry.register(manifest("s", find=([], ["tracking"])))
    registry.import_traces([own({"tool": "find", "result": {"parcel_id": 1}})])
    registry.register(manifest("s", find={"description": "new"}))
    assert outputs(registry, "find") == {"parcel_id": ("observed", 1)}


# -- what flowed -------------------------------------------------------------------------------

PLANTED = "SECRET-hunter2"
GIVEN = {"data": [{"person": {"id": PLANTED}, "age": 7}]}
TAKEN = {"client_number": PLANTED, "copies": 7}
CALLS = (("find", {"term": "SECRET-ann"}, GIVEN), ("mail", TAKEN, {"sent": True}))


def as_own():
    steps = [{"tool": n, "arguments": a, "result": r} for n, a, r in CALLS]
    return [{"trace_id": "t", "request": "Mail Ann", "steps": steps}]


def as_openai():
    messages: list[Any] = [{"role": "user", "content": "Mail Ann"}]
    for name, arguments, result in CALLS:
        called = {"name": name, "arguments": json.dumps(arguments)}
        messages += [
            {"role": "assistant", "tool_calls": [{"id": name, "function": called}]},
            {"role": "tool", "tool_call_id": name, "content": json.dumps(result)},
        ]
    return [{"id": "t", "messages": messages}]


def as_responses():
    output = []
    for name, arguments, result in CALLS:
        called = {"type": "function_call", "call_id": name, "name": name}
        answer = {"type": "function_call_output", "call_id": name, "output": json.dumps(result)}
        output += [{**called, "arguments": json.dumps(arguments)}, answer]
    return [{"id": "t", "input": "Mail Ann", "output": output}]


def as_anthropic():
    messages: list[Any] = [{"role": "user", "content": "Mail Ann"}]
    for name, arguments, result in CALLS:
        text = [{"type": "text", "text": json.dumps(result)}]
        used = {"type": "tool_use", "id": name, "name": name, "input": arguments}
        answer = {"type": "tool_result", "tool_use_id": name, "content": text}
        messages += [
            {"role": "assistant", "content": [used]},
            {"role": "user", "content": [answer]},
        ]
    return [{"id": "t", "messages": messages}]


def any_value(value):
    """A JSON value as OTLP writes it."""
    if isinstance(value, dict):
        entries = [{"key": k, "value": any_value(v)} for k, v in value.items()]
        return {"kvlistValue": {"values": entries}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(v) for v in value]}}
    kinds = {bool: "boolValue", int: "intValue", str: "stringValue"}
    return {kinds[type(value)]: str(value) if type(value) is int else value}


def as_otlp(wrap=lambda value: {"stringValue": json.dumps(value)}):
    spans = []
    for number, (name, arguments, result) in enumerate(reversed(CALLS)):
        attributes = [
            {"key": "gen_ai.tool.call.arguments", "value": wrap(arguments)},
            {"key": "gen_ai.tool.call.result", "value": wrap(result)},
        ]
        span = {"traceId": "t", "spanId": name, "parentSpanId": "r", "name": f"execute_tool {name}"}
        spans.append({**span, "startTimeUnixNano": 9 - number, "attributes": attributes})
    return [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}]


def as_structured_otlp():
    return as_otlp(any_value)


def as_openinference():
    return [
        {
            "context": {"trace_id": "t", "span_id": name},
            "name": name,
            "span_kind": "TOOL",
            "start_time": f"2026-03-01T10:00:0{number}Z",
            "attributes": {
                "tool.name": name,
                "input.value": json.dumps(arguments),
                "output.value": json.dumps(result),
            },
        }
        for number, (name, arguments, result) in enumerate(CALLS)
    ]


FLOWING = [as_own, as_openai, as_responses, as_anthropic, as_otlp, as_structured_otlp,
           as_openinference]  # fmt: skip


def flowing(registry):
    return {(r["output"], r["input"]): r["count"] for r in registry.store.read("fields/observed")}


@pytest.fixture
def people(registry, manifest):
    registry.register(
        manifest(
            "s", find=(["term"], []), mail=(["client_number", "copies"], []), other=(["badge"], [])
        )
    )
    return registry


@pytest.mark.parametrize("lines", FLOWING)
def test_every_format_tells_what_flowed_and_keeps_no_value(people, store, tmp_path, lines):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines())))
    assert PLANTED in path.read_text()
    traces = list(TraceFile(path))
    assert "SECRET" not in repr(traces)
    assert "SECRET" not in repr([trace.model_dump() for trace in traces])
    people.import_traces(TraceFile(path))
    assert flowing(people) == {("person_id", "client_number"): 1}
    before = everything(people), people.status(), store.journal.size()
    people.import_traces(TraceFile(path))
    assert (everything(people), people.status(), store.journal.size()) == before
    people.close()
    files = [f for f in store.folder.rglob("*") if f.is_file()]
    assert not [
        f.name for f in files if b"SECRET" in f.read_bytes() or b"hunter2" in f.read_bytes()
    ]


def told(*calls, **more):
    steps = [{"tool": n, "arguments": a, "result": r} for n, a, r in calls]
    return Trace.model_validate({"request": "Mail Ann", "steps": steps, **more})


def test_flows_are_counted_over_trajectories_and_kept_at_their_latest(people):
    times = ["2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z", None]
    people.import_traces([told(*CALLS, trace_id=str(i), time=t) for i, t in enumerate(times)])
    people.import_traces([told(*CALLS, trace_id="later", time="2026-02-01T00:00:00Z")])
    (row,) = people.store.read("traces/flow_ages")
    assert (row["count"], row["last_seen"]) == (4, "2026-03-01T00:00:00Z")


def test_only_what_succeeded_flows(people):
    people.import_traces([told(*CALLS, success=False)])
    assert flowing(people) == {}


def test_the_same_name_needs_no_edge(registry, manifest):
    mail = {"inputs": [{"name": "id", "of": "person"}]}
    registry.register(manifest("s", find={"family": "people"}, mail=mail))
    result, arguments = {"id": PLANTED}, {"id": PLANTED}
    registry.import_traces([told(("find", {}, result), ("mail", arguments, {}))])
    assert outputs(registry, "find") == {"person_id": ("observed", 1)}
    assert flowing(registry) == {}


def test_arguments_that_a_tool_does_not_declare_and_control_names_are_left_out(people):
    result = {"person": {"id": PLANTED}, "next_page_token": "SECRET-page"}
    arguments = {"badge": PLANTED, "client_number": "SECRET-page"}
    people.import_traces([told(("find", {}, result), ("mail", arguments, {}))])
    assert flowing(people) == {}


def test_an_output_goes_by_the_name_that_its_tool_declares(registry, manifest):
    find = {"family": "letter", "outputs": [{"name": "id", "of": "person"}]}
    registry.register(manifest("s", find=find, mail=(["client_number"], [])))
    registry.import_traces(
        [told(("find", {}, {"id": PLANTED}), ("mail", {"client_number": PLANTED}, {}))]
    )
    assert outputs(registry, "find") == {"person_id": ("declared", 1)}
    assert flowing(registry) == {("person_id", "client_number"): 1}


def test_what_flowed_may_be_told_without_values(people):
    steps = [{"tool": "find", "gives": {"person_id": "string"}}, {"tool": "mail"}]
    flow = {"source": 0, "output": "person_id", "target": 1, "input": "client_number"}
    line = {"request": "x", "steps": steps, "flows": [flow]}
    people.import_traces([Trace.model_validate(line)])
    assert flowing(people) == {("person_id", "client_number"): 1}
    for wrong in ({"source": 1}, {"target": 2}, {"source": -1}):
        with pytest.raises(ValueError, match=r"later one|greater than"):
            Trace.model_validate({**line, "flows": [{**flow, **wrong}]})


def test_flows_do_not_change_who_a_trace_is():
    def line(value):
        steps = [{"tool": "a", "result": {"x": "C-77"}}, {"tool": "b", "arguments": {"y": value}}]
        return Trace.model_validate({"request": "x", "steps": steps})

    assert line("C-77").flows
    assert line("C-77").identity() == line("D-88").identity()


def test_flows_go_with_the_field_and_not_with_a_pruned_trajectory(people, manifest):
    from datetime import UTC, datetime

    from spm.registry.traces.statistics import prune

    people.import_traces([told(*CALLS, time="2026-01-01T00:00:00Z")])
    prune(people.store, datetime(2027, 1, 1, tzinfo=UTC))
    assert flowing(people) == {("person_id", "client_number"): 1}
    people.register(manifest("s", mail={"description": "takes nothing now"}))
    assert flowing(people) == {}
    assert "client_number" not in {r["field"] for r in people.store.read("fields/vocabulary")}


# -- memory ------------------------------------------------------------------------------------


def peak_of_import(folder, manifest, count):
    """The most memory that Python held while so many short traces were imported, in bytes."""
    path = folder / f"{count}.jsonl"
    with path.open("w") as lines:
        for i in range(count):
            steps = [{"tool": "a"}, {"tool": "b", "result": {"parcel_id": "x"}}]
            line = {"trace_id": f"t{i}", "request": f"request {i}", "steps": steps}
            lines.write(json.dumps(line) + "\n")
    with Registry.open(str(folder / f"store{count}")) as registry:
        registry.register(manifest("s", a=([], []), b=([], [])))
        tracemalloc.start()
        try:
            done = registry.import_traces(TraceFile(path))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert done.imported == count
    print(f"\n{count:,} traces, {path.stat().st_size / 1e6:.1f} MB: {peak / 1e6:.1f} MB at most")
    return peak


def test_memory_does_not_grow_with_the_file(tmp_path, manifest):
    """Only ids and digests of what was read are kept. Once: 9.8 MB for 5,000, 14.5 for 50,000."""
    small, large = (peak_of_import(tmp_path, manifest, n) for n in (5_000, 20_000))
    assert large < 2 * small
    assert (large - small) / 15_000 < 400  # bytes a trace
