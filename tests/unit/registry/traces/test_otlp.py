import json
import random
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import TraceError
from spm.registry.traces.otlp import nanoseconds, read_otlp
from spm.registry.traces.redaction import Episode
from spm.registry.traces.trace_documents import read_trace_file

DATA = Path(__file__).parents[3] / "data" / "formats" / "traces"
Json = dict[str, object]
WORDS = (
    "resourceSpans scopeSpans spans traceId spanId parentSpanId name attributes key value "
    "stringValue intValue doubleValue boolValue kvlistValue arrayValue bytesValue values status "
    "code startTimeUnixNano events gen_ai.operation.name execute_tool gen_ai.tool.name "
    "gen_ai.tool.call.id gen_ai.tool.call.arguments gen_ai.tool.call.result invoke_agent "
    "gen_ai.input.messages gen_ai.prompt mcp.method.name tools/call error.type"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)


def text(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def span(own: str, parent: str = "", name: str = "", start: object = 1, **more: object) -> Json:
    given = {"traceId": "t", "spanId": own, "parentSpanId": parent, "name": name}
    return {**given, "startTimeUnixNano": start, "attributes": [], **more}


def tool(own: str, name: str, parent: str = "", start: object = 1, **more: str) -> Json:
    attributes = [text(key.replace("__", "."), value) for key, value in more.items()]
    return span(own, parent, f"execute_tool {name}", start, attributes=attributes)


def mcp(own: str, name: str, parent: str = "", start: object = 1, **more: str) -> Json:
    return tool(own, name, parent, start, **more) | {"name": f"tools/call {name}"}


def agent(own: str, parent: str = "", **more: object) -> Json:
    return span(own, parent, "invoke_agent", **more)


def export(spans: Iterable[object]) -> Json:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def read(*spans: object, join_conversations: bool = False) -> list[Episode]:
    documents = [("t.jsonl:1", export(spans))]
    return list(read_otlp(documents, join_conversations=join_conversations))


def paths(*spans: object) -> list[str]:
    return [
        " ".join(call.tool + "!" * (not call.ok) for call in episode.calls)
        for episode in read(*spans)
    ]


def test_json_lines_of_the_collector():
    (episode,) = read_trace_file(DATA / "otlp.jsonl")
    assert episode.trace_id == "5b8efff798038103d269b633813fc60c:a100000000000001"
    assert episode.request == "Refund order 1017 please"
    assert [(call.tool, call.ok) for call in episode.calls] == [
        ("get_customer", True),
        ("list_orders", True),
        ("refund_order", False),
        ("refund_order", True),
    ]
    customer, _, failed, refund = episode.calls
    assert customer.takes == {"email": "string"}
    assert customer.gives == {
        "customer": "object",
        "vip": "boolean",
        "customer_id": "string",
        "customer_name": "string",
    }
    assert failed.takes["order_id"] == "integer"
    assert failed.gives == {}
    assert refund.gives == {"refund": "object", "amount": "number", "refund_id": "string"}
    assert str(episode.time) == "2026-09-21 14:13:20+00:00"
    assert (episode.success, episode.source) == (True, "otlp")


def test_one_document_with_two_agents():
    trip, hotels = read_trace_file(DATA / "otlp.json")
    assert (trip.request, trip.success) == ("Book a trip to Rome", False)
    assert [call.tool for call in trip.calls] == ["find_flight", "ask_hotel_agent"]
    assert (hotels.request, hotels.success) == ("Finds hotels", True)
    assert [call.tool for call in hotels.calls] == ["find_hotel"]


@pytest.mark.parametrize("name", ["otlp.jsonl", "otlp.json"])
def test_nothing_but_the_request_is_kept(name):
    assert "SECRET" not in repr(list(read_trace_file(DATA / name)))


def test_names_and_order_suffice():
    assert paths(tool("2", "b", start="20"), tool("1", "a", start=10)) == ["a b"]


def test_ties_go_by_span_id_and_calls_without_time_come_last():
    spans = [tool("3", "c", start=None), tool("2", "b"), tool("1", "a")]
    assert paths(*spans) == ["a b c"]


def test_the_order_of_the_file_does_not_matter():
    lines = (DATA / "otlp.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [("x", json.loads(line)) for line in lines]
    expected = list(read_otlp(documents))
    for seed in range(5):
        random.Random(seed).shuffle(documents)
        assert list(read_otlp(documents)) == expected


@pytest.mark.parametrize(
    ("spans", "path"),
    [
        ([tool("1", "a"), mcp("2", "a", "1")], "a"),
        ([tool("1", "a"), span("2", "1"), mcp("3", "a", "2"), mcp("4", "a", "3")], "a"),
        ([mcp("1", "a"), mcp("2", "a", "1")], "a"),
        ([mcp("1", "a", start=5), mcp("2", "a", "1", start=1)], "a"),  # clocks differ
        ([tool("1", "mcp__shop__a"), mcp("2", "a", "1")], "mcp__shop__a"),
        ([tool("1", "bulk_a"), mcp("2", "a", "1")], "bulk_a a"),
        ([tool("1", "a"), mcp("2", "b", "1")], "a b"),
        ([tool("1", "a"), tool("2", "a")], "a a"),
        ([tool("1", "a"), tool("1", "a")], "a"),
        (
            [
                tool("1", "a", gen_ai__tool__call__id="c"),
                mcp("2", "a", gen_ai__tool__call__id="c"),
            ],
            "a",
        ),
        (
            [
                tool("1", "a", gen_ai__tool__call__id="0"),
                tool("2", "b", gen_ai__tool__call__id="0"),
            ],
            "a b",
        ),
        ([tool("1", "a"), mcp("2", "a", "1", error__type="tool_error")], "a!"),
        (  # the second attempt inside of one call
            [tool("1", "a"), mcp("2", "a", "1", 2, error__type="x"), mcp("3", "a", "1", 3)],
            "a",
        ),
        ([tool("1", "a", error__type="x"), mcp("2", "a", "1", 2)], "a!"),
    ],
)
def test_a_call_counts_once(spans, path):
    assert paths(*spans) == [path]


def test_an_agent_inside_a_tool_may_call_it_again():
    assert paths(tool("1", "a"), agent("2", "1"), agent("9"), mcp("3", "a", "2")) == ["a", "a"]


def test_arguments_may_stand_on_the_inner_span():
    inner = mcp("2", "a", "1", gen_ai__tool__call__arguments='{"x": 1}')
    (episode,) = read(tool("1", "a"), inner)
    assert episode.calls[0].takes == {"x": "integer"}


def test_calls_outside_belong_to_the_only_agent():
    assert paths(agent("1"), tool("2", "a", "gone"), tool("3", "b", "1")) == ["a b"]


def test_calls_outside_of_several_agents_stand_alone():
    spans = [agent("1"), agent("2"), tool("3", "a", "1"), tool("4", "b", "2"), tool("5", "c")]
    assert sorted(paths(*spans)) == ["a", "b", "c"]


def test_cycles_of_parents_end():
    assert paths(tool("1", "a", "2"), tool("2", "b", "1"), tool("3", "c", "3")) == ["a b c"]
    assert paths(mcp("1", "a", "2"), mcp("2", "a", "1"))


def test_a_long_chain_of_parents_ends():
    chain = [span(str(i), str(i + 1)) for i in range(3_000)]
    assert paths(*chain, tool("x", "a", "0")) == ["a"]


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR"])
def test_failure_is_in_the_status(code):
    failed: Json = {"status": {"code": code}}
    assert paths(tool("1", "a") | failed) == ["a!"]
    (episode,) = read(agent("1") | failed, tool("2", "a", "1"))
    assert not episode.success
    (episode,) = read(span("1") | failed, tool("2", "a", "1"))
    assert not episode.success


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gen_ai.input.messages", '[{"role": "user", "content": "hi"}]'),
        ("gen_ai.prompt", '[{"role": "user", "content": "hi"}]'),
        ("gen_ai.prompt", "hi"),
    ],
)
@pytest.mark.parametrize("where", ["agent", "chat", "event"])
def test_the_request_is_found(key, value, where):
    attributes = [text(key, value)]
    chat = text("gen_ai.operation.name", "chat")
    spans = {
        "agent": [agent("1", attributes=attributes)],
        "event": [agent("1", events=[{"name": "x", "attributes": attributes}])],
        "chat": [agent("1"), span("3", "1", "chat", 2, attributes=[chat, *attributes])],
    }
    (episode,) = read(*spans[where], tool("2", "a", "1"))
    assert episode.request == "hi"


