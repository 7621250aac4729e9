"""Read a file of traces in any of the known formats, one document in memory at a time.

A file is JSON lines, or one JSON document. The project's own traces are recognised here and read
by `documents.read_traces`. Messages name places and keys of the format, never what a file holds.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from spm.registry.errors import TraceError
from spm.registry.traces.formats import DOCUMENT_FORMATS
from spm.registry.traces.openinference import is_span, open_inference, read_openinference
from spm.registry.traces.otlp import gen_ai, read_otlp
from spm.registry.traces.redaction import Episode
from spm.registry.traces.transcripts import Document, dialect, read_transcripts

MAX_DOCUMENT = 64_000_000
_SIGNALS = ("resourceSpans", "resourceMetrics", "resourceLogs")


def detect_traces(first: object) -> str | None:
    """Name the format of a file by its first document: one of DOCUMENT_FORMATS, "spm", or None."""
    one = first[0] if isinstance(first, list) and first else first
    if isinstance(one, dict):
        if any(signal in one for signal in _SIGNALS):
            return "otlp"
        if "request" in one and "steps" in one:
            return "spm"
        if is_span(one):
            return "openinference"
    return dialect(first)


def trace_format(path: Path) -> str | None:
    """Name the format of a file; None when it is empty or not known.

    Raises:
        TraceError: the file cannot be read, or its beginning is not JSON.
    """
    return next((detect_traces(value) for _, value in read_documents(path)), None)


def read_trace_file(
    path: Path, format: str | None = None, *, join_conversations: bool = False
) -> Iterator[Episode]:
    """Read the episodes of a file.

    Args:
        path: JSON lines or one JSON document.
        format: one of DOCUMENT_FORMATS; left out, the first document tells.
        join_conversations: of spans, make one episode of all traces of a conversation.

    Raises:
        TraceError: the file cannot be read, or a document is not of the format; says where.
    """
    if format not in (None, *DOCUMENT_FORMATS):
        raise TraceError(f"No trace format {format!r}. Known: {', '.join(DOCUMENT_FORMATS)}.")
    documents = read_documents(path)
    head = list(islice(documents, 1))  # opened once: a pipe cannot be read again
    found = format or next((detect_traces(value) for _, value in head), "otlp")
    documents = _put_back(head, documents)
    if found == "otlp":
        # Both conventions may stand in one file, even in one trace.
        conventions = (gen_ai, open_inference)
        yield from read_otlp(documents, conventions, join_conversations=join_conversations)
    elif found == "openinference":
        yield from read_openinference(documents, join_conversations=join_conversations)
    elif found in ("openai", "anthropic"):
        yield from read_transcripts(documents)
    elif found == "spm":
        raise TraceError(f"{path}: traces in spm's own format; read_traces reads them.")
    else:
        raise TraceError(
            f"{path}: not traces in a known format. Known: {', '.join(DOCUMENT_FORMATS)}."
        )


def read_documents(path: Path) -> Iterator[Document]:
    """Parse a file into its JSON documents, each with its place for messages.

    Raises:
        TraceError: the file cannot be read or parsed; says where.
    """
    try:
        with path.open("rb") as file:
            first = True
            for number, line in enumerate(iter(lambda: file.readline(MAX_DOCUMENT + 1), b""), 1):
                if len(line) > MAX_DOCUMENT:
                    raise TraceError(_too_large(f"{path}:{number}"))
                if line.strip():
                    yield _document(path, number, line, file if first else None)
                    first = False
    except OSError as error:
        raise TraceError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error


def _put_back(head: list[Document], rest: Iterator[Document]) -> Iterator[Document]:
    while head:
        yield head.pop()  # popped, so that it does not stay in memory until the end
    yield from rest


def _document(path: Path, number: int, line: bytes, rest: BinaryIO | None) -> Document:
    """Parse a line; the first may also be the beginning of a document over many lines."""
    place = f"{path}:{number}"
    try:
        return place, _loaded(line, place)
    except json.JSONDecodeError as error:
        problem = error
    if rest is not None and (more := rest.read(MAX_DOCUMENT + 1 - len(line))):
        if len(line) + len(more) > MAX_DOCUMENT:
            raise TraceError(_too_large(place))
        try:
            return place, _loaded(line + more, place)
        except json.JSONDecodeError as error:
            problem = error
    # Without the cause: it holds the whole text.
    raise TraceError(
        f"{path}:{number + problem.lineno - 1}: not valid JSON at column {problem.colno}: "
        f"{problem.msg}. Is the file complete?"
    ) from None


def _loaded(raw: bytes, place: str) -> object:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError:
        raise
    except UnicodeDecodeError as error:
        at = error.start
    except (ValueError, RecursionError):
        raise TraceError(f"{place}: nested too deeply, or a number with too many digits.") from None
    raise TraceError(f"{place}: not UTF-8 at byte {at}. Save the file as UTF-8.")


def _too_large(place: str) -> str:
    return (
        f"{place}: a JSON document is longer than {MAX_DOCUMENT:,} bytes. Write JSON lines, "
        "one batch of spans or one transcript a line."
    )
