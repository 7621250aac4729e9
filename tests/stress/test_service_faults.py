"""kill -9 of a worker, then of Neo4j, under load: what was acknowledged is there, once."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.integration.service.test_service import PATIENCE, REQUEST, Place, Served, workers
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j
WORKERS, WRITERS, READERS = 3, 2, 2
STEPS = ["tool_0", "tool_1", "tool_2"]
NOBODY = 0  # the status of a question whose connection broke


@dataclass
class Load:
    """Clients that go on through every fault and note what they were told."""

    url: str
    over: threading.Event = field(default_factory=threading.Event)
    acknowledged: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    menus: Counter[int] = field(default_factory=Counter)
    imports: Counter[int] = field(default_factory=Counter)
    impolite: list[str] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        works = [(self.write, n) for n in range(WRITERS)] + [(self.read, n) for n in range(READERS)]
        threads = [threading.Thread(target=work, args=(n,)) for work, n in works]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.over.set()
            for thread in threads:
                thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in threads)

    def write(self, writer: int) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            self.send(f"w{writer}-{number}")

    def send(self, trace: str) -> None:
        body = json.dumps({"trace_id": trace, "request": f"{REQUEST} {trace}", "steps": STEPS})
        status = self.ask("/v1/traces", content=body)
        self.imports[status] += 1
        (self.acknowledged if status == 200 else self.unknown).append(trace)

    def read(self, reader: int) -> None:
        del reader
        while not self.over.is_set():
            self.menus[self.ask("/v1/menus", json={"request": REQUEST})] += 1

    def ask(self, path: str, **more: Any) -> int:
        try:  # a connection each time, so that every worker has its share
            answer = httpx.post(self.url + path, timeout=PATIENCE, **more)
        except httpx.TransportError:
            time.sleep(0.05)
            return NOBODY
        if answer.status_code != 200:
            if not int(answer.headers.get("retry-after", 0)):
                self.impolite.append(answer.text)
            time.sleep(0.2)
        return answer.status_code

    def more(self, served: Served, number: int = 5) -> None:
        """Wait until that many more imports were acknowledged, and menus answered."""
        imports, menus = len(self.acknowledged) + number, self.menus[200] + number
        served.until(lambda: len(self.acknowledged) >= imports and self.menus[200] >= menus)


def fallen(load: Load) -> Counter[int]:
    return load.menus + load.imports


def complaints(served: Served) -> list[str]:
    return [line[-1_500:] for line in served.log if '"exception"' in line][:3]


@pytest.mark.campaign
@pytest.mark.skipif(not size("service_kills"), reason="a campaign: make stress")
def test_a_worker_and_then_the_database_die_under_load(neo4j_empty: Any, encoder: Any) -> None:
    server = neo4j_empty.server
    if server is None:
        pytest.skip("the database under test is not ours to kill")
    login = {"NEO4J_USERNAME": neo4j_empty.username, "NEO4J_PASSWORD": neo4j_empty.password}
    place = Place(neo4j_empty.settings(), login)
    place.fill(encoder)
    with place.serving("--workers", str(WORKERS), "--seconds", "120") as served:
        served.until(served.ready)
        load = Load(str(served.client.base_url).rstrip("/"))
        with load.running():
            load.more(served)
            kill_a_worker(served, load)
            kill_the_database(served, load, server)
        assert served.process.poll() is None
        repeated = len(load.unknown)
        again, load.unknown = load.unknown, []
        for trace in again:
            load.send(trace)
        assert load.unknown == []
    check(neo4j_empty, load)
    print(
        f"\n{len(load.acknowledged) - repeated} imports acknowledged, {repeated} repeated; "
        f"imports by status: {dict(load.imports)}, menus: {dict(load.menus)}"
    )


def kill_a_worker(served: Served, load: Load) -> None:
    """Only connections of the dead break; the others go on, and soon there are as many again."""
    alive = served.until(lambda: len(found := workers(served.process)) == WORKERS and found)
    os.kill(alive[0], signal.SIGKILL)
    load.more(served)
    served.until(lambda: len(set(workers(served.process)) - {alive[0]}) == WORKERS)
    load.more(served)
    assert set(fallen(load)) <= {200, NOBODY}, complaints(served)
    assert fallen(load)[NOBODY] <= WRITERS + READERS


def kill_the_database(served: Served, load: Load, server: Any) -> None:
    """503 with a time to wait, from processes that live; then all is well by itself."""
    before, alive = load.imports[503], set(workers(served.process))
    server.kill()
    served.until(lambda: load.imports[503] >= before + WRITERS)
    served.until(lambda: served.status("/readyz") == 503)
    assert served.status("/healthz") == 200
    server.start()
    load.more(served)
    served.until(served.ready)
    assert set(workers(served.process)) == alive  # nobody had to be started anew
    assert set(fallen(load)) <= {200, 503, NOBODY}, complaints(served)
    assert load.impolite == []


def check(neo4j_server: Any, load: Load) -> None:
    """Every trace is there once, and the counters are those of the traces."""
    assert len(load.acknowledged) == len(set(load.acknowledged))
    with neo4j_server.driver() as driver:
        rows = driver.execute_query("MATCH (j:Trajectory) RETURN j.id AS id").records
        used = driver.execute_query(
            "MATCH (t:Tool) WHERE t.id ENDS WITH '/tool_1' RETURN t.calls AS calls"
        ).records
    assert {row["id"] for row in rows} == set(load.acknowledged)
    assert [row["calls"] for row in used] == [len(load.acknowledged)]
