"""`spm bench`: how fast, how well; each figure with the command that made it."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, progress, table

if TYPE_CHECKING:
    from spm.registry import Registry

app = typer.Typer(help="Measure speed and quality.", no_args_is_help=True)


@app.command()
def load(
    tools: Annotated[int, typer.Option(min=10, help="Generated tools.")] = 16_000,
    traces: Annotated[int, typer.Option(min=1, help="Generated trajectories.")] = 20_000,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Load a generated library: tools and transitions per second, first time and unchanged.

    Without --store a new embedded store in a temporary folder is used. A store that is given must
    be empty, because the generated tools stay in it.
    """
    from spm.evaluation.load import measure
    from spm.registry.errors import InputError

    with tempfile.TemporaryDirectory(prefix="spm-bench-") as folder:
        with opened(store or folder) as registry, progress("Loading") as bar:
            if registry.status()["tools"]:
                raise InputError(f"{registry.store.location!r} is not empty. Give a new store.")
            found = measure(registry, tools, traces, lambda _, done, total: bar(done, total))
    result = {
        **asdict(found),
        "tools_per_second": round(found.tools_per_second, 1),
        "transitions_per_second": round(found.transitions_per_second, 1),
        "again_ratio": round(found.again_ratio, 1),
    }
    if json:
        as_json(result)
        return
    table(
        ["engine", "tools", "tools/s", "unchanged, times faster", "transitions", "transitions/s"],
        [[found.engine, found.tools, f"{found.tools_per_second:,.0f}", f"{found.again_ratio:,.0f}",
          found.observed, f"{found.transitions_per_second:,.0f}"]],
        wrap=["unchanged, times faster"],
    )  # fmt: skip
    note(f"{found.trajectories:,} trajectories in {found.import_seconds:.1f} s")


@app.command()
def menu(
    requests: Annotated[
        Path | None, typer.Argument(help="Golden requests; else those of the registry's traces.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many requests.")] = 100,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take the time of each stage of a menu, beside plain semantic retrieval."""
    from spm.cli.asking import prepared
    from spm.evaluation.cost import measure

    with opened(store) as registry:
        prepared(registry)
        asked = _requests(registry, requests, limit)
        with progress("Building menus") as bar:
            found = measure(registry, asked, bar)
    rows = {
        name: {"p50": round(found.at(name, 50), 2), "p95": round(found.at(name, 95), 2)}
        for name in found.stages
    }
    if json:
        as_json(
            {
                "engine": found.engine,
                "tools": found.tools,
                "requests": len(asked),
                "milliseconds": rows,
                "ratio": round(found.ratio, 2),
            }
        )
        return
    table(
        ["stage", "p50 ms", "p95 ms"],
        [[name, f"{one['p50']:.2f}", f"{one['p95']:.2f}"] for name, one in rows.items()],
    )
    note(f"{found.engine}, {found.tools:,} tools: a menu takes {found.ratio:.2f} times as long.")


def _requests(registry: "Registry", file: Path | None, limit: int) -> list[str]:
    from spm.registry.errors import InputError
    from spm.registry.menus.golden import read_golden

    if file:
        found = [one.request for one in read_golden(file, open_ended=True)]
    else:
        found = [row["text"] for row in registry.store.read("vectors/trajectory_texts")]
    if not found:
        raise InputError("There is no request to ask for. Give a file of golden requests.")
    return found[:: max(1, len(found) // limit)][:limit]


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
