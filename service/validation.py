"""Refuses parameters that the description at /openapi.json does not name.

A misspelled parameter that is left aside gives the answer to another question, and a body of
another type is no JSON however much it looks like it.
"""

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError

from spm.registry.catalog.naming import nearest
from spm.service.problems import NO_JSON, Problem

JSON = "application/json"


async def strict(request: Request) -> None:
    """Refuse parameters that the route does not have, and bodies of another type than its own.

    Raises:
        RequestValidationError: a parameter is unknown; its name is told, its value is not.
        Problem: the body is no JSON.
    """
    described = _operation(request)
    known = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
    for name in request.query_params:
        if name not in known:
            said = {"type": "extra_forbidden", "loc": ("query", name), "msg": _advice(name, known)}
            raise RequestValidationError([said])
    taken = described.get("requestBody", {}).get("content", {})
    if list(taken) == [JSON] and not _is_json(request) and await request.body():
        raise Problem(
            NO_JSON, "The body is not said to be JSON.", f"Send it with: Content-Type: {JSON}"
        )


def _operation(request: Request) -> dict[str, Any]:
    paths = request.app.openapi()["paths"]
    found: dict[str, Any] = paths[request.scope["route"].path_format][request.method.lower()]
    return found


def _advice(name: str, known: list[str]) -> str:
    if not known:
        return "this route has no parameters"
    near = "".join(f" Nearest: {found}." for found in nearest(name, known, 1))
    return f"no such parameter.{near} Known: {', '.join(known)}"


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == JSON or (kind.startswith("application/") and kind.endswith("+json"))
