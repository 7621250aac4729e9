"""Malformed requests on every route: no 5xx, and no word of another team's tools.

Three sources: what schemathesis makes of the service's own description, questions with wrong parts
and torn bytes over a plain socket, and broken MCP frames. `make stress` asks 10,000.
"""

from __future__ import annotations

import json
import shutil
import socket
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from benchmarks.speed.service_process import started
from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.data import frames
from tests.support.campaigns import size

COUNT = size("fuzz")
SHARES = {"described": 0.1, "torn": 0.5, "frames": 0.4}
MARK = "zebrafinch"
PATIENCE = 120.0  # seconds; the machines of tests are busy
HIDDEN = {
    "name": f"{MARK}_tool", "description": f"Email the customer the receipt of a {MARK}.",
    "owner": "b", "visibility": "private", "family": MARK, "inputs": [{"name": f"{MARK}_id"}],
    "outputs": [{"name": f"{MARK}_out"}, {"name": "receipt_id"}],
}  # fmt: skip


@dataclass
class Site:
    """A service that holds a tool of team b, and what team a heard from it."""

    url: str
    secret: str
    menu: str = ""
    heard: Counter[int] = field(default_factory=Counter)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"}

    def take(self, status: int, said: bytes, what: Any) -> None:
        """Look at an answer; 0: the connection was closed without one."""
        self.heard[status] += 1
        assert status < 500, (status, said[:300], what)
        assert MARK.encode() not in said.lower(), (said[:2_000], what)


@pytest.fixture(scope="module")
def site(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory, encoder: Any) -> Any:
    store = shutil.copytree(demo_folder, tmp_path_factory.mktemp("fuzz") / "store")
    with Registry.open(str(store)) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": MARK, "tools": [HIDDEN]}))
        registry.encode(encoder)
        may = ("read", "traces", "call", "metrics")
        mine = api_tokens.create(registry.store, "a", Caller("a"), may=may)[0]
        theirs = api_tokens.create(registry.store, "b", Caller("b"), may=may)[0]
    with started(str(store), 1, "--require-token", "--seconds", "60") as service:
        found = Site(service.url, mine)
        question = {"request": f"Email the receipt of a {MARK}", "state": [f"{MARK}_id"]}
        with httpx.Client(base_url=service.url, headers=found.headers, timeout=PATIENCE) as client:
            own = client.post("/v1/menus/frozen", json={"request": "Refund order 7", "k": 4})
            assert own.status_code == 201, own.text
            found.menu = own.json()["mcp"]
            shown = client.post(
                "/v1/menus", json=question, headers={"Authorization": f"Bearer {theirs}"}
            )
        assert f"{MARK}_tool" in shown.text  # who may see it does
        yield found
        with httpx.Client(base_url=service.url, headers=found.headers, timeout=PATIENCE) as client:
            assert client.get("/readyz").status_code == 200
    total = dict(sorted(found.heard.items()))
    print(f"\n{sum(total.values()):,} requests; answers by status (0: closed): {total}")


def bounded(share: float) -> settings:
    return settings(
        max_examples=max(1, round(COUNT * share)), deadline=None, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip


@pytest.mark.campaign
def test_requests_against_its_own_description(site: Site) -> None:
    with httpx.Client(base_url=site.url, headers=site.headers, timeout=PATIENCE) as client:
        described = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
        operations = []
        for found in described.get_all_operations():
            assert isinstance(found, Ok), found.err()
            operations.append(found.ok())
        wrong = [one for one in operations if one.path_parameters or one.query or one.body]
        assert len(wrong) >= 15
        for operation in wrong:
            ask_wrongly(site, client, operation, SHARES["described"] / len(wrong))


def ask_wrongly(site: Site, client: httpx.Client, operation: Any, share: float) -> None:
    documented = {*operation.definition.raw["responses"], "404", "405"}

    @bounded(share)
    @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
    def ask(case: Any) -> None:
        wanted = case.as_transport_kwargs(base_url=site.url)
        wanted["headers"] = {**wanted["headers"], **site.headers}
        sent = _sendable(wanted)
        if sent is None:
            return  # no client could put this on the line
        answer = client.send(sent)
        site.take(answer.status_code, answer.content, wanted)
        assert str(answer.status_code) in documented, (answer.text, wanted)

    ask()


def _sendable(given: dict[str, Any]) -> httpx.Request | None:
    """The request as schemathesis wants it sent, which speaks the words of another library."""
    import requests

    try:
        asked = requests.Request(**{k: v for k, v in given.items() if k != "timeout"})
        made: Any = asked.prepare()  # what httpx cannot take of it is a TypeError
        body = made.body.encode() if isinstance(made.body, str) else made.body
        return httpx.Request(made.method or "", made.url or "", headers=made.headers, content=body)
    except (ValueError, TypeError, httpx.InvalidURL):
        return None


PATHS = [
    "/v1/menus", "/v1/menus/why-not", "/v1/menus/frozen", "/v1/menus/frozen/{}", "/v1/tools",
    "/v1/menus/frozen/{}/search", "/v1/tools/{}", "/v1/fields", "/v1/paths", "/v1/impact/{}",
    "/v1/atlas", "/v1/graph", "/v1/names", "/v1/traces", "/v1/check", "/metrics", "/healthz",
    "/readyz", "/openapi.json", "/", "/static/{}", "/report", "/menus/{}/mcp", "/mcp", "/{}",
]  # fmt: skip
KEYS = [
    "request", "state", "k", "prefix", "token_budget", "read_only", "done", "observed", "format",
    "tool", "without", "aliases", "explain", "days", "trace_id", "steps", "path", "names",
]  # fmt: skip
QUERIES = ["q", "family", "field", "limit", "after", "from", "to", "have", "tool", "kind", "k"]
# What each route knows: with others no question gets far.
OWN = {
    "/v1/tools": ["q", "family", "service", "field", "limit", "after"],
    "/v1/fields": ["unproduced"],
    "/v1/paths": ["from", "to", "have"], "/v1/impact/{}": ["kind"], "/v1/atlas": ["visible"],
    "/v1/graph": ["family", "field", "tool", "limit", "after"], "/v1/names": ["q", "kind", "limit"],
    "/v1/traces": ["format", "skip_unknown"], "/v1/check": ["k", "prefix", "min_chain"],
    "/v1/menus/frozen/{}/search": ["q", "limit", "format"],
}  # fmt: skip
piece = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(lambda s: quote(s, "")),
    st.sampled_from(
        ["..%2f..%2fetc", "%00", "%ff", "%", "a/b", "%E0%80%AF", "lookup_order", "", "*"]
    ),
)
TAKEN = ["/v1/menus", "/v1/menus/why-not", "/v1/menus/frozen", "/v1/traces", "/v1/check", "/mcp"]
question = st.builds(
    lambda good, bad: json.dumps({**good, **bad}).encode(),
    st.sampled_from(
        [{"request": "Refund order 991"}, {"request": "x", "tool": "lookup_order"}, {}]
    ),
    st.dictionaries(st.one_of(st.sampled_from(KEYS), frames.text), frames.anything, max_size=3),
)
body = st.one_of(question, st.lists(question, max_size=3).map(b"\n".join), frames.body)
method = st.sampled_from(["GET", "POST", "POST", "POST", "DELETE", "PUT", "PATCH", "HEAD", "BREW"])
kind = st.sampled_from(["application/json", "application/json", "application/x-ndjson", "text/xml"])


