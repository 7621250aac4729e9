"""The page: whole, harmless, the same every time, and readable without colours and scripts."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from spm.evaluation.bootstrap import Difference, Interval
from spm.evaluation.compare import evaluate
from spm.evaluation.report import charts
from spm.evaluation.report.charts import Line, Place, chart, forest, legend
from spm.evaluation.report.page import page
from spm.evaluation.report.requests import BY, requests
from tests.data.corpora import RECEIPT, SHOP, TASKS, Contract, Straight, corpus, library, task

VOID = {"meta", "input", "br", "link"}
HOSTILE = '</script><script>alert("1")</script><img src=x onerror=alert(2)>\' & "\u202e\x1b[31m'


class Checked(HTMLParser):
    """Reads a page and holds it to be whole."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str | None] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture
def result(tmp_path):
    return evaluate(corpus(), ["straight", "turned"], tmp_path, shares=[0, 0.5, 1])


def test_the_page_is_whole_and_loads_nothing(result):
    text = page(result)
    found = Checked(text)
    assert len(found.ids) == len({*found.ids})
    assert "http" not in text.replace("http-equiv", "")
    assert not {"img", "link", "iframe", "object"} & {*found.tags}
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "src"]
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert found.tags.count("script") == 1


def test_every_picture_says_what_it_shows(result):
    text = page(result)
    pictures = re.findall(r'<svg viewBox="0 0 360.*?</svg>', text, re.S)
    # five by size, five by length, three each by tools, order and kind, six by share, one apart
    assert len(pictures) == 5 + 5 + 3 * 3 + 6 + 1
    for one in pictures:
        ((title, said),) = re.findall(r'role="img" aria-labelledby="([\w-]+) ([\w-]+)"', one)
        assert re.search(rf'<title id="{title}">[^<]+</title>', one)
        (told,) = re.findall(rf'<desc id="{said}">([^<]+)</desc>', one)
        assert "turned: " in told or "Chain@32: " in told


def test_numbers_stand_in_the_tables(result):
    text = page(result)
    assert "<b>0.400</b>" in text  # First@1 of turned
    assert "<td>1.000<small>" in text  # Chain@32 of both: neither is the better one
    assert "<b>1.000</b>" not in text.partition("Differences to")[0]
    assert "the paths themselves" in text
    assert "17 % stand in the requests, 33 % are outputs" in text
    assert "turned minus straight" in text
    assert "By share of the train trajectories" in text
    for name in ("Chain@K", "Replay success", "Edge accuracy", "Frontier ceiling", "mAP@K"):
        assert f"<dt>{name}</dt>" in text


def test_menus_stand_side_by_side_with_gold_and_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(Straight, "menu", lambda self, question: [RECEIPT[1], "shop/wait"])
    text = requests(evaluate(corpus(tasks=TASKS[:1]), ["straight"], tmp_path))
    assert "Path: find_order → find_mail → make_receipt → send" in text
    assert '<li class="g" value="1">find_mail<i>step 2</i></li><li>wait</li>' in text
    assert "Missing: find_order, make_receipt, send" in text
    assert "<span>straight 1/4</span>" in text


def test_tools_behind_the_lead_are_shown_where_they_stand(tmp_path):
    many: dict[str, Contract] = {f"s/{at:02}": ([], []) for at in range(40)}
    asked = [task(["s/00", "s/20", "s/35"])]
    text = requests(evaluate(corpus(library(many, []), asked), ["straight"], tmp_path))
    ranks = [int(rank) for rank in re.findall(r'value="(\d+)">', text.partition("<ol>")[2])]
    assert ranks == [1, 21]
    assert text.count("<li") == 9
    assert "Missing: 35" in text


def listed(text):
    """The ids of the requests on a page in their order, with their marks."""
    pattern = r'<details class="r" data-o="([bws-]*)".*?<span class="m">([\w/]+) ·'
    return {name: marks for marks, name in re.findall(pattern, text, re.S)}


