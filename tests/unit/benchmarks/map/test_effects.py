"""The scorer of effects counts what is dangerous, and finds operations by method and path."""

import json

from benchmarks.map import effects, specs

ROWS = [
    {"api": "shop", "op": "GET /orders/{number}", "effect": "read", "sure": True},
    {"api": "shop", "op": "GET /orders/{id}/archive", "effect": "destructive", "sure": True},
    {"api": "shop", "op": "POST /orders", "effect": "destructive", "sure": True},
    {"api": "shop", "op": "DELETE /orders/{id}", "effect": "write", "sure": False},
    {"api": "shop", "op": "GET /nowhere", "effect": "read", "sure": True},
    {"api": "other", "op": "GET /x", "effect": "read", "sure": True},
]


def test_a_score_tells_dangerous_errors_apart(tmp_path, monkeypatch):
    operation = {"responses": {"200": {"description": "ok"}}}
    paths = {
        "/orders": {"post": operation},
        "/orders/{id}": {"get": operation, "delete": operation},
        "/orders/{id}/archive": {"get": operation},
    }
    document = {"openapi": "3.0.0", "info": {"title": "Shop", "version": "1"}, "paths": paths}
    (tmp_path / "shop.json").write_text(json.dumps(document))
    monkeypatch.setattr(specs, "labels", lambda kind, part: ROWS)
    found = effects.score(tmp_path, "dev")
    assert (found.destructive, found.destructive_as_read, found.destructive_as_write) == (2, 1, 1)
    assert (found.changes, found.changes_as_read) == (3, 1)
    assert (found.harmless, found.harmless_as_destructive, found.not_found) == (2, 1, 2)
    assert [error["found"] for error in found.errors] == ["read", "write", "destructive"]
    assert all(error["reason"] for error in found.errors)
