"""The application: routes, and what is done with every request before and after them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI

from spm.registry.errors import SpmError
from spm.service import frozen, graph, health, intake, logs, menus, page, questions, renewal
from spm.service.bodies import Bodies
from spm.service.callers import Door
from spm.service.description import describe
from spm.service.failing import install
from spm.service.mcp.http import mount
from spm.service.problems import Problem
from spm.service.service import Service
from spm.service.settings import from_environment
from spm.service.stopping import delay_stops
from spm.service.strict import strict
from spm.service.watching import Watch

ROUTERS: Sequence[APIRouter] = (
    health.router,  # monitors and proxies add parameters of their own
    page.router,
)
STRICT: Sequence[APIRouter] = (
    menus.router,
    questions.router,
    intake.router,
    frozen.router,
    graph.router,
)


def create_app(service: Service) -> FastAPI:
    """The application of one worker."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        delay_stops(service)
        tasks = [asyncio.create_task(work) for work in (_wake(service), renewal.keep(service))]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        service.close()

    app = FastAPI(
        title="spm",
        summary="A tool registry for LLM agents: short, executable menus out of thousands of tools",
        version=version("spm-registry"),
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
        lifespan=lifespan,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    for router in STRICT:
        app.include_router(router, dependencies=[Depends(strict)])
    mount(app, service)
    install(app)
    describe(app)
    # The last one added is the first to see a request.
    app.add_middleware(Bodies, settings=service.settings)
    app.add_middleware(Door, service=service)
    app.add_middleware(Watch, service=service)
    return app


async def _wake(service: Service) -> None:
    """Load what menus need before somebody asks; what stands in the way is told at /readyz."""
    with suppress(SpmError, Problem):
        await service.wake()


def from_settings() -> FastAPI:
    """What uvicorn calls in every worker."""
    logs.install()
    return create_app(Service(from_environment()))
