"""The application: routes, middleware and what starts and stops with it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI

from spm.registry.errors import SpmError
from spm.registry.garbage import collect_rarely
from spm.service import log_format, snapshot_renewal
from spm.service.exception_handlers import install
from spm.service.mcp.http import mount
from spm.service.middleware.access_log import AccessLogMiddleware
from spm.service.middleware.auth import AuthMiddleware
from spm.service.middleware.bodies import BodyMiddleware
from spm.service.openapi import describe
from spm.service.problems import Problem
from spm.service.routes import (
    frozen_menus,
    graph,
    health,
    insight,
    menus,
    page,
    queries,
    sources,
    uploads,
)
from spm.service.settings import from_environment
from spm.service.shutdown import delay_stops
from spm.service.state import Service
from spm.service.validation import strict

ROUTERS: Sequence[APIRouter] = (
    health.router,  # monitors and proxies add parameters of their own
    page.router,
)
STRICT: Sequence[APIRouter] = (
    menus.router,
    insight.router,
    uploads.router,
    frozen_menus.router,
    graph.router,
    sources.router,
    queries.router,
)


def create_app(service: Service) -> FastAPI:
    """The application of one worker."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        delay_stops(service)
        works = (_wake(service), snapshot_renewal.keep(service), service.encoding.keep())
        tasks = [asyncio.create_task(work) for work in works]
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
    app.add_middleware(BodyMiddleware, settings=service.settings)
    app.add_middleware(AuthMiddleware, service=service)
    app.add_middleware(AccessLogMiddleware, service=service)
    return app


async def _wake(service: Service) -> None:
    """Load what menus need before somebody asks; what stands in the way is told at /readyz."""
    with suppress(SpmError, Problem):
        await service.wake()


def from_settings() -> FastAPI:
    """What uvicorn calls in every worker."""
    log_format.install()
    collect_rarely()  # workers are processes of their own, which the command line did not start
    return create_app(Service(from_environment()))
