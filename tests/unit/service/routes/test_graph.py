"""`/v1/graph` and `/v1/names`: what the page browses by, over HTTP."""

import pytest

from spm.registry.models import Manifest
from spm.registry.registry import Registry


def test_all_families_come_first(client):
    piece = client.get("/v1/graph").json()
    assert piece["view"] == "families"
    assert len(piece["nodes"]) == 20
    assert {edge["kind"] for edge in piece["edges"]} == {"leads"}


@pytest.mark.parametrize(
    ("query", "view", "name"),
    [
        ("family=order", "family", "order"),
        ("field=orderId", "field", "order_id"),
        ("tool=lookup_order", "tool", "orders/lookup_order"),
        ("tool=orders/lookup_order", "tool", "orders/lookup_order"),
        ("family=", "family", ""),
        ("family=nobody", "family", "nobody"),
    ],
)
def test_a_piece_around_what_is_named(client, query, view, name):
    piece = client.get(f"/v1/graph?{query}").json()
    assert (piece["view"], piece["name"]) == (view, name)
    known = {node["id"] for node in piece["nodes"]}
    assert len(known) == len(piece["nodes"])
    assert all({edge["source"], edge["target"]} <= known for edge in piece["edges"])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("family=order&field=order_id", 422),
        ("tool=nobody", 404),
        ("field=nobody", 404),
        ("limit=0", 422),
        ("limit=201", 422),
        ("tool=" + "x" * 501, 422),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, query, status):
    answer = client.get(f"/v1/graph?{query}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["next"]


def test_names_while_somebody_types(client):
    found = client.get("/v1/names", params={"q": "refund_p"}).json()
    assert found[0] == {
        "kind": "tool", "id": "payments/refund_payment", "name": "refund_payment",
        "note": "payments",
    }  # fmt: skip
    fields = client.get("/v1/names", params={"q": "", "kind": "field", "limit": 3}).json()
    assert [match["kind"] for match in fields] == ["field"] * 3
    meant = client.get("/v1/names", params={"q": "give money back to a customer"}).json()
    assert meant, "words are looked for in descriptions too"
    assert client.get("/v1/names", params={"kind": "secret"}).status_code == 422


def test_a_write_is_seen_at_once(serve, shop_copy):
    client = serve(shop_copy)
    before = client.get("/v1/graph").json()
    client.get("/v1/graph")  # kept now
    new = {"spm": 1, "service": "new", "tools": [{"name": "brand_new", "family": "novelty"}]}
    with Registry.open(str(shop_copy)) as registry:
        registry.register(Manifest.model_validate(new))
    after = client.get("/v1/graph").json()
    assert len(after["nodes"]) == len(before["nodes"]) + 1
    assert client.get("/v1/names", params={"q": "brand"}).json()[0]["name"] == "brand_new"
