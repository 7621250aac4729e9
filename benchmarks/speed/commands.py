"""`spm bench`: how fast, how well; each figure with the command that made it."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from spm.cli.benchtable import (
    CacheOption,
    KeepOption,
    PictureOption,
    SecondsOption,
    cached,
    show,
)
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, progress, stages, table

app = typer.Typer(help="Measure speed and quality.", no_args_is_help=True)

ToolsOption = Annotated[int, typer.Option(min=10, help="Generated tools.")]
TracesOption = Annotated[int, typer.Option(min=1, help="Generated trajectories.")]
RequestsOption = Annotated[int, typer.Option(min=1, help="Requests to ask, at most.")]


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
    from spm.evaluation.speed.cold import measure

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
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="PATH|URI", help="Your own registry, not a generated one."),
    ] = None,
    cache: CacheOption = None,
    picture: PictureOption = None,
    keep: KeepOption = None,
    json: JsonOption = False,
) -> None:
    """A warm process: the stages of a menu, beside semantic retrieval with the same encoder."""
    from spm.evaluation import synthetic
    from spm.evaluation.speed.generated import VECTORS
    from spm.evaluation.speed.warm import measure

    place, notes = store, []
    if store is None:
        place, notes = str(_library(cache, tools, traces)), [VECTORS]
        asked = list(synthetic.requests(requests))
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
    from spm.evaluation import synthetic
    from spm.evaluation.speed.scale import measure

    counts = _sizes(sizes)
    stores = {count: _library(cache, count, traces) for count in counts}
    with progress("Building menus") as bar:
        found = measure(stores, list(synthetic.requests(requests)), seconds, bar)
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
    from spm.evaluation import synthetic
    from spm.evaluation.speed.engines import measure

    asked = list(synthetic.requests(requests))
    with tempfile.TemporaryDirectory(prefix="spm-bench-") as folder, stages() as bar:
        found = measure([*([store] if store else []), folder], tools, traces, asked, seconds, bar)
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
    from spm.evaluation.speed.training import measure

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
    from spm.evaluation import synthetic
    from spm.evaluation.speed.rivals import measure

    store = _library(cache, tools, 100)
    with opened(str(store)) as registry, progress("Asking") as bar:
        found = measure(registry, list(synthetic.requests(requests)), seconds, bar)
    show(found, cache, picture, keep, json)


@app.command()
def fields(
    folder: Annotated[Path, typer.Argument(help="A data set with links or flows.")],
    json: JsonOption = False,
) -> None:
    """Compare derived producer→consumer edges with a data set's own, for each way of naming."""
    from spm.evaluation.dataflow import compare

    found = compare(folder)
    if json:
        as_json([{**asdict(a), "precision": a.precision, "recall": a.recall} for a in found])
        return
    table(
        ["naming", "precision", "recall", "derived", "in the data"],
        [[a.naming, f"{a.precision:.3f}", f"{a.recall:.3f}", a.derived, a.gold] for a in found],
    )


def _library(cache: Path | None, tools: int, traces: int) -> Path:
    """A generated registry; building one for the first time takes from seconds to minutes."""
    from spm.evaluation.speed.generated import library

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
    from spm.cli.asking import prepared
    from spm.registry.errors import InputError
    from spm.registry.menus.golden import read_golden

    with opened(store) as registry:
        prepared(registry)
        if file:
            found = [one.request for one in read_golden(file, open_ended=True)]
        else:
            found = [row["text"] for row in registry.store.read("vectors/trajectory_texts")]
    if not found:
        raise InputError("There is no request to ask for. Give a file of golden requests.")
    return found[:: max(1, len(found) // limit)][:limit]
