"""The picture of a menu: the route as a graph, the menu as a table, no text that breaks out."""

from html import escape

from spm.registry import demo
from spm.registry.menus.menu import Edge
from spm.registry.pictures.formats import render
from spm.registry.pictures.menu import draw_menu

HOSTILE = '</td></table><script>alert(1)</script>"\u202e\x1b[31m'


def test_the_route_is_drawn_with_its_fields(shop):
    menu = shop.menu(demo.REQUEST)
    drawing = draw_menu(menu)
    kinds = {node.id: node.kind for node in drawing.nodes}
    assert set(menu.route) <= set(kinds)
    assert kinds["field order_id"] == "given"
    assert kinds["field customer_email"] == "field"
    assert kinds["messaging/send_email_receipt"] == "target"
    links = {(edge.source, edge.target) for edge in drawing.edges}
    assert ("field receipt_id", "messaging/send_email_receipt") in links
    assert ("payments/create_receipt", "field receipt_id") in links
    assert drawing.table is not None
    assert len(drawing.table.rows) == len(menu.items)
    assert drawing.title == demo.REQUEST


def test_destructive_steps_wait_for_a_person_and_seen_steps_are_joined(item, menu):
    items = [
        item(1, "s/a", role="entry", needs={"x": []}),
        item(2, "s/b", role="target", effects="destructive"),
        item(3, "s/c"),
    ]
    edges = [Edge("s/a", "s/b", "observed", "", 7), Edge("s/a", "s/c", "observed", "", 9)]
    drawing = draw_menu(menu(*items, route=2, edges=edges))
    kinds = {node.id: node.kind for node in drawing.nodes}
    assert kinds == {"s/a": "tool", "s/b": "review", "field x": "ask"}
    assert [e.label for e in drawing.edges if e.kind == "precedes"] == ["7 times"]
    assert "a person has to approve" in render(drawing, "html")


def test_tools_of_one_name_are_told_apart(item, menu):
    items = [item(1, "s/a", effects="destructive"), item(2, "t/a", needs={"x": ["s/a"]})]
    drawing = draw_menu(menu(*items, route=2))
    assert [node.label for node in drawing.nodes if node.kind != "field"] == ["1 s/a", "2 t/a"]
    assert drawing.table is not None
    assert [row[2] for row in drawing.table.rows] == ["s/a (!)", "t/a"]
    assert drawing.table.rows[1][3] == "x ← s/a"


def test_no_text_breaks_out_of_the_page(item, menu):
    evil = item(
        1,
        "s/a",
        name=HOSTILE,
        description=HOSTILE,
        needs={HOSTILE: [HOSTILE]},
        gives=[HOSTILE],
        terms={HOSTILE: 1.0},
    )
    page = render(draw_menu(menu(evil)), "html")
    assert "<script>alert" not in page
    assert "</td></table><script" not in page
    assert escape("<script>alert(1)") in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert page.count("<table>") == page.count("</table>") == 1
