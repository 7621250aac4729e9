"""Training curves as an SVG picture: loss on the left, measures on the right."""

from collections.abc import Sequence
from typing import Any

from spm.registry.pictures import svg

WIDTH, HEIGHT, EDGE = 420, 260, 40
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
    said = ". ".join(f"{name}: {line[-1]:.3g} at last" for name, line in losses + scores if line)
    panels = _panel("loss", losses, 0, None) + _panel("development split", scores, WIDTH, 1.0)
    return svg.document(2 * WIDTH, HEIGHT, "Training curves", said, panels)


def _panel(title: str, lines: Sequence[Line], start: int, top: float | None) -> str:
    values = [value for _, line in lines for value in line]
    highest = top or max(values, default=1.0) or 1.0
    longest = max((len(line) for _, line in lines), default=1)
    left, right, bottom = start + EDGE, start + WIDTH - EDGE - 60, HEIGHT - EDGE
    parts = [
        svg.label(left, 20, title),
        svg.up(EDGE, left, right, f"{highest:.2g}"),
        svg.up(bottom, left, right, "0", "zero"),
        svg.label(right, bottom + 16, "epoch", "end", class_="tick"),
    ]
    for number, (name, line) in enumerate(lines):
        points = [
            (
                left + (right - left) * at / max(1, longest - 1),
                bottom - (bottom - EDGE) * value / highest,
            )
            for at, value in enumerate(line)
        ]
        drawn = [svg.label(right + 8, EDGE + 14 * number + 10, name, class_="own")]
        if points:
            x, y = points[-1]
            drawn += [svg.polyline(points), svg.tag("circle", cx=x, cy=y, r=3, class_="own")]
        parts.append(svg.tag("g", *drawn, class_=f"s{number % svg.SERIES}"))
    return "".join(parts)
