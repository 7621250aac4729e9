import json
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.errors import TraceError
from spm.registry.models import Trace
from spm.registry.traces import trace_documents
from spm.registry.traces.formats import DOCUMENT_FORMATS
from spm.registry.traces.trace_documents import (
    detect_traces,
    read_documents,
    read_trace_file,
    trace_format,
)

DATA = Path(__file__).parents[3] / "data" / "formats" / "traces"
FILES = {
    "otlp.jsonl": "otlp",
    "otlp.json": "otlp",
    "phoenix.jsonl": "openinference",
    "chat.jsonl": "openai",
    "responses.json": "openai",
    "anthropic.json": "anthropic",
}
JUNK: list[object] = [None, True, -7, 10**30, 1e308, "x", "{", [], [7], {}, {"x": [{}]}]
TOOL = {"traceId": "t", "spanId": "1", "name": "execute_tool a"}
EXPORT = {"resourceSpans": [{"scopeSpans": [{"spans": [TOOL]}]}]}


def outcome(path: Path, format: str | None = None) -> str:
    """All that a caller could see: the episodes, or the message."""
    try:
        return repr(list(read_trace_file(path, format)))
    except TraceError as error:
        return str(error)


def test_every_fixture_is_tried():
    assert {path.name for path in DATA.iterdir()} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_formats_are_detected(name):
    assert trace_format(DATA / name) == FILES[name]
    assert list(read_trace_file(DATA / name)) == list(read_trace_file(DATA / name, FILES[name]))


@pytest.mark.parametrize("name", FILES)
def test_the_registry_takes_what_is_read(name):
    for episode in read_trace_file(DATA / name):
        trace = Trace.model_validate(
            {
                "trace_id": episode.trace_id,
                "request": episode.request or "none",
                "steps": [
                    {"tool": c.tool, "ok": c.ok, "takes": c.takes, "gives": c.gives}
                    for c in episode.calls
                ],
                "success": episode.success,
                "source": episode.source,
                "time": episode.time,
            }
        )
        assert [step.gives for step in trace.steps] == [call.gives for call in episode.calls]
        assert trace.identity() == episode.trace_id


@pytest.mark.parametrize(
    ("first", "format"),
    [
        ({"resourceLogs": []}, "otlp"),
        ([EXPORT], "otlp"),
        ({"request": "x", "steps": []}, "spm"),
        ({"messages": []}, "openai"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, "anthropic"),
        ([{"role": "user"}], "openai"),
        ([{"messages": []}], "openai"),
        ({"input": "x", "output": []}, "openai"),
        ({"spm": 1, "service": "x", "tools": []}, None),
        ({"openapi": "3.1.0"}, None),
        ({}, None),
        ([], None),
        ("x", None),
        (None, None),
    ],
)
def test_the_first_document_tells(first, format):
    assert detect_traces(first) == format


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(EXPORT),
        json.dumps(EXPORT, indent=2),
        "\ufeff" + json.dumps(EXPORT) + "\r\n",
        "\n\n" + json.dumps(EXPORT) + "\n\n" + json.dumps(EXPORT),
        json.dumps([EXPORT], indent=2),
    ],
)
def test_files_may_be_lines_or_one_document(tmp_path, written):
    path = tmp_path / "x"
    path.write_text(written, encoding="utf-8")
    (episode,) = read_trace_file(path)
    assert [call.tool for call in episode.calls] == ["a"]


