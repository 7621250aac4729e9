"""Small graphs as pictures: Mermaid, DOT, GraphML and a page that needs nothing but a browser.

What a tool calls itself is data: every writer here names nodes n0, n1 … and quotes all other text.
"""

import re
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from spm.registry.pictures.drawing import (
    DASHED,
    LIGHT,
    PILLS,
    Drawing,
    kind_of,
    one_line,
    shortened,
    thickness,
    tooltip,
)
from spm.registry.pictures.page import page


def render(drawing: Drawing, format: str) -> str:
    """Write a drawing in one of FORMATS.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"expected one of {', '.join(FORMATS)} (got {format!r})")
    return FORMATS[format](drawing)


# -- Mermaid -----------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\w .,/@()+-]|_{2,}")


def to_mermaid(drawing: Drawing) -> str:
    """A flow chart for Markdown; GitHub and GitLab draw it."""
    names = drawing.names()
    lines = ["---", f"title: {_mermaid_title(drawing.title)}", "---", "flowchart LR"]
    for node in drawing.nodes:
        opening, closing = ("([", "])") if node.kind in PILLS else ("(", ")")
        label = _mermaid_text(shortened(node.label))
        lines.append(f'  {names[node.id]}{opening}"{label}"{closing}:::{kind_of(node)}')
    for edge in drawing.links():
        arrow = "-.->" if edge.kind in DASHED else "-->"
        label = f'|"{_mermaid_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {names[edge.source]} {arrow}{label} {names[edge.target]}")
    for kind in dict.fromkeys(map(kind_of, drawing.nodes)):
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
        fill, line, text = LIGHT[kind_of(node)]
        pill = "shape=ellipse, style=filled"
        shape = pill if node.kind in PILLS else 'style="rounded,filled"'
        lines.append(
            f"  {names[node.id]} [label={_dot(shortened(node.label))}, "
            f"tooltip={_dot(tooltip(node))}, {shape}, "
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
    return page(drawing)


FORMATS: dict[str, Callable[[Drawing], str]] = {
    "mermaid": to_mermaid,
    "dot": to_dot,
    "graphml": to_graphml,
    "html": to_html,
}
