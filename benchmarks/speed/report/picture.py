"""A finding as an SVG picture: bars to the median, with the quickest run and the 95th percentile.

Times that lie far apart are drawn on a logarithmic scale, and the picture says so.
"""

import math
from collections.abc import Sequence

from benchmarks.speed.report.findings import Finding
from benchmarks.speed.report.goals import GOALS
from benchmarks.speed.samples import Row
from spm.registry.pictures import svg
from spm.registry.pictures.drawing import shortened

WIDTH, LEFT, RIGHT, TOP, STEP = 760, 250, 120, 58, 24
FAR = 60  # times between the longest and the shortest, from which a scale is logarithmic
STYLE = """
.head { font-size: 15px; } .head, tspan { font-weight: 600; } tspan.tick { font-weight: 400; }
.bar { fill: var(--s0); } .line { stroke: var(--soft); stroke-width: 1.5; }
.aim, .must { fill: var(--good); } .missed { fill: var(--bad); }
"""


def draw(finding: Finding) -> str:
    """The whole picture: rows of times, then the figures that come of them."""
    scale = _Scale([row for row in finding.rows if row.p50 > 0])
    below = TOP + STEP * len(finding.rows) + 30
    height = below + STEP * len(finding.figures) + 34
    title = f"spm, bench {finding.bench}"
    said = ". ".join(f"{row.name}: {row.p50:g} ms" for row in finding.rows)
    settings = ", ".join(f"{name} {_plain(value)}" for name, value in finding.settings.items())
    parts = [
        svg.label(16, 22, title, class_="head"),
        svg.label(16, 40, shortened(settings, 110), class_="tick"),
        *scale.grid(TOP - 6, below - 30),
        *(_row(row, scale, TOP + STEP * at) for at, row in enumerate(finding.rows)),
        *(_figure(finding, at, below + STEP * at) for at in range(len(finding.figures))),
        svg.label(16, height - 12, _foot(finding, scale), class_="tick"),
    ]
    return svg.document(WIDTH, height, title, said, *parts, style=STYLE)


class _Scale:
    """From milliseconds to places."""

    def __init__(self, rows: Sequence[Row]) -> None:
        ends = [ms for row in rows for ms in (row.minimum, row.p95) if ms > 0] or [1.0]
        self.low, self.high = min(ends), max(ends)
        self.logarithmic = self.high / self.low > FAR
        if self.logarithmic:
            self.low = 10 ** math.floor(math.log10(self.low))

    def x(self, ms: float) -> float:
        """Where a time stands."""
        if self.logarithmic:
            share = math.log(max(ms, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = ms / self.high
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def grid(self, top: float, bottom: float) -> list[str]:
        """Lines with their times."""
        if self.logarithmic:
            first, last = (math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)))
            places = [10.0**power for power in range(first, last + 1)]
        else:
            places = [self.high * share for share in (0, 0.5, 1)]
        return [svg.across(self.x(ms), top, bottom, f"{ms:.3g} ms") for ms in places]


def _row(row: Row, scale: _Scale, y: float) -> str:
    end, low, high = scale.x(row.p50), scale.x(row.minimum), scale.x(row.p95)
    memory = f", {row.rss:.0f} MB" if row.rss else ""
    tip = f"{row.name}: minimum {row.minimum:g}, p50 {row.p50:g}, p95 {row.p95:g} ms, {row.runs} ×"
    marks = f"M{low:.1f} {y + 1}v15M{end:.1f} {y + 8.5}H{high:.1f}M{high:.1f} {y + 5}v7"
    wide = max(1.0, end - LEFT)
    return svg.tag(
        "g",
        svg.tag("title", svg.text(tip)),
        svg.label(LEFT - 8, y + 12, shortened(row.name, 36), "end"),
        svg.tag("rect", class_="bar", x=LEFT, y=y + 3, width=wide, height=11, rx=2),
        svg.tag("path", class_="line", d=marks),
        svg.label(max(end, high) + 6, y + 12, f"{row.p50:.3g} ms{memory}", class_="tick"),
    )


def _figure(finding: Finding, at: int, y: float) -> str:
    one = finding.figures[at]
    bars = ""
    if one.name in GOALS:
        must, aim = GOALS[one.name].bars()
        bars = f" · must {must}, aim {aim}"
    minima = f" ({one.minima:g} between minima)" if one.minima is not None else ""
    return svg.tag(
        "text",
        svg.text(shortened(one.title, 80)) + ": ",
        svg.tag("tspan", f"{one.value:g}", class_=one.verdict),
        svg.tag("tspan", " " + svg.text(minima + bars), class_="tick"),
        x=16,
        y=y + 12,
    )


def _foot(finding: Finding, scale: _Scale) -> str:
    at = finding.machine
    said = "logarithmic scale; " if scale.logarithmic else ""
    return (
        f"{said}bar: median, marks: minimum and p95. {at.processor}, {at.cores} cores, "
        f"load {at.load[0]:g} to {at.load[1]:g}, {finding.at}"
    )


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
