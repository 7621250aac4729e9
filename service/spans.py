"""OpenTelemetry spans; without an exporter they cost next to nothing.

Only the API of OpenTelemetry is used: what becomes of the spans is decided by the SDK that runs the
process, for example `opentelemetry-instrument spm serve`.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

_tracer = trace.get_tracer("spm")


@contextmanager
def request_span(method: str, headers: Mapping[str, str]) -> Iterator[Span]:
    """The span of a request; a child of the one that its W3C `traceparent` names."""
    context = propagate.extract(dict(headers))
    with _tracer.start_as_current_span(method, context, SpanKind.SERVER) as span:
        span.set_attribute("http.request.method", method)
        yield span


def finish(span: Span, method: str, route: str, status: int) -> None:
    """Write on a request's span what is known at its end; never a word of what was asked."""
    if not span.is_recording():
        return
    span.update_name(f"{method} {route}")
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))


def stage_span(name: str, milliseconds: float) -> None:
    """A span for a stage that has just ended, inside the current one."""
    if trace.get_current_span().is_recording():
        end = time.time_ns()
        begin = end - int(milliseconds * 1e6)
        _tracer.start_span(name, start_time=begin).end(end)
