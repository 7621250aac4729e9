"""An evaluation in a terminal of eighty columns: measures below, constructors beside."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spm.cli.views.console import note, say, table

if TYPE_CHECKING:
    from spm.evaluation.bootstrap import Difference, Interval
    from spm.evaluation.results import Result

ROWS = (
    "chain@5", "chain@8", "chain@10", "chain@16", "chain@32", "recall@10", "recall@32",
    "target@10", "ndcg@10", "mrr", "first@1", "first@5", "prefix", "executable_prefix",
    "executable", "edges", "replay", "ceiling",
)  # fmt: skip
APART = ("chain@10", "chain@32", "recall@32", "first@1", "first@5", "prefix", "edges", "replay")
COLUMNS, LABEL, CELL = 80, 24, 11  # what a terminal has, the first column, a mean
LABELS = {"length": "length", "tools": "tools", "order": "order"}


def show(result: "Result") -> None:
    """Print what was found; the page and JSON have more."""
    from spm.evaluation.measures import MEASURES

    about = result.about
    say(
        f"{about.name}: {about.tasks:,} requests, {about.tools:,} tools, "
        f"{about.trajectories:,} trajectories to learn from"
    )
    say("Means ± half of their 95 % intervals")
    say()
    for names in _beside(result.names, CELL):
        rows = [
            [MEASURES[row].title, *(_mean(result.whole.means[who][row]) for who in names)]
            for row in ROWS
            if result.defined(row)
        ]
        rows += _costs(result, names)
        table(["measure", *names], rows, keep=["measure", *names])
        say()
    _apart(result)
    _parts(result)
    _shares(result)
    _honest(result)


def _beside(names: Sequence[str], cell: int) -> Iterator[list[str]]:
    """As many constructors at a time as fit beside each other."""
    step = max(1, (COLUMNS - LABEL) // (3 + max([cell, *map(len, names)])))
    for start in range(0, len(names), step):
        yield list(names[start : start + step])


def _costs(result: "Result", names: Sequence[str]) -> list[list[str]]:
    found = {one.name: one for one in result.builders}
    return [
        ["ms a menu, p50 (p95)", *(_two(found[n].p50, found[n].p95) for n in names)],
        ["seconds to fit", *(f"{found[n].fit_seconds:,.1f}" for n in names)],
    ]


def _apart(result: "Result") -> None:
    from spm.evaluation.measures import MEASURES

    if result.rivals:
        say(f"Paired differences to {result.against}; * where the interval does not hold 0")
    for names in _beside(result.rivals, CELL + 3):
        rows = [
            [MEASURES[row].title, *(_difference(result.whole.differences[n][row]) for n in names)]
            for row in APART
            if result.defined(row)
        ]
        table(["difference", *names], rows, keep=names)
        say()


def _parts(result: "Result") -> None:
    """Chain@32 where paths are short and long, known and new."""
    rows = [
        (f"{LABELS[way]} {mark} ({one.count})", one)
        for way, parts in result.parts.items()
        if way == "length" or (way in LABELS and len(parts) > 1)
        for mark, one in parts.items()
    ]
    say("Chain@32 by path, with the number of requests")
    for names in _beside(result.names, CELL):
        cells = [[said, *(_mean(one.means[n]["chain@32"]) for n in names)] for said, one in rows]
        table(["path", *names], cells, keep=["path", *names])
        say()


def _shares(result: "Result") -> None:
    if result.shares:
        say("Chain@32 by share of the trajectories to learn from")
    for names in _beside(result.names if result.shares else [], CELL):
        cells = [
            [
                f"{_percent(one.share)} ({one.trajectories:,})",
                *(_mean(one.means[n]["chain@32"]) if n in one.means else "–" for n in names),
            ]
            for one in result.shares
        ]
        table(["share", *names], cells, keep=["share", *names])
        say()
    for one in result.shares:
        for name, why in one.skipped.items():
            note(f"{name} at {_percent(one.share)}: {why}")


def _honest(result: "Result") -> None:
    request, tools, nobody, missing = (_percent(share) for share in result.fields.values())
    replay, executable = result.paths["replay"].mean, result.paths["executable"].mean
    say(
        f"Required inputs along the paths: {request} in requests, {tools} from tools before,\n"
        f"{nobody} made by no tool (they count as known), {missing} missing.\n"
        f"The paths themselves: replay {replay:.3f}, executable {executable:.3f}."
    )


def _mean(one: "Interval") -> str:
    if one.mean is None or one.low is None or one.high is None:
        return "–"
    return f"{one.mean:.3f} ±{_bare((one.high - one.low) / 2)}"


def _difference(one: "Difference") -> str:
    if one.mean is None or one.low is None or one.high is None:
        return "–"
    sure = "*" if one.low > 0 or one.high < 0 else " "
    return f"{one.mean:+.3f} ±{_bare((one.high - one.low) / 2)} {sure}"


def _bare(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _two(first: float, second: float) -> str:
    return f"{first:,.1f} ({second:,.1f})"
