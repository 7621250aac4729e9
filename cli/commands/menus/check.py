"""`spm check`: replay golden requests and fail when menus got worse. A gate for CI."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import menu_options
from spm.cli.options import DeviceOption, JsonOption, StoreOption, opened
from spm.cli.vectors import prepared
from spm.cli.views.console import as_json, note, progress, say, table
from spm.cli.views.files import write

if TYPE_CHECKING:
    from spm.registry.menus.check import Measure, Result, Verdict

LABELS = {"chain": "chain in the menu", "first": "first tool in 5", "order": "ordered prefix"}

ChainOption = Annotated[
    float | None,
    typer.Option("--min-chain", min=0, max=1, help="Least share of complete chains."),
]
FirstOption = Annotated[
    float | None,
    typer.Option("--min-first", min=0, max=1, help="Least share of first tools among five."),
]
OrderOption = Annotated[
    float | None,
    typer.Option("--min-order", min=0, max=1, help="Least mean share of paths in order."),
]
BaselineOption = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help="Results that must not be undercut."),
]
WriteOption = Annotated[
    Path | None,
    typer.Option("--write-baseline", metavar="FILE", help="Write these results as a baseline."),
]


def check(
    golden: Annotated[
        Path,
        typer.Argument(
            metavar="GOLDEN.jsonl",
            help='Known good answers, a line each: {"request": "…", "path": ["tool", …]}; also '
            '"state": ["field", …], and "chain": false where the order is no matter.',
        ),
    ],
    baseline: BaselineOption = None,
    write_baseline: WriteOption = None,
    min_chain: ChainOption = None,
    min_first: FirstOption = None,
    min_order: OrderOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail when a single request fares worse.")
    ] = False,
    size: menu_options.SizeOption = 32,
    prefix: menu_options.PrefixOption = 8,
    limit: Annotated[int, typer.Option(min=1, help="Lines of each list; JSON has all.")] = 20,
    device: DeviceOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Replay golden requests; exit code 1 when menus are not good enough, or got worse.

    Chain: all tools of the path are in the menu.

    First: its first tool is among the first five.

    Order: how much of the path stands in order in front.

    Without a baseline every chain has to be complete; with one, no mean may fall.
    """
    from spm.registry.menus.check import Baseline, read_baseline, verdict

    if strict and baseline is None:
        raise typer.BadParameter("--strict compares with a --baseline")
    known = None if baseline is None else read_baseline(baseline)
    if known and (known.size, known.prefix) != (size, prefix):
        used = f"-k {known.size} --prefix {known.prefix}"
        raise typer.BadParameter(f"the baseline was made with {used}; use the same")
    given: dict[Measure, float | None] = {
        "chain": min_chain,
        "first": min_first,
        "order": min_order,
    }
    least = {measure: share for measure, share in given.items() if share is not None}
    results = _replay(golden, store, size, prefix)
    found = verdict(results, least or None, known, strict=strict)
    if write_baseline:
        write(write_baseline, Baseline(size, prefix, results).text())
        note(f"Baseline written to {write_baseline}")
    if json:
        as_json({**asdict(found), "results": list(map(asdict, results))})
    else:
        _show(found, results, limit)
    for sentence in found.failures:
        note(f"Failed: {sentence}")
    raise typer.Exit(0 if found.passed else 1)


def _replay(golden: Path, store: str | None, size: int, prefix: int) -> "list[Result]":
    from spm.registry.errors import InputError
    from spm.registry.menus.golden import read_golden

    requests = list(read_golden(golden))
    if not requests:
        raise InputError(f"{str(golden)!r} has no golden request.")
    with opened(store) as registry:
        prepared(registry)
        with progress("Replaying golden requests") as bar:
            return registry.check(requests, size=size, prefix=prefix, progress=bar)


def _show(found: "Verdict", results: "list[Result]", limit: int) -> None:
    new = f", {found.new} of them new" if found.before is not None and found.new else ""
    say(f"{len(results)} golden requests{new}")
    columns = ["measure", "now", *(["baseline"] if found.before else [])]
    rows = [
        [LABELS[m], _share(mean), *([_share(found.before[m])] if found.before else [])]
        for m, mean in found.means.items()
    ]
    table(columns, rows)
    _list(
        "Fare worse than in the baseline",
        ["request", "in", "missing"],
        [[r.request, ", ".join(r.measures), ", ".join(r.missing)] for r in found.regressed],
        limit,
    )
    _list(
        "Incomplete chains",
        ["request", "missing"],
        [[r.request, _missing(r)] for r in results if r.missing],
        limit,
    )


def _missing(result: "Result") -> str:
    return ", ".join(
        f"{tool} (not in the registry)" if tool in result.unknown else tool
        for tool in result.missing
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _list(title: str, columns: list[str], rows: list[list[str]], limit: int) -> None:
    if not rows:
        return
    say()
    say(f"{title}: {len(rows)}")
    table(columns, rows[:limit], wrap=columns)
    if len(rows) > limit:
        say(f"… and {len(rows) - limit} more; see them with --limit {len(rows)} or --json")
