"""Pictures: hostile text stays text in every format, and the layout keeps its promises."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.importers.detection import read_source
from spm.registry.insight.impact import impact
from spm.registry.pictures import graphs
from spm.registry.pictures.drawing import DARK, KINDS, LIGHT, Drawing, Edge, Node
from spm.registry.pictures.formats import render
from spm.registry.pictures.graphs import (
    draw_answer,
    draw_impact,
    draw_paths,
    draw_plan,
    draw_tool_neighbourhood,
)
from spm.registry.pictures.layout import arrange
from tests.support.help_desk import SPECIFICATION

HOSTILE = [
    '</script><script>alert("x")</script>',
    '"><img src=x onerror=alert(1)>',
    "a]b\n%%{init: {}}%% end `c` #quot; ; click n0 call x()",
    '\\N \\" "} -> x [label="y"]',
    "]]> <!-- & &amp; &lt;",
    "住所 😀 \u202e rtl \x00 null \x1b[31m",
    '"`**bold** __u__ <b>x</b>`"',
    "x" * 300,
    "",
    "---\ntitle: '",
    "\ud800",
]


def hostile() -> Drawing:
    nodes = [Node(t or "-", t, k, t) for t, k in zip(HOSTILE, KINDS, strict=False)]
    edges = [
        Edge(a.id, b.id, a.label, "optional", i)
        for i, (a, b) in enumerate(zip(nodes, nodes[1:] + nodes[:1], strict=True))
    ]
    return Drawing("\n".join(HOSTILE), nodes, [*edges, Edge(nodes[0].id, nodes[0].id, "self")])


class Page(HTMLParser):
    """What a browser would see: tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "rect", "path", "polygon"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


KNOWN_TAGS = set(
    "html head meta title style body header h1 p ul li i main svg g rect text path polygon "
    "details summary script".split()
)


# -- hostile text ------------------------------------------------------------------------------


def test_no_text_breaks_out_of_the_page():
    page = Page(render(hostile(), "html"))
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= KNOWN_TAGS
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    names = {name for _, attributes in page.tags for name in attributes}
    assert not [n for n in names if n.startswith("on") or n in ("href", "src", "style")]
    titles = "".join(page.texts)
    assert '"><img src=x onerror=alert(1)>' in titles
    assert "\\u202e" in titles


def test_a_page_needs_nothing_else():
    text = render(hostile(), "html")
    assert not re.search(r"https?:|//\w|url\(|@import", text.replace("xmlns", ""))
    assert "default-src 'none'" in text
    assert text.isascii() or text.encode()


def test_the_policy_lets_the_own_script_run_and_no_other():
    import base64
    import hashlib

    text = render(hostile(), "html")
    script = text.split("<script>")[-1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "n0" not in script


def test_graphml_is_xml_and_keeps_every_text():
    root = ET.fromstring(render(hostile(), "graphml").encode())
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    labels = [e.text or "" for e in root.iterfind(".//g:data[@key='node_label']", space)]
    expected = [t.replace("\x00", "�").replace("\x1b", "�").replace("\ud800", "�") for t in HOSTILE]
    assert labels == expected
    assert len(root.findall(".//g:edge", space)) == len(HOSTILE) + 1


def test_dot_strings_end_where_they_should():
    text = render(hostile(), "dot")
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert '"' not in bare.replace('""', "")
    allowed = re.compile(r"(digraph spm \{|\}|  (graph|node) \[.*\];|  n\d+( -> n\d+)? \[.*\];)")
    assert all(allowed.fullmatch(line) for line in bare.splitlines())
    assert "alert" not in bare


def test_mermaid_labels_hold_only_letters_and_codes():
    _, front, *body = render(hostile(), "mermaid").split("---\n", 2)
    assert front.count("\n") == 1
    for line in "".join(body).splitlines()[1:]:
        for label in re.findall(r'"([^"]*)"', line):
            assert re.fullmatch(r"[\w .,/@()+-]*", re.sub(r"#\d+;", "", label)), label
        rest = re.sub(r'"[^"]*"', '""', line)
        assert re.fullmatch(
            r"  (n\d+\(\[?\"\"\]?\):::\w+|n\d+ (-->|-\.->)(\|\"\"\|)? n\d+|classDef .*)", rest
        ), rest


@given(st.text(), st.text())
def test_any_text_makes_a_whole_page_and_whole_xml(label, note):
    drawing = Drawing(note, [Node("a", label, "tool", note), Node("b", note, label)],
                      [Edge("a", "b", label, note)])  # fmt: skip
    page = Page(render(drawing, "html"))
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= KNOWN_TAGS
    ET.fromstring(render(drawing, "graphml").encode())
    assert render(drawing, "dot").count("\n") == 7
    assert '"' not in re.sub(r'"(?:[^"\\]|\\.)*"', "", render(drawing, "dot"))


# -- formats -----------------------------------------------------------------------------------


def test_an_unknown_format_is_a_mistake():
    with pytest.raises(ValueError, match="mermaid, dot, graphml, html"):
        render(Drawing("x"), "png")


@pytest.mark.parametrize("format", ["mermaid", "dot", "graphml", "html"])
def test_nothing_can_be_drawn_too(format):
    assert render(Drawing("Nothing"), format)


def test_edges_to_nodes_that_are_not_there_are_left_out():
    drawing = Drawing("x", [Node("a", "a")], [Edge("a", "nowhere")])
    for format in ("mermaid", "dot", "graphml", "html"):
        assert "nowhere" not in render(drawing, format)


def test_every_kind_has_its_colours_and_they_can_be_read():
    assert list(LIGHT) == list(DARK) == list(KINDS)
    for table in (LIGHT, DARK):
        for fill, _, text in table.values():
            assert contrast(fill, text) >= 4.5


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    high, low = sorted((light(one), light(other)), reverse=True)
    return high / low


def test_nodes_can_be_reached_by_keyboard_and_name_themselves():
    page = Page(render(Drawing("x", [Node("s/tool", "tool", "tool", "s")]), "html"))
    (node,) = [a for tag, a in page.tags if tag == "g"]
    assert node["tabindex"] == "0"
    assert node["aria-label"] == "s/tool · s · tool"


def test_long_names_are_shortened_and_whole_in_the_title():
    name = "a_very_long_name_of_a_tool_that_fits_nowhere"
    page = Page(render(Drawing("x", [Node(name, name, "tool")]), "html"))
    assert any(t.endswith("…") and len(t) <= 30 for t in page.texts)
    assert any(t.startswith(name) for t in page.texts)


# -- layout ------------------------------------------------------------------------------------

GRAPHS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30, unique=True),
    )
)


