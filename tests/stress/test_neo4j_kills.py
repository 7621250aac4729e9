"""kill -9 of a real Neo4j under four writers: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import neo4j
import pytest

from spm.registry.errors import StoreError
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store.interface import new_operation
from spm.registry.store.neo4j_store import BoltStore
from spm.registry.traces import importer
from tests.support import graphs
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j

KILLS = size("neo4j_kills")
SECONDS = 330  # no further kill after this; on a busy machine a restart takes a minute
WRITERS = 4
PASSWORD = "spm-kills-password"
SHARED = [f"shop/tool_{i}" for i in range(5)]


@pytest.fixture
def local(launcher: ModuleType, tmp_path: Any) -> Iterator[Any]:
    server = launcher.LocalServer(tmp_path / "home", PASSWORD)
    try:
        server.start()
    except launcher.ServerUnavailable as unavailable:
        if os.environ.get("SPM_REQUIRE_NEO4J") == "1":
            raise
        pytest.skip(str(unavailable))
    yield server
    server.stop()


@dataclass(frozen=True)
class Operation:
    """A write that can be repeated: a manifest of its own, or a trace over shared tools."""

    id: str
    name: str
    path: tuple[str, ...] = ()

    def run(self, registry: Registry) -> None:
        if self.path:
            trace = Trace.model_validate(
                {"trace_id": self.name, "request": "r", "steps": list(self.path)}
            )
            resolved = [(trace, list(self.path))]
            registry.store.write("import", lambda tx: importer._write(tx, resolved, set()), self.id)
        else:
            registry.register(graphs.small_manifest(self.name), self.id)


@dataclass
class Load:
    """Writers that go on through every outage and note what they were told."""

    registry: Registry
    up: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    acknowledged: list[Operation] = field(default_factory=list)
    unknown: list[Operation] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    surprises: list[BaseException] = field(default_factory=list)

    def write(self, writer: int) -> None:
        rng = random.Random(writer)
        number = 0
        while not self.over.is_set():
            if not self.up.wait(0.5):
                continue
            number += 1
            path = tuple(rng.choices(SHARED, k=4)) if number % 2 else ()
            self.attempt(Operation(new_operation(), f"w{writer}-{number}", path))

    def until(self, count: int, seconds: float) -> None:
        """Wait for so many acknowledgements: a server just started is slow at first."""
        deadline = time.monotonic() + seconds
        while len(self.acknowledged) < count and time.monotonic() < deadline:
            time.sleep(0.01)

    def attempt(self, operation: Operation) -> None:
        try:
            operation.run(self.registry)
            self.acknowledged.append(operation)
        except StoreError as error:
            self.told[type(error).__name__] += 1
            self.unknown.append(operation)
            time.sleep(0.2)
        except BaseException as error:
            self.surprises.append(error)
            raise


def ask(server: Any, text: Any, **params: Any) -> list[dict[str, Any]]:
    with neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", PASSWORD)) as driver:
        return [record.data() for record in driver.execute_query(text, params).records]


def half(server: Any) -> list[Any]:
    """Whatever an operation wrote without the rest of it."""
    return [
        *ask(
            server,
            "MATCH (j:Trajectory) WHERE size(j.path) <> COUNT { (j)-[:STEP]->() } RETURN j.id AS j",
        ),
        *ask(
            server,
            "MATCH (t:Tool) WHERE COUNT { (t)-[:PROVIDED_BY]->() } <> 1 "
            "OR COUNT { (t)-[:HAS_VERSION]->() } <> 1 OR COUNT { (t)-[:REQUIRES]->() } <> 1 "
            "OR COUNT { (t)-[:PRODUCES]->() } <> 1 OR COUNT { (t)-[:IN_FAMILY]->() } <> 1 "
            "RETURN t.id AS t",
        ),
        *ask(
            server,
            "MATCH (s:Service) WHERE s.name <> 'shop' AND COUNT { (s)<-[:PROVIDED_BY]-() } <> 2 "
            "RETURN s.name AS s",
        ),
    ]


def missing(server: Any, operations: list[Operation]) -> set[str]:
    there = "MATCH (o:Operation) WHERE o.id IN $ids RETURN o.id AS id"
    ids = [operation.id for operation in operations]
    return set(ids) - {row["id"] for row in ask(server, there, ids=ids)}


@pytest.mark.campaign
def test_nothing_acknowledged_is_lost(local: Any) -> None:
    # The load itself repeats, and wants to be told.
    store = BoltStore(Settings(local.uri, neo4j_password=PASSWORD, retry_seconds=1.0))
    registry = Registry(store)
    registry.register(graphs.small_manifest("shop", len(SHARED)))
    load = Load(registry)
    load.up.set()
    writers = [threading.Thread(target=load.write, args=(n,)) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    rng = random.Random(0)
    begin, kills = time.monotonic(), 0
    try:
        while kills < KILLS and time.monotonic() - begin < SECONDS:
            load.until(len(load.acknowledged) + rng.randint(5, 25), 8)
            time.sleep(rng.uniform(0, 0.1))  # any moment of an operation
            local.kill()
            kills += 1
            load.up.clear()
            before = list(load.acknowledged)
            local.restart()
            assert missing(local, before) == set()
            assert half(local) == []
            load.up.set()
    finally:
        load.over.set()
        load.up.set()
        for writer in writers:
            writer.join(90)
    assert not any(writer.is_alive() for writer in writers)
    assert load.surprises == []
    seconds = time.monotonic() - begin
    landed = len(load.unknown) - len(missing(local, load.unknown))
    again, load.unknown = load.unknown, []
    for operation in again:
        load.attempt(operation)
    assert load.unknown == []
    print(
        f"\n{kills} kills in {seconds:.0f} s: {len(load.acknowledged) - len(again)} acknowledged, "
        f"{len(again)} repeated, of which {landed} had landed; told: {dict(load.told)}"
    )
    check(local, load.acknowledged)
    store.close()


def check(server: Any, done: list[Operation]) -> None:
    """Every operation is there once and whole, and the counters are those of the operations."""
    assert missing(server, done) == set()
    assert half(server) == []
    kinds = ask(server, "MATCH (o:Operation) RETURN o.kind AS kind, count(*) AS n")
    counts = {row["kind"]: row["n"] for row in kinds}
    imports = [operation for operation in done if operation.path]
    assert counts["import"] == len(imports)
    assert counts["register"] == len(done) - len(imports) + 1
    names = {row["id"] for row in ask(server, "MATCH (t:Tool) RETURN t.id AS id")}
    expected = {f"{op.name}/tool_{i}" for op in done if not op.path for i in range(2)}
    assert names == expected | set(SHARED)
    rows = ask(server, "MATCH (j:Trajectory)-[s:STEP]->(t) WITH j, s, t ORDER BY s.idx "
               "RETURN j.id AS id, collect(t.id) AS path")  # fmt: skip
    assert {row["id"]: tuple(row["path"]) for row in rows} == {op.name: op.path for op in imports}
    calls = Counter(tool for operation in imports for tool in operation.path)
    used = Counter(tool for operation in imports for tool in set(operation.path))
    found = ask(server, "MATCH (t:Tool) WHERE t.id IN $ids "
                "RETURN t.id AS id, t.calls AS calls, t.frequency AS used", ids=SHARED)  # fmt: skip
    assert {row["id"]: row["calls"] for row in found} == {t: calls[t] for t in SHARED}
    assert {row["id"]: row["used"] for row in found} == {t: used[t] for t in SHARED}
    pairs = ask(server, "MATCH (:Tool)-[e:PRECEDES]->(:Tool) RETURN sum(e.count) AS n")
    assert pairs == [{"n": 3 * len(imports)}]
    revisions = ask(server, "MATCH (o:Operation) RETURN count(o) AS n, max(o.revision) AS r, "
                    "count(DISTINCT o.revision) AS d")[0]  # fmt: skip
    assert revisions["n"] == revisions["r"] == revisions["d"]
