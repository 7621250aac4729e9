"""Reads OpenTelemetry spans (OTLP/JSON) as episodes: the calls of a trace in order.

Spans of one trace may stand anywhere in a file, so a trace is complete only at its end. Kept until
then is, of each span, the link to its parent (some 300 bytes), and of the spans that matter the
names, shapes, marks (hashes) of values and the request; never a value.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from spm.registry.errors import TraceError
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
from spm.registry.traces.transcripts import Document, user_text

MAX_HOPS = 1_000  # to an ancestor; more is a cycle or damage
_AGENTS = ("invoke_agent", "invoke_workflow")
_MODELS = ("chat", "text_completion", "generate_content")
_SEPARATORS = ("__", ".", "/", ":")  # mcp__server__tool

Reader = Callable[[str], object]  # the value of an attribute, or None


@dataclass(frozen=True, slots=True)
class Span:
    """What is kept of a span."""

    trace: str
    id: str
    parent: str
    start: int | None = None
    failed: bool = False
    role: Literal["agent", "call", "text", ""] = ""  # "text": says only what was asked
    tool: str = ""
    call_id: str = ""
    takes: dict[str, str] = field(default_factory=dict)
    gives: dict[str, str] = field(default_factory=dict)
    took: Marks = ()
    gave: Marks = ()
    request: str = ""
    about: str = ""  # of an agent, for want of a request
    conversation: str = ""


# Gives a span its role when it knows the attributes: (span, its name, its attributes).
Convention = Callable[[Span, str, Reader], Span | None]


@dataclass(slots=True)
class _Trace:
    parents: dict[str, str] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)
    failed: bool = False


class Spans:
    """The spans of a file, by trace."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._traces: dict[str, _Trace] = {}

    def add(self, span: Span) -> None:
        """Keep what is needed of a span; a span that comes twice counts once."""
        trace = self._traces.setdefault(span.trace, _Trace())
        if span.id in trace.parents:
            return
        trace.parents[span.id] = span.parent
        if span.role:
            # Every model call of a loop repeats the request: one copy of it is enough.
            request = trace.requests.setdefault(span.request, span.request)
            trace.spans[span.id] = replace(span, request=request)
        if span.failed and not span.parent:
            trace.failed = True

    def episodes(self, join_conversations: bool = False) -> Iterator[Episode]:
        """Bring the calls of each agent, or of each trace without agents, into order.

        Args:
            join_conversations: make one episode of all that carries the same conversation id.
        """
        joined: dict[str, list[Episode]] = {}
        for key in list(self._traces):
            for conversation, episode in _episodes(key, self._traces.pop(key), self.source):
                if join_conversations and conversation:
                    joined.setdefault(conversation, []).append(episode)
                else:
                    yield episode
        for conversation, parts in joined.items():
            yield _join(conversation, parts)


def read_otlp(
    documents: Iterable[Document],
    conventions: Sequence[Convention] | None = None,
    *,
    join_conversations: bool = False,
) -> Iterator[Episode]:
    """Read OTLP/JSON, one or many export requests.

    Raises:
        TraceError: a document is not OTLP/JSON; says which.
    """
    spans = Spans("otlp")
    for place, value in documents:
        for span in otlp_spans(value, place, conventions or (gen_ai,)):
            spans.add(span)
    yield from spans.episodes(join_conversations)


def otlp_spans(value: object, place: str, conventions: Sequence[Convention]) -> Iterator[Span]:
    """The spans of one export request; metrics and logs, which may stand beside, have none."""
    for document in value if isinstance(value, list) else [value]:
        for resource in _members(document, "resourceSpans", place):
            for scope in _members(resource, "scopeSpans", place):
                for span in _members(scope, "spans", place):
                    yield _span(span, place, conventions)


def recognised(span: Span, name: object, read: Reader, conventions: Sequence[Convention]) -> Span:
    """The span with the role that the first fitting convention gives it."""
    text = name if isinstance(name, str) else ""
    found = (convention(span, text, read) for convention in conventions)
    return next((known for known in found if known), span)


