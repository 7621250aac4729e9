"""Read transcripts of OpenAI (Chat, Responses) and Anthropic conversations as episodes.

Each user message with text starts an episode. Of the other messages only the names of the called
tools, the shapes of arguments and results, and whether a call failed are kept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spm.registry.errors import TraceError
from spm.registry.models import digest
from spm.registry.traces.data_flow import marks
from spm.registry.traces.redaction import (
    Call,
    Episode,
    Marks,
    clean,
    moment,
    parsed,
    shape,
    tool_name,
)

Document = tuple[str, object]  # the place for messages, "file:line", and the parsed JSON

_TEXT = ("text", "input_text")
_USER = ("user", "human")
_ITEM_CALLS = ("function_call", "custom_tool_call", "mcp_call")
_ITEM_RESULTS = ("function_call_output", "custom_tool_call_output")
_BLOCK_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
# Where chains and agents of frameworks carry what the user said.
_ASKED = ("input", "query", "question", "prompt", "request", "task", "user_input", "user_msg")


@dataclass(slots=True)
class _Open:
    """A call whose result may still come."""

    tool: str
    takes: dict[str, str]
    took: Marks
    gives: dict[str, str] = field(default_factory=dict)
    gave: Marks = ()
    ok: bool = True


@dataclass(slots=True)
class _Turn:
    """What follows one user message."""

    number: int
    request: str = ""
    calls: list[_Open] = field(default_factory=list)


@dataclass(slots=True)
class _Conversation:
    """The turns so far, and the calls by id that results refer to."""

    turns: list[_Turn] = field(default_factory=lambda: [_Turn(0)])
    waiting: dict[str, _Open] = field(default_factory=dict)

    def ask(self, text: str) -> None:
        if text:
            self.turns.append(_Turn(len(self.turns), text))

    def call(self, key: object, name: object, arguments: object) -> None:
        # A name that no tool can have comes from a model that made it up: no tool was called.
        if tool := tool_name(name):
            opened = _Open(tool, shape(arguments), marks(arguments))
            self.turns[-1].calls.append(opened)
            self.waiting[key if isinstance(key, str) else tool] = opened

    def answer(self, key: object, result: object, failed: bool) -> None:
        if isinstance(key, str) and (opened := self.waiting.pop(key, None)):
            opened.ok = not failed
            if opened.ok:
                opened.gives, opened.gave = shape(result), marks(result)


def read_transcripts(documents: Iterable[Document]) -> Iterator[Episode]:
    """Read transcripts, one or a list of them per document.

    Raises:
        TraceError: a document is no transcript; says which.
    """
    position = 0
    for place, value in documents:
        for transcript in _transcripts(value):
            messages = _messages(transcript)
            if messages is None or not isinstance(transcript, dict):
                raise TraceError(
                    f"{place}: not a transcript. Expected an object with 'messages', or with "
                    "'input' and 'output'."
                )
            position += 1
            yield from _episodes(transcript, messages, position)


def dialect(value: object) -> str | None:
    """Tell "openai" from "anthropic"; None for what is no transcript."""
    transcripts = _transcripts(value)
    messages = _messages(transcripts[0]) if transcripts else None
    if messages is None:
        return None
    for message in messages:
        for block in _blocks(message):
            if block.get("type") in (*_BLOCK_CALLS, "tool_result"):
                return "anthropic"
    return "openai"


def user_text(value: object, room: int = 6) -> str:
    """What the user asked last, in messages of any common format or in JSON text of them.

    JSON that is not understood gives "": it would hold values.
    """
    value = parsed(value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list) and room:
        texts = (_message_text(message, room) for message in reversed(value))
        return next((text for text in texts if text), "")
    if isinstance(value, dict) and room:
        if "messages" in value:
            return user_text(value["messages"], room - 1)
        return next((user_text(value[key], room - 1) for key in _ASKED if value.get(key)), "")
    return ""


def _message_text(message: object, room: int = 6) -> str:
    if isinstance(message, list):  # LangGraph's ["user", "…"], or a batch of messages
        pair = len(message) == 2 and message[0] in _USER and isinstance(message[1], str)
        return clean(message[1]) if pair else user_text(message, room - 1)
    if not isinstance(message, dict) or not _by_user(message):
        return ""
    inner = message["kwargs"] if isinstance(message.get("kwargs"), dict) else message
    content = inner.get("content", inner.get("parts"))
    if isinstance(content, str):
        return clean(content)
    parts = content if isinstance(content, list) else []
    return clean("\n".join(filter(None, map(_text, parts))))


def _by_user(message: dict[str, object]) -> bool:
    identity = message.get("id")  # of LangChain's serialised classes
    if message.get("lc") and isinstance(identity, list):
        return identity[-1:] == ["HumanMessage"]
    return (message.get("role") or message.get("type")) in _USER


def _text(part: object) -> str:
    # OpenTelemetry's parts carry "content", everybody else's carry "text".
    if not isinstance(part, dict) or part.get("type") not in _TEXT:
        return ""
    found = part.get("text", part.get("content"))
    return found if isinstance(found, str) else ""


def _transcripts(value: object) -> list[object]:
    """A list of messages is one transcript; another list holds several."""
    if not isinstance(value, list):
        return [value]
    messages = value and all(isinstance(m, dict) and {"role", "type"} & set(m) for m in value)
    return [{"messages": value}] if messages else value


def _messages(transcript: object) -> list[object] | None:
    if not isinstance(transcript, dict):
        return None
    if isinstance(transcript.get("messages"), list):
        return list(transcript["messages"])
    asked, output = transcript.get("input"), transcript.get("output")
    if not isinstance(asked, list) and not isinstance(output, list):
        return None
    before = asked if isinstance(asked, list) else [{"role": "user", "content": asked}]
    return [*before, *(output if isinstance(output, list) else [])]


def _episodes(
    transcript: dict[str, object], messages: list[object], position: int
) -> Iterator[Episode]:
    conversation = _Conversation()
    for message in messages:
        if isinstance(message, dict):
            _hear(conversation, message)
    given, success = clean(transcript.get("id"), 200), transcript.get("success")
    created = transcript.get("created", transcript.get("created_at"))
    for turn in conversation.turns:
        if turn.calls:
            names = [call.tool for call in turn.calls]
            # Without an id: names and request only, and the position, so that the same question
            # asked twice counts twice.
            made = digest([turn.request, names, position, turn.number])
            yield Episode(
                trace_id=f"{given}:{turn.number}" if given else "sha256:" + made[:32],
                request=turn.request,
                calls=[
                    Call(c.tool, c.ok, c.takes, c.gives, took=c.took, gave=c.gave)
                    for c in turn.calls
                ],
                success=success if isinstance(success, bool) else True,
                source=dialect(transcript) or "",
                time=moment(created * 10**9) if type(created) is int else None,
            )


def _hear(conversation: _Conversation, message: dict[str, object]) -> None:
    role, kind = message.get("role"), message.get("type")
    if kind in _ITEM_CALLS:
        key = message.get("call_id", message.get("id"))
        conversation.call(key, message.get("name"), message.get("arguments", message.get("input")))
        if kind == "mcp_call":  # carries its own result
            conversation.answer(key, message.get("output"), message.get("error") is not None)
    elif kind in _ITEM_RESULTS:
        _answer_openai(conversation, message.get("call_id"), message.get("output"))
    elif role in ("tool", "function"):
        key = message.get("tool_call_id", message.get("name"))
        _answer_openai(conversation, key, message.get("content"))
    elif role == "assistant":
        _calls(conversation, message)
    for block in _blocks(message):
        _hear_block(conversation, block)
    if role in _USER:
        conversation.ask(_message_text(message))


def _calls(conversation: _Conversation, message: dict[str, object]) -> None:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            called = call.get("function", call.get("custom"))
            if isinstance(called, dict):
                arguments = called.get("arguments", called.get("input"))
                conversation.call(call.get("id"), called.get("name"), arguments)
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        conversation.call(None, legacy.get("name"), legacy.get("arguments"))


def _blocks(message: object) -> list[dict[str, object]]:
    content = message.get("content") if isinstance(message, dict) else None
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _hear_block(conversation: _Conversation, block: dict[str, object]) -> None:
    if block.get("type") in _BLOCK_CALLS:
        conversation.call(block.get("id"), block.get("name"), block.get("input"))
    elif "tool_use_id" in block:  # tool_result, mcp_tool_result, web_search_tool_result …
        conversation.answer(
            block["tool_use_id"], block.get("content"), block.get("is_error") is True
        )


def _answer_openai(conversation: _Conversation, key: object, result: object) -> None:
    # OpenAI has no flag for a failed call; by custom its result is JSON with an error.
    if isinstance(result, list):
        result = "".join(map(_text, result))
    result = parsed(result)
    conversation.answer(key, result, isinstance(result, dict) and bool(result.get("error")))
