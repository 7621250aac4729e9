"""The tables of speed in docs/performance.md, rendered from kept findings.

No figure is typed by hand. What was not measured yet has no figure.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.speed.report.goals import GOALS, Goal

_PLACE = re.compile(r"(<!-- speed: ([a-z]+) -->\n).*?(<!-- /speed -->)", re.DOTALL)
Findings = Mapping[str, Mapping[str, Any]]  # by bench, as JSON has them


def render(text: str, findings: Findings) -> str:
    """The text with every marked table written anew."""
    tables = {"goals": goals, "load": load}
    return _PLACE.sub(lambda place: place[1] + tables[place[2]](findings) + place[3], text)


def goals(findings: Findings) -> str:
    """Every goal with what was measured, and where and when."""
    lines = [_row(["", "measured", "between minima", "must", "aim", "command"])]
    lines.append(_row(["---"] * 6))
    for name, goal in GOALS.items():
        lines.append(_row([goal.title, *_measured(findings, name, goal), *goal.bars(),
                           f"`python -m benchmarks speed {goal.bench}`"]))  # fmt: skip
    return "".join(lines) + "\n" + _machines(findings)


def load(findings: Findings) -> str:
    """What each engine takes in."""
    found = {one["name"]: one["value"] for one in findings.get("load", {}).get("figures", ())}
    columns = ("tools/s", "transitions/s", "unchanged, times faster")
    lines = [_row(["", *columns]), _row(["---"] * 4)]
    for engine in findings.get("load", {}).get("settings", {}).get("engines", ()):
        lines.append(_row([engine, *(f"{found[f'{engine}: {c}']:,.0f}" for c in columns)]))
    return "".join(lines)


def _measured(findings: Findings, name: str, goal: Goal) -> tuple[str, str]:
    for one in findings.get(goal.bench, {}).get("figures", ()):
        if one["name"] == name:
            shown = f"{one['value']:g}{goal.unit}"
            shown = (
                f"**{shown}**" if goal.verdict(one["value"]) != "missed" else f"{shown} (missed)"
            )
            said = f", {one['said']}" if one.get("said", "measured") != "measured" else ""
            minima = one.get("minima")
            return shown + said, "" if minima is None else f"{minima:g}"
    return "", ""


def _machines(findings: Findings) -> str:
    """On what, when and how busy: a line for each bench."""
    said = []
    for name, one in findings.items():
        at, settings = one["machine"], one["settings"]
        size = settings.get("tools", "")
        said.append(
            f"{name} {one['at'][:10]}, load {at['load'][0]:g} to {at['load'][1]:g}"
            + (f", {_sizes(size)} tools" if size else "")
        )
    if not said:
        return ""
    first = next(iter(findings.values()))["machine"]
    return (
        f"{first['processor']}, {first['cores']} cores, {first['memory_gb']} GB, Python "
        f"{first['python']}; a load above {first['cores']} says that others computed too: "
        f"{'; '.join(said)}.\n"
    )


def _sizes(size: int | Sequence[int]) -> str:
    return f"{size:,}" if isinstance(size, int) else " / ".join(f"{one:,}" for one in size)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
