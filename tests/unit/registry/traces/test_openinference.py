import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import TraceError
from spm.registry.traces.openinference import is_span, read_openinference
from spm.registry.traces.redaction import Call, Episode
from spm.registry.traces.trace_documents import read_trace_file

DATA = Path(__file__).parents[3] / "data" / "formats" / "traces"
Json = dict[str, Any]
WORDS = (
    "name context trace_id span_id parent_id start_time status_code span_kind attributes TOOL "
    "tool tool.name tool.parameters input value input.value output.value session.id ERROR "
    "context.trace_id openinference.span.kind properties type kwargs status error"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)


def read(*spans: object, **options: bool) -> list[Episode]:
    documents = ((f"p.jsonl:{i}", span) for i, span in enumerate(spans, 1))
    return list(read_openinference(documents, **options))


def span(own: str, kind: object = "TOOL", parent: object = None, **attributes: object) -> Json:
    return {
        "name": own,
        "context": {"trace_id": "t", "span_id": own},
        "span_kind": kind,
        "parent_id": parent,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def takes(**attributes: Any) -> dict[str, str]:
    return read(span("a", **attributes))[0].calls[0].takes


def test_the_export_of_phoenix():
    oslo, lookup = read_trace_file(DATA / "phoenix.jsonl")
    assert (oslo.trace_id, oslo.request) == ("f0", "Weather in Oslo, and tell Ann")
    weather, mail = oslo.calls
    assert (weather.tool, weather.takes) == ("get_weather", {"city": "string", "days": "integer"})
    assert weather.gives == {"temperature": "number", "station": "object", "station_id": "string"}
    assert (mail.tool, mail.ok) == ("send_mail", False)
    assert mail.takes == {"address": "string", "copies": "integer"}
    assert str(oslo.time) == "2026-03-01 10:00:02+00:00"
    assert oslo.success
    assert lookup.request == ""
    assert [(call.tool, call.ok) for call in lookup.calls] == [("lookup", False)]


def test_nothing_but_the_request_is_kept():
    assert "SECRET" not in repr(list(read_trace_file(DATA / "phoenix.jsonl")))


def test_spans_in_otlp_files(tmp_path):
    def attributes(**given: str) -> list[object]:
        return [
            {"key": key.replace("__", "."), "value": {"stringValue": value}}
            for key, value in given.items()
        ]

    root = attributes(openinference__span__kind="AGENT", input__value="Find it")
    tool = attributes(
        openinference__span__kind="TOOL", tool__name="find", input__value='{"term": "SECRET"}'
    )
    common = {"traceId": "t", "startTimeUnixNano": "5"}
    spans = [
        {**common, "spanId": "2", "parentSpanId": "1", "name": "x", "attributes": tool},
        {**common, "spanId": "1", "name": "agent", "attributes": root},
    ]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    for format in (None, "otlp", "openinference"):
        (episode,) = read_trace_file(path, format)
        assert episode.request == "Find it"
        assert episode.calls == [Call("find", True, {"term": "string"}, {}, 5)]


def test_a_list_of_spans_is_read():
    (episode,) = read([span("a"), span("b")])
    assert [call.tool for call in episode.calls] == ["a", "b"]


def test_the_root_is_asked_before_inner_steps():
    inner = span("1", "LLM", "9", input__value="inner")
    (episode,) = read(inner, span("9", "CHAIN", input__value="outer"), span("a"))
    assert episode.request == "outer"


def test_sessions_join_traces_on_demand():
    spans = [span("a", session__id="s"), span("b", session__id="s")]
    spans[1]["context"]["trace_id"] = "u"
    assert len(read(*spans)) == 2
    (episode,) = read(*spans, join_conversations=True)
    assert (episode.trace_id, len(episode.calls)) == ("s", 2)


def test_arguments_in_all_their_places():
    assert takes(input__value='{"x": 1}') == {"x": "integer"}
    assert takes(input={"value": {"x": 1}}) == {"x": "integer"}
    assert takes(input__value='{"args": [], "kwargs": {"x": 1}}') == {"x": "integer"}
    assert takes(tool__parameters={"x": 1}) == {"x": "integer"}
    assert takes(tool={"parameters": '{"properties": {"x": {"type": "array"}, "y": 1}}'}) == {
        "x": "array"
    }
    assert takes(input__value="prose", tool__parameters="prose") == {}


def test_gen_ai_attributes_are_known_too():
    (episode,) = read(
        span("1", "UNKNOWN", gen_ai={"operation": {"name": "execute_tool"}, "tool.name": "a"})
    )
    assert [call.tool for call in episode.calls] == ["a"]


@pytest.mark.parametrize(
    "time", ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00", 1772359200 * 10**9]
)
def test_times(time):
    (episode,) = read({**span("a"), "start_time": time})
    assert episode.calls[0].start == 1772359200 * 10**9


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x"])
def test_impossible_times_are_left_out(time):
    (episode,) = read({**span("a"), "start_time": time})
    assert episode.time is None or episode.time.year < 9999


@pytest.mark.parametrize(
    "value",
    [
        7,
        None,
        {},
        {"context": 7},
        {"context": {"trace_id": "SECRET"}},
        {"context": {"trace_id": "SECRET", "span_id": 7}},
        [[]],
    ],
)
def test_other_documents_are_refused_by_place(value):
    with pytest.raises(TraceError, match=r"^p\.jsonl:1: not an OpenInference span") as caught:
        read(value)
    assert "SECRET" not in str(caught.value)


def test_spans_are_recognised():
    assert is_span(span("a"))
    assert not is_span({"context": {}})
    assert not is_span([])


@given(JSON, st.dictionaries(st.sampled_from(WORDS), JSON, max_size=4))
def test_any_json_gives_episodes_or_an_error(value, more):
    with suppress(TraceError):
        read({"context.trace_id": "t", "context.span_id": "s", **more}, value)


@given(st.dictionaries(st.sampled_from(WORDS), JSON, max_size=4))
def test_any_attributes_are_survived(attributes):
    assert len(read(span("a", **{**attributes, "openinference.span.kind": "TOOL"}))) == 1
