"""Every error becomes problem details; none of them repeats what a client sent."""

import logging
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from spm.registry.errors import SpmError, StoreError
from spm.service import problems
from spm.service.problems import Problem, problem_of

log = logging.getLogger("spm.service")
_BY_STATUS = {
    400: problems.MALFORMED,
    404: problems.NOT_FOUND,
    405: problems.NO_METHOD,
    413: problems.TOO_LARGE,
}


def install(app: FastAPI) -> None:
    """Let an application answer its errors as problem details."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(SpmError, _registry_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _problem(request: Request, error: Any) -> Response:
    del request
    response: Response = error.response()
    return response


async def _registry_error(request: Request, error: Any) -> Response:
    del request
    if isinstance(error, StoreError):
        log.warning("%s: %s", type(error).__name__, error)
    return problem_of(error).response()


async def _invalid(request: Request, error: Any) -> Response:
    """Say where a question is wrong, without repeating it: it may hold secrets or half signs."""
    del request
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])).encode("ascii", "backslashreplace").decode()
    kind = problems.MALFORMED if first["type"] == "json_invalid" else problems.INVALID
    said = first["msg"] if kind is problems.INVALID else "not valid JSON"
    return Problem(
        kind, f"{place[:200]}: {said}"[:500], "See what is asked for at /openapi.json."
    ).response()


async def _http(request: Request, error: Any) -> Response:
    del request
    kind = _BY_STATUS.get(error.status_code, problems.INVALID)
    return Problem(
        kind, str(error.detail), "See what there is at /openapi.json.", dict(error.headers or {})
    ).response()
