"""A drawing as one HTML page: SVG laid out here, no network, light and dark, usable by keyboard."""

import base64
import hashlib
import unicodedata

from spm.registry.pictures.drawing import (
    DARK,
    DASHED,
    KINDS,
    LIGHT,
    PILLS,
    Drawing,
    Edge,
    Node,
    Table,
    kind_of,
    shortened,
    thickness,
)
from spm.registry.pictures.layout import COLUMN_GAP, Point, arrange
from spm.registry.pictures.svg import THEME, label, tag, text

LABEL, NOTE, ALONG = 30, 38, 18
_CHAR, _SMALL, _PADDING = 7.4, 6.1, 26.0

_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
header { padding: 20px 24px 12px; border-bottom: 1px solid var(--rule); }
h1 { font-size: 19px; font-weight: 600; margin: 0 0 2px; overflow-wrap: anywhere; }
p { margin: 0; color: var(--soft); font-size: 13px; }
ul.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 12px 0 0; padding: 0;
  list-style: none; font-size: 13px; color: var(--soft); }
ul.legend li { display: flex; align-items: center; gap: 7px; }
ul.legend i { width: 22px; height: 14px; border-width: 1.5px; border-style: solid;
  border-radius: 4px; }
ul.legend i.pill { border-radius: 7px; }
main { overflow: auto; }
svg { display: block; margin: 0 auto; font-family: inherit; }
.node { cursor: default; outline: none; }
.node rect { stroke-width: 1.4; }
.node text { font-size: 13px; text-anchor: middle; }
.node .note { font-size: 10.5px; opacity: .78; }
.node:hover rect, .node:focus-visible rect { stroke-width: 2.8; }
.edge path { fill: none; stroke: var(--edge); }
.edge polygon { fill: var(--edge); }
.edge.dashed path { stroke-dasharray: 5 4; }
.edge text { font-size: 11px; fill: var(--soft); text-anchor: middle; paint-order: stroke;
  stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
svg.looking .node:not(.near), svg.looking .edge:not(.near) { opacity: .22; }
.node, .edge { transition: opacity .12s; }
.edge.near path { stroke: var(--hot); }
.edge.near polygon { fill: var(--hot); }
details { padding: 12px 24px 24px; border-top: 1px solid var(--rule); font-size: 13px;
  color: var(--soft); overflow-wrap: anywhere; }
summary { cursor: pointer; }
section { overflow: auto; padding: 12px 24px; border-top: 1px solid var(--rule); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; font-weight: 600; white-space: nowrap; color: var(--soft); }
th, td { padding: 5px 12px 5px 0; vertical-align: top; border-bottom: 1px solid var(--rule);
  overflow-wrap: anywhere; }
td:nth-child(-n+3) { white-space: nowrap; }
@media (prefers-reduced-motion: reduce) { .node, .edge { transition: none; } }
@media print { details { display: none; } }
"""

# Names of nodes are made by this program; no text of a tool ever comes into the script.
_SCRIPT = """
const svg = document.querySelector("svg");
const clear = () => {
  svg.classList.remove("looking");
  svg.querySelectorAll(".near").forEach((e) => e.classList.remove("near"));
};
const look = (event) => {
  const node = event.target.closest(".node");
  clear();
  if (!node) return;
  svg.classList.add("looking");
  node.classList.add("near");
  svg.querySelectorAll(".edge").forEach((edge) => {
    const { a, b } = edge.dataset;
    if (a !== node.id && b !== node.id) return;
    edge.classList.add("near");
    document.getElementById(a).classList.add("near");
    document.getElementById(b).classList.add("near");
  });
};
svg.addEventListener("pointerover", look);
svg.addEventListener("pointerleave", clear);
svg.addEventListener("focusin", look);
svg.addEventListener("focusout", clear);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") clear(); });
"""


def page(drawing: Drawing) -> str:
    """The whole page; opening it loads nothing else, and its policy forbids it to."""
    names = drawing.names()
    links = drawing.links()
    order = {node.id: i for i, node in enumerate(drawing.nodes)}
    layout = arrange(
        [_size(node) for node in drawing.nodes],
        [(order[edge.source], order[edge.target]) for edge in links],
        gap=_gap(links),
    )
    edges = [
        _edge(edge, route, names)
        if route
        else _loop(
            edge, drawing.nodes[order[edge.source]], layout.centres[order[edge.source]], names
        )
        for edge, route in zip(links, layout.routes, strict=True)
    ]
    nodes = [
        _node(node, names[node.id], centre)
        for node, centre in zip(drawing.nodes, layout.centres, strict=True)
    ]
    size = {"width": round(layout.width), "height": round(layout.height)}
    box = {"viewBox": f"0 0 {layout.width:.0f} {layout.height:.0f}", "role": "group"}
    drawn = tag("svg", *edges, *nodes, **size, **box, aria_label=drawing.title)
    title = text(drawing.title)
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'sha256-{digest}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{THEME}{_STYLE}{_colours()}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p>{len(drawing.nodes)} nodes, {len(links)} edges. Point at a node to see its neighbours.</p>
{_legend(drawing)}
</header>
<main>
{drawn}
</main>
{_table(drawing.table)}{_summary(links)}
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _node(node: Node, name: str, centre: Point) -> str:
    x, y = centre
    width, height = _size(node)
    kind = kind_of(node)
    note = shortened(node.note, NOTE)
    full = " · ".join(t for t in (node.id, node.note, KINDS[kind]) if t)
    corner = {"x": x - width / 2, "y": y - height / 2, "rx": height / 2 if kind in PILLS else 8}
    return tag(
        "g",
        tag("title", text(full)),
        tag("rect", width=width, height=height, **corner),
        label(x, y + (-1.5 if note else 4.5), shortened(node.label, LABEL)),
        label(x, y + 13, note, class_="note") if note else "",
        **{"class": f"node {kind}", "id": name, "tabindex": 0, "role": "img", "aria_label": full},
    )


def _edge(edge: Edge, points: list[Point], names: dict[str, str]) -> str:
    (x1, _), (x2, y2) = points[0], points[-1]
    side = 1 if x2 >= x1 else -1
    arrow = f"{x2:.1f},{y2:.1f} {x2 - 8 * side:.1f},{y2 - 4:.1f} {x2 - 8 * side:.1f},{y2 + 4:.1f}"
    x, y = _middle(points)
    along = label(x, y - 4, shortened(edge.label, ALONG)) if edge.label else ""
    return _group(edge, _curve(points, side), arrow, along, names)


def _loop(edge: Edge, node: Node, centre: Point, names: dict[str, str]) -> str:
    """A small arc over the node, for what leads back to itself."""
    x, y = centre[0], centre[1] - _size(node)[1] / 2
    path = f"M{x - 13:.1f} {y:.1f}C{x - 13:.1f} {y - 18:.1f} {x + 13:.1f} {y - 18:.1f} "
    arrow = f"{x + 13:.1f},{y:.1f} {x + 9:.1f},{y - 8:.1f} {x + 17:.1f},{y - 8:.1f}"
    return _group(edge, f"{path}{x + 13:.1f} {y - 6:.1f}", arrow, "", names)


def _group(edge: Edge, path: str, arrow: str, along: str, names: dict[str, str]) -> str:
    return tag(
        "g",
        tag("title", text(f"{edge.source} → {edge.target} {edge.label}")),
        tag("path", d=path, stroke_width=thickness(edge)),
        tag("polygon", points=arrow) + along,
        class_="edge dashed" if edge.kind in DASHED else "edge",
        data_a=names[edge.source],
        data_b=names[edge.target],
    )


def _gap(links: list[Edge]) -> float:
    """Room between columns for the longest text along an edge."""
    longest = max((_cells(shortened(edge.label, ALONG)) for edge in links), default=0)
    return max(COLUMN_GAP, longest * _SMALL + 36)


def _curve(points: list[Point], side: int) -> str:
    """Lines within a column and curves between columns, in turn."""
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for i, (x2, y2) in enumerate(rest):
        if i == len(rest) - 1:
            x2 -= 6 * side  # the line ends inside the arrow head
        if i % 2 == 0:
            path += f"L{x2:.1f} {y2:.1f}"
        else:
            bend = (x2 - x) / 2
            path += f"C{x + bend:.1f} {y:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        x, y = x2, y2
    return path


def _middle(points: list[Point]) -> Point:
    """Where a text stands: on the first straight lane, or else nearer the end, where edges part."""
    if len(points) > 4:
        return (points[2][0] + points[3][0]) / 2, points[2][1]
    (x1, y1), (x2, y2) = points[1], points[2]
    return x1 + 0.6 * (x2 - x1), y1 + 0.65 * (y2 - y1)


def _legend(drawing: Drawing) -> str:
    there = {kind_of(node) for node in drawing.nodes}
    rows = [
        f'<li><i class="{kind}{" pill" if kind in PILLS else ""}"></i>{text(said)}</li>'
        for kind, said in KINDS.items()
        if kind in there
    ]
    return f'<ul class="legend">{"".join(rows)}</ul>' if rows else ""


def _summary(links: list[Edge]) -> str:
    """The same in words, to search, to copy and to hear."""
    rows = [
        f"<li>{text(e.source)} → {text(e.target)}{text(f' ({e.label})') if e.label else ''}</li>"
        for e in links
    ]
    return f"<details><summary>As text</summary><ul>{''.join(rows)}</ul></details>" if rows else ""


def _table(table: Table | None) -> str:
    if table is None:
        return ""
    head = "".join(f"<th>{text(column)}</th>" for column in table.columns)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f"<section><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n"
        "</table></section>\n"
    )


def _colours() -> str:
    def rules(table: dict[str, tuple[str, str, str]]) -> str:
        return "\n".join(
            f".{kind} rect {{ fill: {fill}; stroke: {line}; }} .{kind} text {{ fill: {ink}; }} "
            f"i.{kind} {{ background: {fill}; border-color: {line}; }}"
            for kind, (fill, line, ink) in table.items()
        )

    return f"{rules(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{rules(DARK)}\n}}\n"


def _size(node: Node) -> tuple[float, float]:
    note = shortened(node.note, NOTE)
    wide = max(_cells(shortened(node.label, LABEL)) * _CHAR, _cells(note) * _SMALL if note else 0.0)
    return max(wide + _PADDING, 64.0), 40.0 if note else 28.0


def _cells(shown: str) -> int:
    """Width in Latin letters; Chinese, Japanese and Korean signs take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)
