"""Menus over HTTP: the same question and the same bytes as `spm menu`."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from spm.registry.access.caller import Caller
from spm.registry.json_text import json_text
from spm.registry.menus.export import export_menu
from spm.registry.menus.formats import MenuFormat
from spm.registry.menus.menu import PREFIX, SIZE, Ask
from spm.registry.registry import Registry
from spm.service.answer_models import TEXTS, MenuDocument, WhyNotAnswer, errors
from spm.service.middleware.auth import caller_of
from spm.service.state import Service, service_of

router = APIRouter(tags=["menus"])
LONGEST_REQUEST = 20_000  # characters; an encoder reads the first few hundred words anyway
Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]


MEDIA_TYPES = {"names": "text/plain", "markdown": "text/markdown"}


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
    allow_writes: bool = Field(
        default=False,
        description="Let tools that change something run only to make an input of another.",
    )
    done: list[Name] = Field(
        default=[],
        max_length=100,
        description="Tools that ran already, in order: known outputs, and not offered again.",
    )
    observed: list[Name] = Field(
        default=[], max_length=1_000, description="Fields that a result was seen to carry."
    )
    format: MenuFormat = Field(default="json", description="As `spm menu --format`.")
    aliases: bool = Field(
        default=False, description="Put ranks into names (01_lookup_order), for clients that sort."
    )
    explain: bool = Field(
        default=False, description="For the format json, which always says all there is to say."
    )

    def fields(self) -> tuple[str, ...]:
        """The names of known fields, each once."""
        return tuple(dict.fromkeys([*self.state, *self.observed]))

    def ask(self, caller: Caller) -> Ask:
        """The question as this caller asks it; the registry resolves the names in `done`."""
        who = replace(caller, read_only=caller.read_only or self.read_only)
        done, without, writes = tuple(self.done), tuple(self.without), self.allow_writes
        return Ask(self.request, self.fields(), self.k, self.prefix, who, done, without, writes)


class WhyNotQuestion(MenuQuestion):
    """What a menu is asked for, and a tool that is not in it."""

    tool: Name = Field(description="Id or name.")


def menu_text(registry: Registry, question: MenuQuestion, caller: Caller) -> str:
    """What `spm menu --format` prints for the same question."""
    built = registry.answer(question.ask(caller))
    ready = export_menu(
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
        ask = question.ask(caller)
        return json_text(registry.why_not(ask, question.tool, caller=caller))

    return Response((await service.ask(work)).encode(), media_type="application/json")
