"""Documents over HTTP: from whom, how large, how long, and only when they changed."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from spm.registry import addresses
from spm.registry.errors import InputError, ManifestError
from spm.registry.importers import fetching
from spm.registry.importers.detection import read_source
from spm.registry.importers.fetching import fetch, with_server

API: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Desk"},
    "paths": {"/tickets": {"get": {"operationId": "listTickets", "responses": {}}}},
}


class Server:
    """A server on the loopback that answers as a test says."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.answer: Callable[[Any], tuple[int, dict[str, str], bytes]] = lambda request: (
            (304, {}, b"")
            if request.headers.get("If-None-Match") == '"one"'
            else (200, {"ETag": '"one"'}, json.dumps(API).encode())
        )
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append({"path": self.path, **dict(self.headers)})
                status, headers, body = outer.answer(self)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *said: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def at(self, host: str = "127.0.0.1", path: str = "/openapi.json") -> str:
        return f"http://{host}:{self.port}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


def test_this_machine_is_asked_when_it_is_named(server):
    for host in ("127.0.0.1", "localhost"):
        found = fetch(server.at(host))
        assert found is not None
        assert json.loads(found.body) == API
    source = read_source(server.at())
    (tool,) = source.manifest.tools
    assert (tool.call or {})["server"] == f"http://127.0.0.1:{server.port}"
    assert source.origin == f"openapi:desk:http://127.0.0.1:{server.port}"
    assert source.etag.endswith(f'{server.at()} "one"')


def test_an_unchanged_document_is_not_sent_again(server):
    assert fetch(server.at(), etag='"one"') is None
    assert fetch(server.at(), etag='"two"') is not None


def resolving(monkeypatch: pytest.MonkeyPatch, **hosts: str) -> None:
    """Let names lead where a test says."""
    known = {name.replace("_", "."): number for name, number in hosts.items()}

    def look_up(host: str, port: int, *more: object, **named: object) -> list[Any]:
        number = host if addresses.is_number(host) else known.get(host)
        if number is None:
            raise socket.gaierror("no such host")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.mark.parametrize(
    "number", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.7", "::1", "fe80::1"]
)
def test_a_name_that_leads_into_a_private_network_is_refused(server, monkeypatch, number):
    resolving(monkeypatch, evil_example=number)
    with pytest.raises(InputError, match="no address of the open internet"):
        fetch(f"https://evil.example:{server.port}/openapi.json")
    assert server.asked == []


def test_the_checked_address_is_connected_to_under_the_name(server, monkeypatch):
    resolving(monkeypatch, docs_example="127.0.0.1")
    monkeypatch.setattr(addresses, "is_public", lambda number: True)
    assert fetch(server.at("docs.example"), allow_http=True) is not None
    assert server.asked[0]["Host"] == f"docs.example:{server.port}"


def test_plain_http_elsewhere_needs_a_word(monkeypatch):
    with pytest.raises(InputError, match="--allow-remote"):
        fetch("http://docs.example/openapi.json")
    resolving(monkeypatch)
    with pytest.raises(InputError, match="no host 'docs"):
        fetch("http://docs.example/openapi.json", allow_http=True)


@pytest.mark.parametrize("url", ["https://user:secret@x.example/a", "https://", "http://x:y/"])
def test_addresses_that_cannot_be_asked(url):
    with pytest.raises(InputError) as told:
        fetch(url)
    assert "secret" not in str(told.value)


def test_redirects_stay_where_they_are(server):
    there = lambda request: (302, {"Location": "/other.json"}, b"")  # noqa: E731
    usual = server.answer
    server.answer = lambda request: (there if request.path == "/openapi.json" else usual)(request)
    found = fetch(server.at())
    assert found is not None
    assert found.url == server.at(path="/other.json")


@pytest.mark.parametrize(
    "target",
    ["https://docs.example/a", "http://10.0.0.1/a", "http://169.254.169.254/latest", "ftp://x/a"],
)
def test_redirects_lead_to_no_other_kind_of_address(server, target):
    server.answer = lambda request: (301, {"Location": target}, b"")
    with pytest.raises(InputError, match=r"another kind of address|plain HTTP|must be http"):
        fetch(server.at())
    assert len(server.asked) == 1


def test_a_redirect_from_https_to_http_is_refused(monkeypatch):
    resolving(monkeypatch, docs_example="93.184.216.34")
    answer = (302, {"location": "http://docs.example/a"}, b"")
    monkeypatch.setattr(fetching, "_ask", lambda *given: answer)
    with pytest.raises(InputError, match="another kind of address"):
        fetch("https://docs.example/a", allow_http=True)


def test_a_circle_ends(server):
    server.answer = lambda request: (302, {"Location": "/openapi.json"}, b"")
    with pytest.raises(ManifestError, match="from address to address"):
        fetch(server.at())


def test_size_time_and_status_are_bounded(server, monkeypatch):
    server.answer = lambda request: (404, {}, b"gone")
    with pytest.raises(ManifestError, match="answered 404"):
        fetch(server.at())
    server.answer = lambda request: (200, {}, b"x" * 2_000)
    monkeypatch.setattr(fetching, "MAX_BYTES", 1_000)
    with pytest.raises(ManifestError, match="longer than 1,000 bytes"):
        fetch(server.at())

    def slow(request: Any) -> tuple[int, dict[str, str], bytes]:
        time.sleep(1)
        return 200, {}, b"{}"

    server.answer = slow
    with pytest.raises(ManifestError, match="gives no answer"):
        fetch(server.at(), seconds=0.2)


def test_without_httpx2_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(InputError, match=r"pip install 'spm-registry\[mcp\]'"):
        fetch("http://127.0.0.1:9/openapi.json")


@pytest.mark.parametrize(
    ("document", "server"),
    [
        ({"openapi": "3.1"}, "https://a.example"),
        ({"openapi": "3.1", "servers": []}, "https://a.example"),
        ({"openapi": "3.1", "servers": [{"url": "/v2/"}]}, "https://a.example/v2"),
        ({"openapi": "3.1", "servers": [{"url": "https://b.example"}]}, "https://b.example"),
    ],
)
def test_servers_stand_beside_the_document(document, server):
    found: Any = with_server(document, "https://a.example/docs/openapi.json")
    assert found["servers"][0]["url"] == server
    assert with_server([], "https://a.example") == []
    old: Any = with_server({"swagger": "2.0"}, "https://a.example/x")
    assert (old["host"], old["schemes"]) == ("a.example", ["https"])
