"""`spm impact`: what stops when a tool or a field goes away."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, say, table
from spm.cli.views.pictures import HtmlOption, Picture, PictureOption, drawn

if TYPE_CHECKING:
    from spm.registry.insight.impact import Alternative, Impact


def impact(
    name: Annotated[
        str, typer.Argument(metavar="TOOL|FIELD", autocompletion=complete_tool, help="What goes.")
    ],
    field: Annotated[
        bool, typer.Option("--field", help="The name is a field, even if a tool has it too.")
    ] = False,
    golden: Annotated[
        Path | None,
        typer.Option(
            "--golden",
            metavar="FILE.jsonl",
            help='Known good answers, a line each: {"request": "…", "path": ["tool", …]}',
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Lines of each list; JSON has all.")] = 10,
    format: PictureOption = Picture.table,
    html: HtmlOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show what would happen if a tool or a field went away. Nothing is changed."""
    from spm.registry.menus.golden import read_golden
    from spm.registry.pictures.graphs import draw_impact

    # Read first: a mistake in the file should not wait for the store.
    known = None if golden is None else list(read_golden(golden))
    with opened(store) as registry:
        found = registry.impact(name, kind="field" if field else None, golden=known)
    if not drawn(lambda: draw_impact(found), format, html):
        as_json(found) if json or format is Picture.json else _show(found, limit)


def _show(found: "Impact", limit: int) -> None:
    off = f", which is {found.status}," if found.status not in (None, "active") else ""
    say(f"Without the {found.kind} {found.name}{off}:")
    if found.kind == "field":
        say(f"  made by {_names(found.producers)}")
        say(f"  required by {_names(found.consumers)}")
        say(f"  optional for {_names(found.optional)}")
    _show_losses(found, limit)
    _show_use(found, limit)
    if found.golden_checked is not None:
        _list(
            f"Golden requests that break, of {found.golden_checked}",
            ["request", "goes through"],
            [[g.request, ", ".join(g.lost)] for g in found.golden],
            limit,
        )
    if found.kind == "tool":
        _list(
            "Tools that could replace it, at least in part",
            ["alternative", "makes", "same inputs", "also"],
            [
                [a.tool, ", ".join(a.fields) or "-", "yes" if a.same_inputs else "no", _kin(a)]
                for a in found.alternatives
            ],
            limit,
        )


def _show_losses(found: "Impact", limit: int) -> None:
    _list(
        "Fields that lose their last producer",
        ["field", "consumers"],
        [[row.field, len(row.consumers)] for row in found.lost],
        limit,
    )
    _list(
        "Tools that can no longer run",
        ["tool", "for want of", "after", "because"],
        [[r.tool, ", ".join(r.missing), r.distance, r.because] for r in found.stopped],
        limit,
    )
    if found.kind == "tool":
        takers: dict[str, list[str]] = {}
        left: dict[str, set[str]] = {}  # of all consumers; each may have others
        for row in found.weakened:
            takers.setdefault(row.field, []).append(row.tool)
            left.setdefault(row.field, set()).update(row.left)
        _list(
            "Fields that keep other producers",
            ["field", "consumers", "still made by"],
            [[name, len(takers[name]), ", ".join(sorted(left[name]))] for name in left],
            limit,
        )


def _show_use(found: "Impact", limit: int) -> None:
    seen = found.observed
    say()
    newest = f", the newest of {seen.newest}" if seen.newest else ""
    used = f"{seen.trajectories} ({seen.share:.1%}){newest}" if seen.trajectories else "none"
    say(f"Trajectories that go through it: {used}")
    for example in seen.examples[:limit]:
        say(f"  {example['request']}")
    times = sum(row["count"] for row in seen.transitions)
    _list(
        f"Transitions through it, seen {times} times in all",
        ["first", "then", "times"],
        [[row["first"], row["second"], row["count"]] for row in seen.transitions],
        limit,
    )


def _list(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], limit: int) -> None:
    say()
    say(f"{title}: {len(rows) or 'none'}")
    if rows:
        table(columns, rows[:limit], wrap=columns)
    if len(rows) > limit:
        say(f"… and {len(rows) - limit} more; see them with --limit {len(rows)} or --json")


def _names(tools: list[str]) -> str:
    return ", ".join(tools) or "nobody"


def _kin(row: "Alternative") -> str:
    marks = [
        mark
        for mark, name in (("the successor", "successor"), ("same family", "same_family"))
        if getattr(row, name)
    ]
    return ", ".join(marks)