def test_wins_and_losses_are_marked_for_the_filter(result):
    rows = listed(requests(result))
    at = {name: place for place, name in enumerate(BY)}
    assert {len(marks) for marks in rows.values()} == {len(BY)}
    assert rows["rain/1"][at["first@1"]] == "b"
    assert rows["mail/1"][at["first@1"]] == "s"
    assert rows["mail/2"][at["prefix"]] == "w"


def test_requests_that_differ_come_first(result):
    assert next(iter(listed(requests(result)))) == "mail/1"
    last = result.outcomes[-1]
    scores = {**last.scores, "turned": {**last.scores["turned"], "chain@32": 0.0}}
    changed = replace(result, outcomes=[*result.outcomes[:-1], replace(last, scores=scores)])
    assert next(iter(listed(requests(changed)))) == "rain/2"


def test_what_tools_and_requests_say_is_never_markup(tmp_path):
    tools = {**SHOP, f"shop/{HOSTILE}": ([], [])}
    asked = [replace(TASKS[0], id=f"{HOSTILE}/1", path=[*RECEIPT, f"shop/{HOSTILE}"])]
    asked[0] = replace(asked[0], question=replace(asked[0].question, text=HOSTILE * 20))
    hostile = replace(corpus(library(tools), asked), name=HOSTILE, encoder=HOSTILE)
    text = page(evaluate(hostile, ["straight", "turned"], tmp_path, shares=[0, 1]))
    found = Checked(text)
    assert found.tags.count("script") == 1
    assert "img" not in found.tags
    assert "alert(2)" in "".join(found.words)  # shown, as text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_the_same_result_gives_the_same_bytes(tmp_path, result):
    assert page(result) == page(result)
    again = evaluate(corpus(), ["straight", "turned"], tmp_path, shares=[0, 0.5, 1])
    other = [replace(one, p50=0, p95=0, fit_seconds=0) for one in again.builders]
    same = [replace(one, p50=0, p95=0, fit_seconds=0) for one in result.builders]
    assert page(replace(again, builders=other)) == page(replace(result, builders=same))


def test_one_constructor_alone_has_a_page_too(tmp_path):
    text = page(evaluate(corpus(), ["straight"], tmp_path))
    Checked(text)
    assert "Differences" not in text
    assert "By share" not in text
    assert 'name="who"' not in text


def test_more_requests_than_a_page_holds_are_said(result, monkeypatch):
    monkeypatch.setattr("spm.evaluation.report.requests.MOST", 3)
    text = requests(result)
    assert text.count('<details class="r"') == 3
    assert "2 more requests are in the JSON" in text


def test_many_lines_are_told_apart():
    names = [f"c{at}" for at in range(8)]
    keys = re.findall(r"<li>(.*?)</li>", legend(names))
    assert len({re.sub(r'class="key s\d"|c\d', "", one) for one in keys}) == 8


def test_a_chart_leaves_out_what_is_not_there():
    known = Interval(0.5, 0.25, 1.0, 4)
    text = chart("a", "A", [Place("x"), Place("y")], [Line("one", [known, None])])
    assert text.count(charts.marker(0, 114.5, 104.0)) == 1
    assert "<polyline" not in text
    assert "one, x: 0.500 (0.250 to 1.000), 4 requests" in text
    # 0.5 stands in the middle of the drawn height, and whiskers reach from 0.25 to the top
    middle = (charts.TOP + charts.HEIGHT - charts.BOTTOM) / 2
    assert f" {middle:.1f}m" in text
    assert f"V{charts.TOP:.1f}" in text
    nothing = chart("a", "A", [Place("x")], [Line("one", [None])])
    assert "one: nothing" in nothing


def test_differences_that_may_be_none_are_hollow():
    sure, unsure = Difference(0.5, 0.25, 1, 0.01, 9, 5, 0), Difference(0.1, -0.1, 0.3, 0.4, 9, 2, 1)
    text = forest("a", "A", 0, [("X", sure), ("Y", unsure)], 1.0)
    assert text.count('class="whisker"') == 2
    assert text.count('class="hollow"') == 1
    assert "better on 5, worse on 0 of 9" in text
