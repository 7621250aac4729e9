"""What is told of requests: numbers, spans and lines in the log, and never a word of them."""

import io
import json
import logging
from typing import Any

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry
from spm.service import log_format, spans

WORD = "zebra"


@pytest.fixture
def lines():
    """The log as it is written, from everything that logs."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(log_format.JsonLines())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [
        line
        for line in map(json.loads, written.getvalue().splitlines())
        if line["logger"] != "httpx"
    ]
    root.removeHandler(handler)
    root.setLevel(level)


def test_a_request_is_one_line_without_its_words(serve, shop_copy, lines):
    with Registry.open(str(shop_copy)) as registry:
        secret, made = api_tokens.create(registry.store, "bot", Caller("mail"))
    client = serve(shop_copy)
    headers = {"Authorization": f"Bearer {secret}", "X-Request-Id": "mine-1"}
    question = {"request": f"{WORD} order 4821", "state": {f"{WORD}_id": WORD}}
    answer = client.post("/v1/menus", json=question, headers=headers)
    client.post(f"/v1/menus?{WORD}={WORD}", json=question, headers=headers)
    assert answer.headers["x-request-id"] == "mine-1"
    client.get(f"/v1/tools/{WORD}", headers={**headers, "X-Request-Id": f"{WORD} {WORD}"})
    client.get(f"/{WORD}")
    client.get("/healthz")
    client.settle()
    told = [line for line in lines() if line["logger"] == "spm.requests"]
    assert [(t["route"], t["status"]) for t in told] == [
        ("/v1/menus", 200), ("/v1/menus", 422), ("/v1/tools/{tool:path}", 404), ("other", 404),
    ]  # fmt: skip
    assert told[0]["id"] == "mine-1"
    assert (told[0]["team"], told[0]["token"]) == ("mail", made.short)
    assert told[0]["ms"] > 0
    everything = json.dumps(lines())
    assert WORD not in everything
    assert secret not in everything


def test_a_mistake_of_ours_is_logged_and_told_without_details(serve, lines, monkeypatch):
    def fail(self, ask, ranker=None):
        raise RuntimeError("inner secret")

    monkeypatch.setattr(Registry, "answer", fail)
    client = serve()
    answer = client.post("/v1/menus", json={"request": WORD})
    client.settle()
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text
    failed = [line for line in lines() if line["level"] == "error"]
    assert "inner secret" in failed[0]["exception"]
    assert WORD not in json.dumps(lines())


def test_numbers_tell_of_requests_stages_and_the_registry(serve, shop):
    client = serve()
    client.post("/v1/menus", json={"request": "Refund order 991"})
    client.get("/v1/tools/nothing")
    client.request("BREW", f"/{WORD}")
    text = client.get("/metrics").text
    assert 'spm_requests_total{method="POST",route="/v1/menus",status="200"} 1.0' in text
    assert 'route="/v1/tools/{tool:path}",status="404"} 1.0' in text
    assert 'spm_requests_total{method="other",route="other",status="404"} 1.0' in text
    for stage in ("queue", "encoding", "frontier", "networks and order"):
        assert f'spm_stage_seconds_count{{stage="{stage}"}}' in text
    assert f"spm_tools {float(len(shop.tools()))}" in text
    assert f"spm_revision {float(shop.status()['revision'])}" in text
    assert "spm_store_up 1.0" in text
    assert "spm_questions 0.0" in text
    assert WORD not in text


def test_numbers_say_when_the_store_is_away(serve, tmp_path):
    (tmp_path / "graph.spm").write_bytes(b"not a graph")
    answer = serve(tmp_path).get("/metrics")
    assert answer.status_code == 200
    assert "spm_store_up 0.0" in answer.text


def test_spans_follow_the_clients_trace_and_hold_the_stages(serve, monkeypatch):
    """With a tracer that only remembers, since the SDK is whoever's runs the process."""
    from opentelemetry import trace
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

    kept: list[Any] = []

    class Span(NonRecordingSpan):
        def __init__(self, name, context):
            parent = trace.get_current_span(context).get_span_context()
            super().__init__(SpanContext(parent.trace_id, len(kept) + 1, False, TraceFlags(1)))
            self.name, self.parent, self.attributes = name, parent.span_id, {}
            kept.append(self)

        def is_recording(self):
            return True

        def update_name(self, name):
            self.name = name

        def set_attribute(self, key, value):
            self.attributes[key] = value

    class Tracer(trace.NoOpTracer):
        def start_span(self, name, context=None, *others, **other):
            return Span(name, context)

        def start_as_current_span(self, name, context=None, *others, **other):
            return trace.use_span(self.start_span(name, context))

    monkeypatch.setattr(spans, "_tracer", Tracer())
    number = "4bf92f3577b34da6a3ce929d0e0e4736"
    client = serve()
    client.settle()
    kept.clear()  # what it did to be ready
    client.post(
        "/v1/menus",
        json={"request": f"Refund order 991 {WORD}"},
        headers={"traceparent": f"00-{number}-00f067aa0ba902b7-01"},
    )
    client.settle()
    request, *stages = kept
    assert request.name == "POST /v1/menus"
    assert request.get_span_context().trace_id == int(number, 16)
    assert request.parent == 0x00F067AA0BA902B7
    assert request.attributes["http.response.status_code"] == 200
    assert {"encoding", "frontier", "networks and order"} <= {span.name for span in stages}
    assert {span.parent for span in stages} == {request.get_span_context().span_id}
    assert WORD not in repr([vars(span) for span in kept])
