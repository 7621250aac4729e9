from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import TraceError
from spm.registry.traces.redaction import Call, Episode
from spm.registry.traces.trace_documents import read_trace_file
from spm.registry.traces.transcripts import dialect, read_transcripts, user_text

DATA = Path(__file__).parents[3] / "data" / "formats" / "traces"
WORDS = (
    "messages role user assistant tool content type text tool_calls function name arguments id "
    "tool_use tool_result tool_use_id input output call_id function_call function_call_output "
    "is_error error mcp_call kwargs lc HumanMessage parts"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)


def read(*transcripts: object) -> list[Episode]:
    return list(read_transcripts((f"t.jsonl:{i}", t) for i, t in enumerate(transcripts, 1)))


def user(text: object) -> dict[str, object]:
    return {"role": "user", "content": text}


def called(name: object, key: object = "c1", arguments: object = "{}") -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": key, "function": function}]}


def result(content: object, key: object = "c1") -> dict[str, object]:
    return {"role": "tool", "tool_call_id": key, "content": content}


def test_chat_completions():
    second, third, *_ = read_trace_file(DATA / "chat.jsonl")
    assert (second.trace_id, second.source) == ("chat-1:2", "openai")
    assert second.request == "Find the order of Ann and cancel it"
    assert second.calls == [
        Call(
            "find_orders", True, {"customer": "string"}, {"order_id": "integer", "note": "string"}
        ),
        Call("get_policy", False),
        Call("cancel_order", True, {"order_id": "integer"}),
    ]
    assert str(second.time) == "2026-09-21 14:13:20+00:00"
    assert third.calls == [
        Call("refund", True, {"order_id": "integer", "full": "boolean"}, {"refund_id": "string"})
    ]


def test_responses():
    (episode,) = read_trace_file(DATA / "responses.json")
    assert (episode.trace_id, episode.success) == ("resp_1:1", False)
    assert episode.request == "Plot sales of March"
    assert [(call.tool, call.ok) for call in episode.calls] == [
        ("query_sales", True),
        ("plot", False),
    ]
    assert episode.calls[0].gives == {"region": "string", "total": "integer"}


def test_anthropic():
    first, second = read_trace_file(DATA / "anthropic.json")
    assert (first.source, first.request) == ("anthropic", "Read the log and open a ticket")
    assert [(call.tool, call.ok) for call in first.calls] == [
        ("read_log", True),
        ("search_tickets", False),
        ("open_ticket", True),
    ]
    assert first.calls[2].takes == {
        "ticket": "object",
        "ticket_title": "string",
        "priority": "integer",
    }
    assert (second.request, second.calls) == (
        "Close it again",
        [Call("close_ticket", True, {}, {"closed": "boolean"})],
    )


@pytest.mark.parametrize("name", ["chat.jsonl", "responses.json", "anthropic.json"])
def test_nothing_but_the_request_is_kept(name):
    assert "SECRET" in (DATA / name).read_text(encoding="utf-8")
    assert "SECRET" not in repr(list(read_trace_file(DATA / name)))


def test_turns_without_calls_are_dropped():
    assert read({"messages": [user("hi"), {"role": "assistant", "content": "hello"}]}) == []


def test_calls_before_any_user_message_have_no_request():
    (episode,) = read({"messages": [called("a")]})
    assert episode.request == ""


def test_the_same_conversation_twice_stays_two_and_keeps_its_ids():
    same = {"messages": [user("hi"), called("a")]}
    ids = [episode.trace_id for episode in read(same, [same, same])]
    assert len(set(ids)) == 3
    assert ids == [episode.trace_id for episode in read(same, [same, same])]


def test_made_ids_do_not_depend_on_values():
    def made(secret: str) -> str | None:
        messages = [user("hi"), called("a", arguments=f'{{"{secret}": 1}}'), result(secret)]
        return read({"messages": messages})[0].trace_id

    assert made("one") == made("two")


def test_a_list_of_messages_is_one_transcript():
    (episode,) = read([user("hi"), called("a")])
    assert episode.request == "hi"


@pytest.mark.parametrize(
    ("content", "ok"),
    [
        ('{"error": {"code": 5}}', False),
        ('{"error": "down"}', False),
        ('{"error": null, "a": 1}', True),
        ('{"error": false}', True),
        ('[{"error": 1}]', True),
        ("Error: prose", True),
        ([{"type": "text", "text": '{"error": "x"}'}], False),
        (None, True),
    ],
)
def test_openai_calls_fail_by_an_error_in_the_result(content, ok):
    (episode,) = read({"messages": [user("hi"), called("a"), result(content)]})
    assert episode.calls[0].ok is ok


def test_results_find_their_call_and_only_theirs():
    messages = [user("hi"), called("a", "1"), called("b", "2"), user("more"), called("c", "3")]
    messages += [result('{"error": 1}', "2"), result('{"error": 1}', "9"), result("x", None)]
    first, second = read({"messages": messages})
    assert [call.ok for call in first.calls + second.calls] == [True, False, True]


@pytest.mark.parametrize("name", [None, 7, "", "x" * 300, "a\u200bb", {"x": 1}])
def test_a_name_that_no_tool_can_have_is_no_call(name):
    assert read({"messages": [user("hi"), called(name), result("{}")]}) == []


@pytest.mark.parametrize(
    "value", [7, None, "text", {}, {"messages": {}}, {"input": "x", "output": "y"}, [7], [[]]]
)
def test_other_documents_are_refused_by_place(value):
    with pytest.raises(TraceError, match=r"^t\.jsonl:1: not a transcript"):
        read(value)
    assert dialect(value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ('{"messages": [["user", "a"], ["assistant", "b"]]}', "a"),
        ('{"messages": [[{"type": "human", "content": "a"}]]}', "a"),
        ([{"lc": 1, "id": ["x", "HumanMessage"], "kwargs": {"content": "a"}}], "a"),
        ([{"lc": 1, "id": ["x", "AIMessage"], "kwargs": {"content": "b"}}], ""),
        ([user("a"), {"role": "tool", "content": "b"}, {"role": "system", "content": "c"}], "a"),
        ([user("a"), user("b")], "b"),
        ([{"role": "user", "parts": [{"type": "text", "content": "a"}, {"type": "blob"}]}], "a"),
        ({"input": {"query": "a"}}, "a"),
        ('{"token": "b"}', ""),
        ("{broken", ""),
        ([7, None, {"role": "user", "content": 7}], ""),
        (7, ""),
    ],
)
def test_only_the_user_is_heard(value, text):
    assert user_text(value) == text


def test_deep_nesting_is_survived():
    value: object = "x"
    for _ in range(900):
        value = [value]
    assert user_text(value) == ""


@given(JSON)
def test_any_json_gives_episodes_or_an_error(value):
    for transcript in (value, {"messages": value}, {"output": value}):
        with suppress(TraceError):
            assert all(episode.calls and episode.trace_id for episode in read(transcript))


@given(st.lists(JSON, max_size=4))
def test_any_messages_are_survived(messages):
    assert all(episode.calls for episode in read({"messages": messages}))
    user_text(messages)
