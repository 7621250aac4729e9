"""Menus over HTTP: the same question and the same bytes as `spm menu`."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from spm.registry import Registry
from spm.registry.access import Caller
from spm.registry.menus.serving import serve
from spm.registry.printing import json_text
from spm.registry.ranking import PREFIX, SIZE, Ask
from spm.registry.sighted import sighted
from spm.registry.tools import Resolver
from spm.service.answers import TEXTS, MenuDocument, WhyNotAnswer, errors
from spm.service.callers import caller_of
from spm.service.service import Service, service_of

router = APIRouter(tags=["menus"])
LONGEST_REQUEST = 20_000  # characters; an encoder reads the first few hundred words anyway
Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Format(StrEnum):
    """The shapes of a menu, as `spm menu --format` names them."""

    json = "json"
    names = "names"
    markdown = "markdown"
    openai = "openai"
    openai_responses = "openai-responses"
    anthropic = "anthropic"
    mcp = "mcp"
    tool_reference = "tool-reference"
    tool_search_output = "tool-search-output"


MEDIA_TYPES = {Format.names: "text/plain", Format.markdown: "text/markdown"}


class MenuQuestion(BaseModel):
    """The tools that a request needs, in an order in which they can run, and backups."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"request": "Email the customer the receipt for order 4821", "k": 8}]
        },
    )

    request: Annotated[
        str, StringConstraints(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    ] = Field(description="What the agent should do.")
    state: dict[Name, Any] | list[Name] = Field(
        default=[],
        max_length=1_000,
        description="Fields known besides the text; of an object only the names are looked at.",
    )
    without: list[Name] = Field(
        default=[],
        max_length=1_000,
        description="Fields that the text seems to give and does not.",
    )
    k: int = Field(default=SIZE, ge=1, le=1_000, description="Tools in the menu.")
    prefix: int = Field(default=PREFIX, ge=1, le=1_000, description="Longest route in front.")
    token_budget: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Keep what fits: the route, then backups."
    )
    read_only: bool = Field(default=False, description="Only tools that change nothing.")
    done: list[Name] = Field(
        default=[],
        max_length=100,
        description="Tools that ran already, in order: known outputs, and not offered again.",
    )
    observed: list[Name] = Field(
        default=[], max_length=1_000, description="Fields that a result was seen to carry."
    )
    format: Format = Field(default=Format.json, description="As `spm menu --format`.")
    aliases: bool = Field(
        default=False, description="Put ranks into names (01_lookup_order), for clients that sort."
    )
    explain: bool = Field(
        default=False, description="For the format json, which always says all there is to say."
    )

    def fields(self) -> tuple[str, ...]:
        """The names of known fields, each once."""
        return tuple(dict.fromkeys([*self.state, *self.observed]))

    def ask(self, registry: Registry, caller: Caller) -> Ask:
        """The question of this caller; who may not see a tool cannot even name it.

        Raises:
            UnknownTool: the caller sees no tool of a name in `done`.
        """
        done: tuple[str, ...] = ()
        if self.done:
            resolver = Resolver(sighted(registry.store, caller))
            done = tuple(dict.fromkeys(map(resolver.resolve, self.done)))
        who = replace(caller, read_only=caller.read_only or self.read_only)
        return Ask(self.request, self.fields(), self.k, self.prefix, who, done, tuple(self.without))


class WhyNotQuestion(MenuQuestion):
    """What a menu is asked for, and a tool that is not in it."""

    tool: Name = Field(description="Id or name.")


def menu_text(registry: Registry, question: MenuQuestion, caller: Caller) -> str:
    """What `spm menu --format` prints for the same question."""
    built = registry.answer(question.ask(registry, caller))
    ready = serve(
        registry.store,
        built,
        question.format,
        ranked=question.aliases,
        budget=question.token_budget,
    )
    return ready.text(question.format, aliases=question.aliases)


@router.post(
    "/v1/menus",
    response_model=MenuDocument,
    responses=errors(404, 409, 415) | {200: {"content": TEXTS, "description": "The menu."}},
)
async def build_menu(
    question: MenuQuestion,
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
) -> Response:
    """The tools an agent should see, in an order it can execute."""
    text = await service.ask(lambda registry: menu_text(registry, question, caller))
    return Response(text.encode(), media_type=MEDIA_TYPES.get(question.format, "application/json"))


@router.post("/v1/menus/why-not", response_model=WhyNotAnswer, responses=errors(404, 409, 415))
async def why_not(
    question: WhyNotQuestion,
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
) -> Response:
    """Why a tool is not in a menu, and what would admit it.

    `admitted_by` speaks the words of `spm menu`, whose answer this is. In a body `--state x` is
    `"state": ["x"]`, `-k 40` is `"k": 40`, `--done` and `--read-only` are `done` and `read_only`;
    `--as` and `--scopes` belong to the token.
    """

    def work(registry: Registry) -> str:
        tool = Resolver(sighted(registry.store, caller)).resolve(question.tool)
        return json_text(registry.why_not(question.ask(registry, caller), tool))

    return Response((await service.ask(work)).encode(), media_type="application/json")
