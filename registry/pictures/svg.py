"""SVG as text: escaped elements, ticks, and one set of colours, light and dark, for pictures."""

from collections.abc import Iterable
from html import escape

from spm.registry.pictures.drawing import one_line

# Variables of CSS by name: light and dark. The series s0, s1 … tell lines of a chart apart.
COLOURS: dict[str, tuple[str, str]] = {
    "page": ("#fbfbfa", "#131417"), "card": ("#ffffff", "#1a1c20"), "ink": ("#22252a", "#e8eaee"),
    "soft": ("#5f656e", "#a2a8b1"), "rule": ("#e1e3e6", "#2e3138"), "edge": ("#9aa0a9", "#6d737d"),
    "hot": ("#1f4e96", "#8fb8ff"), "good": ("#1f6b32", "#86d695"), "bad": ("#a3241c", "#ff9d92"),
    "goodback": ("#e3f3e6", "#16301c"), "badback": ("#fbe9e7", "#3b1a18"),
    "s0": ("#1f5fa8", "#86b6ff"), "s1": ("#bf4b17", "#ff9d6b"), "s2": ("#2b7a3d", "#7ccf8c"),
    "s3": ("#7b4ca0", "#c9a2f0"), "s4": ("#8a6900", "#e0bb4a"), "s5": ("#0f7880", "#5fc9d3"),
    "s6": ("#b03a6f", "#f394bf"), "s7": ("#5b616a", "#b3b9c2"),
}  # fmt: skip
SERIES = 8
_LIGHT, _DARK = (
    " ".join(f"--{name}: {shades[at]};" for name, shades in COLOURS.items()) for at in (0, 1)
)
THEME = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
"""
# What charts look like, in a page and alone.
CHARTS = """
.grid { stroke: var(--rule); } .zero { stroke: var(--soft); }
.tick { font-size: 10.5px; fill: var(--soft); }
polyline, .stroke { fill: none; stroke: var(--c); stroke-width: 2; }
""" + "\n".join(f".s{number} {{ --c: var(--s{number}); }}" for number in range(SERIES))
_ALONE = """
text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.card { fill: var(--card); } .own { fill: var(--c); }
"""


def text(value: str) -> str:
    """Any text, harmless in a page."""
    return escape(one_line(value), quote=True)


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element with markup inside; `text_anchor` is text-anchor, `class_` class, None nothing."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{said}>{''.join(inside)}</{name}>" if any(inside) else f"<{name}{said}/>"


def label(x: float, y: float, value: str, anchor: str | None = None, **more: object) -> str:
    """A text at its place."""
    return tag("text", text(value), x=x, y=y, text_anchor=anchor, **more)


def across(x: float, top: float, bottom: float, said: str, kind: str = "grid") -> str:
    """A tick of the axis below: a line from top to bottom with a text under it."""
    line = tag("path", class_=kind, d=f"M{x:.1f} {top:.1f}V{bottom:.1f}")
    return line + label(x, bottom + 13, said, "middle", class_="tick")


def up(y: float, left: float, right: float, said: str, kind: str = "grid") -> str:
    """A tick of the axis at the left: a line from left to right with a text before it."""
    line = tag("path", class_=kind, d=f"M{left:.1f} {y:.1f}H{right:.1f}")
    return line + label(left - 5, y + 3.5, said, "end", class_="tick")


def polyline(points: Iterable[tuple[float, float]], **more: object) -> str:
    """A line through points."""
    return tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), **more)


def picture(
    key: str, width: float, height: float, title: str, said: str, *inside: str, **more: object
) -> str:
    """A picture with its title and, for who cannot see it, all it says; `key` makes ids unique."""
    head = tag("title", text(title), id=f"{key}-t") + tag("desc", text(said), id=f"{key}-d")
    more = {"role": "img", "aria_labelledby": f"{key}-t {key}-d", **more}
    return tag("svg", head, *inside, viewBox=f"0 0 {width:g} {height:g}", **more)


def document(
    width: float, height: float, title: str, said: str, *inside: str, style: str = ""
) -> str:
    """A picture as a file of its own."""
    css = tag("style", THEME, CHARTS, _ALONE, style)
    ground = tag("rect", class_="card", width="100%", height="100%")
    space = "http://www.w3.org/2000/svg"
    return picture("p", width, height, title, said, css, ground, *inside, xmlns=space) + "\n"


def _value(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else text(str(value))
