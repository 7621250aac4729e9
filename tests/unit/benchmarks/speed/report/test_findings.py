"""What a bench found: kept as JSON, with its bars, drawn, and shown in the documents."""

import json
from xml.etree import ElementTree

import pytest

from benchmarks.speed.report.findings import Figure, Finding, found, keep, kept, plain
from benchmarks.speed.report.goals import GOALS, named
from benchmarks.speed.report.picture import draw
from benchmarks.speed.report.table import render
from benchmarks.speed.samples import Row
from spm.registry.errors import InputError

ROWS = [
    Row("whole menu", 9, 10.0, 12.5, 20.0, cpu=11.0, rss=250.0),
    Row("a <stage> & more", 9, 0.01, 0.02, 0.03),
]


def finding(value: float = 1.5, bench: str = "warm") -> Finding:
    figures = [Figure("menu_over_semantic", value, 1.4), Figure("something else", 3.0)]
    return found(bench, {"tools": 16_000}, ROWS, figures, ["Generated."], 0.5)


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("menu_over_semantic", 1.6, "aim"),
        ("menu_over_semantic", 2.5, "must"),
        ("menu_over_semantic", 2.6, "missed"),
        ("menus_per_cpu_second", 41, "aim"),
        ("menus_per_cpu_second", 19, "missed"),
        ("server_over_embedded", 99, "reported"),
        ("server_over_embedded", 5, "aim"),
    ],
)
def test_a_goal_knows_who_reaches_it(name, value, verdict):
    assert GOALS[name].verdict(value) == verdict


def test_a_figure_bears_the_goals_name_only_when_it_was_measured_as_asked():
    assert named("serving_memory", True) == "serving_memory"
    assert named("serving_memory", False) == "memory while serving"
    assert Figure(named("serving_memory", False), 9_999.0).verdict == ""


def test_json_has_rows_figures_bars_and_the_machine():
    said = json.loads(json.dumps(plain(finding())))
    assert said["figures"][0] == {
        "name": "menu_over_semantic", "value": 1.5, "minima": 1.4,
        "must": 2.5, "aim": 1.6, "verdict": "aim",
    }  # fmt: skip
    assert said["figures"][1] == {"name": "something else", "value": 3.0}
    assert said["rows"][0]["rss"] == 250.0
    assert "cpu" not in said["rows"][1]
    assert said["machine"]["load"][0] == 0.5


def test_the_last_finding_of_each_bench_is_kept(tmp_path):
    file = tmp_path / "sub" / "figures.json"
    for one in (finding(), finding(2.0), finding(3.0, "cold")):
        keep(one, file)
    assert [one["bench"] for one in json.loads(file.read_text())] == ["cold", "warm"]
    assert kept(file)["warm"]["figures"][0]["value"] == 2.0


def test_a_file_with_something_else_is_refused_and_left_alone(tmp_path):
    (file := tmp_path / "notes.json").write_text('{"mine": 1}')
    with pytest.raises(InputError, match="does not hold findings"):
        keep(finding(), file)
    assert file.read_text() == '{"mine": 1}'


def test_a_picture_is_well_formed_and_says_every_row_and_figure():
    text = draw(finding())
    root = ElementTree.fromstring(text)
    words = " ".join(root.itertext())
    for said in ("whole menu", "a <stage> & more", "12.5 ms", "1.5", "logarithmic"):
        assert said in words
    longest = max(float(e.get("width", "0").rstrip("%")) for e in root.iter() if "rect" in e.tag)
    assert longest < 760


def test_bars_are_as_long_as_their_medians():
    rows = [Row("long", 3, 40, 40, 40), Row("short", 3, 10, 10, 10)]
    root = ElementTree.fromstring(draw(found("warm", {}, rows, [], [], 0)))
    bars = [float(e.get("width", "0")) for e in root.iter() if e.get("class") == "bar"]
    assert bars[0] == pytest.approx(4 * bars[1], abs=0.2)


def test_the_table_shows_every_goal_and_marks_what_is_missed():
    text = "before\n<!-- speed: goals -->\nold\n<!-- /speed -->\nafter"
    shown = render(text, {"warm": plain(finding())})
    assert shown.startswith("before\n<!-- speed: goals -->\n| ")
    assert "\nold\n" not in shown
    assert all(goal.title in shown for goal in GOALS.values())
    assert "| **1.5** | 1.4 | ≤ 2.5 | ≤ 1.6 | `python -m benchmarks speed warm` |" in shown
    missed = render(text, {"warm": plain(finding(7.0))})
    assert "| 7 (missed) |" in missed
    assert render(shown, {"warm": plain(finding())}) == shown
