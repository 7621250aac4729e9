"""`python -m benchmarks map targets`: weights that are fitted on labelled requests."""

import json

import pytest

from benchmarks.map import specs


def operation(name, *parameters):
    given = [{"name": n, "in": "path", "required": True, "schema": {}} for n in parameters]
    return {"operationId": name, "parameters": given, "responses": {"200": {"description": "it"}}}


def document(title, thing):
    item = f"{thing}_id"
    return {
        "openapi": "3.0.0",
        "info": {"title": title, "version": "1"},
        "paths": {
            f"/{thing}s": {
                "get": operation(f"list_{thing}s"), "post": operation(f"create_{thing}")
            },
            f"/{thing}s/{{{item}}}": {
                "get": operation(f"get_{thing}", item),
                "put": operation(f"update_{thing}", item),
                "delete": operation(f"delete_{thing}", item),
            },
        },
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = []
    for api, thing in (("desk", "ticket"), ("shop", "order")):
        (tmp_path / f"{api}.json").write_text(json.dumps(document(api, thing)))
        item = f"/{thing}s/{{id}}"
        asked = {
            f"Show {thing} 17": f"GET {item}", f"List the {thing}s": f"GET /{thing}s",
            f"Delete {thing} 17": f"DELETE {item}", f"Update {thing} 17": f"PUT {item}",
        }  # fmt: skip
        rows += [
            {"id": f"{api}{n}", "api": api, "request": request, "gold": [gold], "also": {},
             "any_order": False}
            for n, (request, gold) in enumerate(asked.items())
        ]  # fmt: skip
    (tmp_path / "requests_dev2.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(specs, "LABELS", tmp_path)
    return tmp_path


def test_targets_are_judged_by_weights_that_never_saw_their_api(benchmarks, folder, tmp_path):
    options = ("--specs", folder, "--part", "dev2", "--stores", tmp_path / "stores", "--json")
    found = benchmarks("map", "targets", *options).json
    assert found["places"]["all tools"] == {"@1": 8, "@3": 8, "@10": 8, "requests": 8}
    assert found["weights"]["same_kind"] > 0 > found["weights"]["other_kind"]
    assert found["routes"][0]["right"] == found["routes"][0]["shown"] > 0
