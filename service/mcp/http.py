"""MCP over streamable HTTP: the registry at /mcp, every frozen menu at /menus/{id}/mcp.

Who asks was decided at the door, for each request. Nothing is kept between requests but, with a
single worker, the sessions of older clients on menus: without one they cannot be asked whether a
tool may run that cannot be undone.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from spm.registry.access.caller import Caller
from spm.registry.calling.backends import Backends, read_backends
from spm.registry.calling.observations import standard
from spm.registry.errors import SpmError
from spm.registry.menus import frozen
from spm.service.mcp.call_forwarding import Forwarding
from spm.service.mcp.menu_server import Context, MenuServer
from spm.service.mcp.registry_server import registry_server
from spm.service.mcp.trace_recording import Recorder
from spm.service.middleware.auth import caller_of, identity_of
from spm.service.problems import NOT_FOUND, STOPPING, Problem, problem_of
from spm.service.state import Service

SESSION_SECONDS = 900.0
SESSIONS = 1_000
SESSION = "mcp-session-id"
MENU = "/menus/{menu}/mcp"


class Endpoint:
    """One MCP server behind a route.

    Args:
        server: makes it.
        sessions: whether older clients get sessions.
        admit: looks at a request before the server does.
        left: hears of sessions that their clients ended.
    """

    def __init__(
        self,
        server: Callable[[], Server[Any]],
        *,
        sessions: bool = False,
        admit: Any = None,
        left: Any = None,
    ) -> None:
        self._server, self._sessions, self._admit, self._left = server, sessions, admit, left
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer while the context lasts."""
        manager = StreamableHTTPSessionManager(
            self._server(),
            stateless=not self._sessions,
            json_response=not self._sessions,
            session_idle_timeout=SESSION_SECONDS,
            max_sessions=SESSIONS,
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        if request.method not in ("POST", "DELETE"):
            # A stream that never ends would keep the service from stopping; none is needed.
            await Response(status_code=405, headers={"Allow": "POST, DELETE"})(scope, receive, send)
            return
        try:
            if self._manager is None:
                raise Problem(STOPPING, "The service is stopping.", "Ask again in a moment.")
            if self._admit is not None:
                await self._admit(request)
        except (SpmError, Problem) as error:
            known = error if isinstance(error, Problem) else problem_of(error)
            await known.response()(scope, receive, send)
            return
        scope["user"] = _user(request)
        await self._manager.handle_request(scope, receive, _patient(send))
        if request.method == "DELETE" and self._left is not None:
            await self._left(request.headers.get(SESSION, ""))


def _patient(send: Send) -> Send:
    """Say 429 for too many sessions, as for too many of anything: the service itself is well."""

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 503:
            headers = [*message.get("headers", ()), (b"retry-after", b"60")]
            message = {**message, "status": 429, "headers": headers}
        await send(message)

    return told


def mount(app: FastAPI, service: Service, backends: Backends | None = None) -> None:
    """Add the MCP endpoints to an application.

    Args:
        app: of one worker.
        service: what it works with.
        backends: who runs tools; else the file that the settings name.

    Raises:
        InputError: the file of backends is not valid.
    """
    known = read_backends(service.settings.backends_file) if backends is None else backends
    forwarding, recorder = Forwarding(known), Recorder(service)
    menus = MenuServer(
        service, forwarding, recorder, _menu_of, _caller_of, _session_of, may_call=_may_call
    )

    async def admit(request: Request) -> None:
        menu, caller = str(request.path_params["menu"]), caller_of(request)
        try:
            await service.ask(lambda registry: frozen.get(registry.store, menu, caller))
        except frozen.UnknownMenu as error:
            raise Problem(NOT_FOUND, f"No frozen menu {menu[:80]!r}.", FREEZE) from error

    async def left(session: str) -> None:
        await recorder.end(lambda key: isinstance(key, tuple) and key[-1] == session != "")

    registry = Endpoint(lambda: registry_server(service, _caller_of))
    frozen_menus = Endpoint(
        menus.server, sessions=service.settings.workers == 1, admit=admit, left=left
    )
    app.router.routes += [Route("/mcp", registry), Route(MENU, frozen_menus)]
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with inner(running) as state, AsyncExitStack() as stack:
            for part in (forwarding.sessions, recorder, registry, frozen_menus):
                await stack.enter_async_context(part.running())
            yield state

    app.router.lifespan_context = lifespan


FREEZE = "Freeze one with: POST /v1/menus/frozen"


def _request(context: Context) -> Request:
    request = context.request
    assert isinstance(request, Request)
    return request


def _caller_of(context: Context) -> Caller:
    return caller_of(_request(context))


def _menu_of(context: Context) -> str:
    return str(_request(context).path_params["menu"])


def _may_call(context: Context) -> str:
    """Why who asks may not call tools; empty when they may."""
    if "call" in identity_of(_request(context)).may:
        return ""
    return standard(
        "exception", "this token may not call tools; it needs the permission 'call'"
    ).text


def _session_of(context: Context) -> str:
    """What the calls of one run have in common: a session, or the trace that they belong to."""
    if session := _request(context).headers.get(SESSION):
        return session
    said = (context.meta or {}).get("traceparent")
    return said.split("-")[1][:32] if isinstance(said, str) and said.count("-") == 3 else ""


def _user(request: Request) -> AuthenticatedUser:
    """Whom a session belongs to: the SDK lets nobody else use it, and not on another menu."""
    identity = identity_of(request)
    whose = f"{identity.token} {identity.caller.team} {request.path_params.get('menu', '')}"
    return AuthenticatedUser(AccessToken(token="-", client_id=whose, scopes=[]))
