"""The page at `/`: a few static files, served with a policy that lets nothing else be loaded."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from spm.registry.access import Caller
from spm.service import problems
from spm.service.callers import caller_of
from spm.service.problems import Problem
from spm.service.service import Service, service_of

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
    """The files of the page by name, read once."""
    found = {}
    for file in files("spm.service").joinpath("static").iterdir():
        kind = KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            body = file.read_bytes()
            found[file.name] = Asset(body, kind, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
    return found


@router.api_route("/", methods=["GET", "HEAD"])
def index(request: Request) -> Response:
    """The page itself."""
    return _answer(request, assets()["index.html"])


@router.api_route("/static/{name}", methods=["GET", "HEAD"])
def static(request: Request, name: str) -> Response:
    """A file of the page."""
    asset = assets().get(name)
    if asset is None:
        raise Problem(problems.NOT_FOUND, "The page has no such file.", "Open the page at /")
    return _answer(request, asset)


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
