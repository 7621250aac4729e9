"""Read-only Cypher over HTTP: any query for who sees everything, saved ones for the others."""

from dataclasses import replace
from typing import Annotated, Any, Self

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from spm.registry.access.caller import Caller
from spm.registry.json_text import json_text
from spm.registry.pictures.path_text import short
from spm.registry.registry import Registry
from spm.registry.store.interface import Answer
from spm.registry.store.read_only_check import MAX_LENGTH
from spm.service.answer_models import errors
from spm.service.middleware.auth import caller_of
from spm.service.problems import FORBIDDEN, Problem
from spm.service.state import Service, service_of

router = APIRouter(tags=["registry"])
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class CypherQuestion(BaseModel):
    """A read-only query, or the name of a saved one."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"saved": "consumers_of", "params": {"field": "order_id"}}]
        },
    )

    query: Annotated[str, StringConstraints(min_length=1, max_length=MAX_LENGTH)] | None = Field(
        default=None, description="For callers that see everything."
    )
    saved: Name | None = Field(default=None, description="As in `spm cypher --list`.")
    params: dict[Name, Any] = Field(default={}, max_length=100)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.query is None) == (self.saved is None):
            raise ValueError("give a query, or the name of a saved one")
        return self


@router.post("/v1/cypher", response_model=Answer, responses=errors(404, 415))
async def cypher(
    question: CypherQuestion,
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
) -> Response:
    """Ask the graph in Cypher: at most 10,000 rows, for at most five seconds; nothing is changed.

    Paths are short records of nodes and edges, as `spm cypher --json` prints them.
    A token that does not see everything asks saved queries, which tell what it sees.
    """
    if question.query is not None and caller.restricted:
        raise Problem(
            FORBIDDEN,
            "A query of one's own reads what every team has.",
            "Ask a saved query, or use a token that sees everything.",
        )

    def work(registry: Registry) -> str:
        if question.query is not None:
            answer = registry.cypher(question.query, question.params)
        else:
            answer = registry.saved(question.saved or "", question.params, caller=caller)
        return json_text(replace(answer, rows=short(answer.rows)))

    return Response((await service.ask(work)).encode(), media_type="application/json")
