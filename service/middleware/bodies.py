"""Bodies are read to their end before anybody works on them: not too large, not too slow."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spm.service.problems import SLOW_BODY, TOO_LARGE, Problem
from spm.service.settings import ServiceSettings

INTAKE = frozenset({"/v1/traces", "/v1/check", "/v1/sources"})


class BodyMiddleware:
    """Refuses bodies beyond their bounds; who was sent away has cost no more than that."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then hand it on as if it came just now."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        large = scope["path"] in INTAKE
        most = self._settings.intake_bytes if large else self._settings.body_bytes
        try:
            body = await self._read(scope, receive, most)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        if body is None:
            return  # the client left
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)

    async def _read(self, scope: Scope, receive: Receive, most: int) -> bytes | None:
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced[:20]) > most:
            raise _too_large(most)
        try:
            async with asyncio.timeout(self._settings.longest_seconds):
                return await _collect(receive, most)
        except TimeoutError as error:
            raise Problem(
                SLOW_BODY, "The body did not arrive in time.", "Send it faster, or send less."
            ) from error


async def _collect(receive: Receive, most: int) -> bytes | None:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
        more = message.get("more_body", False)
    return b"".join(parts)


def _too_large(most: int) -> Problem:
    return Problem(
        TOO_LARGE,
        f"The body has more than {most:,} bytes.",
        "Send it in parts.",
        {"Connection": "close"},  # the rest of it is not read
    )
