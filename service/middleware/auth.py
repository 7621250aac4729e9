"""Authentication: the caller of every request is decided here, once.

With a token it is the token's team. Without one only programs on this machine are served, and they
see everything, like the person who started the service. Two kinds of strangers look as if they
came from this machine: the clients of a proxy, and web pages in a browser here. The first give
themselves away by what proxies add, the second by the names of hosts.
"""

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from spm.registry.access.caller import Caller
from spm.registry.addresses import is_loopback
from spm.registry.errors import SpmError
from spm.service.problems import (
    FORBIDDEN,
    MISDIRECTED,
    UNAUTHORISED,
    Problem,
    problem_of,
)
from spm.service.state import Service
from spm.service.token_cache import OPERATOR, Identity

# What says nothing about anybody's tools: the page asks its questions with a token of its own.
OPEN = frozenset({"/healthz", "/readyz", "/openapi.json", "/", "/docs"})
OPEN_UNDER = "/static/"
NEEDS = {"/v1/traces": "traces", "/metrics": "metrics"}
NEEDS_TO_POST = {"/v1/sources": "register"}
FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
)
NEXT = "Send a token as 'Authorization: Bearer spm_…'. Make one with: spm tokens create NAME"


class AuthMiddleware:
    """Lets requests in, and writes on them who asks."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer who may not come in; let the others through."""
        if scope["type"] == "http":
            connection = HTTPConnection(scope)
            try:
                scope.setdefault("state", {})["identity"] = await self._admit(connection)
            except SpmError as error:
                await problem_of(error).response()(scope, receive, send)
                return
            except Problem as problem:
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _admit(self, connection: HTTPConnection) -> Identity | None:
        # Not connection.url, which is made of what the client says about the host.
        path = connection.scope["path"]
        if path in OPEN or path.startswith(OPEN_UNDER):
            return None
        authorization = connection.headers.get("authorization")
        if authorization is None:
            self._require_loopback(connection)
            return OPERATOR
        scheme, _, secret = authorization.partition(" ")
        found = None
        if scheme.lower() == "bearer":
            found = await self._service.identities.of(secret.strip())
        if found is None:
            raise _refused("This token is not known, has expired or was taken back.")
        needed = NEEDS.get(path, "read")
        if connection.scope["method"] not in ("GET", "HEAD"):
            needed = NEEDS_TO_POST.get(path, needed)
        if needed not in found.may:
            raise Problem(
                FORBIDDEN,
                f"This token may not do that; it needs the permission {needed!r}.",
                f"Make one with: spm tokens create NAME --may {needed}",
            )
        return found

    def _require_loopback(self, connection: HTTPConnection) -> None:
        """Let in who is on this machine, and nobody who only seems to be."""
        settings = self._service.settings
        if settings.require_token or settings.trust_proxy:
            raise _refused("Everybody needs a token here.")
        if not is_loopback(connection.client.host if connection.client else ""):
            raise _refused("Without a token only this machine is served.")
        if proxied(connection):
            raise _refused("The request came through a proxy, so it may be from anywhere.")
        host = connection.headers.get("host", "")
        if not (is_loopback(_name(host)) or _name(host) in settings.hosts):
            raise Problem(
                MISDIRECTED,
                "Without a token this service is asked for by the name of this machine only.",
                "Use http://127.0.0.1, a token, or start it with --allow-host NAME.",
            )
        origin = connection.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Problem(
                FORBIDDEN, "A page of another site asks.", "Ask from this service's own page."
            )


def identity_of(connection: HTTPConnection) -> Identity:
    """Who asks.

    Raises:
        Problem: the route is open to all, but what it does is not.
    """
    found: Identity | None = connection.state.identity
    if found is None:
        raise _refused("This needs to know who asks.")
    return found


def caller_of(connection: HTTPConnection) -> Caller:
    """What who asks may see; see `identity_of`."""
    return identity_of(connection).caller


def address_of(connection: HTTPConnection, trust_proxy: bool) -> str:
    """Where a request comes from, for the log: as a trusted proxy says, else who is connected."""
    if trust_proxy and (forwarded := connection.headers.get("x-forwarded-for")):
        # Proxies append; what stands before was sent by the client, who may say anything.
        return forwarded.rpartition(",")[2].strip()[:64]
    return connection.client.host if connection.client else ""


def proxied(connection: HTTPConnection) -> bool:
    """Whether a request shows signs of a proxy; nginx as it is installed speaks HTTP/1.0."""
    old: bool = connection.scope.get("http_version") == "1.0"
    return old or any(name in connection.headers for name in FORWARDED)


def _name(host: str) -> str:
    """A host without its port and brackets, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _refused(detail: str) -> Problem:
    return Problem(UNAUTHORISED, detail, NEXT, {"WWW-Authenticate": "Bearer"})
