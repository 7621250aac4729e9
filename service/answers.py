"""What answers look like, for the description at /openapi.json.

The bytes themselves come from the registry, as on the command line; tests hold the two together.
"""

from dataclasses import dataclass, field
from typing import Any

from spm.registry.ranking import Menu, WhyNot
from spm.service import problems
from spm.service.problems import MEDIA_TYPE, ProblemDetails

WhyNotAnswer = WhyNot
# What every route can answer: who asks, how much, how fast, and whether the store is there.
COMMON = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503, 504)
_KINDS = {kind.status: kind for kind in vars(problems).values() if isinstance(kind, problems.Kind)}
_WAIT = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


@dataclass(frozen=True)
class MenuAnswer(Menu):
    """A menu in the format json; the other formats are documents of the named provider."""

    names: dict[str, str] = field(default_factory=dict)
    route_line: str = ""
    review: list[str] = field(default_factory=list)
    tokens: int | None = None


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route can answer with, besides what is common to all."""
    found: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*COMMON, *statuses}):
        kind = _KINDS[status]
        found[status] = {
            "description": kind.title,
            "content": {
                MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}}
            },
        }
        if status in (429, 503):
            found[status]["headers"] = _WAIT
    return found
