"""Golden requests: what is measured, what counts as worse, and what a gate lets through."""

import json
from dataclasses import replace
from typing import Any

import pytest

from spm.registry.catalog.tools import Resolver
from spm.registry.errors import InputError
from spm.registry.menus.check import (
    Baseline,
    Result,
    judge,
    overall,
    read_baseline,
    regressions,
    verdict,
)
from spm.registry.menus.golden import GoldenRequest, read_golden


@pytest.fixture
def judged(registry, manifest, item, menu):
    """Judge a menu of these tools against a golden path."""
    registry.register(manifest("s", **{name: ([], []) for name in "abcdefghij"}))
    resolver = Resolver(registry.store)

    def run(offered: str, *path: str, prefix: int = 8, chain: bool = True) -> Result:
        items = [item(rank, f"s/{name}") for rank, name in enumerate(offered, 1)]
        return judge(GoldenRequest("r", path, chain=chain), menu(*items), resolver, prefix)

    return run


@pytest.mark.parametrize(
    ("offered", "path", "chain", "first", "order"),
    [
        ("abc", "abc", 1, 1, 1.0),
        ("daebfc", "abc", 1, 1, 1.0),
        ("bac", "abc", 1, 1, 0.3333),  # after a there is no b
        ("cba", "abc", 1, 1, 0.3333),
        ("ab", "abc", 0, 1, 0.6667),
        ("bc", "abc", 0, 0, 0.0),
        ("fghijabc", "abc", 1, 0, 1.0),
        ("abc", "aabbcc", 1, 1, 1.0),
    ],
)
def test_chain_first_and_order(judged, offered, path, chain, first, order):
    found = judged(offered, *path)
    assert (found.chain, found.first) == (chain, first)
    assert found.order == order


def test_only_the_front_counts_for_order(judged):
    assert judged("dabc", "a", "b", "c", prefix=3).order == 0.6667
    assert judged("dabc", "a", "b", "c", prefix=3).chain == 1


def test_order_is_not_measured_where_it_is_no_matter(judged):
    assert judged("cba", "a", "b", "c", chain=False).order is None
    means = overall([judged("cba", "a", "b", chain=False), judged("ab", "a", "b")])
    assert means == {"chain": 1.0, "first": 1.0, "order": 1.0}
    assert overall([judged("ab", "a", chain=False)])["order"] is None


def test_names_are_resolved_and_lost_tools_are_missing(judged):
    found = judged("ab", "A", "s/b", "c", "gone")
    assert found.missing == ["s/c", "gone"]
    assert found.unknown == ["gone"]
    assert found.path == ["A", "s/b", "c", "gone"]


# -- verdicts ----------------------------------------------------------------------------------


def result(request: str, chain: float = 1, first: float = 1, order: float | None = 1.0) -> Result:
    missing = [] if chain else ["s/x"]
    return Result(request, ["x"], [], chain, first, order, missing, [])


def test_without_anything_every_chain_has_to_be_complete():
    assert verdict([result("1", order=0.0, first=0)]).passed
    found = verdict([result("1"), result("2", chain=0)])
    assert not found.passed
    assert found.failures == ["chain is 0.5000, less than 1."]


def test_thresholds_take_the_place_of_the_default():
    results = [result("1"), result("2", chain=0, first=0, order=0.5)]
    assert verdict(results, {"chain": 0.5}).passed
    assert verdict(results, {"first": 0.5, "order": 0.75}).passed
    found = verdict(results, {"first": 0.51, "order": 0.76})
    assert [text.split()[0] for text in found.failures] == ["first", "order"]


@pytest.mark.parametrize("measure", ["chain", "first", "order"])
def test_any_measure_that_falls_fails(measure):
    old = Baseline(32, 8, [result("1"), result("2")])
    fallen: dict[str, Any] = {measure: 0.0}
    worse = replace(result("2"), **fallen)
    found = verdict([result("1"), worse], None, old)
    assert not found.passed
    assert found.failures == [f"{measure} is 0.5000, less than 1 in the baseline."]
    assert [(r.request, r.measures) for r in found.regressed] == [("2", [measure])]


def test_a_baseline_below_one_may_be_kept_and_beaten():
    old = Baseline(32, 8, [result("1", chain=0), result("2", order=0.5)])
    assert verdict(old.results, None, old).passed
    assert verdict([result("1"), result("2")], None, old).passed


def test_one_for_another_passes_but_not_when_strict():
    old = Baseline(32, 8, [result("1", chain=0), result("2")])
    now = [result("1"), result("2", chain=0)]
    found = verdict(now, None, old)
    assert found.passed
    assert [r.request for r in found.regressed] == ["2"]
    assert found.regressed[0].missing == ["s/x"]
    strict = verdict(now, None, old, strict=True)
    assert strict.failures == ["1 golden requests fare worse than in the baseline."]


def test_only_requests_that_both_know_are_compared():
    old = Baseline(32, 8, [result("1"), result("gone")])
    found = verdict([result("1"), result("new", chain=0)], None, old)
    assert found.passed
    assert (found.new, found.means["chain"], found.before) == (
        1,
        0.5,
        {"chain": 1.0, "first": 1.0, "order": 1.0},
    )


def test_a_tool_that_was_lost_is_a_regression(judged):
    before = judged("ab", "a", "b")
    after = replace(judged("ab", "a", "zz"), path=before.path)
    assert regressions([after], Baseline(32, 8, [before]))


# -- files -------------------------------------------------------------------------------------


def test_a_baseline_is_written_and_read(tmp_path):
    old = Baseline(32, 8, [result("1", order=None), result("ü \u202e", chain=0)])
    file = tmp_path / "b.json"
    file.write_text(old.text())
    assert read_baseline(file) == old


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"spm_check_baseline": 2}',
        '{"spm_check_baseline": 1}',
        '{"spm_check_baseline": 1, "size": 1, "prefix": 1, "results": [{"request": "x"}]}',
        '{"spm_check_baseline": 1, "size": 1, "prefix": 1, "results": [1]}',
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path, text):
    file = tmp_path / "b.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is no baseline"):
        read_baseline(file)
    with pytest.raises(InputError, match="Cannot read"):
        read_baseline(tmp_path / "none")


def test_golden_lines_may_say_state_and_order(tmp_path):
    file = tmp_path / "g.jsonl"
    lines = [
        {"request": "1", "path": ["a"], "state": ["x"], "chain": False},
        {"request": "2", "steps": ["a", {"tool": "b"}], "state": {"x": "secret"}, "time": 1},
    ]
    file.write_text("\n\n".join(map(json.dumps, lines)))
    assert list(read_golden(file)) == [
        GoldenRequest("1", ("a",), ("x",), False),
        GoldenRequest("2", ("a", "b"), ("x",)),
    ]


@pytest.mark.parametrize(
    "line",
    ['{"request": "1", "path": []}', '{"request": "1", "path": ["a"], "state": "x"}',
     '{"request": "1", "path": ["a"], "state": [1]}', '{"request": "1", "path": ["a", 1]}',
     '{"request": "1", "path": ["a"], "chain": 1}', '{"path": ["a"]}', "[]", "{"],
)  # fmt: skip
def test_lines_that_say_something_else_are_refused(tmp_path, line):
    file = tmp_path / "g.jsonl"
    file.write_text('{"request": "1", "path": ["a"]}\n' + line)
    with pytest.raises(InputError, match=r"g\.jsonl:2"):
        list(read_golden(file))
