"""The page at `/`: a few static files, served with a policy that lets nothing else be loaded.

The page draws its graphs itself, but where their nodes go is found here, as in every other picture.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Self

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from spm.registry.access.caller import Caller
from spm.registry.json_text import json_text
from spm.registry.pictures.layout import Layout, arrange
from spm.service import problems
from spm.service.middleware.auth import caller_of
from spm.service.problems import Problem
from spm.service.state import Service, service_of

KINDS = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# Texts of tools are data. Even if one of them came into the page as markup, nothing would run,
# nothing would be loaded, and nothing could be sent to another place.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # Always asked for again, and answered with 304 as long as spm is the same.
    "Cache-Control": "no-cache",
}
# A report brings its own style and script. In a sandbox they see neither this page nor its token.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; frame-ancestors 'self'"
)

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Asset:
    """A file of the page with its type and what tells one version of it from another."""

    body: bytes
    kind: str
    tag: str


@cache
def assets() -> dict[str, Asset]:
    """The files of the page by their path below static/, read once."""
    return dict(_assets_in(files("spm.service").joinpath("static")))


def _assets_in(folder: Traversable, path: str = "") -> Iterator[tuple[str, Asset]]:
    for file in folder.iterdir():
        kind = KINDS.get(file.name.rpartition(".")[2])
        if file.is_dir():
            yield from _assets_in(file, f"{path}{file.name}/")
        elif kind is not None:
            body = file.read_bytes()
            tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            yield path + file.name, Asset(body, kind, tag)


@router.api_route("/", methods=["GET", "HEAD"])
def index(request: Request) -> Response:
    """The page itself."""
    return _answer(request, assets()["index.html"])


@router.api_route("/docs", methods=["GET", "HEAD"])
def docs(request: Request) -> Response:
    """The routes of this service, as it describes them itself; nothing is loaded from elsewhere."""
    return _answer(request, assets()["docs.html"])


@router.api_route("/static/{path:path}", methods=["GET", "HEAD"])
def static(request: Request, path: str) -> Response:
    """A file of the page."""
    asset = assets().get(path)
    if asset is None:
        raise Problem(problems.NOT_FOUND, "The page has no such file.", "Open the page at /")
    return _answer(request, asset)


MAX_NODES, MAX_EDGES = 1_000, 2_000  # a field with 200 tools on each side has 400 edges
Place = Annotated[int, Field(ge=0, lt=MAX_NODES)]
Layer = Annotated[int, Field(ge=0, lt=8)]
Length = Annotated[float, Field(gt=0, le=5_000)]


class Graph(BaseModel):
    """Boxes to place, as the browser measured them; with or without layers of their own."""

    model_config = ConfigDict(extra="forbid")

    sizes: list[tuple[Length, Length]] = Field(max_length=MAX_NODES)
    edges: list[tuple[Place, Place]] = Field(max_length=MAX_EDGES)
    layers: list[Layer] | None = None
    gap: Length
    lane_gap: Length

    @model_validator(mode="after")
    def _within(self) -> Self:
        count = len(self.sizes)
        if any(end >= count for edge in self.edges for end in edge):
            raise ValueError("an edge leads to a node that is not there")
        if self.layers is not None and len(self.layers) != count:
            raise ValueError("give every node a layer, or none")
        return self

    def placed(self) -> Layout:
        """Where everything goes."""
        return arrange(
            self.sizes, self.edges, gap=self.gap, lane_gap=self.lane_gap, layers=self.layers
        )


@router.post("/page/layout")
async def layout(
    graph: Graph,
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
) -> Response:
    """Where the nodes of a graph go, and the points along its edges."""
    del caller  # whoever may ask for a graph may have it placed
    found = await service.ask(lambda registry: json_text(asdict(graph.placed())))
    return Response(found.encode(), media_type="application/json")


@router.get("/report")
def report(
    service: Annotated[Service, Depends(service_of)],
    caller: Annotated[Caller, Depends(caller_of)],
) -> Response:
    """The evaluation report that the operator named."""
    file = service.settings.report
    if file is None:
        next = "Write one with: spm eval … --html FILE, and serve it with: spm serve --report FILE"
        raise Problem(problems.NOT_FOUND, "No evaluation report is configured.", next)
    if caller.restricted:  # it tells of requests and tools of every team
        said = "The report names tools of every team."
        raise Problem(problems.FORBIDDEN, said, "Ask with a token that sees everything.")
    try:
        body = Path(file).read_bytes()
    except OSError as error:
        said = "The configured evaluation report cannot be read."
        raise Problem(problems.NOT_FOUND, said, "Tell the operator.") from error
    headers = {**HEADERS, "Content-Security-Policy": REPORT_POLICY}
    return Response(body, media_type=KINDS["html"], headers=headers)


def _answer(request: Request, asset: Asset) -> Response:
    headers = {**HEADERS, "ETag": asset.tag}
    known = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
    if asset.tag in known or f"W/{asset.tag}" in known:
        return Response(status_code=304, headers=headers)
    return Response(asset.body, media_type=asset.kind, headers=headers)
