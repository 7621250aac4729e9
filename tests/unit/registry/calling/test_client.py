"""One HTTP request: bounded in time and size, sent to one address only, failing in plain words."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from spm.registry.calling import client
from spm.registry.calling.client import Response, Unreachable, send


@contextmanager
def answering(*pieces: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[bytes]]]:
    """A server that reads requests and writes these bytes, whatever was asked."""
    heard: list[bytes] = []
    stop = threading.Event()

    def serve(listener: socket.socket) -> None:
        while not stop.is_set():
            with suppress(OSError):  # nobody came yet, or the client hung up
                connection, _ = listener.accept()
                with connection:
                    heard.append(connection.recv(65_536))
                    for piece in pieces:
                        connection.sendall(piece)
                        if stop.wait(pause):
                            break

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        thread = threading.Thread(target=serve, args=[listener])
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", heard
        finally:
            stop.set()
            thread.join()


def asked(url: str, timeout: float = 20.0, **headers: str) -> Response:
    return send("GET", url, None, timeout, headers)


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def test_what_is_sent_is_what_was_prepared():
    with answering(OK) as (url, heard):
        found = asked(f"{url}/orders/a%2Fb%252e%20c?x=a+b%2B&y=%7B", Authorization="Bearer k")
    head = heard[0].decode().split("\r\n")
    assert head[0] == "GET /orders/a%2Fb%252e%20c?x=a+b%2B&y=%7B HTTP/1.1"
    assert "Authorization: Bearer k" in head
    assert "Accept-Encoding: identity" in head
    assert (found.status, found.body, found.json()) == (200, b"{}", {})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_an_answer_like_any_other(status):
    with answering(OK) as (elsewhere, reached):
        away = f"HTTP/1.1 {status} Away\r\nLocation: {elsewhere}/\r\nContent-Length: 0\r\n\r\n"
        with answering(away.encode()) as (url, _):
            assert asked(url).status == status
    assert reached == []


@pytest.mark.parametrize("announced", [True, False])
def test_an_answer_that_is_too_long_is_not_read_to_its_end(monkeypatch, announced):
    monkeypatch.setattr(client, "MAX_BYTES", 100_000)
    size = b"Content-Length: 1000000000\r\n" if announced else b"Connection: close\r\n"
    pieces = [b"HTTP/1.1 200 OK\r\n" + size + b"\r\n", *[b"x" * 10_000] * 1_000]
    with answering(*pieces) as (url, _), pytest.raises(Unreachable, match="100,000") as found:
        asked(url)
    assert found.value.final


def test_packed_bytes_stay_packed():
    bomb = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
    with answering(bomb) as (url, _):
        assert asked(url).body == b"abc"


def test_the_time_limit_holds_for_an_answer_that_drips():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    with answering(head, *[b"x"] * 1_000, pause=0.1) as (url, _):
        with pytest.raises(Unreachable, match=r"within 0\.5 seconds") as found:
            asked(url, 0.5)
    assert not found.value.final


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((), "broke"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",), "broke"),
        ((b"SSH-2.0\r\n\r\n",), "broke"),
    ],
)
def test_a_connection_that_breaks_may_be_tried_again(answer, reason):
    with answering(*answer) as (url, _), pytest.raises(Unreachable, match=reason) as found:
        asked(url)
    assert not found.value.final


def test_what_no_patience_helps_against_is_final():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(Unreachable, match="connection refused") as found:
        asked(f"http://127.0.0.1:{port}")
    assert found.value.final
    with pytest.raises(Unreachable, match="no such host") as found:
        asked("http://nobody.invalid")
    assert found.value.final


def test_who_cannot_prove_its_name_is_not_asked():
    assert client._tls().verify_mode is ssl.CERT_REQUIRED
    assert client._tls().check_hostname
    with answering(b"not TLS at all") as (url, heard):
        with pytest.raises(Unreachable, match="no secure connection") as found:
            asked(url.replace("http:", "https:"), Authorization="Bearer k")
    assert found.value.final
    assert b"Bearer" not in heard[0]


@pytest.mark.parametrize("name", ["http_proxy", "all_proxy"])
def test_a_proxy_of_the_environment_hears_nothing_of_this_machine(monkeypatch, name):
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with answering(OK) as (proxy, heard), answering(OK) as (url, _):
        monkeypatch.setenv(name, proxy)
        assert asked(url).status == 200
        assert heard == []
        # Elsewhere it is the operator's way out.
        assert asked("http://tools.example/x").status == 200
    assert heard[0].startswith(b"GET http://tools.example/x ")


def test_a_proxy_that_cannot_be_used_is_said(monkeypatch):
    monkeypatch.setenv("http_proxy", "nonsense://127.0.0.1:1")
    with pytest.raises(Unreachable, match="broke"):
        asked("http://tools.example/x")
