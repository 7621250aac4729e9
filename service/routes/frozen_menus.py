"""Frozen menus over HTTP: make one, look at it, search in it, forget it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import BaseModel, Field

from spm.registry.access.caller import Caller
from spm.registry.json_text import json_text
from spm.registry.menus import frozen
from spm.registry.menus.export import export_menu
from spm.registry.menus.formats import ProviderFormat
from spm.registry.menus.frozen import DAYS, MOST, TooManyMenus, UnknownMenu
from spm.registry.registry import Registry
from spm.service.answer_models import errors
from spm.service.mcp import search
from spm.service.mcp.question_models import SearchQuestion
from spm.service.middleware.auth import caller_of
from spm.service.problems import INVALID, NOT_FOUND, Problem
from spm.service.routes.menus import MenuQuestion
from spm.service.state import Service, service_of

router = APIRouter(tags=["frozen menus"])
Asker = Annotated[Caller, Depends(caller_of)]
Served = Annotated[Service, Depends(service_of)]
MenuId = Annotated[str, Path(min_length=1, max_length=100)]


class FrozenQuestion(MenuQuestion):
    """What a menu is asked for, and how long it is kept."""

    days: float = Field(default=DAYS, ge=0.01, le=365, description="How long it is kept.")


class FrozenTool(BaseModel):
    """One tool of a frozen menu."""

    rank: int
    id: str
    alias: str = Field(description="The name under which MCP lists it.")
    name: str
    version: str
    content_hash: str
    role: str
    effects: str
    needs: dict[str, list[str]]
    gives: list[str]


class FrozenAnswer(BaseModel):
    """A frozen menu, and where MCP clients find it."""

    id: str
    created: str
    expires: str
    mcp: str = Field(examples=["/menus/menu-0123/mcp"])
    request: str
    team: str | None
    scopes: list[str] | None
    read_only: bool
    state: list[str]
    route: list[str]
    items: list[FrozenTool]
    route_line: str


class FrozenRow(BaseModel):
    """A frozen menu in a list."""

    id: str
    team: str | None
    request: str
    tools: list[str]
    created: str
    expires: str


@router.post(
    "/v1/menus/frozen",
    status_code=201,
    response_model=FrozenAnswer,
    responses=errors(404, 409, 415),
)
async def freeze(question: FrozenQuestion, service: Served, caller: Asker) -> Response:
    """Build a menu and keep it: its tools, order and definitions as they are now."""

    def work(registry: Registry) -> str:
        ask = registry.resolved(question.ask(caller))
        built = registry.answer(ask)
        if question.token_budget is not None:
            built = export_menu(registry.store, built, "mcp", budget=question.token_budget).menu
        kept = frozen.freeze(
            registry.store, ask, built, ranked=question.aliases, days=question.days
        )
        return json_text(kept.as_dict())

    try:
        text = await service.write(work)
    except TooManyMenus as error:
        said = f"There are {MOST:,} frozen menus already."
        raise Problem(INVALID, said, "Remove some: DELETE /v1/menus/frozen/{menu}") from error
    return Response(text.encode(), 201, media_type="application/json")


@router.get("/v1/menus/frozen", response_model=list[FrozenRow], responses=errors())
async def listed(service: Served, caller: Asker) -> Response:
    """The frozen menus of who asks."""
    text = await service.ask(lambda r: json_text(frozen.listed(r.store, caller)))
    return Response(text.encode(), media_type="application/json")


@router.get("/v1/menus/frozen/{menu}", response_model=FrozenAnswer, responses=errors(404))
async def shown(menu: MenuId, service: Served, caller: Asker) -> Response:
    """One frozen menu of who asks; another team's is not there."""
    kept = await _found(service, lambda r: frozen.get(r.store, menu, caller))
    return Response(json_text(kept.as_dict()).encode(), media_type="application/json")


@router.delete("/v1/menus/frozen/{menu}", status_code=204, responses=errors(404))
async def removed(menu: MenuId, service: Served, caller: Asker) -> Response:
    """Forget a frozen menu; clients find nothing there from then on."""
    await _found(service, lambda r: frozen.get(r.store, menu, caller))
    try:
        await service.write(lambda r: frozen.remove(r.store, menu, caller))
    except UnknownMenu:
        pass  # somebody else was faster
    return Response(status_code=204)


@router.get("/v1/menus/frozen/{menu}/search", responses=errors(404))
async def searched(
    menu: MenuId,
    service: Served,
    caller: Asker,
    q: Annotated[str, Query(min_length=1, max_length=2_000)],
    limit: Annotated[int, Query(ge=1, le=128)] = 5,
    format: ProviderFormat = "tool-reference",
) -> Any:
    """The members of a frozen menu that a query is about, with those that make their inputs.

    The answer is closed: nothing that is not in the menu, and nothing without its producers. As
    `tool-reference` it is the content of Anthropic's tool result, as `tool-search-output` OpenAI's
    answer to a `tool_search_call`, whose id the client puts in.
    """
    question = SearchQuestion(query=q, limit=limit, menu=menu, format=format)
    answer = await _found(service, lambda r: search.search_tools(r, caller, question))
    return Response(
        json_text(answer.structured["definitions"]).encode(), media_type="application/json"
    )


async def _found(service: Service, work: Any) -> Any:
    try:
        return await service.ask(work)
    except UnknownMenu as error:
        raise Problem(
            NOT_FOUND, f"No frozen menu {error.menu[:80]!r}.", "List yours: GET /v1/menus/frozen"
        ) from error
