"""`python -m benchmarks map sample`: edges drawn by chance, for eyes that judge them."""

import json

import pytest


@pytest.fixture
def folder(tmp_path):
    """Three things, each with a list and a get."""
    answer = {"type": "object", "properties": {"id": {"type": "string"}}}
    responses = {
        "200": {"description": "", "content": {"application/json": {"schema": answer}}},
    }
    paths: dict[str, dict[str, object]] = {}
    for noun in ("crate", "barrel", "load"):
        key: dict[str, object] = {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
        }
        paths[f"/{noun}s"] = {"get": {"operationId": f"list_{noun}s", "responses": responses}}
        paths[f"/{noun}s/{{id}}"] = {
            "get": {"operationId": f"get_{noun}", "parameters": [key], "responses": responses}
        }
    document = {"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    (tmp_path / "store.json").write_text(json.dumps(document))
    return tmp_path


def drawn(benchmarks, folder, seed, count=2):
    args = ("--specs", folder, "--api", "store", "--seed", seed, "--count", count)
    return benchmarks("map", "sample", *args).out


def test_both_definitions_are_shown_and_nothing_of_the_map(benchmarks, folder):
    text = drawn(benchmarks, folder, 1, 9)
    assert "A GET /crates (list_crates)" in text
    assert "B GET /crates/{id} (get_crate)" in text
    assert "would A be run to get for B: crate_id?" in text
    assert "weight" not in text


def test_a_seed_draws_the_same_again(benchmarks, folder):
    first, again = drawn(benchmarks, folder, 1), drawn(benchmarks, folder, 1)
    assert first == again
    assert any(drawn(benchmarks, folder, seed) != first for seed in range(2, 8))
    assert len([line for line in first.splitlines() if line.startswith("A ")]) == 2
