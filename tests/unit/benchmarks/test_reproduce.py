"""Experiments as data: every command is one of spm, verdicts follow the tolerance, tables too."""

from dataclasses import replace

import pytest
import yaml

from benchmarks.reproduce import (
    Experiment,
    Verdict,
    experiments,
    intervals,
    line,
    scores,
    updated,
)
from benchmarks.result_tables import render, table
from spm.cli.main import loaded
from spm.evaluation.constructors import KNOWN
from spm.evaluation.measures import MEASURES
from spm.registry.errors import InputError

ONE = Experiment(
    name="main/shop",
    command=["eval", "{data}/shop"],
    measures=["chain@32", "prefix"],
    expected={"learned": {"chain@32": 0.9, "prefix": 0.5}, "dense": {"chain@32": 0.4}},
    tolerance=0.01,
    about="shop",
)


def verdict(chain: float, prefix: float = 0.5, error: str = "") -> Verdict:
    found = {"learned": {"chain@32": chain, "prefix": prefix}, "dense": {"chain@32": 0.4}}
    return Verdict(ONE, found, 1.0, error)


@pytest.mark.parametrize(
    ("chain", "prefix", "word"),
    [(0.9, 0.5, "OK"), (0.9095, 0.5, "OK"), (0.875, 0.5, "OKish"), (0.9, 0.54, "FAIL")],
)
def test_the_tolerance_decides(chain, prefix, word):
    assert verdict(chain, prefix).word == word


def test_what_failed_lacks_something_or_is_new_is_said():
    assert verdict(0.9, error="boom").word == "FAIL"
    assert "boom" in line(verdict(0.9, error="what\nboom"))
    assert Verdict(ONE, {"learned": {"chain@32": 0.9}}, 1.0).word == "FAIL"  # dense is missing
    assert Verdict(replace(ONE, expected={}), {}, 1.0).word == "NEW"


def test_every_experiment_is_a_command_with_known_names():
    found = experiments()
    known = {name for option in loaded().commands["eval"].params for name in option.opts}
    assert len({one.name for one in found}) == len(found)
    assert any(one.fast for one in found)
    for one in found:
        assert set(one.measures) <= set(MEASURES), one.name
        named = [b for a, b in zip(one.command, one.command[1:], strict=False) if a == "--with"]
        assert set(named) <= set(KNOWN), one.name
        assert {who.partition("@")[0] for who in one.expected} <= {*named}, one.name
        assert one.command[0] == "eval"
        assert {part for part in one.command if part.startswith("--")} <= known, one.name


def test_a_broken_list_is_refused():
    with pytest.raises(InputError, match="cannot be used"):
        experiments("tolerance: 0.01\nmeasures: prefix\nexperiments: [{name: x}]")


def test_scores_are_read_from_what_eval_prints():
    means = {"learned": {"chain@32": {"mean": 0.9}, "prefix": {"mean": None}}}
    result = {"all": {"means": means}, "shares": [{"share": 0.25, "means": means}]}
    assert scores(result, ONE.measures) == {
        "learned": {"chain@32": 0.9},
        "learned@0.25": {"chain@32": 0.9},
    }


def test_updating_keeps_the_head_and_what_was_not_run():
    text = "# why\ntolerance: 0.01\nmeasures: chain@32 prefix\nexperiments:\n" + yaml.safe_dump(
        [
            {"name": "main/shop", "command": "eval x", "expected": {}},
            {"name": "main/b", "command": "eval y", "expected": {"dense": {"prefix": 0.1}}},
        ]
    )
    again = updated(text, [verdict(0.93)])
    assert again.startswith("# why\n")
    one, other = experiments(again)
    assert one.expected["learned"] == {"chain@32": 0.93, "prefix": 0.5}
    assert other.expected == {"dense": {"prefix": 0.1}}
    assert updated(again, []) == again


def test_tables_are_rendered_between_their_marks():
    text = "a\n<!-- table: main -->\nold\n<!-- /table -->\nb\n"
    made = render(text, [ONE])
    assert made.startswith("a\n<!-- table: main -->\n|  | menus by | Chain@32 |")
    assert "| shop | learned | **.900** | **.500** |" in made
    assert "|  | dense | .400 |  |" in made
    assert made.endswith("<!-- /table -->\nb\n")
    assert render(made, [ONE]) == made
    assert table("other", [ONE]) == ""


def test_intervals_are_kept_and_shown_where_an_experiment_has_the_key():
    means = {"learned": {"chain@32": {"mean": 0.9, "low": 0.85, "high": 0.95}}}
    found = intervals({"all": {"means": means}}, ["chain@32"])
    assert found == {"learned": {"chain@32": [0.85, 0.95]}}
    text = "experiments:\n" + yaml.safe_dump(
        [
            {"name": "main/shop", "command": "eval x", "expected": {}, "intervals": {}},
            {"name": "main/b", "command": "eval y", "expected": {}},
        ]
    )
    kept, other = (
        replace(verdict(0.9), intervals=found, experiment=replace(ONE, name=name))
        for name in ("main/shop", "main/b")
    )
    again = yaml.safe_load(updated(text, [kept, other]))["experiments"]
    assert [one.get("intervals") for one in again] == [found, None]
    assert "| learned | **.900** .850–.950 |" in table("main", [replace(ONE, intervals=found)])
    assert "| learned | **.900** |" in table("main", [ONE])
