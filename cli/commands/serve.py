"""`spm serve`: menus over HTTP."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import BackendsOption, DeviceOption, JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, say

if TYPE_CHECKING:
    from spm.service.settings import ServiceSettings

ThreadsOption = Annotated[
    int,
    typer.Option(min=1, max=64, help="Questions worked on at once, of each worker; embedded: one."),
]
QueueOption = Annotated[
    int, typer.Option(min=0, max=10_000, help="Questions that may wait; more get 429.")
]
SecondsOption = Annotated[
    float, typer.Option(min=0.1, max=600, help="Longest a question takes; then 504.")
]
BodyOption = Annotated[
    int, typer.Option("--body-bytes", min=1_000, help="Largest question; larger ones get 413.")
]
IntakeOption = Annotated[
    int, typer.Option("--intake-bytes", min=1_000, help="Most traces or golden lines at once.")
]
ProxyOption = Annotated[
    bool,
    typer.Option("--trust-proxy", help="A proxy of yours is in front; everybody needs a token."),
]
HostsOption = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="Another name for this loopback."),
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="A report of spm eval, shown at /report.")
]


def serve(
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8321,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    threads: ThreadsOption = 4,
    queue: QueueOption = 64,
    seconds: SecondsOption = 10.0,
    body_bytes: BodyOption = 1_000_000,
    intake_bytes: IntakeOption = 32_000_000,
    require_token: Annotated[
        bool, typer.Option("--require-token", help="Also on the loopback.")
    ] = False,
    trust_proxy: ProxyOption = False,
    allow_host: HostsOption = None,
    drain_seconds: Annotated[
        float, typer.Option(min=0, max=60, help="How long /readyz says no before a stop.")
    ] = 0.5,
    report: ReportOption = None,
    backends: BackendsOption = None,
    device: DeviceOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Serve menus over HTTP until it is stopped; the API describes itself at /openapi.json.

    Without a token only this machine is served. Make tokens with: spm tokens create NAME
    """
    _installed()
    from spm.service.settings import ServiceSettings

    _start(
        store,
        ServiceSettings(
            store=store,
            host=host,
            port=port,
            workers=workers,
            threads=threads,
            queue=queue,
            seconds=seconds,
            body_bytes=body_bytes,
            intake_bytes=intake_bytes,
            trust_proxy=trust_proxy,
            require_token=require_token,
            hosts=tuple(allow_host or ()),
            drain_seconds=drain_seconds,
            report=str(report.resolve()) if report else None,
            backends=str(backends.resolve()) if backends else None,
        ),
        json,
    )


def _installed() -> None:
    from importlib.util import find_spec

    from spm.registry.errors import InputError

    if not (find_spec("fastapi") and find_spec("uvicorn") and find_spec("prometheus_client")):
        raise InputError(
            "The service is not installed. Install it with: pip install 'spm-registry[serve]'"
        )


def _start(store: str | None, settings: "ServiceSettings", json: bool) -> None:
    from spm.registry.calling.backends import read_backends
    from spm.registry.errors import InputError
    from spm.service import server

    read_backends(settings.backends_file)  # a mistake in it is told now, not by a worker
    if settings.report and not Path(settings.report).is_file():
        raise InputError(f"There is no report {settings.report!r}. Write it with: spm eval --html")
    engine = _prepare(store, settings)
    bound = server.bind(settings)
    address = server.url(settings, bound)
    if json:
        as_json({"url": address, "pid": os.getpid(), "workers": settings.workers, "engine": engine})
    else:
        say(f"Serving menus at {address}")
        note("Stop with Ctrl-C. The API: /openapi.json, the page: /")
    sys.stdout.flush()
    server.run(settings, bound)


def _prepare(store: str | None, settings: "ServiceSettings") -> str:
    """Make missing vectors before the first request, and see whether anybody could ask.

    Raises:
        InputError: only clients with a token would be served, and there is none.
    """
    from spm.cli.vectors import prepared
    from spm.registry.addresses import is_loopback
    from spm.registry.errors import InputError

    with opened(store, new=True) as registry:
        active = [token for token in registry.tokens.list() if token.status() == "active"]
        here = is_loopback(settings.host)
        if not active and (not here or settings.trust_proxy or settings.require_token):
            raise InputError(
                f"There is no token, and without one nobody can ask at {settings.host!r}. Make "
                "one first: spm tokens create NAME --team TEAM, or serve this machine only: "
                "--host 127.0.0.1"
            )
        prepared(registry)
        return str(registry.status()["engine"])