def gen_ai(span: Span, name: str, read: Reader) -> Span | None:
    """OpenTelemetry's conventions for GenAI and MCP (semantic-conventions-genai)."""
    operation = read("gen_ai.operation.name")
    first, _, rest = name.partition(" ")
    if operation == "execute_tool" or "tools/call" in (read("mcp.method.name"), first):
        return _call(span, rest, read)
    if operation is None and first == "execute_tool":
        return _call(span, rest, read)
    span = replace(span, conversation=clean(read("gen_ai.conversation.id"), 200))
    if operation in _AGENTS or (operation is None and first in _AGENTS):
        about = clean(read("gen_ai.agent.description")) or clean(rest)
        return replace(span, role="agent", request=_request(read), about=about)
    if operation in _MODELS:
        return replace(span, role="text", request=_request(read))
    return None


def _call(span: Span, name: str, read: Reader) -> Span | None:
    tool = tool_name(read("gen_ai.tool.name")) or tool_name(name)
    if not tool:
        return None
    result = parsed(read("gen_ai.tool.call.result"))
    wrong = isinstance(result, dict) and result.get("isError") is True  # MCP's own flag
    failed = span.failed or bool(read("error.type")) or wrong
    arguments = read("gen_ai.tool.call.arguments")
    return replace(
        span,
        role="call",
        tool=tool,
        failed=failed,
        call_id=clean(read("gen_ai.tool.call.id"), 256),
        conversation=clean(read("gen_ai.conversation.id"), 200),
        takes=shape(arguments),
        gives={} if failed else shape(result),
        took=marks(arguments),
        gave=() if failed else marks(result),
    )


def _request(read: Reader) -> str:
    """The user's words: the current attribute, or one of its predecessors."""
    for key in ("gen_ai.input.messages", "gen_ai.prompt"):
        if text := user_text(read(key)):
            return text
    flat = [f"gen_ai.prompt.{i}." for i in range(20)]  # OpenLLMetry
    return user_text([{"role": read(f"{k}role"), "content": read(f"{k}content")} for k in flat])


def _members(value: object, key: str, place: str) -> list[object]:
    if not isinstance(value, dict) or not isinstance(value.get(key, []), list):
        raise TraceError(f"{place}: not OTLP/JSON: '{key}' must be a list inside an object.")
    return list(value.get(key, []))


def _span(value: object, place: str, conventions: Sequence[Convention]) -> Span:
    if not isinstance(value, dict):
        raise TraceError(f"{place}: not OTLP/JSON: a span must be an object.")
    trace, own = clean(value.get("traceId"), 128), clean(value.get("spanId"), 64)
    if not trace or not own:
        raise TraceError(f"{place}: a span has no 'traceId' or no 'spanId'.")
    status = value.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    span = Span(
        trace=trace,
        id=own,
        parent=clean(value.get("parentSpanId"), 64),
        start=nanoseconds(value.get("startTimeUnixNano")),
        failed=code in (2, "2", "STATUS_CODE_ERROR"),
    )
    return recognised(span, value.get("name"), _reader(value), conventions)


def nanoseconds(value: object) -> int | None:
    """A time as OTLP/JSON writes it, a number or its digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    return value if type(value) is int and 0 < value < 2**63 else None


def _reader(span: dict[str, object]) -> Reader:
    """Look attributes up in the span and then in its events, and decode only those asked for."""
    events = span.get("events")
    found: dict[str, object] = {}
    for holder in (span, *(events if isinstance(events, list) else [])):
        listed = holder.get("attributes") if isinstance(holder, dict) else None
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, dict) and isinstance(entry.get("key"), str):
                found.setdefault(entry["key"], entry.get("value"))
    return lambda key: _decoded(found.get(key))


def _decoded(value: object, room: int = 32) -> object:
    """The plain value of OTLP's AnyValue."""
    if not isinstance(value, dict) or not value or not room:
        return None
    (kind, inner), *_ = value.items()
    if kind in ("stringValue", "boolValue"):
        return inner if isinstance(inner, str | bool) else None
    if kind in ("intValue", "doubleValue"):
        return _number(inner, int if kind == "intValue" else float)
    if kind == "bytesValue":
        return ""
    entries = inner.get("values") if isinstance(inner, dict) else None
    entries = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    if kind == "arrayValue":
        return [_decoded(entry, room - 1) for entry in entries]
    if kind == "kvlistValue":
        return {str(e.get("key")): _decoded(e.get("value"), room - 1) for e in entries}
    return None


def _number(value: object, kind: type[int] | type[float]) -> int | float:
    """A number, which OTLP/JSON may write as text; 0 for what is none, so that its type stays."""
    try:
        return kind(value) if isinstance(value, str | int | float) else kind()
    except (ValueError, OverflowError):
        return kind()


