"""Drawings of paths, plans, impacts, a tool's neighbours and query answers.

Arrows follow the data: from the tool that makes a field, through the field, to who takes it.
"""

from collections.abc import Iterator
from typing import Any

from spm.registry.catalog.tools import show
from spm.registry.insight.impact import Impact
from spm.registry.insight.paths import Path, Plan
from spm.registry.pictures.drawing import Drawing, Edge, Node
from spm.registry.store.interface import Answer, Store
from spm.registry.store.schema import RELATIONSHIPS

# More than this no picture can show; what is left out is said in the title.
MAX_NODES = 400
# How many takers and makers of one field a picture of losses or of a tool shows.
MAX_AROUND = 6


class Board:
    """Collects nodes and edges once each; the first kind that a node is given stays."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}
        self.left_out = 0

    def tool(self, identity: str, kind: str = "tool") -> str:
        """Add a tool by its id."""
        service, _, name = identity.partition("/")
        return self.add(Node(identity, name or service, kind, service if name else ""))

    def field(self, name: str, kind: str = "field") -> str:
        """Add a field by its name."""
        # A tool and a field may carry the same name, so fields get a mark of their own.
        return self.add(Node(f"field {name}", name, kind))

    def add(self, node: Node) -> str:
        """Add a node while there is room; returns its id."""
        if node.id not in self._nodes and len(self._nodes) >= MAX_NODES:
            self.left_out += 1
        else:
            self._nodes.setdefault(node.id, node)
        return node.id

    def link(self, source: str, target: str, kind: str, label: str = "", weight: int = 1) -> None:
        """Add an edge."""
        self._edges.setdefault((source, target, kind), Edge(source, target, label, kind, weight))

    def drawing(self, title: str) -> Drawing:
        """What was collected."""
        if self.left_out:
            title += f" (the first {MAX_NODES} nodes)"
        found = Drawing(title, list(self._nodes.values()), list(self._edges.values()))
        return Drawing(title, found.nodes, found.links())


def draw_paths(paths: list[Path]) -> Drawing:
    """Ways between two tools: along FEEDS, and as observed."""
    board = Board()
    ends = {hop.target for path in paths for hop in path.hops[-1:]}
    for path in paths:
        for hop in path.hops:
            source = board.tool(hop.source)
            target = board.tool(hop.target, "target" if hop.target in ends else "tool")
            if hop.count is None:
                board.link(source, target, "feeds", ", ".join(hop.fields))
            else:
                board.link(source, target, "precedes", f"{hop.count} times", hop.count)
    first = next((hop.source for path in paths for hop in path.hops), "")
    return board.drawing(f"From {first} to {', '.join(sorted(ends))}" if first else "No way")


def draw_plan(plan: Plan) -> Drawing:
    """The tools that make a target runnable, and the fields they hand on."""
    board = Board()
    for step in plan.steps:
        tool = board.tool(step, "target" if step == plan.target else "tool")
        for name, source in plan.supplies.get(step, {}).items():
            kind = source if source in ("given", "ask") else "field"
            middle = board.field(name, kind)
            board.link(middle, tool, "requires")
            if kind == "field":
                board.link(board.tool(source), middle, "produces")
    return board.drawing(f"What must run before {plan.target}")


def draw_impact(impact: Impact) -> Drawing:
    """What falls with a tool or a field, what is weakened, and what could step in."""
    board = Board()
    lost = {row.field for row in impact.lost}
    if impact.kind == "tool":
        start = board.tool(impact.name, "gone")
    else:
        start = board.field(impact.name, "lost")
        for tool in impact.producers:
            board.link(board.tool(tool), start, "produces")
    stopped = {row.tool for row in impact.stopped}
    for row in impact.stopped:
        for name in row.missing:
            middle = board.field(name, "lost" if name in lost else "ask")
            board.link(middle, board.tool(row.tool, "stopped"), "requires")
    for loss in impact.lost:
        for maker in loss.by:
            if maker == impact.name or maker in stopped:
                board.link(maker, board.field(loss.field, "lost"), "produces")
    _draw_weakened(board, impact, start)
    return board.drawing(f"Without {impact.name}")


def _draw_weakened(board: Board, impact: Impact, start: str) -> None:
    by_field: dict[str, list[str]] = {}
    left: dict[str, set[str]] = {}
    for row in impact.weakened:
        by_field.setdefault(row.field, []).append(row.tool)
        left.setdefault(row.field, set()).update(row.left)
    for name, takers in by_field.items():
        middle = board.field(name)
        board.link(start, middle, "produces")
        for maker in sorted(left[name])[:MAX_AROUND]:
            board.link(board.tool(maker, "alternative"), middle, "alternative")
        for taker in takers[:MAX_AROUND]:
            board.link(middle, board.tool(taker, "weakened"), "requires")
        if len(takers) > MAX_AROUND:
            more = Node(f"more takers of {name}", f"… {len(takers) - MAX_AROUND} more", "weakened")
            board.link(middle, board.add(more), "requires")


def draw_tool_neighbourhood(store: Store, name: str) -> Drawing:
    """A tool with its fields, and who makes and takes them.

    Raises:
        UnknownTool: there is none of that name.
    """
    view = show(store, name)
    own = view.tool["id"]
    board = Board()
    board.tool(own, "target")
    for row in view.inputs:
        makers = view.producers.get(row["field"], [])
        middle = board.field(row["field"], "field" if makers else "ask")
        board.link(middle, own, "requires" if row["required"] else "optional")
        _fan(board, makers, f"makers of {row['field']}", middle, makes=True)
    # What it answers with, and what others call it.
    for name in dict.fromkeys([*(row["field"] for row in view.outputs), *view.consumers]):
        middle = board.field(name)
        board.link(own, middle, "produces")
        _fan(board, view.consumers.get(name, []), f"takers of {name}", middle, makes=False)
    return board.drawing(f"What {own} takes and gives")


def _fan(board: Board, tools: list[str], what: str, field: str, *, makes: bool) -> None:
    """Link the first tools of a list to a field, and say how many more there are."""
    shown = [board.tool(tool) for tool in tools[:MAX_AROUND]]
    if len(tools) > MAX_AROUND:
        more = Node(f"more {what}", f"… {len(tools) - MAX_AROUND} more", "tool")
        shown.append(board.add(more))
    for tool in shown:
        board.link(*((tool, field) if makes else (field, tool)), kind="other")


# -- answers of queries ------------------------------------------------------------------------

_INPUTS = {"REQUIRES": "requires", "ACCEPTS": "optional"}
_KIND_OF = {
    "Tool": "tool", "Field": "field", "Service": "service", "Family": "family",
    "ToolVersion": "version", "Trajectory": "trajectory", "Resource": "resource",
}  # fmt: skip


def draw_answer(answer: Answer, title: str = "Answer") -> Drawing:
    """The nodes, relationships and paths in the rows of a query.

    A relationship outside a path is drawn when the nodes it fits stand in the same row.
    """
    board = Board()
    for row in answer.rows:
        nodes: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []
        for value in (row.get(column) for column in answer.columns):
            for item in _things(value):
                if "nodes" in item:
                    _draw_path(board, item)
                elif "labels" in item:
                    nodes.append(item)
                    board.add(_node(item))
                else:
                    edges.append(item)
        for edge in edges:
            _draw_loose(board, edge, nodes)
    return board.drawing(title)


def _things(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _things(item)
    elif isinstance(value, dict):
        if value.keys() in ({"labels", "properties"}, {"type", "properties"}) or (
            value.keys() == {"nodes", "relationships"}
        ):
            yield value
        else:
            yield from _things(list(value.values()))


def _node(value: dict[str, Any]) -> Node:
    label = next(iter(value["labels"]), "")
    known = value["properties"]
    key = str(known.get("id", known.get("name", known)))
    if label == "Field":
        return Node(f"field {key}", key, "field")
    if label == "Tool":
        return Node(key, str(known.get("name", key)), "tool", str(known.get("service", "")))
    if label == "Trajectory":
        return Node(f"trajectory {key}", str(known.get("request", key)), "trajectory", key)
    return Node(f"{label.lower()} {key}", key, _KIND_OF.get(label, "other"))


def _draw_path(board: Board, path: dict[str, Any]) -> None:
    nodes = path["nodes"]
    for node in nodes:
        board.add(_node(node))
    for edge in path["relationships"]:
        _draw_edge(board, edge, nodes[edge["start"]], nodes[edge["end"]])


def _draw_loose(board: Board, edge: dict[str, Any], nodes: list[dict[str, Any]]) -> None:
    source, target, _ = RELATIONSHIPS.get(edge["type"], ("", "", ()))
    starts = [n for n in nodes if source in n["labels"]]
    ends = [n for n in nodes if target in n["labels"]]
    if source == target:  # the first one in the row is where it begins
        starts, ends = starts[:1], ends[1:2]
    if len(starts) == len(ends) == 1:
        _draw_edge(board, edge, starts[0], ends[0])


def _draw_edge(board: Board, edge: dict[str, Any], a: dict[str, Any], b: dict[str, Any]) -> None:
    kind, known = edge["type"], edge["properties"]
    count = known.get("count")
    weight = count if isinstance(count, int) and kind in ("PRECEDES", "BEFORE") else 1
    label = f"{count} times" if weight != 1 else ""
    if kind in _INPUTS:  # data flows from the field into the tool
        board.link(_node(b).id, _node(a).id, _INPUTS[kind])
        return
    if kind == "FEEDS":
        label = ", ".join(known.get("fields") or [])
    silent = kind in ("PRODUCES", "PRECEDES", "FEEDS")
    shown = label if silent else f"{kind.lower()} {label}".strip()
    board.link(_node(a).id, _node(b).id, kind.lower(), shown, weight)
