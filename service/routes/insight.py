"""Questions about the registry: tools, fields, paths, impact and its health, as the caller sees it.

The answers are those of the commands with `--json`. For a caller from whom something is hidden they
are as if that did not exist; see `registry.access.filtered_store`.
"""

from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Response

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.catalog.field_suggestions import overview
from spm.registry.catalog.tools import Resolver, ToolView, resolver_for, show
from spm.registry.errors import InputError, UnknownTool
from spm.registry.insight.atlas import Atlas, survey
from spm.registry.insight.impact import Impact, impact
from spm.registry.insight.paths import Path as Way
from spm.registry.insight.paths import Plan, find_paths, plan
from spm.registry.json_text import json_text
from spm.registry.registry import Registry
from spm.registry.search.bm25 import terms
from spm.service.answer_models import FieldRow, PathAnswer, ToolPage, ToolRow, errors
from spm.service.middleware.auth import caller_of
from spm.service.state import Service, service_of

router = APIRouter(tags=["registry"])
FOUND = 1_000  # tools at most that words find
COLUMNS = [column.name for column in fields(ToolRow)]
Served = Annotated[Service, Depends(service_of)]
Who = Annotated[Caller, Depends(caller_of)]
Name = Annotated[str, Path(min_length=1, max_length=500)]
Text = Annotated[str | None, Query(max_length=500)]


def _json(value: Any) -> Response:
    return Response(json_text(value).encode(), media_type="application/json")


@dataclass(frozen=True)
class Wanted:
    """Which tools: all that is given has to fit."""

    q: Text = None
    family: Text = None
    service: Text = None
    field: Text = None
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100
    after: Annotated[str | None, Query(max_length=1_000, description="`next` of before.")] = None


@router.get("/v1/tools", response_model=ToolPage, responses=errors(404))
async def list_tools(
    wanted: Annotated[Wanted, Depends()], service: Served, caller: Who
) -> Response:
    """Tools by id, a page at a time; with `q` those that hold its words, the best first."""
    return _json(await service.ask(lambda registry: _page(registry, wanted, caller)))


def _page(registry: Registry, wanted: Wanted, caller: Caller) -> dict[str, Any]:
    """One page, and where the next one begins.

    Raises:
        UnknownTool: `after` is no tool of this list.
    """
    ids = _fitting(registry, wanted, caller)
    begin = 0
    if wanted.after is not None:
        if wanted.after not in ids:
            raise UnknownTool(wanted.after, [])
        begin = ids.index(wanted.after) + 1
    shown = ids[begin : begin + wanted.limit]
    more = begin + len(shown) < len(ids)
    # Only now: how often a tool was used costs a caller from whom something is hidden a count.
    rows = filtered(registry.store, caller).read("tools/show", ids=shown)
    cards = {row["id"]: {column: row[column] for column in COLUMNS} for row in rows}
    return {
        "tools": [cards[tool] for tool in shown],
        "total": len(ids),
        "next": shown[-1] if more else None,
    }


def _fitting(registry: Registry, wanted: Wanted, caller: Caller) -> list[str]:
    """The ids of all tools that fit and that the caller sees, in order."""
    rows = registry.store.read(
        "tools/list", service=wanted.service, family=wanted.family, status=None
    )
    fits = {row["id"] for row in rows}
    if wanted.field is not None:
        fits &= _having(registry, wanted.field, caller)
    if wanted.q is not None:
        best = registry.store.matching("tool", terms(wanted.q), FOUND, caller)
        return [tool for tool, _ in best if tool in fits]
    seen = filtered(registry.store, caller).read("tools/names")
    return [row["id"] for row in seen if row["id"] in fits]


def _having(registry: Registry, field: str, caller: Caller) -> set[str]:
    seen = filtered(registry.store, caller)
    queries = ("fields/producers", "fields/consumers")
    return {row["id"] for query in queries for row in seen.read(query, fields=[field])}


@router.get("/v1/tools/{tool:path}", response_model=ToolView, responses=errors(404, 409))
async def show_tool(tool: Name, service: Served, caller: Who) -> Response:
    """Everything about one tool, by id or name."""
    return _json(await service.ask(lambda r: show(filtered(r.store, caller), tool)))


@router.get("/v1/fields", response_model=list[FieldRow], responses=errors())
async def list_fields(service: Served, caller: Who, unproduced: bool = False) -> Response:
    """Fields with how many tools take and make them."""
    return _json(
        await service.ask(lambda r: overview(filtered(r.store, caller), unproduced=unproduced))
    )


@router.get("/v1/paths", response_model=PathAnswer, responses=errors(404, 409))
async def paths(
    service: Served,
    caller: Who,
    to: Annotated[str, Query(min_length=1, max_length=500, description="The tool to run.")],
    from_: Annotated[
        str | None, Query(alias="from", max_length=500, description="A tool, or a field at hand.")
    ] = None,
    have: Annotated[list[str], Query(max_length=100, description="Fields at hand.")] = [],  # noqa: B006
    allow_writes: Annotated[
        bool, Query(description="Let tools that change something run only to make an input.")
    ] = False,
) -> Response:
    """How one tool leads to another, or what must run before a tool can."""

    def work(registry: Registry) -> dict[str, Any]:
        if from_ is not None and not have and _is_tool(resolver_for(registry.store, caller), from_):
            ways: list[Way] = find_paths(registry.store, from_, to, caller)
            return {"paths": [asdict(way) for way in ways], "plan": None}
        at_hand = [*([from_] if from_ else []), *have]
        found: Plan = plan(registry.store, at_hand, to, caller, allow_writes=allow_writes)
        return {"paths": [], "plan": asdict(found)}

    return _json(await service.ask(work))


def _is_tool(resolver: Resolver, name: str) -> bool:
    try:
        resolver.resolve(name)
    except InputError as error:
        return not isinstance(error, UnknownTool)
    return True


@router.get("/v1/impact/{name:path}", response_model=Impact, responses=errors(404, 409))
async def assess(
    name: Name, service: Served, caller: Who, kind: Literal["tool", "field"] | None = None
) -> Response:
    """What would happen if a tool or a field went away; nothing is changed."""
    return _json(await service.ask(lambda r: impact(filtered(r.store, caller), name, kind=kind)))


@router.get("/v1/atlas", response_model=Atlas, responses=errors(404))
async def atlas(
    service: Served,
    caller: Who,
    visible: Annotated[list[str], Query(max_length=1_000, description="Fields users say.")] = [],  # noqa: B006
    error_share: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] = 0.2,
) -> Response:
    """The health of the whole registry: dead ends, single producers, duplicates, failing tools."""
    return _json(
        await service.replay(
            lambda r: survey(filtered(r.store, caller), visible, error_share=error_share)
        )
    )
