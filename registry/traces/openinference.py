"""Read OpenInference spans (Phoenix, LlamaIndex, LangChain) as episodes.

They come in OTLP files, or as JSON lines with flat or nested attributes, as Phoenix exports them.
Frameworks call many of their inner steps an agent, so that here a whole trace is one episode.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from spm.registry.errors import TraceError
from spm.registry.traces.data_flow import marks
from spm.registry.traces.otlp import (
    Convention,
    Reader,
    Span,
    Spans,
    gen_ai,
    nanoseconds,
    otlp_spans,
    recognised,
)
from spm.registry.traces.redaction import Episode, clean, parsed, shape, tool_name
from spm.registry.traces.transcripts import Document, user_text

_ASKING = ("AGENT", "CHAIN", "LLM")


def read_openinference(
    documents: Iterable[Document], *, join_conversations: bool = False
) -> Iterator[Episode]:
    """Read spans, one or a list of them per document, or OTLP/JSON.

    Raises:
        TraceError: a document is no span; says which.
    """
    spans = Spans("openinference")
    conventions = (gen_ai, open_inference)
    for place, value in documents:
        for record in value if isinstance(value, list) else [value]:
            if isinstance(record, dict) and "resourceSpans" in record:
                for span in otlp_spans(record, place, conventions):
                    spans.add(span)
            else:
                spans.add(_span(record, place, conventions))
    yield from spans.episodes(join_conversations)


def open_inference(span: Span, name: str, read: Reader) -> Span | None:
    """OpenInference's conventions."""
    kind = read("openinference.span.kind")
    conversation = clean(read("session.id"), 200)
    if kind in _ASKING:
        request = user_text(read("input.value"))
        return replace(span, role="text", request=request, conversation=conversation)
    tool = tool_name(read("tool.name")) or tool_name(name)
    if kind != "TOOL" or not tool:
        return None
    result = parsed(read("output.value"))
    # LangChain's tool messages carry a status of their own.
    failed = span.failed or (isinstance(result, dict) and result.get("status") == "error")
    arguments = _arguments(read)
    return replace(
        span,
        role="call",
        tool=tool,
        failed=failed,
        call_id=clean(read("tool_call.id"), 256),
        conversation=conversation,
        takes=shape(arguments),
        gives={} if failed else shape(result),
        took=marks(arguments),
        gave=() if failed else marks(result),
    )


def is_span(value: object) -> bool:
    """Whether a JSON value is a span as Phoenix exports it."""
    read = _reader(value)
    return bool(read("context.trace_id") and read("context.span_id"))


def _arguments(read: Reader) -> object:
    """The arguments: as given, or as `tool.parameters` has them, which may be a schema."""
    given = parsed(read("input.value"))
    if isinstance(given, dict) and isinstance(given.get("kwargs"), dict):
        given = given["kwargs"]  # LlamaIndex
    if shape(given):
        return given
    parameters = parsed(read("tool.parameters"))
    if not isinstance(parameters, dict) or not isinstance(parameters.get("properties"), dict):
        return parameters
    blank = {"string": "", "integer": 0, "number": 0.0, "boolean": True, "array": [], "object": {}}
    kinds = {
        name: schema.get("type") if isinstance(schema, dict) else None
        for name, schema in parameters["properties"].items()
    }
    return {n: blank.get(k) if isinstance(k, str) else None for n, k in kinds.items()}


def _span(record: object, place: str, conventions: Sequence[Convention]) -> Span:
    read = _reader(record)
    trace, own = clean(read("context.trace_id"), 128), clean(read("context.span_id"), 64)
    if not trace or not own:
        raise TraceError(
            f"{place}: not an OpenInference span: 'context' needs 'trace_id' and 'span_id'."
        )
    span = Span(
        trace=trace,
        id=own,
        parent=clean(read("parent_id"), 64),
        start=_start(read("start_time")),
        failed=read("status_code") in ("ERROR", "STATUS_CODE_ERROR"),
    )

    def attribute(key: str) -> object:
        found = read(f"attributes.{key}")
        return read("span_kind") if found is None and key == "openinference.span.kind" else found

    return recognised(span, read("name"), attribute, conventions)


def _start(value: object) -> int | None:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        zoned = time.replace(tzinfo=time.tzinfo or UTC) if time else None
        return nanoseconds(round(zoned.timestamp() * 1e6) * 1_000) if zoned else nanoseconds(value)
    except (ValueError, OverflowError):
        return nanoseconds(value)


def _reader(record: object) -> Reader:
    """Look up a dotted name, whether its parts are nested or joined, at any level."""
    return lambda key: _found(record, key.split("."))


def _found(value: object, parts: Sequence[str]) -> object:
    if not parts:
        return value
    if not isinstance(value, dict):
        return None
    for i in range(len(parts), 0, -1):
        inner = value.get(".".join(parts[:i]))
        if inner is not None and (found := _found(inner, parts[i:])) is not None:
            return found
    return None
