"""Small graphs as pictures: Mermaid, DOT, GraphML and a page that needs nothing but a browser.

What a tool calls itself is data: every writer here names nodes n0, n1 … and quotes all other text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

# Kinds of nodes with what the legend says. Fields are pills, all else are boxes.
KINDS: dict[str, str] = {
    "tool": "tool",
    "target": "the tool asked for",
    "review": "destructive: a person has to approve",
    "gone": "goes away",
    "stopped": "can no longer run",
    "weakened": "loses one of several producers",
    "alternative": "makes some of the same",
    "service": "service",
    "family": "family",
    "version": "version",
    "trajectory": "trajectory",
    "other": "other",
    "field": "field",
    "given": "given",
    "ask": "nobody makes it: ask",
    "lost": "lost field",
}
PILLS = frozenset({"field", "given", "ask", "lost"})
DASHED = frozenset({"optional", "same_as", "alternative"})


@dataclass(frozen=True)
class Node:
    """One thing: `label` is shown, `id` and `note` stand in the tooltip."""

    id: str
    label: str
    kind: str = "other"
    note: str = ""


@dataclass(frozen=True)
class Edge:
    """From one node to another, by their ids; heavier ones are drawn thicker."""

    source: str
    target: str
    label: str = ""
    kind: str = "other"
    weight: int = 1


@dataclass(frozen=True)
class Table:
    """Rows that say more than a picture can; only a page shows them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """A small graph to look at."""

    title: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    table: Table | None = None

    def names(self) -> dict[str, str]:
        """A plain name for every node, in order: n0, n1 and so on."""
        return {node.id: f"n{i}" for i, node in enumerate(self.nodes)}

    def links(self) -> list[Edge]:
        """The edges between nodes that are there."""
        known = {node.id for node in self.nodes}
        return [edge for edge in self.edges if edge.source in known and edge.target in known]


def render(drawing: Drawing, format: str) -> str:
    """Write a drawing in one of FORMATS.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"expected one of {', '.join(FORMATS)} (got {format!r})")
    return FORMATS[format](drawing)


def one_line(text: str) -> str:
    """Text on one line, with what cannot be seen written out, so that nothing hides in a label."""
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in joined)


def shortened(text: str, length: int = 60) -> str:
    """Text on one line of at most `length` characters."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


# -- Mermaid -----------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\w .,/@()+-]|_{2,}")


def to_mermaid(drawing: Drawing) -> str:
    """A flow chart for Markdown; GitHub and GitLab draw it."""
    names = drawing.names()
    lines = ["---", f"title: {_mermaid_title(drawing.title)}", "---", "flowchart LR"]
    for node in drawing.nodes:
        opening, closing = ("([", "])") if node.kind in PILLS else ("(", ")")
        label = _mermaid_text(shortened(node.label))
        lines.append(f'  {names[node.id]}{opening}"{label}"{closing}:::{_kind(node)}')
    for edge in drawing.links():
        arrow = "-.->" if edge.kind in DASHED else "-->"
        label = f'|"{_mermaid_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {names[edge.source]} {arrow}{label} {names[edge.target]}")
    for kind in dict.fromkeys(map(_kind, drawing.nodes)):
        fill, line, text = LIGHT[kind]
        lines.append(f"  classDef {kind} fill:{fill},stroke:{line},color:{text}")
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    """Everything that Mermaid or Markdown could read as a sign becomes a character code."""
    return _PLAIN.sub(lambda m: "".join(f"#{ord(c)};" for c in m[0]), one_line(text)) or " "


def _mermaid_title(text: str) -> str:
    # The title is YAML, not a label: single quotes, doubled inside.
    return "'" + one_line(text).replace("'", "''") + "'"


# -- DOT ---------------------------------------------------------------------------------------


def to_dot(drawing: Drawing) -> str:
    """A digraph for Graphviz."""
    names = drawing.names()
    lines = [
        "digraph spm {",
        f"  graph [rankdir=LR, label={_dot(drawing.title)}, labelloc=t, fontname=sans];",
        "  node [shape=box, fontname=sans, fontsize=11]; edge [fontname=sans, fontsize=9];",
    ]
    for node in drawing.nodes:
        fill, line, text = LIGHT[_kind(node)]
        pill = "shape=ellipse, style=filled"
        shape = pill if node.kind in PILLS else 'style="rounded,filled"'
        lines.append(
            f"  {names[node.id]} [label={_dot(shortened(node.label))}, "
            f"tooltip={_dot(_full(node))}, {shape}, "
            f'fillcolor="{fill}", color="{line}", fontcolor="{text}"];'
        )
    for edge in drawing.links():
        dashed = ", style=dashed" if edge.kind in DASHED else ""
        lines.append(
            f"  {names[edge.source]} -> {names[edge.target]} "
            f"[label={_dot(edge.label)}, penwidth={thickness(edge):.1f}{dashed}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _dot(text: str) -> str:
    quoted = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    # Graphviz reads entities in labels: &lt; in a name would not come out as it is written.
    return '"' + quoted.replace("&", "&amp;") + '"'


# -- GraphML -----------------------------------------------------------------------------------

# What XML 1.0 cannot hold, not even as a reference.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEYS = (
    ("node", "id", "string"), ("node", "label", "string"), ("node", "kind", "string"),
    ("node", "note", "string"), ("edge", "label", "string"), ("edge", "kind", "string"),
    ("edge", "weight", "int"),
)  # fmt: skip


