"""Read the tools of MCP servers: a saved `tools/list` result, or a server that is asked now.

Speaks 2025-06-18, 2025-11-25 and 2026-07-28. Asking a server needs the official SDK, which is an
optional extra and is only imported then. No tool is ever called.
"""

import logging
import os
import shlex
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import SplitResult, urlsplit

from spm.registry.addresses import is_loopback
from spm.registry.catalog.effects import of_annotations
from spm.registry.errors import ManifestError
from spm.registry.importers.functions import assemble, define, plain, service_name
from spm.registry.importers.references import Notes, clean
from spm.registry.importers.source import Source
from spm.registry.models import ToolSpec

if TYPE_CHECKING:
    from mcp import Client

STDIO = "mcp+stdio:"
HTTP = ("mcp+http://", "mcp+https://")
TIMEOUT = 30.0
MAX_PAGES = 1_000
MAX_TOOLS = 50_000
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
# Where a 2026-07-28 server says who it is: in every result, because there is no handshake.
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
INSTALL = "Reading a live MCP server needs its SDK: pip install 'spm-registry[mcp]'"


def looks_like_mcp(document: object) -> bool:
    """Whether a document is a `tools/list` result, in any of the ways people save it."""
    return any(
        isinstance(tool, dict) and isinstance(tool.get("inputSchema"), dict)
        for page in _pages(document)
        for tool in page["tools"]
    )


def is_mcp_server(target: str) -> bool:
    """Whether a source names a live server: `mcp+stdio:COMMAND` or `mcp+https://host/mcp`."""
    return target.startswith((STDIO, *HTTP))


def read_mcp_list(document: object, name: str, service: str | None = None) -> Source:
    """Read a saved `tools/list` result.

    Args:
        document: a result, a JSON-RPC response, a list of either (pages), or a list of tools.
        name: where it comes from, for messages; names the service if nothing else does.
        service: who provides the tools.

    Raises:
        ManifestError: it is no such list, or no tool of it can be used.
    """
    pages = _pages(document)
    if not pages:
        raise ManifestError(f"{name}: not a tools/list result{_refusal(document)}.")
    service = service or next(filter(None, map(_server_name, pages)), None) or service_name(name)
    return _source(pages, name, service, service)


def read_mcp_server(
    target: str,
    service: str | None = None,
    *,
    timeout: float = TIMEOUT,
    allow_http: bool = False,
) -> Source:
    """Ask a live server for its tools. A command is started for that, and always ended.

    Args:
        target: `mcp+stdio:COMMAND ARGUMENTS`, `mcp+https://host/path`, or `mcp+http://…`.
        service: who provides the tools; without it, the server's own name.
        timeout: seconds for all of it: start, negotiation and every page.
        allow_http: also speak unencrypted to other machines than this one.

    Raises:
        ManifestError: the SDK is missing, the address is not allowed, or the server dies, does
            not answer in time or does not speak MCP.
    """
    command, url = _parsed(target, allow_http)
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError as error:
        raise ManifestError(f"{INSTALL} ({error}).") from error
    shown = f"{STDIO}{shlex.join(command)}" if command else f"mcp+{_without_query(url)}"
    with tempfile.TemporaryFile("w+", errors="replace") as said, _quiet():
        answer = _Answer()
        try:
            anyio.run(_ask, answer, command, url, said, timeout)
        except _failures() as error:
            raise ManifestError(_explained(shown, error, answer, said, timeout)) from error
    anonymous = PurePath(command[0]).name if command else str(urlsplit(url).hostname)
    return _source(answer.pages, shown, service or service_name(answer.name or anonymous), shown)


@dataclass
class _Answer:
    """What a server has said so far."""

    name: str = ""
    pages: list[dict[str, Any]] = field(default_factory=list)
    garbage: int = 0


def _pages(document: object) -> list[dict[str, Any]]:
    """The results in a document: each an object whose `tools` is a list."""
    if isinstance(document, list):
        if any(isinstance(item, dict) and "inputSchema" in item for item in document):
            return [{"tools": document}]
        return [page for item in document if isinstance(item, dict) for page in _pages(item)]
    if not isinstance(document, dict):
        return []
    result = document.get("result") if "jsonrpc" in document else document
    return [result] if isinstance(result, dict) and isinstance(result.get("tools"), list) else []


