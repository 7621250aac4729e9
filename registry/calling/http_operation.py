"""One call of an OpenAPI operation, or of a tool that only has an address, as an HTTP request.

What a model wrote decides about values, never about where the request goes: the address is the
operator's, path values are quoted whole, and headers that mean something to servers are refused.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from spm.registry.calling.arguments import Invalid
from spm.registry.calling.backends import HttpBackend
from spm.registry.calling.callable_tool import Failed, NotCalled, Tool
from spm.registry.calling.client import Response, Unreachable, send
from spm.registry.importers.references import clean

FORM = "application/x-www-form-urlencoded"
SAID = 200  # characters of a server's own words about what was wrong
_GAP = re.compile(r"\{([^{}]*)\}")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
# Whoever sets these speaks for somebody else, or breaks the message apart.
_RESERVED = frozenset(
    "authorization proxy-authorization cookie host connection content-length content-type "
    "transfer-encoding te trailer upgrade forwarded via".split()
)


@dataclass(frozen=True)
class Prepared:
    """A request that is ready to be sent, but for the credential."""

    method: str
    url: str
    headers: dict[str, str]
    data: bytes | None


def prepare(backend: HttpBackend, tool: Tool, arguments: Mapping[str, Any]) -> Prepared:
    """Make the request of a call.

    Raises:
        Invalid: an argument cannot be put where it belongs.
        NotCalled: the tool has no description that can be followed.
    """
    call = tool.spec.call or {}
    if call.get("format") != "openapi":
        asked = json.dumps({"tool": tool.id, "arguments": dict(arguments)}).encode()
        return Prepared("POST", backend.base_url, {"Content-Type": "application/json"}, asked)
    places: Mapping[str, str] = call.get("parameters") or {}
    by_place: dict[str, dict[str, Any]] = {}
    for name, value in arguments.items():
        by_place.setdefault(places.get(name, "body"), {})[name] = value
    path = _path(str(call.get("path", "")), by_place.pop("path", {}))
    query = _query({**by_place.pop("query", {}), **by_place.pop("querystring", {})})
    headers = _headers(by_place.pop("header", {}))
    if by_place.pop("cookie", None):
        raise NotCalled("it wants cookies, which are not sent for a model")
    body = {**by_place.pop("body", {}), **by_place.pop("formData", {})}
    media, data = _body(body, str(call.get("body") or ""))
    url = backend.base_url + path + (f"?{query}" if query else "")
    return Prepared(str(call.get("method", "GET")).upper(), url, headers | media, data)


def perform(backend: HttpBackend, tool: Tool, arguments: Mapping[str, Any]) -> object:
    """Make a call and return its result: JSON, or text.

    Raises:
        Invalid: see `prepare`.
        NotCalled: likewise.
        InputError: the credential is not set.
        Failed: there is no answer, or it is an error.
    """
    ready = prepare(backend, tool, arguments)
    headers = {"Accept": "application/json", **ready.headers, **backend.headers()}
    try:
        answer = send(ready.method, ready.url, ready.data, backend.timeout, headers)
    except Unreachable as error:
        raise Failed(str(error)) from error
    if not 200 <= answer.status < 300:
        raise Failed(f"the tool's server answered {answer.status}{_said(answer)}")
    if not answer.body.strip():
        return None
    try:
        return answer.json()
    except ValueError:
        return answer.body.decode("utf-8", "replace")


def _path(template: str, values: Mapping[str, Any]) -> str:
    if not template.startswith("/") or "//" in template or ".." in template.split("/"):
        raise NotCalled("its registered path cannot be followed")

    def put(gap: re.Match[str]) -> str:
        if gap[1] not in values:
            raise Invalid(f"{gap[1]!r} is required")
        text = _text(values[gap[1]])
        if text in ("", ".", ".."):
            raise Invalid(f"{gap[1]!r} cannot be part of a path")
        return quote(text, safe="")

    return quote(_GAP.sub(put, template), safe="/%:@!$&'()*+,;=~-._")


def _query(values: Mapping[str, Any]) -> str:
    pairs = [
        (name, _text(each))
        for name, value in values.items()
        for each in (value if isinstance(value, list) else [value])
        if each is not None
    ]
    return urlencode(pairs)


def _headers(values: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in values.items():
        text = _text(value)
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or name.lower() in _RESERVED:
            raise NotCalled(f"it wants the header {name[:64]!r}, which is not sent for a model")
        if not _VALUE.fullmatch(text):
            raise Invalid(f"{name!r} cannot be a header")
        found[name] = text
    return found


def _body(values: dict[str, Any], media: str) -> tuple[dict[str, str], bytes | None]:
    if not media:
        return {}, None
    if media == FORM:
        return {"Content-Type": FORM}, _query(values).encode()
    # The importer calls a body that is no object "body".
    whole = values["body"] if values.keys() == {"body"} else values
    return {"Content-Type": "application/json"}, json.dumps(whole).encode()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _said(answer: Response) -> str:
    """What a server says about a request that it refused; of its own failures nothing is told."""
    if answer.status >= 500:
        return ""
    words = " ".join(clean(answer.body[: 4 * SAID].decode("utf-8", "replace")).split())
    return f": {words[:SAID]}" if words else ""
