"""Whether the process lives (/healthz), can answer now (/readyz), and how it fares (/metrics)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from spm.registry.errors import SpmError
from spm.registry.json_text import json_text
from spm.registry.registry import Registry
from spm.service.answer_models import errors
from spm.service.problems import AGAIN, STOPPING, Problem, problem_of
from spm.service.state import Service, service_of

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process lives."""

    status: str = "ok"


@router.get("/healthz", response_model=Health)
async def healthz() -> Response:
    """Whether the process lives; says nothing about the store."""
    return Response(json_text(Health().model_dump()).encode(), media_type="application/json")


@router.get("/readyz", response_model=Health, responses=errors())
async def readyz(service: Annotated[Service, Depends(service_of)]) -> Response:
    """Whether questions can be answered now: all is loaded, the store answers, no stop is near."""
    if service.stopping:
        raise Problem(STOPPING, "The service is stopping.", AGAIN, {"Retry-After": "5"})
    try:
        await service.wake()
    except SpmError as error:
        raise problem_of(error) from error
    return Response(json_text(Health().model_dump()).encode(), media_type="application/json")


@router.get(
    "/metrics",
    response_class=Response,
    responses=errors() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(service: Annotated[Service, Depends(service_of)]) -> Response:
    """Numbers for Prometheus."""

    def look(registry: Registry) -> tuple[int, int]:
        found = registry.store.read("state/registry")
        tools = registry.store.read("state/counts")[0]["tools"]
        return (int(found[0]["revision"]) if found else 0), int(tools)

    numbers = service.metrics
    try:
        numbers.registry(*await service.ask(look))
    except (SpmError, Problem):
        numbers.away()  # that it is away is itself worth knowing
    numbers.inside(service.pool.inside)
    return Response(numbers.text(), media_type=CONTENT_TYPE_LATEST)
