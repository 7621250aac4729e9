"""`python -m benchmarks map fields`: how predictions are compared with labels."""

import json

import pytest

from benchmarks.map import specs

DOCUMENT = {
    "openapi": "3.0.0",
    "info": {"title": "desk", "version": "1"},
    "paths": {
        "/tickets/{ticket_id}": {
            "get": {
                "parameters": [
                    {"name": "ticket_id", "in": "path", "required": True, "schema": {}},
                ],
                "responses": {"200": {"description": "it"}},
            }
        }
    },
}
ORDERS = {
    "get": {
        "parameters": [{"name": "order_id", "in": "path", "required": True, "schema": {}}],
        "responses": {"200": {"description": "it"}},
    }
}
SHOW = "GET /tickets/{id}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A specification and three labels: one right, one wrong, one that is missed."""
    labels = [("show ticket 17", "17"), ("show ticket 18", "81"), ("the eighth ticket", "8")]
    rows = [
        {
            "id": f"x{number}",
            "api": "desk",
            "request": request,
            "ops": [SHOW, "GET /nothing"],
            "fields": [{"op": SHOW, "param": "ticket_id", "value": value}],
        }
        for number, (request, value) in enumerate(labels)
    ]
    (tmp_path / "fields_dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "desk.json").write_text(json.dumps(DOCUMENT))
    monkeypatch.setattr(specs, "LABELS", tmp_path)
    return tmp_path


def test_pairs_of_parameter_and_value_are_counted(benchmarks, folder):
    found = benchmarks("map", "fields", "--specs", folder, "--errors", "--json").json
    assert found["desk"]["precision"] == 0.5
    assert found["all"]["recall"] == pytest.approx(1 / 3)
    assert found["all"]["unread"] == 3
    assert [error["id"] for error in found["all"]["errors"]] == ["x1", "x2"]


def test_errors_are_shown_beneath_the_table(benchmarks, folder):
    out = benchmarks("map", "fields", "--specs", folder, "--errors").out
    assert "precision" in out
    assert "missing ticket_id = 81" in out


def test_in_one_registry_the_plan_chooses_the_tools(benchmarks, folder, tmp_path):
    number = {"name": "order_number", "in": "path", "required": True, "schema": {}}
    refunds = {"post": {**ORDERS["get"], "parameters": [number]}}  # takes it too, is not chosen
    paths = {"/orders/{order_id}": ORDERS, "/orders/{order_number}/refunds": refunds}
    shop = {**DOCUMENT, "paths": paths}
    (folder / "shop.json").write_text(json.dumps(shop))
    order = "GET /orders/{order_id}"
    wanted = [{"op": order, "param": "order_id", "value": "5"}]
    row = {"id": "y", "api": "shop", "request": "show order 5", "ops": [order], "fields": wanted}
    with (folder / "fields_dev.jsonl").open("a") as file:
        file.write("\n" + json.dumps(row))
    options = ("--specs", folder, "--together", "--stores", tmp_path / "stores", "--errors")
    found = benchmarks("map", "fields", *options, "--json").json
    assert found["shop"]["precision"] == found["shop"]["recall"] == 1.0
    assert (found["all"]["predicted"], found["all"]["labelled"]) == (3, 4)
    assert found["all"]["errors"][0]["wrong"] == ["desk/get_tickets_ticket_id ticket_id = 18"]
