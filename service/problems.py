"""Problem details (RFC 9457) for errors.

Errors of the registry say what happened and what to do on a command line. Here they become a status
and a sentence; what a client must not know (addresses, files) stays in the log.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from spm.registry.errors import (
    AmbiguousTool,
    EncoderError,
    InputError,
    ModelError,
    NotOwned,
    OutcomeUnknown,
    SpmError,
    StoreError,
    StoreLocked,
    UnknownField,
    UnknownName,
    UnknownStep,
    UnknownTool,
)
from spm.registry.json_text import json_text

MEDIA_TYPE = "application/problem+json"
SKIP = "Register it first, or leave such trajectories out with the parameter skip_unknown=true."
AGAIN = "Repeat the request after the seconds that Retry-After names."


class ProblemDetails(BaseModel):
    """What went wrong and what to do."""

    type: str = Field(examples=["urn:spm:problem:unknown-tool"])
    title: str
    status: int
    detail: str
    next: str = Field(description="What to do.")


@dataclass(frozen=True)
class Kind:
    """A kind of problem: its name, status and title."""

    name: str
    status: int
    title: str


MALFORMED = Kind("malformed", 400, "The body cannot be read")
UNAUTHORISED = Kind("unauthorised", 401, "A token is needed")
FORBIDDEN = Kind("forbidden", 403, "Not allowed")
NOT_FOUND = Kind("not-found", 404, "There is no such thing")
UNKNOWN_TOOL = Kind("unknown-tool", 404, "Unknown tool")
UNKNOWN_FIELD = Kind("unknown-field", 404, "Unknown field")
NO_METHOD = Kind("method-not-allowed", 405, "Not this method")
SLOW_BODY = Kind("slow-body", 408, "The body did not arrive in time")
AMBIGUOUS = Kind("ambiguous-tool", 409, "Several tools carry this name")
TOO_LARGE = Kind("too-large", 413, "The body is too large")
NO_JSON = Kind("media-type", 415, "The body is of another type")
MISDIRECTED = Kind("misdirected", 421, "Not this host")
INVALID = Kind("invalid", 422, "The question cannot be used")
BUSY = Kind("busy", 429, "Too many questions at once")
BROKEN = Kind("broken", 500, "The service failed")
NO_STORE = Kind("store-unavailable", 503, "The registry cannot be used at the moment")
STOPPING = Kind("stopping", 503, "The service is stopping")
TOO_SLOW = Kind("too-slow", 504, "It took too long")


class Problem(Exception):
    """A problem on its way to a client."""

    def __init__(
        self, kind: Kind, detail: str, next: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.next, self.headers = kind, detail, next, headers or {}

    def body(self) -> dict[str, Any]:
        """The members that RFC 9457 names, and the next step."""
        return ProblemDetails(
            type=f"urn:spm:problem:{self.kind.name}",
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            next=self.next,
        ).model_dump()

    def response(self) -> Response:
        """The answer."""
        return Response(json_text(self.body()).encode(), self.kind.status, self.headers, MEDIA_TYPE)


def unavailable(detail: str = "The database does not answer.", seconds: int = 2) -> Problem:
    """The store cannot be used now, but may soon."""
    return Problem(NO_STORE, detail, AGAIN, {"Retry-After": str(seconds)})


def problem_of(error: SpmError) -> Problem:
    """What a client is told of an error of the registry."""
    match error:
        case UnknownTool():
            return Problem(UNKNOWN_TOOL, f"No tool named {error.name!r}.", _near(error.nearest))
        case UnknownField():
            said = f"No tool requires or produces a field {error.name!r}."
            return Problem(UNKNOWN_FIELD, said, _near(error.nearest))
        case UnknownName():
            said = f"No tool or field named {error.name!r}."
            return Problem(NOT_FOUND, said, _near(error.nearest))
        case AmbiguousTool():
            said = f"{error.name!r} names {len(error.ids)} tools."
            return Problem(AMBIGUOUS, said, f"Say which: {', '.join(error.ids)}")
        case UnknownStep():
            said = f"Trajectory {error.trace!r} calls {error.name!r}, which is not registered."
            near = f" The nearest: {error.nearest[0]!r}." if error.nearest else ""
            return Problem(INVALID, f"{said}{near} Nothing was imported.", SKIP)
        case NotOwned():
            return Problem(
                FORBIDDEN,
                f"The service {error.service!r} is there already and belongs to others.",
                "Choose another name with `service`, or ask the operator to hand it over.",
            )
        case StoreLocked():
            return unavailable("Somebody else is writing to the registry.")
        case OutcomeUnknown():
            return unavailable("It is not known whether this was written; repeating it is safe.")
        case StoreError() | EncoderError() | ModelError():
            return unavailable()
        case InputError():
            return Problem(INVALID, str(error), "Change the question; /openapi.json says how.")
    return Problem(INVALID, str(error), "See /openapi.json.")


def _near(names: list[str]) -> str:
    if not names:
        return "List what there is: GET /v1/tools, GET /v1/fields"
    return f"The nearest: {', '.join(map(repr, names))}"