def to_graphml(drawing: Drawing) -> str:
    """GraphML for yEd, Gephi, Cytoscape and NetworkX."""
    names = drawing.names()
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(
            f'  <key id="{part}_{name}" for="{part}" attr.name="{name}" attr.type="{kind}"/>'
            for part, name, kind in _KEYS
        ),
        f'  <graph id="spm" edgedefault="directed"><desc>{_xml(drawing.title)}</desc>',
    ]
    for node in drawing.nodes:
        values = {name: getattr(node, name) for part, name, _ in _KEYS if part == "node"}
        lines.append(f"    <node id={quoteattr(names[node.id])}>{_data('node', values)}</node>")
    for edge in drawing.links():
        ends = f'source="{names[edge.source]}" target="{names[edge.target]}"'
        values = {name: getattr(edge, name) for part, name, _ in _KEYS if part == "edge"}
        lines.append(f"    <edge {ends}>{_data('edge', values)}</edge>")
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def _data(part: str, values: dict[str, object]) -> str:
    return "".join(f'<data key="{part}_{k}">{_xml(str(v))}</data>' for k, v in values.items())


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def to_html(drawing: Drawing) -> str:
    """One page that works offline, light and dark."""
    from spm.registry.pictures.page import page

    return page(drawing)


FORMATS: dict[str, Callable[[Drawing], str]] = {
    "mermaid": to_mermaid,
    "dot": to_dot,
    "graphml": to_graphml,
    "html": to_html,
}


# -- shared with the page ----------------------------------------------------------------------

# Fill, line and text of each kind; chosen so that text has a contrast of at least 4.5.
LIGHT: dict[str, tuple[str, str, str]] = {
    "tool": ("#eef3fb", "#5b7db1", "#1c2b41"),
    "target": ("#1f4e96", "#163a70", "#ffffff"),
    "review": ("#fbe6e4", "#b3261e", "#601410"),
    "gone": ("#8c1d18", "#601410", "#ffffff"),
    "stopped": ("#fbe6e4", "#b3261e", "#601410"),
    "weakened": ("#fdf1d8", "#a86a00", "#4a3000"),
    "alternative": ("#e3f3e6", "#2e7d3a", "#123d19"),
    "service": ("#f0ecf8", "#7a5bb1", "#2d1c41"),
    "family": ("#f0ecf8", "#7a5bb1", "#2d1c41"),
    "version": ("#f2f2f0", "#807d75", "#2b2a27"),
    "trajectory": ("#e5f4f6", "#2b7f8c", "#0f3a41"),
    "other": ("#f2f2f0", "#807d75", "#2b2a27"),
    "field": ("#ffffff", "#8a8f98", "#2b2f36"),
    "given": ("#e3f3e6", "#2e7d3a", "#123d19"),
    "ask": ("#fdf1d8", "#a86a00", "#4a3000"),
    "lost": ("#fbe6e4", "#b3261e", "#601410"),
}
DARK: dict[str, tuple[str, str, str]] = {
    "tool": ("#1d2a3d", "#6f93cb", "#dde8f8"),
    "target": ("#8fb8ff", "#b9d2ff", "#0b1a30"),
    "review": ("#401917", "#ff897d", "#ffdad6"),
    "gone": ("#ffb4ab", "#ffdad6", "#410e0b"),
    "stopped": ("#401917", "#ff897d", "#ffdad6"),
    "weakened": ("#3a2b0c", "#e0a53c", "#fbe3b4"),
    "alternative": ("#15311b", "#6fc37f", "#d3f2d9"),
    "service": ("#2a2140", "#a98ee0", "#ebe0ff"),
    "family": ("#2a2140", "#a98ee0", "#ebe0ff"),
    "version": ("#2b2a27", "#9b978e", "#eceae4"),
    "trajectory": ("#12333a", "#5fb9c7", "#d3f1f6"),
    "other": ("#2b2a27", "#9b978e", "#eceae4"),
    "field": ("#1b1d21", "#7d838d", "#e4e7ec"),
    "given": ("#15311b", "#6fc37f", "#d3f2d9"),
    "ask": ("#3a2b0c", "#e0a53c", "#fbe3b4"),
    "lost": ("#401917", "#ff897d", "#ffdad6"),
}


def _kind(node: Node) -> str:
    return node.kind if node.kind in KINDS else "other"


def _full(node: Node) -> str:
    return f"{node.id}: {node.note}" if node.note else node.id


def thickness(edge: Edge) -> float:
    """How thick an edge is drawn: it grows with the logarithm of its weight."""
    return 1.2 + 0.6 * min(max(edge.weight, 1).bit_length() - 1, 8)
