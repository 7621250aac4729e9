"""`spm serve` as a process of its own, on both engines: tokens, stops, kills, outages."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from spm.gnn.snapshot.lifecycle import snapshots_of
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from tests.support import graphs

REQUEST = "Turn field_0 f-17 into field_3"
PATIENCE = 240.0  # seconds; the machines of tests are busy


@dataclass(frozen=True)
class Place:
    """A store with some tools, and how commands find it."""

    settings: Settings
    environment: dict[str, str] = field(default_factory=dict)

    def spm(self, *arguments: str) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "spm.cli", *arguments],
            env=self._all(), capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout

    def fill(self, encoder: Any) -> None:
        with Registry.open(self.settings) as registry:
            registry.register(graphs.small_manifest("shop", 4, "Turns one thing into another"))
            registry.encode(encoder)

    def _all(self) -> dict[str, str]:
        own = {"OPENBLAS_NUM_THREADS": "1", "SPM_STORE": self.settings.store}
        return {**os.environ, **own, **self.environment}

    @contextmanager
    def serving(self, *options: str) -> Iterator[Served]:
        """A running service, which is stopped at the end."""
        process = subprocess.Popen(
            [sys.executable, "-m", "spm.cli", "serve", "--port", "0", "--json", *options],
            env=self._all(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        log: list[str] = []
        assert process.stderr is not None
        reader = threading.Thread(target=lambda: log.extend(process.stderr), daemon=True)  # type: ignore[arg-type]
        reader.start()
        try:
            told = "".join(iter(process.stdout.readline, "}\n")) + "}"  # type: ignore[union-attr]
            with httpx.Client(base_url=json.loads(told)["url"], timeout=PATIENCE) as client:
                yield Served(process, client, log)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
            reader.join(60)
            process.stdout.close()  # type: ignore[union-attr]
            process.stderr.close()


@dataclass(frozen=True)
class Served:
    """A service: its process, a client of it, and the lines of its log."""

    process: subprocess.Popen[str]
    client: httpx.Client
    log: list[str]

    def until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert time.monotonic() < deadline, self.log[-5:]
            time.sleep(0.05)
        return found

    def ready(self) -> bool:
        return self.status("/readyz") == 200

    def status(self, path: str) -> int:
        try:
            return self.client.get(path).status_code
        except httpx.TransportError:
            return 0


@pytest.fixture(params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def place(request: pytest.FixtureRequest, tmp_path: Path, encoder: Any) -> Place:
    if request.param == "embedded":
        made = Place(Settings(str(tmp_path / "store")))
    else:
        server = request.getfixturevalue("neo4j_empty")
        made = Place(
            server.settings(),
            {"NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password},
        )
    made.fill(encoder)
    return made


@pytest.fixture
def folder(tmp_path: Path, encoder: Any) -> Place:
    """An embedded store."""
    made = Place(Settings(str(tmp_path / "store")))
    made.fill(encoder)
    return made


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_service_with_tokens_from_start_to_stop(place: Place) -> None:
    made = json.loads(place.spm("tokens", "create", "bot", "--team", "mail", "--json"))
    with place.serving("--workers", "2", "--seconds", "60") as served:
        client = served.client
        served.until(served.ready)
        question = {"request": REQUEST}
        menu = client.post("/v1/menus", json=question)
        assert menu.content == place.spm("menu", REQUEST, "--json")
        as_team = client.post("/v1/menus", json=question, headers=bearer(made["secret"]))
        assert as_team.content == place.spm("menu", REQUEST, "--as", "mail", "--json")
        trace = json.dumps({"trace_id": "t", "request": REQUEST, "steps": ["tool_0", "tool_1"]})
        assert client.post("/v1/traces", content=trace).json()["imported"] == 1
        for _ in range(6):  # whichever worker answers
            with httpx.Client(base_url=client.base_url, timeout=PATIENCE) as fresh:
                again = fresh.post("/v1/menus", json=question)
                assert again.json().get("traces") == 1, again.text
        place.spm("tokens", "revoke", "bot")
        begun = time.monotonic()
        revoked = bearer(made["secret"])
        served.until(lambda: client.get("/v1/fields", headers=revoked).status_code == 401)
        assert time.monotonic() - begun < 60  # five seconds are promised; the machine may be busy
        numbers = client.get("/metrics").text
        assert 'spm_requests_total{method="POST",route="/v1/menus",status="200"} 8.0' in numbers
    assert served.process.returncode in (0, -signal.SIGTERM)
    assert all(made["secret"] not in line and REQUEST not in line for line in served.log)
    assert [line for line in served.log if "/v1/menus" in line]
    assert all(json.loads(line) for line in served.log)


@pytest.mark.neo4j
def test_the_snapshot_of_a_server_is_renewed_though_nobody_asks(
    neo4j_empty: Any, encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where snapshots of servers lie
    login = {"NEO4J_USERNAME": neo4j_empty.username, "NEO4J_PASSWORD": neo4j_empty.password}
    place = Place(neo4j_empty.settings(), login)
    place.fill(encoder)
    with place.serving("--workers", "2", "--seconds", "60") as served:
        served.until(served.ready)
        trace = json.dumps({"trace_id": "t", "request": REQUEST, "steps": ["tool_0", "tool_1"]})
        assert served.client.post("/v1/traces", content=trace).json()["imported"] == 1
        with Registry.open(place.settings) as registry:
            snapshots = snapshots_of(registry)
            served.until(lambda: snapshots.current() is not None)
            assert list(snapshots.current().library.trajectories) != []  # type: ignore[union-attr]


def test_everybody_is_refused_where_nobody_could_have_a_token(folder: Place) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "spm.cli", "serve", "--host", "0.0.0.0", "--port", "0"],
        env=folder._all(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 1
    assert "spm tokens create" in refused.stderr
    assert not refused.stdout


def test_a_stop_says_so_first_and_finishes_what_runs(folder: Place) -> None:
    golden = "\n".join(json.dumps({"request": REQUEST, "path": ["tool_0"]}) for _ in range(200))
    with (
        folder.serving("--drain-seconds", "2", "--seconds", "60") as served,
        ThreadPoolExecutor(1) as threads,
    ):
        served.until(served.ready)
        running = threads.submit(served.client.post, "/v1/check", content=golden)
        time.sleep(0.5)
        served.process.send_signal(signal.SIGTERM)
        with httpx.Client(base_url=served.client.base_url, timeout=PATIENCE) as other:
            said = other.get("/readyz")
        assert said.status_code == 503
        assert said.json()["type"] == "urn:spm:problem:stopping"
        assert running.result().status_code == 200
        assert len(running.result().json()["results"]) == 200
        assert served.process.wait(PATIENCE) in (0, -signal.SIGTERM)
    with pytest.raises(httpx.TransportError), httpx.Client() as late:
        late.get(f"{served.client.base_url}/healthz")


def workers(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    lines = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children}
    return [pid for pid, line in lines.items() if b"spawn_main" in line]


def test_a_killed_worker_is_replaced(folder: Place) -> None:
    with folder.serving("--workers", "2", "--seconds", "60") as served:
        served.until(served.ready)
        first = served.until(lambda: len(found := workers(served.process)) == 2 and found)
        os.kill(first[0], signal.SIGKILL)
        served.until(lambda: len(set(workers(served.process)) - {first[0]}) == 2)
        served.until(lambda: all(served.ready() for _ in range(5)))
        for _ in range(10):
            with httpx.Client(base_url=served.client.base_url, timeout=PATIENCE) as fresh:
                assert fresh.post("/v1/menus", json={"request": REQUEST}).status_code == 200


class Gate:
    """A line to a server that can be shut and opened again at the same address."""

    def __init__(self, uri: str) -> None:
        host, _, port = uri.rpartition("/")[2].partition(":")
        self._target = (host, int(port))
        self._port = 0
        self._lines: list[socket.socket] = []
        self.open()

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self._port}"

    def open(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def shut(self) -> None:
        for line in [self._listening, *self._lines]:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        self._lines = []

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                server = socket.create_connection(self._target)
                self._lines += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=_pump, args=ends, daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@pytest.mark.neo4j
def test_an_outage_of_the_database_is_told_and_passes(neo4j_empty: Any, encoder: Any) -> None:
    with ExitStack() as stack:
        gate = Gate(neo4j_empty.uri)
        stack.callback(gate.shut)
        place = Place(
            neo4j_empty.settings(gate.uri),
            {"NEO4J_USERNAME": neo4j_empty.username, "NEO4J_PASSWORD": neo4j_empty.password},
        )
        place.fill(encoder)
        secret = json.loads(place.spm("tokens", "create", "bot", "--json"))["secret"]
        served = stack.enter_context(place.serving())
        served.until(served.ready)
        question = {"request": REQUEST}
        before = served.client.post("/v1/menus", json=question)
        assert before.status_code == 200
        gate.shut()
        served.until(lambda: served.status("/readyz") == 503)
        begun = time.monotonic()
        away = served.client.get("/v1/fields")
        assert away.status_code == 503
        assert int(away.headers["retry-after"]) > 0
        assert gate.uri not in away.text
        assert time.monotonic() - begun < 60  # five seconds of retries; the machine may be busy
        # Nobody is let in whose token cannot be looked up.
        strange = served.client.get("/v1/fields", headers=bearer(secret))
        assert strange.status_code == 503
        assert served.status("/healthz") == 200
        assert "spm_store_up 0.0" in served.client.get("/metrics").text
        gate.open()
        served.until(served.ready)
        after = served.client.post("/v1/menus", json=question)
        assert after.content == before.content
        assert served.client.get("/v1/fields", headers=bearer(secret)).status_code == 200


DESK = {
    "openapi": "3.1.0",
    "info": {"title": "Help desk"},
    "servers": [{"url": "https://desk.example"}],
    "paths": {"/tickets": {"get": {"operationId": "listTickets", "responses": {}}}},
}


def test_a_team_registers_over_http_and_asks_saved_queries(place: Place, tmp_path: Path) -> None:
    def token(name: str, *options: str) -> dict[str, str]:
        made = json.loads(place.spm("tokens", "create", name, "--json", *options))
        return {"Authorization": f"Bearer {made['secret']}"}

    support = token("ci", "--team", "support", "--may", "register", "--may", "read")
    sales = token("sales", "--team", "sales")
    with place.serving() as served:
        served.until(served.ready)
        client = served.client
        before = [client.get(at, headers=sales).content for at in ("/v1/sources", "/v1/tools")]
        body = {"document": DESK, "visibility": "team"}
        plan = client.post("/v1/sources", json={**body, "dry_run": True}, headers=support).json()
        done = client.post("/v1/sources", json=body, headers=support).json()
        assert plan["added"] == done["added"] == ["help-desk/listTickets"]
        rows = client.get("/v1/sources", headers=support).json()
        assert {"service": "help-desk", "origin": "openapi:help-desk:https://desk.example",
                "owners": ["support"], "tools": 1} in rows  # fmt: skip
        assert before == [
            client.get(at, headers=sales).content for at in ("/v1/sources", "/v1/tools")
        ]
        taken = {**body, "service": "shop"}
        assert client.post("/v1/sources", json=taken, headers=support).status_code == 403
        effects = {"saved": "effects"}
        seen = client.post("/v1/cypher", json=effects, headers=support).json()["rows"]
        assert {"service": "help-desk", "effects": "read", "tools": 1} in seen
        hidden = client.post("/v1/cypher", json=effects, headers=sales).json()["rows"]
        assert [row for row in seen if row not in hidden] == [
            {"service": "help-desk", "effects": "read", "tools": 1}
        ]
        counted = {"query": "MATCH (t:Tool) RETURN count(t) AS n"}
        assert client.post("/v1/cypher", json=counted).json()["rows"] == [{"n": 5}]
        refused = client.post("/v1/cypher", json={"query": "MATCH (t:Tool) DELETE t"})
        assert refused.status_code == 422
