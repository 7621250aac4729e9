"""Lint: each rule fires where it should, is quiet where it should, and has its price."""

import json
from pathlib import Path

import pytest

from spm.registry.catalog import field_decisions
from spm.registry.catalog.lint import COST, MANY_REQUIRED, SHORT, Remark, Verdict, lint
from spm.registry.catalog.lint_sources import as_row, judge
from spm.registry.errors import ManifestError
from spm.registry.models import ToolSpec, Trace

GOOD = {
    "name": "get_order",
    "description": "Looks up an order by its number and says what was ordered.",
    "family": "order",
    "inputs": [{"name": "customer_id", "description": "Whose order it is."}],
    "outputs": [{"name": "id"}],
}
MAKER = {
    "name": "find_customer",
    "description": "Finds the customer who has this e-mail address.",
    "family": "customer",
    "outputs": [{"name": "id"}],
}


def tools(*specs):
    return {f"s/{spec['name']}": ToolSpec.model_validate(spec) for spec in specs}


def rules(spec, *others, request_fields=()):
    (verdict,) = lint(
        tools({**GOOD, **spec}), others=tools(MAKER, *others), request_fields=request_fields
    )
    return [remark.rule for remark in verdict.remarks]


def test_a_good_tool_has_no_remarks_and_100_points():
    (verdict,) = lint(tools(GOOD), others=tools(MAKER))
    assert (verdict.remarks, verdict.score) == ([], 100)


MANY = [{"name": f"customer_id_{i}", "description": "x"} for i in range(MANY_REQUIRED + 1)]
SPOKEN = [spec["name"] for spec in MANY]
FIRES = {
    "no-description": ({"description": ""}, {"description": "x" * SHORT}),
    "short-description": ({"description": "x" * (SHORT - 1)}, {"description": "x" * SHORT}),
    "no-outputs": ({"outputs": []}, {"outputs": [{"name": "order_total"}]}),
    "no-family": ({"family": "", "outputs": [{"name": "order_id"}]}, {"family": "x"}),
    "generic-field": (
        {"family": "", "outputs": [{"name": "id"}]},
        {"family": "", "outputs": [{"name": "id", "of": "order"}]},
    ),
    "undescribed-field": ({"inputs": [{"name": "customer_id"}]}, {"inputs": []}),
    "unproduced-field": (
        {"inputs": [{"name": "voucher", "description": "x"}]},
        {"inputs": [{"name": "voucher", "description": "x", "required": False}]},
    ),
    "many-required": ({"inputs": MANY}, {"inputs": MANY[:MANY_REQUIRED]}),
}


@pytest.mark.parametrize("rule", FIRES)
def test_a_rule_fires_where_it_should_and_nowhere_else(rule):
    bad, good = FIRES[rule]
    assert rule in rules(bad, request_fields=SPOKEN)
    assert rule not in rules(good, request_fields=SPOKEN)


def test_every_rule_is_tried_and_has_a_price():
    assert {*FIRES, "near-duplicate"} == set(COST)
    assert all(points > 0 for points in COST.values())


def test_tools_that_take_and_give_the_same_are_twins():
    twin = {**GOOD, "name": "fetch_order", "inputs": [{"name": "customerIDs"}]}
    (verdict,) = lint(tools(GOOD), others=tools(MAKER, twin))
    (remark,) = verdict.remarks
    assert remark.rule == "near-duplicate"
    assert "s/fetch_order" in remark.advice
    assert "s/get_order" not in remark.advice


@pytest.mark.parametrize(
    "other",
    [
        {"effects": "write"},
        {"outputs": [{"name": "order_total"}]},
        {"inputs": [{"name": "basket"}]},
        {"family": "parcel"},
    ],
)
def test_tools_that_differ_in_what_they_do_are_no_twins(other):
    twin = {**GOOD, "name": "fetch_order", **other}
    assert "near-duplicate" not in rules({}, twin)


