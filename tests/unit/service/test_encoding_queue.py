"""Who brings texts has vectors made of these alone, whatever others left."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from spm.registry.encoding import pending
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.store.interface import Vector
from spm.service import encoding_queue
from spm.service.encoding_queue import FEW

LEFT = 3_000
MAIL = {"spm": 1, "service": "mail", "tools": [{"name": "send", "description": "Send a mail."}]}


class Gated:
    """An encoder that writes down what it is asked, and may be held up."""

    dimensions = 384

    def __init__(self, real: Any) -> None:
        self.name = real.name
        self.real = real
        self.asked: list[list[str]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def encode_documents(self, texts: list[str], progress: Any = None) -> Vector:
        self.asked.append(list(texts))
        self.begun.set()
        assert self.go_on.wait(60)
        return np.tile(np.eye(1, self.dimensions, dtype=np.float32), (len(texts), 1))

    encode_requests = encode_documents

    def encode_clauses(self, texts: list[str], progress: Any = None) -> list[Vector]:
        found: list[Vector] = self.real.encode_clauses(texts, progress)
        return found


@pytest.fixture
def gated(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gated]:
    found = Gated(encoder)
    for place in ("encoding_queue", "routes.uploads", "routes.sources"):
        monkeypatch.setattr(f"spm.service.{place}.encoder_of", lambda store: found)
    yield found
    found.go_on.set()


@pytest.fixture
def backlog(shop_copy: Any) -> Any:
    """A store with thousands of trajectories that nobody encoded."""
    with Registry.open(str(shop_copy)) as registry:
        registry.import_traces(
            Trace.model_validate({"trace_id": f"left-{n}", "request": f"Left {n}", "steps": [tool]})
            for n, tool in enumerate(["lookup_order"] * LEFT)
        )
    return shop_copy


def lines(*names: str) -> str:
    made = [{"trace_id": n, "request": f"New {n}", "steps": ["lookup_order"]} for n in names]
    return "\n".join(map(json.dumps, made))


def test_few_texts_have_their_vectors_with_the_answer(serve, shop_copy, gated):
    client = serve(shop_copy)
    assert client.post("/v1/traces", content=lines("a", "b")).json()["imported"] == 2
    assert gated.asked == [["New a", "New b"]]
    assert client.post("/v1/traces", content=lines("a", "b")).json()["known"] == 2
    assert client.post("/v1/sources", json={"document": MAIL}).json()["added"] == ["mail/send"]
    assert len(gated.asked) == 2
    assert len(gated.asked[1]) == 1
    client.post("/v1/sources", json={"document": MAIL})
    assert len(gated.asked) == 2


def test_many_texts_follow_their_answer_in_bounded_batches(serve, shop_copy, gated):
    client = serve(shop_copy)
    gated.go_on.clear()
    names = [f"n{n}" for n in range(5 * FEW)]
    assert client.post("/v1/traces", content=lines(*names)).json()["imported"] == len(names)
    assert gated.begun.wait(60)
    assert metric(client, "spm_encoding_queue") == len(names)
    gated.go_on.set()
    until(lambda: metric(client, "spm_encoding_queue") == 0)
    assert sum(map(len, gated.asked)) == metric(client, "spm_encoded_texts_total") == len(names)
    assert metric(client, "spm_encoding_seconds_total") > 0
    assert max(map(len, gated.asked)) <= encoding_queue.BATCH
    with Registry.open(str(shop_copy)) as registry:
        assert registry.encoded()


def test_what_others_left_delays_nobody(serve, backlog, gated):
    gated.go_on.clear()
    client = serve(backlog)
    assert gated.begun.wait(60)  # with what was left; the encoder is busy with that for ever
    assert client.post("/v1/traces", content=lines("a")).json()["imported"] == 1
    assert client.post("/v1/sources", json={"document": MAIL}).json()["added"] == ["mail/send"]
    assert len(gated.asked) == 1
    gated.go_on.set()
    until(lambda: metric(client, "spm_encoding_queue") == 0)
    # What requests brought came first.
    assert [len(texts) for texts in gated.asked[1:3]] == [1, 1]
    assert gated.asked[1] == ["New a"]
    assert sum(map(len, gated.asked)) == LEFT + 2
    with Registry.open(str(backlog)) as registry:
        assert registry.encoded()


def test_without_catching_up_only_what_is_brought_is_encoded(serve, backlog, gated, monkeypatch):
    # As on a server, where the process that renews snapshots does it.
    monkeypatch.setattr("spm.service.encoding_queue._left", lambda registry: [])
    client = serve(backlog)
    assert client.post("/v1/traces", content=lines("a")).json()["imported"] == 1
    assert client.post("/v1/sources", json={"document": MAIL}).json()["added"] == ["mail/send"]
    assert [len(texts) for texts in gated.asked] == [1, 1]
    with Registry.open(str(backlog)) as registry:
        assert len(pending(registry.store, "trajectory")) == LEFT


def test_an_encoder_that_fails_stops_neither_requests_nor_the_next_texts(serve, shop_copy, gated):
    client = serve(shop_copy)
    real = gated.encode_requests

    def fail(texts: list[str], progress: Any = None) -> Vector:
        raise RuntimeError("out of order")

    gated.encode_requests = fail
    assert client.post("/v1/traces", content=lines("a")).json()["imported"] == 1
    gated.encode_requests = real
    assert client.post("/v1/traces", content=lines("b")).json()["imported"] == 1
    assert gated.asked == [["New b"]]


def test_a_store_that_is_busy_gets_the_vectors_later(serve, shop_copy, gated, monkeypatch):
    monkeypatch.setattr(encoding_queue, "AGAIN", 0.01)
    client = serve(shop_copy)
    gated.go_on.clear()
    names = [f"n{n}" for n in range(2 * FEW)]
    client.post("/v1/traces", content=lines(*names))
    assert gated.begun.wait(60)
    with Registry.open(str(shop_copy)) as registry:
        registry.import_traces(
            [Trace.model_validate({"request": "Hold the lock", "steps": ["lookup_order"]})]
        )
        gated.go_on.set()
        until(lambda: len(gated.asked) > 1)  # it was encoded, could not be kept, and comes again
    until(lambda: metric(client, "spm_encoding_queue") == 0)
    with Registry.open(str(shop_copy)) as registry:
        assert [row.text for row in pending(registry.store, "trajectory")] == ["Hold the lock"]


def metric(client: Any, name: str) -> float:
    text = client.get("/metrics").text
    return float(next(x for x in text.splitlines() if x.startswith(name)).split()[1])


def until(condition: Any) -> None:
    deadline = threading.Event()
    for _ in range(6_000):
        if condition():
            return
        deadline.wait(0.01)
    raise AssertionError("it did not happen within a minute")
