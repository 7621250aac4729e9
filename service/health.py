"""Whether the process lives (/healthz), and whether it can answer questions now (/readyz)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from spm.registry import Registry
from spm.registry.errors import SpmError
from spm.registry.printing import json_text
from spm.service.answers import errors
from spm.service.problems import AGAIN, STOPPING, Problem, problem_of
from spm.service.service import Service, service_of

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
    """Whether questions can be answered now: the store answers, and nobody asked to stop."""
    if service.stopping:
        raise Problem(STOPPING, "The service is stopping.", AGAIN, {"Retry-After": "5"})
    try:
        await service.ask(_look)
    except SpmError as error:
        raise problem_of(error) from error
    return Response(json_text(Health().model_dump()).encode(), media_type="application/json")


def _look(registry: Registry) -> None:
    registry.store.read("state/registry")
