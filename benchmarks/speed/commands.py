"""`python -m benchmarks speed`: how fast spm is, beside what it is compared with."""

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.speed.report.console import (
    CacheOption,
    KeepOption,
    PictureOption,
    SecondsOption,
    cached,
    show,
)
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import progress, stages
from spm.cli.views.files import write

app = typer.Typer(help="Measure speed.", no_args_is_help=True)
TOKEN = "SPM_TOKEN"

ToolsOption = Annotated[int, typer.Option(min=10, help="Generated tools.")]
TracesOption = Annotated[int, typer.Option(min=1, help="Generated trajectories.")]
RequestsOption = Annotated[int, typer.Option(min=1, help="Requests to ask, at most.")]
OwnStoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH|URI", help="Your own registry, not a generated one."),
]


@app.command()
def cold(
    tools: ToolsOption = 16_000,
    traces: TracesOption = 20_000,
    runs: Annotated[int, typer.Option(min=1, help="Of each command, in turns.")] = 7,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Fresh processes: `spm menu` beside Python alone and Python that imports torch."""
    from benchmarks.speed.cold import measure

    store = _library(cache, tools, traces)
    with progress("Running") as bar:
        found = measure({f"{tools:,} tools": store}, runs, bar)
    show(found, cache, picture, keep, json)


@app.command()
def warm(
    golden: Annotated[
        Path | None, typer.Argument(help="Golden requests to ask; else generated ones.")
    ] = None,
    tools: ToolsOption = 16_000,
    traces: TracesOption = 20_000,
    requests: RequestsOption = 200,
    seconds: SecondsOption = 120,
    store: OwnStoreOption = None,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """A warm process: the stages of a menu, beside semantic retrieval with the same encoder."""
    from benchmarks.speed import generator
    from benchmarks.speed.library import VECTORS
    from benchmarks.speed.warm import measure

    place, notes = store, []
    if store is None:
        place, notes = str(_library(cache, tools, traces)), [VECTORS]
        asked = list(generator.requests(requests))
    if store is not None or golden:
        asked = _asked(str(place), golden, requests)
    with progress("Building menus") as bar:
        found = measure(str(place), asked, seconds, bar, notes)
    show(found, cache, picture, keep, json)


@app.command()
def scale(
    sizes: Annotated[
        str, typer.Option(metavar="N,…", help="Generated tools of each library.")
    ] = "1000,16000,100000",
    traces: TracesOption = 20_000,
    requests: RequestsOption = 60,
    seconds: SecondsOption = 180,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Libraries of several sizes: what of a menu grows with them, and what does not."""
    from benchmarks.speed import generator
    from benchmarks.speed.scale import measure

    counts = _sizes(sizes)
    stores = {count: _library(cache, count, traces) for count in counts}
    with progress("Building menus") as bar:
        found = measure(stores, list(generator.requests(requests)), seconds, bar)
    show(found, cache, picture, keep, json)


@app.command()
def load(
    tools: ToolsOption = 16_000,
    traces: TracesOption = 20_000,
    requests: RequestsOption = 60,
    seconds: SecondsOption = 60,
    store: StoreOption = None,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Load a generated library and ask for candidates: embedded, and beside it a --store.

    A store that is given must be empty, because the generated tools stay in it.
    """
    from benchmarks.speed import generator
    from benchmarks.speed.engines import measure

    asked = list(generator.requests(requests))
    with tempfile.TemporaryDirectory(prefix="spm-bench-") as folder, stages() as bar:
        found = measure([*([store] if store else []), folder], tools, traces, asked, seconds, bar)
    show(found, cache, picture, keep, json)


@app.command()
def snapshots(
    sizes: Annotated[
        str, typer.Option(metavar="N,…", help="Generated tools of each registry on Neo4j.")
    ] = "16000",
    traces: TracesOption = 20_000,
    requests: RequestsOption = 60,
    seconds: SecondsOption = 300,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Menus with a snapshot and without one, in turns: embedded, and on a Neo4j of our own.

    Neo4j is started as a server that serves would be, and its data stay in the cache.
    """
    from benchmarks.speed import generator
    from benchmarks.speed.neo4j_library import started
    from benchmarks.speed.snapshots import Place, measure

    counts = [int(part) for part in sizes.split(",")]
    folders = {count: _library(cache, count, traces) for count in counts}
    with ExitStack() as stack:
        with stages() as bar:
            servers = [stack.enter_context(started(folder, bar)) for folder in folders.values()]
        places = [*(Place(str(folder)) for folder in folders.values()), *servers]
        with progress("Building menus") as shown:
            found = measure(places, list(generator.requests(requests)), seconds, shown)
    show(found, cache, picture, keep, json)


@app.command()
def train(
    tools: ToolsOption = 1_000,
    requests: Annotated[int, typer.Option(min=30, help="Generated requests to learn from.")] = 400,
    threads: Annotated[int, typer.Option(min=1, help="Threads of torch.")] = 1,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Train both networks on generated requests: each stage, and a step of each network."""
    from benchmarks.speed.training import measure

    store = _library(cache, tools, requests)
    with stages() as bar:
        found = measure(store, threads, bar)
    show(found, cache, picture, keep, json)


@app.command()
def peers(
    tools: ToolsOption = 1_000,
    requests: RequestsOption = 30,
    seconds: SecondsOption = 60,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """A menu beside graph-tool-call and langgraph-bigtool: same tools, requests and encoder."""
    from benchmarks.speed import generator
    from benchmarks.speed.peers import measure

    store = _library(cache, tools, 100)
    with opened(str(store)) as registry, progress("Asking") as bar:
        found = measure(registry.core, list(generator.requests(requests)), seconds, bar)
    show(found, cache, picture, keep, json)


@app.command()
def serve(
    rate: Annotated[float, typer.Option(min=0.1, help="Menus asked for, a second.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.5, help="How long.")] = 60,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes of the service.")] = 1,
    tools: ToolsOption = 16_000,
    traces: TracesOption = 20_000,
    store: OwnStoreOption = None,
    url: Annotated[
        str | None, typer.Option("--url", help="A service that runs already; SPM_TOKEN: its token.")
    ] = None,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """Menus over HTTP at a steady rate: how many, how late, which errors, how much memory."""
    from benchmarks.speed.arrivals import Client
    from benchmarks.speed.library import VECTORS
    from benchmarks.speed.service import measure
    from benchmarks.speed.service_process import started

    token = os.environ.get(TOKEN)
    headers = {"Authorization": f"Bearer {token}"} if url and token else {}
    settings: dict[str, Any] = {"workers": workers}
    notes: list[str] = []
    with ExitStack() as stack:
        if url is None:
            if store is None:
                settings["tools"], notes = tools, [VECTORS]
                store = str(_library(cache, tools, traces))
            service = stack.enter_context(started(store, workers))
            settings["engine"], address, process = service.engine, service.url, service.process
        else:
            settings, address, process = {}, url, None
        with progress("Asking") as bar:
            found = measure(Client(address, headers), rate, seconds, settings, process, bar, notes)
    show(found, cache, picture, keep, json)


@app.command()
def table(
    pages: Annotated[
        list[Path],
        typer.Argument(exists=True, dir_okay=False, help="Markdown files with marked tables."),
    ],
) -> None:
    """Render the tables of speed in documents from the kept results."""
    from benchmarks.speed.report.findings import kept
    from benchmarks.speed.report.table import render

    for page in pages:
        write(page, render(page.read_text(encoding="utf-8"), kept()))


def _library(cache: Path | None, tools: int, traces: int) -> Path:
    """A generated registry; building one for the first time takes from seconds to minutes."""
    from benchmarks.speed.library import library

    with stages() as bar:
        return library(cached(cache), tools, traces, bar)


def _sizes(text: str) -> list[int]:
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if len(found) < 2 or found[0] < 10:
        raise typer.BadParameter(
            f"expected two or more sizes from 10 on, as 1000,16000 (got {text!r})"
        )
    return found


def _asked(store: str, file: Path | None, limit: int) -> list[str]:
    """Requests of a file, else those of the registry's trajectories, evenly spread."""
    from spm.cli.vectors import prepared
    from spm.registry.errors import InputError
    from spm.registry.menus.golden import read_golden

    with opened(store) as registry:
        prepared(registry)
        if file:
            found = [one.request for one in read_golden(file, open_ended=True)]
        else:
            found = [row["text"] for row in registry.core.store.read("vectors/trajectory_texts")]
    if not found:
        raise InputError("There is no request to ask for. Give a file of golden requests.")
    return found[:: max(1, len(found) // limit)][:limit]
