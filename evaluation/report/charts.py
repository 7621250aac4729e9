"""Small charts as SVG: a few lines over a few places, and differences around nothing.

Lines are told apart by colour, by dashes and by the shape of their points; every point says its
numbers when it is pointed at, and each chart says all of them in its description.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from spm.evaluation.bootstrap import Difference, Interval
from spm.registry.pictures.rendering import one_line, shortened

WIDTH, HEIGHT = 360, 236
LEFT, RIGHT, TOP, BOTTOM = 36, 10, 10, 38
SERIES = 8  # colours; more lines begin again with other dashes
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 3", "10 4", "4 2 1 2", "3 5")


@dataclass(frozen=True)
class Line:
    """One constructor's values, one for each place; None where there is none."""

    name: str
    values: list[Interval | None]


@dataclass(frozen=True)
class Place:
    """A place on the axis below, with what stands under it."""

    label: str
    note: str = ""


def text(value: str) -> str:
    """Any text, harmless in a page."""
    return escape(one_line(value), quote=True)


def chart(
    key: str, title: str, places: Sequence[Place], lines: Sequence[Line], *, joined: bool = True
) -> str:
    """A figure: shares from 0 to 1 over places, with intervals.

    Args:
        key: unique on the page.
        title: what is drawn.
        places: from left to right.
        lines: at most one value a place each.
        joined: whether the places are an order, so that lines may join them.
    """
    wide = WIDTH - LEFT - RIGHT
    step = wide / max(1, len(places))
    centres = [LEFT + step * (at + 0.5) for at in range(len(places))]
    apart = min(7.0, 0.7 * step / max(1, len(lines)))
    parts = [_grid(), _below(places, centres)]
    for number, line in enumerate(lines):
        moved = (number - (len(lines) - 1) / 2) * apart
        parts.append(_line(number, line, places, [x + moved for x in centres], joined))
    said = ". ".join(_spoken(line, places) for line in lines)
    return _figure(key, title, said, HEIGHT, "".join(parts))


def _grid() -> str:
    return "".join(
        f'<path class="grid" d="M{LEFT} {_y(share):.1f}H{WIDTH - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 5}" y="{_y(share) + 3.5:.1f}" text-anchor="end">'
        f"{share:g}</text>"
        for share in (0, 0.25, 0.5, 0.75, 1)
    )


def _below(places: Sequence[Place], centres: Sequence[float]) -> str:
    return "".join(
        f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">'
        f"{text(shortened(place.label, 14))}</text>"
        f'<text class="tick soft" x="{x:.1f}" y="{HEIGHT - BOTTOM + 28}" text-anchor="middle">'
        f"{text(place.note)}</text>"
        for place, x in zip(places, centres, strict=True)
    )


def _line(
    number: int, line: Line, places: Sequence[Place], xs: Sequence[float], joined: bool
) -> str:
    parts = []
    points = []
    for place, value, x in zip(places, line.values, xs, strict=True):
        if value is None or value.mean is None or value.low is None or value.high is None:
            continue
        points.append((x, _y(value.mean)))
        parts.append(
            f"<g><title>{text(f'{line.name}, {place.label}: {_numbers(value)}')}</title>"
            f'<path class="whisker" d="M{x:.1f} {_y(value.low):.1f}V{_y(value.high):.1f}"/>'
            f"{marker(number, x, _y(value.mean))}</g>"
        )
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    drawn = f'<polyline points="{way}"{dash(number)}/>' if joined and len(points) > 1 else ""
    return f'<g class="s{number % SERIES}">{drawn}{"".join(parts)}</g>'


def dash(number: int) -> str:
    """The dashes of a line, as an attribute."""
    found = DASHES[number % len(DASHES)]
    return f' stroke-dasharray="{found}"' if found else ""


