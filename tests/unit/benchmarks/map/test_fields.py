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