@given(GRAPHS)
def test_nodes_never_overlap_and_edges_touch_their_nodes(graph):
    count, edges = graph
    sizes = [(60.0 + 7 * i, 28.0 + i % 3 * 6) for i in range(count)]
    layout = arrange(sizes, edges)
    boxes = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout.centres, sizes, strict=True)
    ]
    for i, a in enumerate(boxes):
        assert a[0] >= 0
        assert a[1] >= 0
        assert a[2] <= layout.width
        assert a[3] <= layout.height
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 1e-6 or b[3] <= a[1] + 1e-6
    for (a, b), route in zip(edges, layout.routes, strict=True):
        if a == b:
            assert route == []
            continue
        assert len(route) % 2 == 0
        for node, (x, y) in ((a, route[0]), (b, route[-1])):
            assert abs(y - layout.centres[node][1]) < 1e-6
            assert min(abs(x - boxes[node][0]), abs(x - boxes[node][2])) < 1e-6


@given(GRAPHS, st.data())
def test_given_layers_are_kept(graph, data):
    count, edges = graph
    layers = data.draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    layout = arrange([(60.0, 28.0)] * count, edges, layers=layers, lane_gap=4)
    for a, b in edges:
        assert (layout.centres[a][0] < layout.centres[b][0]) == (layers[a] < layers[b])
    for (a, b), route in zip(edges, layout.routes, strict=True):
        assert bool(route) == (layers[a] < layers[b])


def test_cycles_are_broken_where_the_picture_stays_narrow():
    # From 3, which nothing leads to, the way round would be one long chain.
    layout = arrange([(60, 28)] * 4, [(0, 1), (0, 2), (1, 0), (2, 0), (3, 1)])
    assert len({x for x, _ in layout.centres}) == 2


def test_a_chain_goes_from_left_to_right():
    layout = arrange([(60, 28)] * 4, [(2, 0), (0, 3), (3, 1)])
    assert sorted(range(4), key=lambda i: layout.centres[i]) == [2, 0, 3, 1]


def test_the_order_avoids_crossings():
    layout = arrange([(60, 28)] * 6, [(0, 5), (1, 4), (2, 3)])
    heights = [[layout.centres[i][1] for i in column] for column in ((0, 1, 2), (5, 4, 3))]
    assert heights[0] == pytest.approx(heights[1])


def test_a_large_drawing_is_quick():
    import random
    import time

    rng = random.Random(1)
    edges = [(rng.randrange(400), rng.randrange(400)) for _ in range(600)]
    start = time.process_time()
    arrange([(100, 28)] * 400, edges)
    assert time.process_time() - start < 60


# -- builders ----------------------------------------------------------------------------------


def ids(drawing):
    return {node.id: node.kind for node in drawing.nodes}


def arrows(drawing):
    return {(e.source, e.target, e.kind) for e in drawing.edges}


