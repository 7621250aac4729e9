"""Arazzo: workflows become traces in the order that their data needs."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import ManifestError
from spm.registry.importers.arazzo import Workflows, answered, place_of, read_arazzo
from spm.registry.importers.openapi import read_openapi
from spm.registry.importers.references import load_document
from spm.registry.importers.source import Link

DATA = Path(__file__).parents[3] / "data" / "formats" / "openapi"
BUY = load_document(DATA / "buy.arazzo.yaml")


def one(*steps, **more):
    workflow = {"workflowId": "w", "steps": list(steps), **more}
    return read_arazzo({"arazzo": "1.0.1", "workflows": [workflow]}, "one")


def test_workflows_become_traces_in_the_order_of_their_data():
    found = read_arazzo(BUY, "buy")
    traces = {trace.trace_id: trace for trace in found.traces}
    first = traces["arazzo:orderAndReceipt"]
    assert first.request == "Order something and get the receipt"
    assert [s.tool for s in first.steps] == ["createOrder", "getOrder", "post_orders_id_receipt"]
    assert first.source == "arazzo"
    again = traces["arazzo:buyTwice"]
    assert again.request == "buy twice"
    assert [s.tool for s in again.steps][-2:] == ["post_orders_id_receipt", "listOrders"]
    assert [s.tool for s in traces["arazzo:selfish"].steps] == ["listOrders"]
    assert set(found.links) == {
        Link("createOrder", "id", "getOrder", "id"),
        Link("createOrder", "id", "post_orders_id_receipt", "id"),
        Link("getOrder", "email", "post_orders_id_receipt", "email"),
    }
    notes = "\n".join(found.notes)
    assert "contain themselves" in notes
    assert "Jumps" in notes


def test_known_sources_give_tool_ids():
    def source(name, url):
        assert (name, url) == ("shop", "shop-3.0.yaml")
        return read_openapi(load_document(DATA / url), url, "shop")

    trace = read_arazzo(BUY, "buy", source).traces[0]
    tools = ["shop/createOrder", "shop/getOrder", "shop/sendReceipt"]
    assert [step.tool for step in trace.steps] == tools


def test_steps_that_wait_for_each_other_stay_in_written_order():
    found = one(
        {"stepId": "a", "operationId": "first", "dependsOn": ["b"]},
        {"stepId": "b", "operationId": "second", "dependsOn": "a"},
    )
    assert [step.tool for step in found.traces[0].steps] == ["first", "second"]
    assert "wait for each other" in found.notes[0]


def test_selectors_and_replacements_of_1_1():
    found = one(
        {
            "stepId": "a",
            "operationId": "make",
            "outputs": {"x": {"context": "$response.body", "selector": "$.data[0].id"}},
        },
        {
            "stepId": "b",
            "operationId": "use",
            "requestBody": {
                "replacements": [{"target": "/thing/id", "value": "$steps.a.outputs.x"}]
            },
        },
    )
    assert found.links == (Link("make", "id", "use", "id"),)


@pytest.mark.parametrize(
    ("expression", "field"),
    [
        ("$response.body#/data/0/id", "id"),
        ("{$response.body#/a~1b}", "a/b"),
        ("$response.body.items[0].name", "name"),
        ("$response.header.Location", "Location"),
        ("$request.path.id", "id"),
        ("$response.body", ""),
        ("$inputs.x", ""),
        ("constant", ""),
        (7, ""),
    ],
)
def test_runtime_expressions(expression, field):
    assert answered(expression) == field


def test_a_known_path_gives_the_name_of_the_field():
    assert (
        answered("$response.body#/customer/id", {("customer", "id"): "customer_id"})
        == "customer_id"
    )


@pytest.mark.parametrize("reference", [None, 5, "", "#/paths", "#/paths/~1x/get/more", "x"])
def test_what_points_at_no_operation(reference):
    assert place_of(reference) == ("", "")


@pytest.mark.parametrize(
    "document",
    [
        *(None, [], {}, {"arazzo": "2.0.0"}, {"arazzo": "1.0.1"}),
        {"arazzo": "1.0.1", "workflows": [{"workflowId": "w", "steps": []}]},
        {"arazzo": "1.0.1", "workflows": [{"workflowId": "w", "steps": [{"workflowId": "w"}]}]},
    ],
)
def test_what_has_no_workflow_is_refused(document):
    with pytest.raises(ManifestError, match="here: "):
        read_arazzo(document, "here")


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


WRONG: list[Any] = [
    None,
    0,
    True,
    "",
    "x",
    "\ud800\x00",
    [],
    {},
    [None],
    {"a": {}},
    "$steps.look.outputs.mail",
]


@given(st.lists(st.tuples(st.sampled_from(list(places(BUY))), st.sampled_from(WRONG)), min_size=1))
def test_mutated_documents_give_workflows_or_one_kind_of_error(changes):
    document: Any = copy.deepcopy(BUY)
    for path, value in changes:
        target = document
        try:
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = copy.deepcopy(value)
        except (LookupError, TypeError):
            continue
    try:
        assert isinstance(read_arazzo(document, "mutated"), Workflows)
    except ManifestError:
        pass
