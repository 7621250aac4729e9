"""The route of a menu as a picture, with the whole menu as a table below it."""

from spm.registry.menus.evidence import evidence
from spm.registry.menus.menu import Menu, MenuItem
from spm.registry.menus.provider_names import display_names
from spm.registry.pictures.drawing import Drawing, Node, Table, shortened
from spm.registry.pictures.graphs import Board

COLUMNS = ("#", "role", "tool", "needs", "gives", "evidence", "what it does")


def draw_menu(menu: Menu) -> Drawing:
    """The tools of the route, the fields they hand on, and what was seen between them."""
    board = Board()
    route = [item for item in menu.items if item.id in menu.route]
    names = display_names(menu.items)
    for item in route:
        board.add(_node(item, names[item.id]))
    joined = set()
    for item in route:
        for name, sources in item.needs.items():
            source = sources[0] if sources else ""
            asked = "given" if source == "request" else "field" if source else "ask"
            field = board.field(name, asked)
            board.link(field, item.id, "requires")
            if asked == "field":
                board.link(board.tool(source), field, "produces")
                joined.add((source, item.id))
    for edge in menu.edges:
        ends = (edge.source, edge.target)
        # Where a field joins two tools already, a second arrow would only be in the way.
        if edge.kind == "observed" and ends not in joined and set(ends) <= set(menu.route):
            board.link(*ends, kind="precedes", label=f"{edge.count} times", weight=edge.count)
    drawn = board.drawing(shortened(menu.request, 120))
    return Drawing(drawn.title, drawn.nodes, drawn.edges, _table(menu, names))


def _node(item: MenuItem, name: str) -> Node:
    kind = "target" if item.role in ("target", "terminal") else "tool"
    if item.effects == "destructive":
        kind = "review"
    return Node(item.id, f"{item.rank} {name}", kind, item.role)


def _table(menu: Menu, names: dict[str, str]) -> Table:
    why = evidence(menu)
    return Table(
        COLUMNS,
        tuple(
            (
                str(item.rank),
                item.role,
                names[item.id] + " (!)" * (item.effects == "destructive"),
                ", ".join(
                    f"{name} ← {names.get(sources[0], sources[0]) if sources else 'user'}"
                    for name, sources in item.needs.items()
                ),
                ", ".join(item.gives),
                why[item.id],
                item.description or item.title,
            )
            for item in menu.items
        ),
    )