def test_without_messages_the_agent_is_described_and_without_agent_there_is_no_request():
    named = agent("1") | {"name": "invoke_agent refunds"}
    assert read(named, tool("2", "a", "1"))[0].request == "refunds"
    assert read(tool("2", "a"))[0].request == ""


def test_conversations_are_joined_on_demand():
    spans = [
        agent("1", attributes=[text("gen_ai.conversation.id", "c7"), text("gen_ai.prompt", "hi")]),
        tool("2", "a", "1", start=5),
        agent("3", attributes=[text("gen_ai.conversation.id", "c7")]) | {"traceId": "u"},
        tool("4", "b", "3", start=2) | {"traceId": "u"},
        tool("5", "c") | {"traceId": "v"},
    ]
    assert len(read(*spans)) == 3
    alone, joined = read(*spans, join_conversations=True)
    assert alone.trace_id == "v"
    assert (joined.trace_id, joined.request) == ("c7", "hi")
    assert sorted(call.tool for call in joined.calls) == ["a", "b"]


@pytest.mark.parametrize("name", ["", " ", "x" * 300, "a\u200bb", "…"])
def test_a_call_without_a_usable_name_is_left_out(name):
    assert read(tool("1", name)) == []
    assert paths(tool("1", name, gen_ai__tool__name="a")) == ["a"]


