"""Small charts as SVG: a few lines over a few places, and differences around nothing.

Lines are told apart by colour, by dashes and by the shape of their points; every point says its
numbers when it is pointed at, and each chart says all of them in its description.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from spm.evaluation.bootstrap import Difference, Interval
from spm.registry.pictures import svg
from spm.registry.pictures.drawing import shortened
from spm.registry.pictures.svg import SERIES, tag, text

WIDTH, HEIGHT = 360, 236
LEFT, RIGHT, TOP, BOTTOM = 36, 10, 10, 38
_CIRCLE, _SQUARE = "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z", "m-3.6-3.6h7.2v7.2h-7.2z"
_DIAMOND, _UP, _DOWN = "m0-5l5 5-5 5-5-5z", "m0-4.4l4.6 8h-9.2z", "m0 4.4l4.6-8h-9.2z"
MARKERS = (
    (_CIRCLE, False), (_SQUARE, False), (_UP, False), (_DIAMOND, False), (_DOWN, False),
    (_CIRCLE, True), (_SQUARE, True), (_DIAMOND, True),
)  # fmt: skip
HOLLOW = 5  # the circle of what may be nothing
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
    said = ". ".join(_line_text(line, places) for line in lines)
    return _figure(key, title, said, HEIGHT, *parts)


def _grid() -> str:
    shares = (0, 0.25, 0.5, 0.75, 1)
    return "".join(svg.up(_y(share), LEFT, WIDTH - RIGHT, f"{share:g}") for share in shares)


def _below(places: Sequence[Place], centres: Sequence[float]) -> str:
    y = HEIGHT - BOTTOM
    return "".join(
        svg.label(x, y + 15, shortened(place.label, 14), "middle", class_="tick")
        + svg.label(x, y + 28, place.note, "middle", class_="tick soft")
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
        tip = tag("title", text(f"{line.name}, {place.label}: {_numbers(value)}"))
        reach = f"M{x:.1f} {_y(value.low):.1f}V{_y(value.high):.1f}"
        whisker = tag("path", class_="whisker", d=reach)
        parts.append(tag("g", tip, whisker, marker(number, x, _y(value.mean))))
    if joined and len(points) > 1:
        parts.insert(0, svg.polyline(points, stroke_dasharray=dash(number)))
    return tag("g", *parts, class_=f"s{number % SERIES}")


def dash(number: int) -> str | None:
    """The dashes of a line."""
    return DASHES[number % len(DASHES)] or None


def marker(number: int, x: float, y: float) -> str:
    """The point of a line: another shape for each."""
    shape, hollow = MARKERS[number % len(MARKERS)]
    return tag("path", class_="hollow" if hollow else None, d=f"M{x:.1f} {y:.1f}{shape}")


def legend(names: Sequence[str]) -> str:
    """Which line is whose."""
    rows = []
    for number, name in enumerate(names):
        line = tag("path", class_="stroke", d="M0 6H34", stroke_dasharray=dash(number))
        kind = {"class_": f"key s{number % SERIES}", "viewBox": "0 0 34 12", "aria_hidden": "true"}
        rows.append(f"<li>{tag('svg', line, marker(number, 17, 6), **kind)}{text(name)}</li>")
    return f'<ul class="legend">{"".join(rows)}</ul>'


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
    parts = []
    for share in (-1, 0, 1):
        said, kind = (f"{share * widest:+.2g}", "grid") if share else ("0", "zero")
        parts.append(svg.across(middle + half * share, TOP, height - 22, said, kind))
    for at, (name, one) in enumerate(rows):
        if one.mean is None or one.low is None or one.high is None:
            continue
        y = TOP + step * (at + 0.5)
        x, low, high = (middle + half * v / widest for v in (one.mean, one.low, one.high))
        sure = one.low > 0 or one.high < 0
        whisker = tag("path", class_="whisker", d=f"M{low:.1f} {y:.1f}H{high:.1f}")
        dot = marker(0 if sure else HOLLOW, x, y)
        tip = tag("title", text(f"{name}: {_apart(one)}"))
        texts = svg.label(left - 8, y + 4, name, "end", class_="name")
        texts += svg.label(WIDTH - 4, y + 4, f"{one.mean:+.3f}", "end", class_="tick")
        parts.append(tag("g", tip, texts, tag("g", whisker, dot, class_=f"s{number % SERIES}")))
    said = ". ".join(f"{name}: {_apart(one)}" for name, one in rows)
    return _figure(key, title, said, height, *parts)


def _figure(key: str, title: str, said: str, height: float, *inside: str) -> str:
    drawn = svg.picture(key, WIDTH, height, title, said, *inside)
    return f"<figure><figcaption>{text(title)}</figcaption>{drawn}</figure>"


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _line_text(line: Line, places: Sequence[Place]) -> str:
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
