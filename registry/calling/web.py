"""One HTTP request. The standard library does: no streams, no pools, and nothing to install.

Redirects are not followed: they would carry the key, or a tool's arguments, to somebody else.
"""

import json
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import (
    BaseHandler,
    HTTPRedirectHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from spm.registry.errors import InputError
from spm.registry.hosts import is_loopback

MAX_BYTES = 16_000_000
PIECE = 65_536


class Unreachable(Exception):
    """No answer came; `final` when trying again cannot help."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


@dataclass(frozen=True)
class Response:
    """What came back, whatever its status."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> object:
        """The body as JSON.

        Raises:
            ValueError: it is none.
        """
        try:
            return json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deeply") from None


class _Stay(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def address(url: str, what: str) -> SplitResult:
    """The parts of an address that can be asked.

    Args:
        url: http or https, without credentials.
        what: the option it comes from, for messages.

    Raises:
        InputError: it is no such address; a password in it is not repeated.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        usable = False
    if not usable:
        raise InputError(f"{what} must be http://HOST or https://HOST (got {_bare(url)!r}).")
    if parts.username or parts.password:
        raise InputError(
            f"{what} carries credentials for {parts.hostname!r}, and addresses are shown and "
            "stored. Leave them out; a key belongs into OPENAI_API_KEY."
        )
    return parts


def post(
    url: str, body: Mapping[str, object], timeout: float, headers: Mapping[str, str] | None = None
) -> Response:
    """Send JSON and return the answer, also one with an error status.

    Raises:
        Unreachable: there was no answer, or one that is too long.
    """
    sent = {"Content-Type": "application/json", "Accept": "application/json", **(headers or {})}
    return send("POST", url, json.dumps(body).encode(), timeout, sent)


def send(
    method: str, url: str, data: bytes | None, timeout: float, headers: Mapping[str, str]
) -> Response:
    """Send a request and return the answer, also one with an error status.

    The time limit holds for the whole answer, also when its server sends a byte now and then.

    Raises:
        Unreachable: there was no answer in time, or one that is too long.
    """
    request = Request(url, data, dict(headers), method=method)
    ends = time.monotonic() + timeout
    handlers: list[BaseHandler] = [_Stay()]
    if is_loopback(urlsplit(url).hostname or ""):
        handlers.append(ProxyHandler({}))  # no proxy knows this machine's own addresses
    try:
        with build_opener(*handlers).open(request, timeout=timeout) as answer:
            return _read(answer.status, answer.headers, answer, ends)
    except HTTPError as error:
        with error:
            return _failed(error, timeout, ends)
    except (OSError, HTTPException) as error:  # URLError is an OSError
        raise _unreachable(error, timeout) from error


def _failed(error: HTTPError, timeout: float, ends: float) -> Response:
    try:
        return _read(error.code, error.headers, error, ends)
    except (OSError, HTTPException) as broken:
        raise _unreachable(broken, timeout) from broken


def _read(status: int, headers: Message, stream: IO[bytes], ends: float) -> Response:
    body = bytearray()
    # One read of the connection at a time: a plain read would wait for all that was announced.
    once = getattr(stream, "read1", stream.read)
    while piece := once(PIECE):
        body += piece
        if len(body) > MAX_BYTES:
            raise Unreachable(f"the answer is longer than {MAX_BYTES:,} bytes", final=True)
        if time.monotonic() > ends:
            raise TimeoutError
    return Response(status, headers, bytes(body))


def _unreachable(error: Exception, timeout: float) -> Unreachable:
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return Unreachable(f"no answer within {timeout:g} seconds")
    if isinstance(cause, ConnectionRefusedError):
        return Unreachable("nobody listens there (connection refused)", final=True)
    if isinstance(cause, socket.gaierror):
        return Unreachable("no such host", final=True)
    if isinstance(cause, ssl.SSLError):
        return Unreachable(f"no secure connection ({cause.reason or 'TLS'})", final=True)
    return Unreachable(f"the connection broke ({type(cause).__name__})")


def _bare(url: str) -> str:
    """An address without what stands before an @, which may be a password."""
    return url.rpartition("@")[2][:200]
