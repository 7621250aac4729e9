"""Routes for the page: the graph in pieces, and names while somebody types."""

import threading
from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from starlette.requests import HTTPConnection

from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.insight.browse import Browser, Ground, Piece, survey_ground
from spm.registry.insight.name_search import KINDS, Kind, Match, Names, described, read_names
from spm.registry.json_text import json_text
from spm.registry.registry import Registry
from spm.service.answer_models import errors
from spm.service.middleware.auth import caller_of
from spm.service.state import Service, service_of

KEPT = 16  # callers whose overview is kept
router = APIRouter(tags=["registry"])


@dataclass(frozen=True)
class Place:
    """What to look at: nothing named means all families."""

    family: str | None = Query(default=None, max_length=500, description="Empty: no family.")
    field: str | None = Query(default=None, max_length=500)
    tool: str | None = Query(default=None, max_length=500, description="Id or name.")
    limit: int = Query(default=40, ge=1, le=200, description="Tools at most, on each side.")
    after: str = Query(default="", max_length=500, description="`next` of the answer before.")


@dataclass(frozen=True)
class Known:
    """What is known to a caller of the whole registry."""

    ground: Ground
    names: Names


class Grounds:
    """What answers stand on, kept as long as the registry does not change."""

    def __init__(self) -> None:
        self._kept: dict[Caller, tuple[int, Known]] = {}
        self._lock = threading.Lock()

    def of(self, registry: Registry, caller: Caller) -> Known:
        """What a caller may know, read again only after a write."""
        head = registry.store.read("state/registry")
        revision = int(head[0]["revision"]) if head else 0
        kept = self._kept.get(caller)
        if kept is not None and kept[0] == revision:
            return kept[1]
        ground = survey_ground(registry.store, caller)
        found = Known(ground, read_names(registry.store, caller, ground))
        with self._lock:
            while len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[caller] = (revision, found)
        return found


def grounds_of(connection: HTTPConnection) -> Grounds:
    """What an application keeps for this route."""
    state = connection.app.state
    if not hasattr(state, "grounds"):
        state.grounds = Grounds()
    found: Grounds = state.grounds
    return found


def look(registry: Registry, caller: Caller, place: Place, ground: Ground) -> Piece:
    """The piece that was asked for.

    Raises:
        InputError: more than one thing is named, or what is named is unknown.
    """
    named = [value for value in (place.family, place.field, place.tool) if value is not None]
    if len(named) > 1:
        raise InputError("Name a family, a field or a tool: one of them.")
    browser = Browser(registry.store, caller, ground)
    if place.family is not None:
        return browser.family(place.family, place.limit, place.after)
    if place.field is not None:
        return browser.field(place.field, place.limit)
    if place.tool is not None:
        return browser.tool(place.tool)
    return ground.families_first()


@router.get("/v1/graph", response_model=Piece, responses=errors(404, 409))
async def graph(
    place: Annotated[Place, Depends()],
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
    grounds: Annotated[Grounds, Depends(grounds_of)],
) -> Response:
    """Nodes and edges around a family, a field or a tool; without any, the families."""

    def work(registry: Registry) -> str:
        return json_text(look(registry, caller, place, grounds.of(registry, caller).ground))

    return Response((await service.ask(work)).encode(), media_type="application/json")


@router.get("/v1/names", response_model=list[Match], responses=errors())
async def names(
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
    grounds: Annotated[Grounds, Depends(grounds_of)],
    q: Annotated[str, Query(max_length=500, description="The beginning of a name, or words.")] = "",
    kind: Annotated[list[Kind] | None, Query(max_length=10)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 12,
) -> Response:
    """Tools, fields and families whose names fit what was typed; then tools described so."""
    kinds = tuple(dict.fromkeys(kind or KINDS))

    def work(registry: Registry) -> str:
        known = grounds.of(registry, caller).names
        found = known.fitting(q, kinds, limit)
        if "tool" in kinds and len(found) < limit:
            more = described(registry.store, caller, known, q, limit)
            found += [match for match in more if match not in found][: limit - len(found)]
        return json_text([asdict(match) for match in found])

    return Response((await service.ask(work)).encode(), media_type="application/json")