def _episodes(key: str, trace: _Trace, source: str) -> Iterator[tuple[str, Episode]]:
    """The episodes of one trace, each with its conversation."""
    calls: dict[str, list[Span]] = {}
    texts: dict[str, list[Span]] = {}
    agents = [span.id for span in trace.spans.values() if span.role == "agent"]
    for span in _distinct(trace):
        calls.setdefault(_agent(trace, span, agents), []).append(span)
    for span in trace.spans.values() if calls else ():
        if span.role == "text" and span.request:
            texts.setdefault(_agent(trace, span, agents), []).append(span)
    for agent, members in calls.items():
        root = [trace.spans[agent]] if agent else []
        known = [*root, *members]
        yield (
            next((s.conversation for s in known if s.conversation), ""),
            Episode(
                trace_id=f"{key}:{agent}" if agent else key,
                request=_asked(trace, root, texts.get(agent, [])),
                calls=[_as_call(span) for span in members],
                success=not (root[0].failed if root else trace.failed),
                source=source,
                time=moment(min((s.start for s in known if s.start), default=None)),
            ),
        )


def _as_call(span: Span) -> Call:
    took, gave = span.took, span.gave
    return Call(span.tool, not span.failed, span.takes, span.gives, span.start, took, gave)


def _distinct(trace: _Trace) -> list[Span]:
    """The calls in order of their start, each once, however many spans tell of it."""
    calls = sorted((s for s in trace.spans.values() if s.role == "call"), key=_order)
    outer = {span.id: _outer(trace, span) for span in calls}
    kept: dict[str, Span] = {}
    ids: dict[tuple[str, str], str] = {}
    for span in calls:
        top, seen = span.id, {span.id}
        while outer[top] and outer[top] not in seen:
            top = outer[top]
            seen.add(top)
        if span.call_id:
            top = ids.setdefault((span.call_id, span.tool), top)
        kept[top] = _merged(kept.get(top, trace.spans[top]), span, trace.spans[top].failed)
    return sorted(kept.values(), key=_order)


def _outer(trace: _Trace, span: Span) -> str:
    """The span around this one that tells of the same call: its client, its framework."""
    for ancestor in map(trace.spans.get, _ancestors(trace, span)):
        if ancestor and ancestor.role == "agent":
            return ""  # an agent inside a tool may well call the tool again
        if ancestor and ancestor.role == "call":
            prefix = ancestor.tool.removesuffix(span.tool)
            same = ancestor.tool == span.tool or (
                prefix != ancestor.tool and prefix.endswith(_SEPARATORS)
            )
            return ancestor.id if same else ""
    return ""


def _merged(kept: Span, span: Span, failed: bool) -> Span:
    """One call of two spans; of several attempts inside of a call that did not fail, the last."""
    failed = failed or span.failed
    return replace(
        kept,
        failed=failed,
        takes=kept.takes or span.takes,
        gives={} if failed else kept.gives or span.gives,
        took=kept.took or span.took,
        gave=() if failed else kept.gave or span.gave,
    )


def _agent(trace: _Trace, span: Span, agents: list[str]) -> str:
    """The nearest agent around a span; outside of any, the only one that the trace has."""
    for ancestor in _ancestors(trace, span):
        if (known := trace.spans.get(ancestor)) and known.role == "agent":
            return ancestor
    return agents[0] if len(agents) == 1 else ""


def _ancestors(trace: _Trace, span: Span) -> Iterator[str]:
    seen = {span.id}
    here = span.parent
    while here and here not in seen and len(seen) < MAX_HOPS:
        yield here
        seen.add(here)
        here = trace.parents.get(here, "")


def _asked(trace: _Trace, root: list[Span], texts: list[Span]) -> str:
    """The request: the agent's own, else of the outermost or first span that tells one."""
    outermost = sorted(texts, key=lambda s: (s.parent in trace.parents, _order(s)))
    told = [span.request for span in (*root, *outermost)] + [span.about for span in root]
    return next(filter(None, told), "")


def _order(span: Span) -> tuple[bool, int, str]:
    return span.start is None, span.start or 0, span.id


def _join(conversation: str, parts: list[Episode]) -> Episode:
    parts.sort(key=lambda part: (part.time is None, part.time or datetime.min))
    return replace(
        parts[0],
        trace_id=conversation,
        request=next((part.request for part in parts if part.request), ""),
        calls=[call for part in parts for call in part.calls],
        success=parts[-1].success,
    )
