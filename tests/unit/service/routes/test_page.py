"""The page without a browser: what is served, under which policy, and nothing leads outside."""

import posixpath
import re

import pytest

from spm.registry.pictures.layout import arrange
from spm.service.routes import page

SOURCES = {name: asset.body.decode() for name, asset in page.assets().items()}
SCRIPTS = sorted(name for name in SOURCES if name.endswith(".js"))
URL = re.compile(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}", re.I)
XML = "http://www.w3.org/2000/svg"  # the name of a format, not an address


def test_the_page_is_served_under_a_strict_policy(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_every_file_is_served_and_known_again(client):
    for name in sorted(SOURCES):
        check_served(client, name)


def check_served(client, name):
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 200
    assert answer.text == SOURCES[name]
    assert answer.headers["cache-control"] == "no-cache"
    tag = answer.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = client.get(f"/static/{name}", headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert client.get(f"/static/{name}", headers={"If-None-Match": '"x"'}).status_code == 200
    assert client.head(f"/static/{name}").headers["etag"] == tag


@pytest.mark.parametrize(
    "name",
    [
        "none.js",
        "dom.js",
        "views",
        "views/",
        "..%2Fpage.py",
        "%2e%2e/page.py",
        "views/%2e%2e/main.js",
        "views//menu.js",
        "views/..%2F..%2Froutes/page.py",
        "/main.js",
        "py.typed",
        "x" * 999,
    ],
)
def test_nothing_else_is_served(client, name):
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.json()["next"]


def test_every_file_that_is_named_exists():
    html = SOURCES["index.html"] + SOURCES["docs.html"]
    named = set(re.findall(r'(?:href|src)="static/([^"]+)"', html))
    assert {"main.js", "style.css", "icon.svg"} <= named
    reached, queue = set(), ["main.js", "docs.js"]
    while queue:
        name = queue.pop()
        reached.add(name)
        beside = re.findall(r'from "(\.\.?/[^"]+)"', SOURCES[name])
        found = {posixpath.normpath(posixpath.join(name, "..", one)) for one in beside} - reached
        queue += sorted(found - set(queue))
    pages = {"index.html", "docs.html"}
    assert named | reached | pages == set(SOURCES), "a file is missing, or nobody uses it"


def test_nothing_leads_outside():
    for name, text in SOURCES.items():
        assert not URL.findall(text.replace(XML, "")), name
        assert "@import" not in text, name


def test_no_script_and_no_style_is_inline():
    html = SOURCES["index.html"]
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", html, re.I) == []


def test_texts_are_never_read_as_markup():
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
    assert {name: found for name in SCRIPTS if (found := re.findall(banned, SOURCES[name]))} == {}


def test_modules_are_small():
    assert [name for name in SCRIPTS if SOURCES[name].count("\n") > 300] == []


def test_addresses_are_relative_so_that_a_proxy_may_add_a_path():
    for name, text in SOURCES.items():
        assert re.findall(r"""["'`]/(?:v1|static|report)""", text) == [], name


def test_a_report_is_shown_when_there_is_one(serve, tmp_path):
    answer = serve().get("/report")
    assert answer.status_code == 404
    assert "spm eval" in answer.json()["next"]
    file = tmp_path / "report.html"
    file.write_text("<h1>Figures</h1>")
    answer = serve(report=str(file)).get("/report")
    assert (answer.status_code, answer.text) == (200, "<h1>Figures</h1>")
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts;")
    assert "same-origin" not in answer.headers["content-security-policy"]
    file.unlink()
    answer = serve(report=str(file)).get("/report")
    assert answer.status_code == 404
    assert "report.html" not in answer.text


GRAPH = {"sizes": [[80, 30], [60, 30], [90, 44]], "edges": [[0, 1], [1, 2], [0, 2]], "gap": 24,
         "lane_gap": 4}  # fmt: skip


def test_nodes_are_placed_as_in_every_picture(client):
    found = client.post("/page/layout", json=GRAPH).json()
    expected = arrange([(80, 30), (60, 30), (90, 44)], [(0, 1), (1, 2), (0, 2)], gap=24, lane_gap=4)
    assert found["centres"] == [list(point) for point in expected.centres]
    assert found["routes"] == [[list(point) for point in route] for route in expected.routes]
    assert (found["width"], found["height"]) == (expected.width, expected.height)
    kept = client.post("/page/layout", json={**GRAPH, "layers": [1, 0, 1]}).json()
    assert kept["centres"][0][0] == kept["centres"][2][0] > kept["centres"][1][0]
    assert [bool(route) for route in kept["routes"]] == [False, True, False]


@pytest.mark.parametrize(
    "change",
    [
        {"edges": [[0, 3]]},
        {"edges": [[0, -1]]},
        {"edges": [[0, 1]] * (page.MAX_EDGES + 1)},
        {"sizes": [[1, 1]] * (page.MAX_NODES + 1)},
        {"sizes": [[0, 30]], "edges": []},
        {"sizes": [["wide", 30]], "edges": []},
        {"layers": [0]},
        {"layers": [0, 1, 10**6]},
        {"gap": 1e9},
        {"more": 1},
    ],
    ids=str,
)
def test_what_cannot_be_placed_is_refused(client, change):
    assert client.post("/page/layout", json={**GRAPH, **change}).status_code == 422


def test_only_who_is_let_in_has_graphs_placed(serve):
    assert serve(require_token=True).post("/page/layout", json=GRAPH).status_code == 401
