"""The access log: each request gets an id, a span, metrics and one line."""

import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spm.service import log_format
from spm.service.middleware.auth import address_of
from spm.service.problems import BROKEN, Problem
from spm.service.spans import finish, request_span
from spm.service.state import Service
from spm.service.token_cache import Identity

log = logging.getLogger("spm.service")
ID = "X-Request-Id"
LEFT = 499  # as nginx calls it: the client was gone before there was an answer
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Applications that bring routes of their own, and pages; everything else has a route by name.
_MOUNTED = (
    (re.compile(r"/mcp/?"), "/mcp"),
    (re.compile(r"/menus/[^/]+/mcp/?"), "/menus/{id}/mcp"),
    (re.compile(r"/static/.*"), "/static"),
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class AccessLogMiddleware:
    """Watches requests; changes nothing but for a header with their id."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through and tell of it afterwards."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        given = connection.headers.get(ID, "")
        identity = given if _ID.fullmatch(given) else uuid4().hex
        # Whatever a client calls its method becomes a label: one of a few.
        method = scope["method"] if scope["method"] in _METHODS else "other"
        begun = time.perf_counter()
        status: int | None = None

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[ID] = identity
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        with request_span(method, connection.headers) as span:
            try:
                await self._app(scope, receive, told)
            except Exception as error:
                await _fail(scope, receive, told, error, begun=status is not None)
            finally:
                status = status or LEFT
                route = route_of(scope)
                seconds = time.perf_counter() - begun
                finish(span, method, route, status)
                self._service.metrics.request(route, method, status, seconds)
                self._log(connection, identity, method, status, seconds)

    def _log(
        self, connection: HTTPConnection, identity: str, method: str, status: int, seconds: float
    ) -> None:
        who: Identity | None = connection.scope.get("state", {}).get("identity")
        log_format.request(
            id=identity,
            method=method,
            route=route_of(connection.scope),
            status=status,
            ms=round(1000 * seconds, 1),
            client=address_of(connection, self._service.settings.trust_proxy),
            team=who.caller.team if who else None,
            token=who.token if who else None,
        )


async def _fail(
    scope: Scope, receive: Receive, send: Send, error: Exception, *, begun: bool
) -> None:
    """Answer for a mistake of ours; nothing of the request gets into the log."""
    log.error("%s failed", route_of(scope), exc_info=error)
    if begun:
        raise error  # half an answer is out; only a broken connection says that it is half
    problem = Problem(BROKEN, "This is a mistake of ours.", "Tell the operator.")
    await problem.response()(scope, receive, send)


def route_of(scope: Scope) -> str:
    """The route that took a request, without what a client wrote into it."""
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str) and path:
        return path
    return next((name for known, name in _MOUNTED if known.fullmatch(scope["path"])), "other")