def marker(number: int, x: float, y: float) -> str:
    """The point of a line: another shape for each."""
    r = 3.6
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>',
        f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}"/>',
        f'<path d="M{x:.1f} {y - 4.4:.1f}l4.6 8h-9.2z"/>',
        f'<path d="M{x:.1f} {y - 5:.1f}l5 5-5 5-5-5z"/>',
        f'<path d="M{x:.1f} {y + 4.4:.1f}l4.6-8h-9.2z"/>',
        f'<circle class="hollow" cx="{x:.1f}" cy="{y:.1f}" r="{r}"/>',
        f'<rect class="hollow" x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}"/>',
        f'<path class="hollow" d="M{x:.1f} {y - 5:.1f}l5 5-5 5-5-5z"/>',
    )
    return shapes[number % len(shapes)]


def legend(names: Sequence[str]) -> str:
    """Which line is whose."""
    rows = "".join(
        f'<li><svg class="key s{number % SERIES}" viewBox="0 0 34 12" aria-hidden="true">'
        f'<path class="stroke" d="M0 6H34"{dash(number)}/>{marker(number, 17, 6)}</svg>'
        f"{text(name)}</li>"
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{rows}</ul>'


def forest(
    key: str, title: str, number: int, rows: Sequence[tuple[str, Difference]], widest: float
) -> str:
    """A figure of differences, one below the other, around nothing.

    Args:
        key: unique on the page.
        title: what is compared.
        number: whose colour.
        rows: what was measured and the difference.
        widest: where the axis ends on both sides.
    """
    left, right, step = 116, 52, 21
    middle, half = (left + WIDTH - right) / 2, (WIDTH - right - left) / 2
    height = TOP + step * len(rows) + 24
    ticks = "".join(
        f'<path class="{"zero" if not share else "grid"}" '
        f'd="M{middle + half * share:.1f} {TOP}V{height - 22}"/>'
        f'<text class="tick" x="{middle + half * share:.1f}" y="{height - 8}" '
        f'text-anchor="middle">{f"{share * widest:+.2g}" if share else "0"}</text>'
        for share in (-1, 0, 1)
    )
    parts = []
    for at, (name, one) in enumerate(rows):
        if one.mean is None or one.low is None or one.high is None:
            continue
        y = TOP + step * (at + 0.5)
        x, low, high = (middle + half * v / widest for v in (one.mean, one.low, one.high))
        sure = one.low > 0 or one.high < 0
        dot = f'<circle{"" if sure else " class=hollow"} cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        parts.append(
            f"<g><title>{text(f'{name}: {_apart(one)}')}</title>"
            f'<text class="name" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{text(name)}'
            f'</text><g class="s{number % SERIES}">'
            f'<path class="whisker" d="M{low:.1f} {y:.1f}H{high:.1f}"/>{dot}</g>'
            f'<text class="tick" x="{WIDTH - 4}" y="{y + 4:.1f}" text-anchor="end">'
            f"{one.mean:+.3f}</text></g>"
        )
    said = ". ".join(f"{name}: {_apart(one)}" for name, one in rows)
    return _figure(key, title, said, height, ticks + "".join(parts))


def _figure(key: str, title: str, said: str, height: float, inside: str) -> str:
    return (
        f'<figure><figcaption>{text(title)}</figcaption><svg viewBox="0 0 {WIDTH} {height:g}" '
        f'role="img" aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{text(title)}</title>'
        f'<desc id="{key}-d">{text(said)}</desc>{inside}</svg></figure>'
    )


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _spoken(line: Line, places: Sequence[Place]) -> str:
    pairs = zip(places, line.values, strict=True)
    said = [f"{place.label} {one.mean:.3f}" for place, one in pairs if one and one.mean is not None]
    return f"{line.name}: {', '.join(said) or 'nothing'}"


def _numbers(one: Interval) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f}), {one.count} requests"


def _apart(one: Difference) -> str:
    if one.mean is None:
        return "not defined"
    return (
        f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f}), p {one.p:.4f}, "
        f"better on {one.wins}, worse on {one.losses} of {one.count}"
    )
