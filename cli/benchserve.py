"""`spm bench serve`: the service under a steady load."""

import os
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from spm.cli.benchtable import CacheOption, KeepOption, PictureOption, cached, show
from spm.cli.options import JsonOption
from spm.cli.output import progress, stages

TOKEN = "SPM_TOKEN"


def serve(
    rate: Annotated[float, typer.Option(min=0.1, help="Menus asked for, a second.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.5, help="How long.")] = 60,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes of the service.")] = 1,
    tools: Annotated[int, typer.Option(min=10, help="Generated tools.")] = 16_000,
    traces: Annotated[int, typer.Option(min=1, help="Generated trajectories.")] = 20_000,
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="PATH|URI", help="Your own registry, not a generated one."),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="A service that runs already; SPM_TOKEN: its token.")
    ] = None,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Menus over HTTP at a steady rate: how many, how late, which errors, how much memory."""
    from spm.evaluation.speed.arrivals import Client
    from spm.evaluation.speed.generated import VECTORS, library
    from spm.evaluation.speed.processes import started
    from spm.evaluation.speed.service import measure

    token = os.environ.get(TOKEN)
    headers = {"Authorization": f"Bearer {token}"} if url and token else {}
    settings: dict[str, Any] = {"workers": workers}
    notes: list[str] = []
    with ExitStack() as stack:
        if url is None:
            if store is None:
                settings["tools"], notes = tools, [VECTORS]
                with stages() as bar:
                    store = str(library(cached(cache), tools, traces, bar))
            service = stack.enter_context(started(store, workers))
            settings["engine"], address, process = service.engine, service.url, service.process
        else:
            settings, address, process = {}, url, None
        with progress("Asking") as bar:
            found = measure(Client(address, headers), rate, seconds, settings, process, bar, notes)
    show(found, cache, picture, keep, json)
