"""Fetches one document over HTTP: bounded in size and time, from addresses that a person meant.

What a name leads to is looked up once and connected to as it was checked. Proxies that the
environment names are not used, because they would look it up again.
"""

import re
import ssl
import time
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from spm.registry.addresses import address, connectable, is_loopback, require_secure
from spm.registry.errors import InputError, ManifestError

MAX_BYTES = 64_000_000
SECONDS = 60.0
MAX_REDIRECTS = 5
ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,400}"')
_WANTED = "application/json, application/yaml;q=0.9, */*;q=0.5"


@dataclass(frozen=True)
class Fetched:
    """A document as it came."""

    url: str
    body: bytes
    etag: str = ""


def is_address(text: str) -> bool:
    """Whether a source is an address of a document."""
    return ADDRESS.match(text) is not None


def fetch(
    url: str, *, etag: str = "", allow_http: bool = False, seconds: float = SECONDS
) -> Fetched | None:
    """Fetch a document; None when it is still the one with this ETag.

    Args:
        url: http or https, without credentials.
        etag: of the document that is known already.
        allow_http: also ask other machines in plain HTTP.
        seconds: for all of it.

    Raises:
        InputError: the address may not be asked.
        ManifestError: there is no document, or one that is too large or too slow.
    """
    typed = address(url, "The source").hostname or ""
    ends = time.monotonic() + seconds
    at = url
    for _ in range(MAX_REDIRECTS + 1):
        parts = _allowed(at, url, allow_http)
        status, headers, body = _ask(parts, connectable(parts, repr(at), typed=typed), etag, ends)
        if status in (301, 302, 303, 307, 308):
            at = urljoin(at, headers.get("location", ""))
            continue
        if status == 304 and etag:
            return None
        if status != 200:
            raise ManifestError(f"{url!r} answered {status} instead of a document.")
        found = headers.get("etag", "")
        return Fetched(at, body, found if _ETAG.fullmatch(found) else "")
    raise ManifestError(f"{url!r} leads from address to address. Name the last one.")


def _allowed(at: str, url: str, allow_http: bool) -> SplitResult:
    """The parts of an address, unless a redirect leads where the first address would not have."""
    parts, first = address(at, "The source"), urlsplit(url)
    require_secure(parts, "The source", allow_http=allow_http)
    weaker = first.scheme.lower() == "https" and parts.scheme == "http"
    elsewhere = is_loopback(first.hostname or "") != is_loopback(parts.hostname or "")
    if weaker or elsewhere:
        raise InputError(
            f"{url!r} leads to {at[:200]!r}, which is another kind of address. If that is meant, "
            "name it yourself."
        )
    return parts


def _ask(
    parts: SplitResult, number: str, etag: str, ends: float
) -> tuple[int, dict[str, str], bytes]:
    httpx = _client()
    host = f"[{number}]" if ":" in number else number
    netloc = f"{host}:{parts.port}" if parts.port else host
    # The body is counted as it comes, so it must not be packed.
    headers = {"Host": parts.netloc, "Accept": _WANTED, "Accept-Encoding": "identity"}
    headers |= {"If-None-Match": etag} if etag else {}
    where = parts._replace(netloc=netloc, fragment="").geturl()
    left = max(0.1, ends - time.monotonic())
    try:
        with (
            httpx.Client(verify=_tls(), trust_env=False, timeout=left) as client,
            client.stream(
                "GET", where, headers=headers, extensions={"sni_hostname": parts.hostname}
            ) as answer,
        ):
            body = _body(answer, parts.geturl(), ends) if answer.status_code == 200 else b""
            return answer.status_code, dict(answer.headers), body
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise ManifestError(f"{parts.geturl()!r} gives no answer: {_why(error)}.") from error


def _body(answer: Any, url: str, ends: float) -> bytes:
    body = bytearray()
    for piece in answer.iter_raw():
        body += piece
        if len(body) > MAX_BYTES:
            raise ManifestError(f"{url!r} is longer than {MAX_BYTES:,} bytes. Split the document.")
        if time.monotonic() > ends:
            raise ManifestError(f"{url!r} is too slow. Download the file and register that.")
    return bytes(body)


def _why(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


def _client() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise InputError(
            "Addresses are fetched by httpx2, which is not installed. Install it with: "
            "pip install 'spm-registry[mcp]', or download the file and register that."
        ) from error
    return httpx2


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def with_server(document: object, url: str) -> object:
    """An OpenAPI document whose servers are absolute: its own address is what they stand beside."""
    if not isinstance(document, dict):
        return document
    parts = urlsplit(url)
    if "swagger" in document:
        usual = {"host": parts.netloc, "schemes": [parts.scheme]}
        return document if "host" in document else {**document, **usual}
    if "openapi" not in document:
        return document
    servers = document.get("servers")
    if not isinstance(servers, list) or not servers:
        return {**document, "servers": [{"url": f"{parts.scheme}://{parts.netloc}"}]}
    made = [
        {**one, "url": urljoin(url, one["url"]).rstrip("/")}
        if isinstance(one, dict) and isinstance(one.get("url"), str) and "{" not in one["url"]
        else one
        for one in servers
    ]
    return {**document, "servers": made}