@st.composite
def torn(draw: Any) -> tuple[str, str, str, bytes, tuple[int, bytes] | None, int | None]:
    """A request, what is written over it and where, and where it breaks off.

    Half of them knock at doors that are there, and most arrive whole: others do not get far.
    """
    known = st.tuples(st.just("POST"), st.sampled_from(TAKEN)) | st.tuples(
        st.just("GET"), st.sampled_from(PATHS)
    )
    verb, path = draw(known | st.tuples(method, st.sampled_from(PATHS)))
    names = draw(st.sampled_from([OWN.get(path, []), OWN.get(path, []), QUERIES]))
    asked = st.builds("{}={}".format, st.sampled_from(names or QUERIES), piece)
    query = "&".join(draw(st.lists(asked, max_size=3 if names else 0)))
    target = path.replace("{}", draw(piece)) + (f"?{query}" if query else "")
    damage = draw(st.sampled_from(["none", "none", "none", "over", "cut"]))
    over = (draw(st.integers(0, 400)), draw(st.binary(min_size=1, max_size=8)))
    cut = draw(st.integers(1, 400)) if damage == "cut" else None
    return verb, target, draw(kind), draw(body), over if damage == "over" else None, cut


@pytest.mark.campaign
def test_questions_with_wrong_parts_and_torn_bytes(site: Site) -> None:
    address = urlsplit(site.url)

    @bounded(SHARES["torn"])
    @given(torn())
    def ask(made: Any) -> None:
        verb, path, media, content, over, cut = made
        # The token stands last: what is written over the beginning seldom damages it.
        sent = (
            bytearray(
                f"{verb} {path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
                f"Content-Type: {media}\r\nContent-Length: {len(content)}\r\n"
                f"Authorization: Bearer {site.secret}\r\n\r\n".encode("utf-8", "surrogatepass")
            )
            + content
        )
        if over:
            sent[over[0] : over[0] + len(over[1])] = over[1]
        place = (address.hostname or "", address.port or 0)
        said = exchange(place, bytes(sent[:cut]), whole=over is None and cut is None)
        first = said.split(b" ", 2)
        site.take(int(first[1]) if said.startswith(b"HTTP/1.1 ") else 0, said, made)

    ask()


def exchange(address: tuple[str, int], sent: bytes, *, whole: bool) -> bytes:
    """Everything that is answered to these bytes; who sent only half hangs up behind them."""
    with socket.create_connection(address, timeout=PATIENCE) as line:
        try:
            line.sendall(sent)
            if not whole:
                line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))
        except ConnectionError:
            return b""  # closed while we were still talking


@pytest.mark.campaign
def test_frames_of_mcp(site: Site) -> None:
    verbs = st.sampled_from(["POST", "POST", "POST", "POST", "DELETE", "GET", "PUT"])
    with httpx.Client(base_url=site.url, headers=site.headers, timeout=PATIENCE) as client:

        @bounded(SHARES["frames"])
        @given(verbs, st.booleans(), frames.body, frames.headers)
        def ask(verb: str, menu: bool, content: bytes, headers: dict[str, str]) -> None:
            path = site.menu if menu else "/mcp"
            answer = client.request(verb, path, content=content, headers=headers)
            site.take(answer.status_code, answer.content, (verb, path, content, headers))

        ask()
