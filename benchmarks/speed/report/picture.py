"""A finding as an SVG picture: bars to the median, with the quickest run and the 95th percentile.

Times that lie far apart are drawn on a logarithmic scale, and the picture says so.
"""

import math
from collections.abc import Sequence
from html import escape

from spm.evaluation.speed.findings import Finding
from spm.evaluation.speed.goals import GOALS
from spm.evaluation.speed.sampling import Row
from spm.registry.pictures.rendering import shortened

WIDTH, LEFT, RIGHT, TOP, STEP = 760, 250, 120, 58, 24
FAR = 60  # times between the longest and the shortest, from which a scale is logarithmic
STYLE = (
    "<style>:root{color-scheme:light dark;--page:#fff;--ink:#22252a;--soft:#5f656e;--rule:#e1e3e6;"
    "--bar:#1f5fa8;--good:#1f6b32;--bad:#a3241c}@media(prefers-color-scheme:dark){:root{"
    "--page:#1a1c20;--ink:#e8eaee;--soft:#a2a8b1;--rule:#2e3138;--bar:#86b6ff;--good:#86d695;"
    "--bad:#ff9d92}}text{fill:var(--ink);font:12px system-ui,sans-serif}.soft{fill:var(--soft);"
    "font-size:11px}.bar{fill:var(--bar)}.line{stroke:var(--soft);stroke-width:1.5}"
    ".grid{stroke:var(--rule)}.page{fill:var(--page)}.aim,.must{fill:var(--good)}"
    ".missed{fill:var(--bad)}</style>"
)


def draw(finding: Finding) -> str:
    """The whole picture: rows of times, then the figures that come of them."""
    scale = _Scale([row for row in finding.rows if row.p50 > 0])
    below = TOP + STEP * len(finding.rows) + 30
    height = below + STEP * len(finding.figures) + 34
    title = f"spm bench {finding.bench}"
    said = ". ".join(f"{row.name}: {row.p50:g} ms" for row in finding.rows)
    settings = ", ".join(f"{name} {_plain(value)}" for name, value in finding.settings.items())
    parts = [
        f'<text x="16" y="22" style="font-size:15px;font-weight:600">{escape(title)}</text>',
        f'<text class="soft" x="16" y="40">{escape(shortened(settings, 110))}</text>',
        *scale.grid(TOP - 6, below - 30),
        *(_row(row, scale, TOP + STEP * at) for at, row in enumerate(finding.rows)),
        *(_figure(finding, at, below + STEP * at) for at in range(len(finding.figures))),
        f'<text class="soft" x="16" y="{height - 12}">{escape(_foot(finding, scale))}</text>',
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="t d"><title id="t">{escape(title)}</title><desc id="d">{escape(said)}'
        f'</desc>{STYLE}<rect class="page" width="100%" height="100%"/>{"".join(parts)}</svg>\n'
    )


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
        return [
            f'<path class="grid" d="M{self.x(ms):.1f} {top:.0f}V{bottom:.0f}"/>'
            f'<text class="soft" x="{self.x(ms):.1f}" y="{bottom + 12:.0f}" '
            f'text-anchor="middle">{ms:.3g} ms</text>'
            for ms in places
        ]


def _row(row: Row, scale: _Scale, y: float) -> str:
    end, low, high = scale.x(row.p50), scale.x(row.minimum), scale.x(row.p95)
    memory = f", {row.rss:.0f} MB" if row.rss else ""
    tip = f"{row.name}: minimum {row.minimum:g}, p50 {row.p50:g}, p95 {row.p95:g} ms, {row.runs} ×"
    return (
        f"<g><title>{escape(tip)}</title>"
        f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(shortened(row.name, 36))}'
        f'</text><rect class="bar" x="{LEFT}" y="{y + 3}" width="{max(1.0, end - LEFT):.1f}" '
        f'height="11" rx="2"/><path class="line" d="M{low:.1f} {y + 1}v15M{end:.1f} {y + 8.5}'
        f'H{high:.1f}M{high:.1f} {y + 5}v7"/>'
        f'<text class="soft" x="{max(end, high) + 6:.1f}" y="{y + 12}">{row.p50:.3g} ms{memory}'
        f"</text></g>"
    )


def _figure(finding: Finding, at: int, y: float) -> str:
    one = finding.figures[at]
    bars = ""
    if one.name in GOALS:
        must, aim = GOALS[one.name].bars()
        bars = f"   must {must}, aim {aim}"
    minima = f"   ({one.minima:g} between minima)" if one.minima is not None else ""
    return (
        f'<text x="16" y="{y + 12}">{escape(shortened(one.title, 80))}: '
        f'<tspan class="{one.verdict}" style="font-weight:600">{one.value:g}</tspan>'
        f'<tspan class="soft">{escape(minima + bars)}</tspan></text>'
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
