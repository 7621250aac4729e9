"""How a bench is shown: a table of times, the figures with their bars, a picture, JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.views.console import as_json, note, say, table
from spm.cli.views.files import write

if TYPE_CHECKING:
    from benchmarks.speed.report.findings import Finding
    from benchmarks.speed.samples import Row

CacheOption = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FOLDER", help="Where generated libraries are kept."),
]
PictureOption = Annotated[
    Path | None,
    typer.Option("--picture", metavar="FILE", help="Where the SVG goes. Default: in the cache."),
]
KeepOption = Annotated[
    Path | None,
    typer.Option("--keep", metavar="FILE", help="Also put the result into a file of results."),
]
SecondsOption = Annotated[
    float, typer.Option(min=0.1, help="Begin no request after so many seconds.")
]


def cached(folder: Path | None) -> Path:
    """The folder of generated libraries and pictures."""
    from platformdirs import user_cache_dir

    return folder or Path(user_cache_dir("spm", appauthor=False)) / "bench"


def show(
    finding: "Finding", cache: Path | None, picture: Path | None, kept: Path | None, json: bool
) -> None:
    """Print a finding, draw it, and keep it where that is asked for."""
    from benchmarks.speed.report.findings import keep, plain
    from benchmarks.speed.report.picture import draw

    if kept:
        keep(finding, kept)
        note(f"Kept in {kept}")
    place = picture or cached(cache) / f"{finding.bench}.svg"
    place.parent.mkdir(parents=True, exist_ok=True)
    write(place, draw(finding))
    note(f"Picture written to {place}")
    if json:
        as_json(plain(finding))
        return
    _times(finding.rows)
    say()
    _figures(finding)
    for line in finding.notes:
        note(line)
    at = finding.machine
    note(
        f"{at.processor}, {at.cores} cores; load {at.load[0]:g} before, {at.load[1]:g} after"
        + ("." if max(at.load) <= at.cores else ": others computed too, trust ratios alone.")
    )


def _times(rows: "list[Row]") -> None:
    table(
        ["ms", "min", "p50", "p95", "CPU", "RSS MB", "PSS MB"],
        [
            [row.name, *(_number(v) for v in (row.minimum, row.p50, row.p95, row.cpu)),
             *(_whole(v) for v in (row.rss, row.pss))]
            for row in rows
        ],
        keep=["min", "p50", "p95", "CPU", "RSS MB", "PSS MB"],
    )  # fmt: skip


def _figures(finding: "Finding") -> None:
    from benchmarks.speed.report.goals import GOALS

    rows = []
    for one in finding.figures:
        goal = GOALS.get(one.name)
        must, aim = goal.bars() if goal else ("", "")
        title = f"{one.title} ({one.said})" if one.said else one.title
        rows.append([title, f"{one.value:g}", _number(one.minima), must, aim, one.verdict])
    table(
        ["figure", "value", "minima", "must", "aim", "reached"],
        rows,
        wrap=["figure"],
        keep=["value", "minima", "must", "aim", "reached"],
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
