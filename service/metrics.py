"""Prometheus metrics: requests, time by stage, queue length, and the registry's size.

Several workers keep their numbers in files that all of them can add up, as prometheus_client does
it when PROMETHEUS_MULTIPROC_DIR is set.
"""

import os

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

FILES = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The numbers of one worker."""

    def __init__(self) -> None:
        own = self._own = CollectorRegistry()
        self._requests = Counter(
            "spm_requests_total", "Requests.", ("route", "method", "status"), registry=own
        )
        self._seconds = Histogram(
            "spm_request_seconds", "Seconds of a request.", ("route",), buckets=SECONDS,
            registry=own,
        )  # fmt: skip
        self._stages = Histogram(
            "spm_stage_seconds", "Seconds of a stage of an answer; queue: until work on it began.",
            ("stage",), buckets=SECONDS, registry=own,
        )  # fmt: skip
        self._inside = _gauge(
            "spm_questions", "Questions that wait or are worked on.", own, "livesum"
        )
        self._waiting = _gauge(
            "spm_encoding_queue", "Texts that wait for their vectors.", own, "livesum"
        )
        self._encoded = Counter("spm_encoded_texts_total", "Texts that were encoded.", registry=own)
        self._encoding = Counter(
            "spm_encoding_seconds_total", "Seconds that encoding them took.", registry=own
        )
        self._up = _gauge("spm_store_up", "Whether the store answered.", own, "mostrecent")
        self._revision = _gauge("spm_revision", "Of the registry.", own, "mostrecent")
        self._tools = _gauge("spm_tools", "Registered tools.", own, "mostrecent")
        if FILES not in os.environ:
            ProcessCollector(registry=own)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def stage(self, name: str, seconds: float) -> None:
        """Count the time of a stage."""
        self._stages.labels(name).observe(seconds)

    def inside(self, questions: int) -> None:
        """Say how many questions are in the house."""
        self._inside.set(questions)

    def encoding(self, waiting: int, texts: int = 0, seconds: float = 0.0) -> None:
        """Say how many texts wait for vectors; count those that got theirs, and the time of it."""
        self._waiting.set(waiting)
        self._encoded.inc(texts)
        self._encoding.inc(seconds)

    def registry(self, revision: int, tools: int) -> None:
        """Say how the registry is."""
        self._up.set(1)
        self._revision.set(revision)
        self._tools.set(tools)

    def away(self) -> None:
        """Say that the store does not answer."""
        self._up.set(0)

    def text(self) -> bytes:
        """All numbers, of all workers where there are several."""
        chosen = self._own
        if FILES in os.environ:
            chosen = CollectorRegistry()
            MultiProcessCollector(chosen)  # type: ignore[no-untyped-call, unused-ignore]
        return generate_latest(chosen)


def _gauge(name: str, doc: str, registry: CollectorRegistry, mode: str) -> Gauge:
    return Gauge(name, doc, registry=registry, multiprocess_mode=mode)  # type: ignore[arg-type]
