"""Connections to MCP servers that run tools: opened at the first call, kept, opened anew when lost.

Needs the official SDK, and an event loop. Servers are given no credentials but their own, and no
way to ask for anything back.
"""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
from anyio.abc import TaskGroup, TaskStatus

from spm.registry.addresses import is_loopback
from spm.registry.calling.backends import McpBackend
from spm.registry.calling.callable_tool import Failed, NotCalled
from spm.registry.errors import InputError

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

START_SECONDS = 30.0


class Sessions:
    """The servers of one process; use it as a context, in whose end all connections close."""

    def __init__(self) -> None:
        self._group: TaskGroup | None = None
        self._open: dict[McpBackend, _Session] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Sessions"]:
        """Keep connections until the end of the context."""
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield self
            finally:
                self._group = None
                self._open.clear()
                group.cancel_scope.cancel()

    async def call(
        self, backend: McpBackend, tool: str, arguments: dict[str, Any]
    ) -> "CallToolResult":
        """Call a tool.

        Raises:
            Failed: the server cannot be reached, is too slow or ended.
            NotCalled: this service is about to end.
            InputError: the credential is not set.
        """
        if self._group is None:
            raise NotCalled("the service is stopping")
        session = self._open.setdefault(backend, _Session(backend))
        return await session.call(self._group, tool, arguments)


class _Session:
    """One connection, in a task of its own: the SDK wants it opened and closed by the same."""

    def __init__(self, backend: McpBackend) -> None:
        self._backend = backend
        self._client: Client | None = None
        self._scope = anyio.CancelScope()
        self._opening = anyio.Lock()

    async def call(
        self, group: TaskGroup, tool: str, arguments: dict[str, Any]
    ) -> "CallToolResult":
        from mcp import MCPError

        client = await self._ready(group)
        seconds = self._backend.timeout
        try:
            with anyio.fail_after(seconds):
                return await client.call_tool(tool, arguments)
        except TimeoutError:
            raise Failed(f"no answer within {seconds:g} seconds") from None
        except MCPError as error:
            if not _answered(error):
                self._drop()
            raise Failed(str(error) or "the tool's server refused the call") from error
        except Exception as error:  # transports fail in many ways, and may hold half a message
            self._drop()
            raise Failed(f"the connection broke ({type(error).__name__})") from error

    async def _ready(self, group: TaskGroup) -> "Client":
        async with self._opening:
            if self._client is None:
                try:
                    await group.start(self._keep)
                except InputError:  # the server was not even asked
                    raise
                except Exception as error:
                    raise Failed("the tool's server cannot be reached") from error
            assert self._client is not None
            return self._client

    async def _keep(self, *, task_status: TaskStatus[None]) -> None:
        """Hold the connection open until it is dropped."""
        started = False
        self._scope = anyio.CancelScope()
        try:
            with self._scope:
                async with _connected(self._backend) as client:
                    self._client, started = client, True
                    task_status.started()
                    await anyio.sleep_forever()
        except Exception:
            # Before the start it is told to whoever waits; later the next call finds out.
            if not started:
                raise
        finally:
            self._client = None

    def _drop(self) -> None:
        self._client = None
        self._scope.cancel()


def _answered(error: Any) -> bool:
    """Whether a server said this itself; -32000 is what the SDK says for a closed connection."""
    return getattr(error, "code", None) not in (-32000, None)


@asynccontextmanager
async def _connected(backend: McpBackend) -> "AsyncIterator[Client]":
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if backend.command:
        command = shutil.which(backend.command[0]) or backend.command[0]
        given = {name: os.environ[name] for name in backend.env if name in os.environ}
        parameters = StdioServerParameters(
            command=command, args=list(backend.command[1:]), env=given or None
        )
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            with anyio.fail_after(START_SECONDS) as start:
                async with Client(stdio_client(parameters, said), cache=None) as client:
                    start.deadline = float("inf")
                    yield client
        return
    url = str(backend.url)
    outside = not is_loopback(urlsplit(url).hostname or "")
    headers = backend.headers()
    async with httpx2.AsyncClient(
        timeout=backend.timeout, trust_env=outside, headers=headers, follow_redirects=False
    ) as http:
        with anyio.fail_after(START_SECONDS) as start:
            async with Client(streamable_http_client(url, http_client=http), cache=None) as client:
                start.deadline = float("inf")
                yield client