@pytest.mark.parametrize("value", [0, "x", -1, 2**70, "9" * 99, None, 1.5, True, "١٢"])
def test_impossible_times_are_left_out(value):
    assert nanoseconds(value) is None


def test_times_are_numbers_or_their_digits():
    assert nanoseconds("12") == nanoseconds(12) == 12


@pytest.mark.parametrize(
    "value",
    [
        7,
        [7],
        {"resourceSpans": {}},
        {"resourceSpans": [7]},
        {"resourceSpans": [{"scopeSpans": 7}]},
        export([7]),
        export([{"spanId": "SECRET"}]),
        export([{"traceId": "SECRET", "spanId": 7}]),
        export([{"traceId": " ", "spanId": "SECRET"}]),
    ],
)
def test_other_structures_are_refused_by_place(value):
    with pytest.raises(TraceError, match=r"^t\.jsonl:1: ") as caught:
        list(read_otlp([("t.jsonl:1", value)]))
    assert "SECRET" not in str(caught.value)


@given(JSON)
def test_any_json_gives_episodes_or_an_error(value):
    for document in (value, {"resourceSpans": value}, export([value])):
        with suppress(TraceError):
            list(read_otlp([("t.jsonl:1", document)]))


@given(
    st.lists(
        st.fixed_dictionaries(
            {"traceId": st.just("t"), "spanId": st.sampled_from("1234")},
            optional={
                "parentSpanId": st.sampled_from("12345") | JSON,
                "name": st.sampled_from(["execute_tool a", "tools/call a", "invoke_agent"]) | JSON,
                "startTimeUnixNano": st.integers() | JSON,
                "status": JSON,
                "events": JSON,
                "attributes": JSON
                | st.lists(st.fixed_dictionaries({"key": st.sampled_from(WORDS), "value": JSON})),
            },
        ),
        max_size=8,
    )
)
def test_any_spans_give_each_call_at_most_once(spans):
    episodes = read(*spans)
    assert sum(len(episode.calls) for episode in episodes) <= len({s["spanId"] for s in spans})
    assert len({episode.trace_id for episode in episodes}) == len(episodes)
