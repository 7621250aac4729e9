"""Routes that take lines: traces, and golden requests to replay."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from spm.gnn.encoders.by_name import encoder_of
from spm.registry.errors import InputError
from spm.registry.json_text import json_text
from spm.registry.menus.check import verdict
from spm.registry.menus.golden import GoldenRequest, read_golden
from spm.registry.menus.golden_replay import replay
from spm.registry.menus.menu import PREFIX, SIZE
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.traces.formats import TraceFormat
from spm.registry.traces.importer import Import
from spm.registry.traces.trace_file import TraceFile
from spm.registry.traces.trace_origin import with_token
from spm.service.answer_models import CheckAnswer, errors
from spm.service.middleware.auth import identity_of
from spm.service.state import Service, service_of
from spm.service.token_cache import Identity

router = APIRouter(tags=["intake"])
MOST_GOLDEN = 2_000
Served = Annotated[Service, Depends(service_of)]
Who = Annotated[Identity, Depends(identity_of)]
Share = Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)]
_LINES = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-ndjson": {"schema": {"type": "string"}},
            "application/json": {"schema": {}},
        },
    }
}


@router.post(
    "/v1/traces", response_model=Import, responses=errors(), openapi_extra=_LINES, status_code=200
)
async def import_traces(
    request: Request,
    service: Served,
    who: Who,
    format: TraceFormat | None = None,
    skip_unknown: bool = False,
) -> Response:
    """Import observed trajectories, as `spm traces import` does; repeating it changes nothing.

    Of arguments and results only field names and types are kept, never a value. Few texts are
    encoded before the answer, many after it.
    """
    body = await request.body()

    def work(registry: Registry) -> tuple[Import, list[str]]:
        encoder_of(registry.store)  # without it nothing should be written
        with _file(body) as path:
            found = list(_owned(TraceFile(path, format), who))
            done = registry.import_traces(found, skip_unknown=skip_unknown, caller=who.caller)
        return done, [trace.identity() for trace in found]

    done, brought = await service.write(work)
    await service.encoding.bring("trajectory", brought)
    return _json(done)


def _owned(traces: Iterable[Trace], who: Identity) -> Iterator[Trace]:
    """Traces with where they came from; ids of a team are its own, so that none meets another's."""
    for trace in traces:
        if who.token:
            trace = with_token(trace, who.name)
        if who.caller.team is not None:
            own = f"{who.caller.team}:{trace.identity()}"[:256]
            trace = trace.model_copy(update={"trace_id": own})
        yield trace


@router.post("/v1/check", response_model=CheckAnswer, responses=errors(), openapi_extra=_LINES)
async def check(
    request: Request,
    service: Served,
    who: Who,
    k: Annotated[int, Query(ge=1, le=1_000)] = SIZE,
    prefix: Annotated[int, Query(ge=1, le=1_000)] = PREFIX,
    min_chain: Share = None,
    min_first: Share = None,
    min_order: Share = None,
) -> Response:
    """Replay golden requests, as `spm check` does; without a bar every chain has to be complete."""
    body = await request.body()
    bars = {"chain": min_chain, "first": min_first, "order": min_order}
    least = {measure: share for measure, share in bars.items() if share is not None}

    def work(registry: Registry) -> dict[str, Any]:
        results = replay(registry, _golden(body), size=k, prefix=prefix, caller=who.caller)
        found = verdict(results, least or None)  # type: ignore[arg-type]
        return {**asdict(found), "results": [asdict(result) for result in results]}

    return _json(await service.replay(work))


def _golden(body: bytes) -> list[GoldenRequest]:
    with _file(body) as path:
        found = list(read_golden(path))
    if not 0 < len(found) <= MOST_GOLDEN:
        raise InputError(f"Expected 1 to {MOST_GOLDEN:,} golden requests (got {len(found):,}).")
    return found


@contextmanager
def _file(body: bytes) -> Iterator[Path]:
    """The body as a file, since readers read it more than once; named by what is in it.

    Traces without ids are known by file and number: the same body gives the same ids.
    """
    with TemporaryDirectory(prefix="spm-") as folder:
        path = Path(folder) / f"{hashlib.sha256(body).hexdigest()[:16]}.jsonl"
        path.write_bytes(body)
        try:
            yield path
        except InputError as error:
            if str(path) not in str(error):
                raise
            raise InputError(str(error).replace(str(path), "body")) from error


def _json(value: Any) -> Response:
    return Response(json_text(value).encode(), media_type="application/json")
