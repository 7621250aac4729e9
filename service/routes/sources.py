"""Sources over HTTP: a team registers its own tools, and everybody sees where tools come from."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from spm.gnn.encoders.by_name import encoder_of
from spm.registry import encoding
from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.access.settings import Access, access
from spm.registry.catalog.lifecycle import Change
from spm.registry.catalog.registration import (
    Registration,
    changes,
    namespaced,
    preview,
    require_own,
)
from spm.registry.errors import ManifestError
from spm.registry.importers.detection import detect, read_document
from spm.registry.importers.references import load_document
from spm.registry.importers.source import Source
from spm.registry.json_text import json_text
from spm.registry.models import Visibility
from spm.registry.registry import Registry
from spm.service.answer_models import errors
from spm.service.middleware.auth import caller_of, identity_of
from spm.service.problems import FORBIDDEN, INVALID, Problem
from spm.service.state import Service, service_of
from spm.service.token_cache import Identity

router = APIRouter(tags=["sources"])
Served = Annotated[Service, Depends(service_of)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=256)]
NAME = "body"  # what a document is called in messages: it came without a file


class SourceUpload(BaseModel):
    """A document that describes tools, and for whom they are registered."""

    model_config = ConfigDict(extra="forbid")

    document: dict[str, Any] | list[Any] = Field(
        description="An OpenAPI document, a list of MCP tools or of functions, or a manifest. "
        "References to other documents are not followed."
    )
    format: Literal["spm", "openapi", "mcp", "functions"] | None = Field(
        default=None, description="Left out, the content tells."
    )
    service: Text | None = Field(default=None, description="Who provides the tools.")
    owner: Text | None = Field(
        default=None,
        description="The token's own team, which needs not be said.",
    )
    visibility: Visibility | None = Field(default=None, description="`team`: for the owner alone.")
    scopes: list[Text] | None = Field(
        default=None, max_length=100, description="What callers need."
    )
    pin: bool = Field(default=False, description="Quarantine what changed since it was approved.")
    dry_run: bool = Field(default=False, description="Only say what would change.")


@dataclass(frozen=True)
class SourceAnswer(Registration):
    """What a registration did, or with `dry_run` would do; see `spm tools register --json`."""

    format: str = ""
    wanted: str = ""
    notes: tuple[str, ...] = ()
    dry_run: bool = False
    changes: dict[str, list[Change]] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceRow:
    """A service: where its tools come from, whose they are, and how many the caller sees."""

    service: str
    origin: str
    owners: list[str]
    tools: int


_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": SourceUpload.model_json_schema()}},
    }
}


@router.post(
    "/v1/sources", response_model=SourceAnswer, responses=errors(409, 415), openapi_extra=_BODY
)
async def register_source(
    request: Request, service: Served, who: Annotated[Identity, Depends(identity_of)]
) -> Response:
    """Register the tools of a document for the token's team, whole or not at all.

    The tools belong to the team whatever the document says, and what is set here stays when it is
    registered again. A service with tools of others is refused. Few texts are encoded before the
    answer, many after it.
    """
    body = await request.body()

    def work(registry: Registry) -> tuple[SourceAnswer, list[str]]:
        upload = _upload(body)
        given = _access(upload, who.caller)
        source = _source(upload)
        done = _registered(registry, source, upload, given, who.caller)
        brought = [] if done.dry_run else [*done.added, *done.changed, *done.unchanged]
        return done, [row.id for row in encoding.pending(registry.store, "tool", brought)]

    done, brought = await service.write(work)
    await service.encoding.bring("tool", brought)
    # The revision moves with every write, also of what this caller may not see.
    told = asdict(done) | ({"revision": None} if who.caller.restricted else {})
    return Response(json_text(told).encode(), media_type="application/json")


def _upload(body: bytes) -> SourceUpload:
    """The body, read within the bounds of every document."""
    with _file(body) as path:
        document = load_document(path)
    try:
        return SourceUpload.model_validate(document)
    except ValidationError as error:
        told = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(told) from error


def _source(upload: SourceUpload) -> Source:
    """What the document describes; one that came without a file has to say whose tools they are."""
    if upload.format is None and detect(upload.document) is None:
        raise Problem(
            INVALID,
            "The document is of no known format.",
            "Known: openapi, mcp, functions, spm; say which with `format`.",
        )
    source = read_document(upload.document, NAME, format=upload.format, service=upload.service)
    if source.manifest.service.name == NAME and upload.service is None:
        raise Problem(
            INVALID,
            "The document does not say who provides the tools.",
            "Name the service: `service`.",
        )
    return source


def _access(upload: SourceUpload, caller: Caller) -> Access:
    if caller.team is not None and upload.owner not in (None, caller.team):
        raise Problem(
            FORBIDDEN,
            "This token registers for its own team only.",
            "Leave `owner` out, or use a token of the team that shall own the tools.",
        )
    owner = upload.owner if caller.team is None else caller.team
    return access(owner, upload.visibility, upload.scopes)


def _registered(
    registry: Registry, source: Source, upload: SourceUpload, given: Access, caller: Caller
) -> SourceAnswer:
    store, differences = registry.store, dict[str, list[Change]]()
    if upload.dry_run:
        require_own(store.read, source.manifest, caller.team)
        manifest = namespaced(store, source.manifest, source.origin)
        require_own(store.read, manifest, caller.team)
        plan = preview(store, manifest, source.links, pin=upload.pin, access=given)
        differences = changes(store, manifest, plan.changed)
    else:
        encoder_of(store)  # without it nothing should be written
        plan = registry.add(source, pin=upload.pin, access=given, team=caller.team)
    return SourceAnswer(
        **vars(plan),
        format=source.format,
        wanted=source.manifest.service.name,
        notes=source.notes,
        dry_run=upload.dry_run,
        changes=differences,
    )


@router.get("/v1/sources", response_model=list[SourceRow], responses=errors())
async def list_sources(service: Served, caller: Annotated[Caller, Depends(caller_of)]) -> Response:
    """The services of which the caller sees a tool."""
    return Response(
        (await service.ask(lambda r: json_text(_listed(r, caller)))).encode(),
        media_type="application/json",
    )


def _listed(registry: Registry, caller: Caller) -> list[dict[str, Any]]:
    store = filtered(registry.store, caller)
    cards = store.read("tools/show", ids=[row["id"] for row in store.read("tools/names")])
    counts = Counter(str(card["service"]) for card in cards)
    owners: dict[str, set[str]] = {}
    for card in cards:
        owners.setdefault(card["service"], set()).add(card["owner"] or "")
    origins = {row["name"]: row["source"] or "" for row in registry.store.read("exchange/services")}
    return [
        asdict(SourceRow(name, origins.get(name, ""), sorted(owners[name] - {""}), counts[name]))
        for name in sorted(counts)
    ]


@contextmanager
def _file(body: bytes) -> Iterator[Path]:
    """The body as a file, since documents are read from files; no message tells where it was."""
    with TemporaryDirectory(prefix="spm-") as folder:
        path = Path(folder) / f"{NAME}.json"
        path.write_bytes(body)
        try:
            yield path
        except ManifestError as error:
            raise ManifestError(str(error).replace(str(path), NAME)) from error