def test_a_plan_shows_what_is_given_made_and_asked(shop):
    plan = shop.plan(["order_id"], "send_email_receipt", allow_writes=True)
    drawing = draw_plan(plan)
    kinds = ids(drawing)
    assert kinds["field order_id"] == "given"
    assert kinds["messaging/send_email_receipt"] == "target"
    assert ("payments/create_receipt", "field receipt_id", "produces") in arrows(drawing)
    assert ("field receipt_id", "messaging/send_email_receipt", "requires") in arrows(drawing)
    assert "ask" in ids(draw_plan(shop.plan([], "create_event"))).values()


def test_paths_show_fields_and_observed_counts(shop):
    drawing = draw_paths(shop.paths("lookup_order", "send_email_receipt"))
    assert {e.kind for e in drawing.edges} == {"feeds", "precedes"}
    assert "receipt_id" in {e.label for e in drawing.edges if e.kind == "feeds"}
    assert all(e.label == f"{e.weight} times" for e in drawing.edges if e.kind == "precedes")
    assert draw_paths([]).nodes == []


def test_an_impact_shows_what_falls_and_what_is_left(shop):
    drawing = draw_impact(impact(shop.store, "customer_email"))
    assert ids(drawing)["field customer_email"] == "lost"
    assert ids(drawing)["messaging/send_email_receipt"] == "stopped"
    drawing = draw_impact(impact(shop.store, "get_ticket"))
    assert ids(drawing)["support/get_ticket"] == "gone"
    assert {"weakened", "alternative", "lost"} <= set(ids(drawing).values())


def test_a_tool_stands_between_its_makers_and_takers(shop):
    drawing = draw_tool_neighbourhood(shop.store, "get_customer_email")
    assert ids(drawing)["customers/get_customer_email"] == "target"
    assert ("field customer_id", "customers/get_customer_email", "requires") in arrows(drawing)
    crowded = draw_tool_neighbourhood(shop.store, "place_order")
    assert any("more" in node.label for node in crowded.nodes)


def test_a_tool_leads_to_the_roles_in_which_others_take_its_answer(registry):
    registry.add(read_source(str(SPECIFICATION)))
    drawing = draw_tool_neighbourhood(registry.store, "findUser")
    assert ("help-desk/findUser", "field requester_id", "produces") in arrows(drawing)
    assert ("field requester_id", "help-desk/createTicket", "other") in arrows(drawing)


def test_feeds_say_what_they_hand_on_and_point_as_they_are(shop):
    found = shop.cypher(
        "MATCH p = (t:Tool {name: 'send_email_receipt'})<-[:FEEDS]-(:Tool {name: 'create_receipt'})"
        " RETURN p"
    )
    (edge,) = draw_answer(found).edges
    assert (edge.source, edge.target) == ("payments/create_receipt", "messaging/send_email_receipt")
    assert (edge.kind, edge.label) == ("feeds", "receipt_id")


def test_answers_draw_paths_and_rows(shop):
    path = shop.cypher(
        "MATCH p = (:Tool)-[:PRODUCES]->(:Field)<-[:REQUIRES]-(t:Tool {name: 'send_email_receipt'})"
        " RETURN p, 1 AS one, [p] AS again"
    )
    drawing = draw_answer(path, "Who feeds it")
    tool = "messaging/send_email_receipt"
    assert ("field receipt_id", tool, "requires") in arrows(drawing)
    assert {e.kind for e in drawing.edges} == {"produces", "requires"}
    rows = shop.cypher(
        "MATCH (t:Tool)-[e:PRECEDES]->(u:Tool) RETURN t, e, u ORDER BY e.count DESC, t.id LIMIT 3"
    )
    assert [e.kind for e in draw_answer(rows).edges] == ["precedes"] * 3
    assert draw_answer(rows).edges[0].label == f"{rows.rows[0]['e']['properties']['count']} times"


def test_answers_draw_every_label(shop):
    rows = shop.cypher(
        "MATCH (j:Trajectory)-[s:STEP]->(t:Tool)-[p:PROVIDED_BY]->(v:Service) "
        "MATCH (t)-[h:HAS_VERSION]->(w:ToolVersion) MATCH (t)-[i:IN_FAMILY]->(f:Family) "
        "RETURN j, s, t, p, v, h, w, i, f ORDER BY j.id LIMIT 2"
    )
    drawing = draw_answer(rows)
    assert set(ids(drawing).values()) == {"trajectory", "tool", "service", "version", "family"}
    assert {e.kind for e in drawing.edges} == {"step", "provided_by", "has_version", "in_family"}


def test_answers_without_nodes_draw_nothing(shop):
    assert draw_answer(shop.cypher("RETURN 1 AS x, {a: [1]} AS m")).nodes == []


def test_too_many_nodes_are_cut_and_said(shop, monkeypatch):
    monkeypatch.setattr(graphs, "MAX_NODES", 5)
    drawing = draw_answer(shop.cypher("MATCH (t:Tool) RETURN t ORDER BY t.id"), "All")
    assert len(drawing.nodes) == 5
    assert drawing.title == "All (the first 5 nodes)"