def test_what_users_say_and_what_steers_a_call_needs_no_producer():
    spec = {"inputs": [{"name": n, "description": "x"} for n in ("voucher", "api_key")]}
    assert rules(spec, request_fields=["voucher"]) == []
    assert rules(spec) == ["unproduced-field"]


def test_a_field_that_the_tool_itself_makes_counts_as_made():
    spec = {"inputs": [{"name": "order_id", "description": "x"}]}
    assert rules(spec) == []


# -- points ------------------------------------------------------------------------------------


def test_a_score_is_100_minus_the_price_of_each_remark():
    (verdict,) = lint(tools({**GOOD, "description": "", "outputs": []}), others=tools(MAKER))
    assert verdict.score == 100 - COST["no-description"] - COST["no-outputs"]


def test_one_rule_costs_at_most_three_times():
    def score(count):
        return Verdict("t", [Remark("undescribed-field", "", "")] * count).score

    assert [score(n) for n in (0, 1, 2, 3, 4, 50)] == [100, 97, 94, 91, 91, 91]


def test_a_score_is_never_below_zero():
    assert Verdict("t", [Remark(rule, "", "") for rule in COST for _ in range(3)]).score == 0


def test_the_worst_comes_first():
    found = lint(tools(GOOD, {**GOOD, "name": "a", "description": ""}, {"name": "b"}))
    assert [v.score for v in found] == sorted(v.score for v in found)
    assert found[0].tool == "s/b"


def test_a_verdict_as_a_row_has_its_score():
    (verdict,) = lint(tools({"name": "b"}))
    row = as_row(verdict)
    assert json.loads(json.dumps(row)) == row
    assert (row["tool"], row["score"]) == ("s/b", verdict.score)


# -- what is registered, and what is not yet ---------------------------------------------------


def judged(registry, *sources):
    return {v.tool: [r.rule for r in v.remarks] for v in judge(registry.store, list(sources))}


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "new.json"
    file.write_text(json.dumps({"spm": 1, "service": "new", "tools": [GOOD]}))
    return str(file)


def test_a_source_is_judged_beside_what_is_registered_and_before_it_is(registry, manifest, source):
    assert judged(registry, source) == {"new/get_order": ["unproduced-field"]}
    registry.register(manifest("crm", find_customer=MAKER))
    assert judged(registry, source) == {"new/get_order": []}
    assert [row["id"] for row in registry.tools()] == ["crm/find_customer"]


def test_without_sources_everything_registered_is_judged(registry, manifest):
    registry.register(manifest("s", get_order=GOOD, find_customer=MAKER))
    assert judged(registry) == {"s/get_order": [], "s/find_customer": []}


def test_a_merge_answers_a_field_that_nobody_made(registry, manifest):
    maker = {**MAKER, "outputs": [{"name": "client_number"}]}
    registry.register(manifest("s", get_order=GOOD, find_customer=maker))
    assert judged(registry)["s/get_order"] == ["unproduced-field"]
    field_decisions.merge(registry.store, "client_number", "customer_id", "Ann")
    assert judged(registry)["s/get_order"] == []


def test_observed_outputs_answer_that_none_were_declared(registry, manifest):
    silent = {**MAKER, "outputs": []}
    registry.register(manifest("s", get_order=GOOD, find_customer=silent))
    assert judged(registry) == {
        "s/get_order": ["unproduced-field"],
        "s/find_customer": ["no-outputs"],
    }
    step = {"tool": "find_customer", "result": {"id": 7}}
    registry.import_traces([Trace.model_validate({"request": "x", "steps": [step]})])
    assert judged(registry) == {"s/get_order": [], "s/find_customer": []}


def test_a_source_that_cannot_be_read_is_refused(registry, tmp_path):
    with pytest.raises(ManifestError, match="Cannot read"):
        judge(registry.store, [str(tmp_path / "none.yaml")])
