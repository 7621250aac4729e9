"""A drawing: a small graph with kinds of nodes, their colours, and texts that fit on a line."""

from dataclasses import dataclass, field

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


def one_line(text: str) -> str:
    """Text on one line, with what cannot be seen written out, so that nothing hides in a label."""
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in joined)


def shortened(text: str, length: int = 60) -> str:
    """Text on one line of at most `length` characters."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


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


def kind_of(node: Node) -> str:
    """The kind of a node; one that the legend does not know is `other`."""
    return node.kind if node.kind in KINDS else "other"


def tooltip(node: Node) -> str:
    """What a node says when it is pointed at."""
    return f"{node.id}: {node.note}" if node.note else node.id


def thickness(edge: Edge) -> float:
    """How thick an edge is drawn: it grows with the logarithm of its weight."""
    return 1.2 + 0.6 * min(max(edge.weight, 1).bit_length() - 1, 8)
