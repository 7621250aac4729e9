"""Bounds: sizes, times, and how many may ask at once."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from spm.registry.registry import Registry
from spm.service.limits import WorkQueue
from spm.service.problems import Problem


def test_bodies_that_are_too_large_are_refused_announced_or_not(serve):
    client = serve(body_bytes=1_000)
    body = b'{"request": "' + b"x" * 2_000 + b'"}'
    for sent in (body, iter([body[:500], body[500:]])):
        answer = client.post(
            "/v1/menus", content=sent, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 413
        assert answer.json()["detail"] == "The body has more than 1,000 bytes."
    assert client.post("/v1/menus", json={"request": "x"}).status_code == 200


def test_a_body_that_never_ends_is_not_waited_for(serve):
    import socket

    client = serve(seconds=0.1)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as line:
        line.sendall(b"POST /v1/menus HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        assert line.makefile("rb").readline().split()[1] == b"408"


def test_what_takes_too_long_is_answered_in_time(serve, monkeypatch):
    asked, told = Registry.answer, threading.Event()

    def slow(self, ask, ranker=None):
        assert told.wait(60)
        return asked(self, ask, ranker)

    monkeypatch.setattr(Registry, "answer", slow)
    client = serve(seconds=0.3)
    answer = client.post("/v1/menus", json={"request": "x"})
    told.set()  # only now is there anything to answer
    assert answer.status_code == 504
    assert answer.json()["type"] == "urn:spm:problem:too-slow"


def test_more_than_there_is_room_for_are_sent_away_at_once(serve, monkeypatch):
    gate = threading.Event()

    def wait(self, ask, ranker=None):
        gate.wait(60)
        raise SystemError("never answered")

    monkeypatch.setattr(Registry, "answer", wait)
    client = serve(queue=2, seconds=30.0)
    question = {"request": "x"}
    with ThreadPoolExecutor(3) as threads:
        waiting = [
            threads.submit(client.post, "/v1/menus", json=question) for _ in range(3)
        ]  # one is worked on, two wait
        deadline = time.monotonic() + 60
        while client.service.pool.inside < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        refused = client.post("/v1/menus", json=question)
        assert client.service.pool.inside == 3  # those before it still wait
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        gate.set()
        assert {done.result().status_code for done in waiting} == {500}
    assert client.get("/readyz").status_code == 200  # the room is free again


def test_a_pool_never_runs_more_than_it_has_threads_for_and_gives_its_room_back():
    pool = WorkQueue(2, 3)
    running, most = 0, 0
    lock = threading.Lock()

    def work():
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return 1

    async def many():
        return await asyncio.gather(*(pool.run(work, 5) for _ in range(20)), return_exceptions=True)

    answers = asyncio.run(many())
    assert answers.count(1) == 5
    assert sum(isinstance(a, Problem) and a.kind.status == 429 for a in answers) == 15
    assert most == 2
    assert asyncio.run(many()).count(1) == 5
    pool.close()


def test_who_waited_too_long_is_never_begun():
    pool = WorkQueue(1, 5)
    begun = []

    async def both():
        slow = asyncio.create_task(pool.run(lambda: time.sleep(0.3), 5))
        await asyncio.sleep(0.05)
        with pytest.raises(Problem) as raised:
            await pool.run(lambda: begun.append(1), 0.05)
        assert raised.value.kind.status == 504
        await slow

    asyncio.run(both())
    pool.close()
    assert not begun
    assert pool.inside == 0