@pytest.mark.parametrize("written", ["", "\n \n"])
def test_an_empty_file_has_no_episodes(tmp_path, written):
    path = tmp_path / "x"
    path.write_text(written)
    assert list(read_trace_file(path)) == []
    assert trace_format(path) is None


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (b'{"SECRET": "SECRET', r":1: not valid JSON at column 12: Unterminated string"),
        (b'{\n"SECRET": SECRET\n}', r":2: not valid JSON at column 11: Expecting value"),
        (b'{"resourceSpans": []}\n{"SECRET', r":2: not valid JSON at column 2"),
        (b'{"resourceSpans": []}\n\n7', r":3: not OTLP/JSON: 'resourceSpans' must be"),
        (b'{"messages": []}\n{"SECRET": 1}', r":2: not a transcript\. Expected"),
        (b"\xff\xfeSECRET", r":1: not UTF-8 at byte 0\. Save"),
        (b"[" * 200_000, r":1: nested too deeply, or"),
        (b"[" + b"9" * 5_000 + b"]", r":1: nested too deeply, or a number with too many digits"),
        (b'{"SECRET": 1}', r": not traces in a known format\. Known: otlp, openinference, openai"),
        (b'{"request": "SECRET", "steps": []}', r": traces in spm's own format"),
    ],
)
def test_errors_have_a_place_and_no_value(tmp_path, written, message):
    path = tmp_path / "x.jsonl"
    path.write_bytes(written)
    with pytest.raises(TraceError, match=r"x\.jsonl" + message) as caught:
        list(read_trace_file(path))
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None  # a decoder's error holds the text it could not decode


def test_large_documents_are_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(trace_documents, "MAX_DOCUMENT", 1_000)
    path = tmp_path / "x"
    for written in ('{"a": "' + "x" * 2_000, "{\n" + " \n" * 2_000):
        path.write_text(written)
        with pytest.raises(TraceError, match=r"x:1: .* longer than 1,000 bytes\. Write JSON lines"):
            list(read_trace_file(path))
    path.write_text(json.dumps(EXPORT) + "\n" + " " * 2_000)
    with pytest.raises(TraceError, match=r"x:2: "):
        list(read_trace_file(path))


def test_files_that_cannot_be_opened_are_named(tmp_path):
    with pytest.raises(TraceError, match=r"^Cannot read '.*gone': No such file"):
        list(read_trace_file(tmp_path / "gone"))
    with pytest.raises(TraceError, match=r"^Cannot read .*: Is a directory\."):
        list(read_trace_file(tmp_path))


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(TraceError, match=r"No trace format 'xml'\. Known: otlp, "):
        list(read_trace_file(tmp_path, "xml"))


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_gives_episodes_or_an_error_without_values(tmp_path, name):
    raw = (DATA / name).read_bytes()
    path = tmp_path / name
    for end in range(0, len(raw), 97):
        path.write_bytes(raw[:end])
        assert "SECRET" not in outcome(path)


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every container and key of a JSON value."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@pytest.mark.parametrize("name", FILES)
def test_wrong_types_anywhere_give_episodes_or_an_error_without_values(tmp_path, name):
    documents = [value for _, value in read_documents(DATA / name)]
    path = tmp_path / name
    dice = random.Random(name)
    for container, key in list(places(documents)):
        kept, container[key] = container[key], dice.choice(JUNK)
        path.write_text("\n".join(map(json.dumps, documents)))
        assert "SECRET" not in outcome(path, FILES[name])
        container[key] = kept


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary() | st.text().map(str.encode), format=st.sampled_from(DOCUMENT_FORMATS))
def test_any_bytes_give_episodes_or_an_error(tmp_path, raw, format):
    path = tmp_path / "x"
    path.write_bytes(raw)
    assert outcome(path)
    assert outcome(path, format)


def test_memory_grows_with_a_batch_and_not_with_the_file(tmp_path):
    def line(i: int) -> str:
        other = [
            {
                "traceId": f"{i:032x}",
                "spanId": f"{i:08x}{j:08x}",
                "parentSpanId": f"{i:08x}{0:08x}",
                "name": "chat gpt",
                "attributes": [{"key": "gen_ai.output.messages", "value": {"stringValue": text}}],
            }
            for j in range(20)
        ]
        call = {"traceId": f"{i:032x}", "spanId": "f", "name": "execute_tool a"}
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*other, call]}]}]})

    text = "SECRET " * 700
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for i in range(400):
            file.write(line(i) + "\n")
    assert path.stat().st_size > 40_000_000
    tracemalloc.start()
    try:
        assert sum(len(episode.calls) for episode in read_trace_file(path)) == 400
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000
