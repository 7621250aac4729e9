"""The service's description of itself: OpenAPI 3.1, complete to the last problem and header."""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from spm.service.middleware.access_log import ID
from spm.service.middleware.auth import OPEN
from spm.service.problems import ProblemDetails

SERVERLESS = "Give every request a token, or ask from the machine that the service runs on."
_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": f"A token of `spm tokens create`. {SERVERLESS}",
}
_ID = {
    "schema": {"type": "string"},
    "description": "The id of the request in the logs; one that was sent is kept.",
}


def describe(app: FastAPI) -> None:
    """Let an application describe itself; made once, when it is first asked for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        routes=app.routes,
        openapi_version="3.1.0",
    )
    parts = found.setdefault("components", {})
    parts.setdefault("schemas", {})[ProblemDetails.__name__] = ProblemDetails.model_json_schema()
    parts["securitySchemes"] = {"token": _BEARER}
    for path, methods in found["paths"].items():
        for operation in methods.values():
            # An empty requirement: also without, on the loopback.
            operation["security"] = [{}] if path in OPEN else [{"token": []}, {}]
            # Made of a function's name it said "Shown", "Assess": people read this at /docs.
            told = str(operation.get("description") or operation.get("summary") or "")
            operation["summary"] = _first_sentence(told)
            for response in operation["responses"].values():
                response.setdefault("headers", {})[ID] = _ID
    return found


def _first_sentence(text: str) -> str:
    """What a route is for, up to the first stop or colon."""
    return re.split(r"[.:;](?:\s|$)", text.strip(), maxsplit=1)[0]