def _refusal(document: object) -> str:
    error = document.get("error") if isinstance(document, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return f", but an error: {clean(str(message))[:300]}" if message else ""


def _server_name(page: dict[str, Any]) -> str:
    meta = page.get("_meta")
    info = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return service_name(name) if isinstance(name, str) else ""


def _source(pages: list[dict[str, Any]], name: str, service: str, server: str) -> Source:
    notes = Notes()
    tools = [_tool(tool, server, notes) for page in pages for tool in page["tools"]]
    if pages[-1].get("nextCursor"):
        notes.add("The list is incomplete: its last page announces another one", service)
    return assemble(name, "mcp", service, tools, notes)


def _tool(tool: object, server: str, notes: Notes) -> ToolSpec | None:
    if not isinstance(tool, dict):
        notes.add("Left out, because it is not an object", repr(tool)[:40])
        return None
    annotations = tool.get("annotations")
    given = annotations if isinstance(annotations, dict) else {}
    hints = {key: value for key, value in given.items() if value is not None}
    name = tool.get("name")
    made = define(
        name,
        notes,
        title=tool.get("title") or hints.get("title"),
        description=tool.get("description"),
        **_stated(hints, name, tool.get("title") or hints.get("title"), tool.get("description")),
        input_schema=tool.get("inputSchema"),
        output_schema=tool.get("outputSchema"),
        call={"format": "mcp", "server": server, "tool": plain(str(name))},
    )
    if made and not any(hint in hints for hint in HINTS):
        notes.add("No annotations, so the effects are read from names and texts", made.name)
    if made and not made.outputs:
        notes.add("No output schema with fields, so no outputs are known", made.name)
    return made


def _stated(hints: dict[str, Any], name: object, *texts: object) -> dict[str, str]:
    """The effects that annotations state; nothing where there are none."""
    if not any(hint in hints for hint in HINTS):
        return {}
    said = [text if isinstance(text, str) else "" for text in (name, *texts)]
    decided = of_annotations(hints, *said)
    return {"effects": decided.effects, "effects_reason": decided.reason}


def _parsed(target: str, allow_http: bool) -> tuple[list[str], str]:
    if target.startswith(STDIO):
        try:
            command = shlex.split(target.removeprefix(STDIO))
        except ValueError as error:
            raise ManifestError(f"{target!r}: cannot be split into words: {error}.") from error
        if not command:
            raise ManifestError(f"{target!r} names no command. Write {STDIO}COMMAND ARGUMENTS.")
        return command, ""
    url = target.removeprefix("mcp+")
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise ManifestError(f"{target!r} is not an address: {error}.") from error
    if not target.startswith(HTTP) or not usable:
        raise ManifestError(f"{target!r} is not {STDIO}COMMAND or mcp+https://HOST/PATH.")
    _refuse_unsafe(parts, allow_http)
    return [], url


def _refuse_unsafe(parts: SplitResult, allow_http: bool) -> None:
    if parts.username or parts.password:
        raise ManifestError(
            f"The address of {parts.hostname!r} carries credentials, and would be stored. "
            "Leave them out."
        )
    if parts.scheme == "http" and not allow_http and not is_loopback(parts.hostname or ""):
        raise ManifestError(
            f"{parts.hostname!r} is another machine, and http is not encrypted. Use mcp+https://, "
            "or allow it with --allow-remote."
        )


def _without_query(url: str) -> str:
    # Keys often travel in the query; what is stored must not contain them.
    return urlsplit(url)._replace(query="", fragment="").geturl()


async def _ask(answer: _Answer, command: list[str], url: str, said: TextIO, timeout: float) -> None:
    import anyio

    with anyio.fail_after(timeout):
        async with _connected(answer, command, url, said) as client:
            info = client.server_info
            answer.name = info.name if info else ""
            cursor: str | None = None
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                answer.pages.append(page.model_dump(by_alias=True, exclude_unset=True, mode="json"))
                count = sum(len(p["tools"]) for p in answer.pages)
                if page.next_cursor in (None, cursor) or count > MAX_TOOLS:
                    return
                cursor = page.next_cursor


@asynccontextmanager
async def _connected(
    answer: _Answer, command: list[str], url: str, said: TextIO
) -> "AsyncIterator[Client]":
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    async def listen(message: object) -> None:
        answer.garbage += isinstance(message, Exception)

    if command:
        # The SDK gives the child HOME, PATH and a few more, not the whole environment.
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        async with Client(stdio_client(parameters, said), message_handler=listen) as client:
            yield client
        return
    # A proxy of the environment must not be asked for this machine's own addresses.
    outside = not is_loopback(urlsplit(url).hostname or "")
    async with httpx2.AsyncClient(timeout=TIMEOUT, trust_env=outside) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, message_handler=listen) as client:
            yield client


@contextmanager
def _quiet() -> Iterator[None]:
    # The SDK logs every line of a confused server with a traceback.
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def _failures() -> tuple[type[Exception], ...]:
    import httpx2
    from mcp import MCPError

    # Transports run in task groups, which wrap what goes wrong in a group of exceptions.
    return (MCPError, OSError, ValueError, RuntimeError, httpx2.HTTPError, ExceptionGroup)


def _explained(shown: str, error: Exception, answer: _Answer, said: TextIO, timeout: float) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        what = f"did not list its tools within {timeout:g} seconds"
    else:
        message = " ".join(clean(str(error)).split()) or type(error).__name__
        what = f"failed: {message[:300].rstrip('.')}"
    if answer.garbage:
        what += f". It wrote {answer.garbage} lines to stdout that are not MCP"
    said.seek(max(0, said.seek(0, os.SEEK_END) - 2_000))
    last = [line for line in clean(said.read()).splitlines() if line.strip()][-1:]
    hint = f" Its last words: {last[0].strip()[:300]}" if last else ""
    return f"The MCP server {shown!r} {what}.{hint}"
