"""Training curves as an SVG picture: loss on the left, measures on the right."""

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT, EDGE = 420, 260, 40
COLOURS = ("#0b6e99", "#b5542c", "#4d7c2a", "#7a3e9d", "#8a6d00")
MEASURES = ("chain", "first1", "first5", "prefix")
Line = tuple[str, list[float]]


def draw(rows: Sequence[dict[str, Any]]) -> str:
    """Both panels of all rows of metrics."""
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    losses: list[Line] = [
        (stage, [row["loss"] for row in rows if row["stage"] == stage]) for stage in stages
    ]
    measured = [row for row in rows if "chain" in row]
    scores: list[Line] = [(name, [row[name] for row in measured]) for name in MEASURES]
    panels = _panel("loss", losses, 0, None) + _panel("development split", scores, WIDTH, 1.0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="Training curves">'
        f'<rect width="100%" height="100%" fill="white"/>{panels}</svg>\n'
    )


def _panel(title: str, lines: Sequence[Line], left: int, top: float | None) -> str:
    values = [value for _, line in lines for value in line]
    highest = top or max(values, default=1.0) or 1.0
    longest = max((len(line) for _, line in lines), default=1)
    wide, high = WIDTH - 2 * EDGE - 60, HEIGHT - 2 * EDGE
    parts = [
        f'<text x="{left + EDGE}" y="20" font-size="13">{escape(title)}</text>',
        f'<path d="M{left + EDGE} {EDGE}v{high}h{wide}" fill="none" stroke="#888"/>',
        f'<text x="{left + EDGE - 4}" y="{EDGE + 4}" text-anchor="end">{highest:.2g}</text>',
        f'<text x="{left + EDGE - 4}" y="{EDGE + high}" text-anchor="end">0</text>',
        f'<text x="{left + EDGE + wide}" y="{EDGE + high + 16}" text-anchor="end">epoch</text>',
    ]
    for number, (name, line) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        points = [
            f"{left + EDGE + wide * at / max(1, longest - 1):.1f},"
            f"{EDGE + high * (1 - value / highest):.1f}"
            for at, value in enumerate(line)
        ]
        if points:
            parts.append(
                f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
                f'stroke-width="2"/><circle cx="{points[-1].split(",")[0]}" '
                f'cy="{points[-1].split(",")[1]}" r="3" fill="{colour}"/>'
            )
        parts.append(
            f'<text x="{left + EDGE + wide + 8}" y="{EDGE + 14 * number + 10}" '
            f'fill="{colour}">{escape(name)}</text>'
        )
    return "".join(parts)
