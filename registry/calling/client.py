"""One HTTP request by httpx, with limits on its time and its size.

Redirects are not followed: they would carry the key, or a tool's arguments, to somebody else.
"""

import json
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import httpx2 as httpx

from spm.registry.addresses import is_loopback

MAX_BYTES = 16_000_000


class Unreachable(Exception):
    """No answer came; `final` when trying again cannot help."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


@dataclass(frozen=True)
class Response:
    """What came back, whatever its status."""

    status: int
    headers: httpx.Headers
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
    ends = time.monotonic() + timeout
    # The body is counted as it comes, so it must not be packed.
    sent = {"Accept-Encoding": "identity", **headers}
    # No proxy of the environment knows this machine's own addresses.
    outside = not is_loopback(urlsplit(url).hostname or "")
    body = bytearray()
    try:
        with (
            httpx.Client(
                verify=_tls(), trust_env=outside, timeout=timeout, follow_redirects=False
            ) as client,
            client.stream(method, url, content=data, headers=sent) as answer,
        ):
            for piece in answer.iter_raw():
                body += piece
                if len(body) > MAX_BYTES:
                    raise Unreachable(f"the answer is longer than {MAX_BYTES:,} bytes", final=True)
                if time.monotonic() > ends:
                    raise httpx.ReadTimeout("the answer drips")
            return Response(answer.status_code, answer.headers, bytes(body))
    # A proxy of the environment that cannot be used is an ImportError or a ValueError.
    except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:
        raise _unreachable(error, timeout) from error


@cache
def _tls() -> ssl.SSLContext:
    """Whom to trust: read once, because it takes longer than most requests."""
    return ssl.create_default_context()


def _unreachable(error: Exception, timeout: float) -> Unreachable:
    if isinstance(error, httpx.TimeoutException):
        return Unreachable(f"no answer within {timeout:g} seconds")
    cause: BaseException | None = error
    while cause is not None:  # httpx wraps what the socket said
        if isinstance(cause, ConnectionRefusedError):
            return Unreachable("nobody listens there (connection refused)", final=True)
        if isinstance(cause, socket.gaierror):
            return Unreachable("no such host", final=True)
        if isinstance(cause, ssl.SSLError):
            return Unreachable(f"no secure connection ({cause.reason or 'TLS'})", final=True)
        cause = cause.__cause__ or cause.__context__
    return Unreachable(f"the connection broke ({type(error).__name__})")
