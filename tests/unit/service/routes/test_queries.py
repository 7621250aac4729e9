"""Cypher over HTTP: whole for who sees everything, saved queries for the others."""

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.access.settings import Access
from spm.registry.catalog.tool_access import set_access
from spm.registry.registry import Registry

COUNT = "MATCH (t:Tool) RETURN count(t) AS tools"


def test_who_sees_everything_asks_anything_that_reads(client):
    answer = client.post("/v1/cypher", json={"query": COUNT})
    assert answer.json() == {
        "columns": ["tools"],
        "rows": [{"tools": 100}],
        "truncated": False,
        "warnings": [],
    }
    given = {"query": "RETURN $x AS x", "params": {"x": [1, "é"]}}
    assert client.post("/v1/cypher", json=given).json()["rows"] == [{"x": [1, "é"]}]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"query": "MATCH (t) DETACH DELETE t"}, "DETACH"),
        ({"query": "MATCH (t:Tool) SET t.owner = 'x'"}, "SET"),
        ({"query": COUNT, "saved": "effects"}, "give a query"),
        ({}, "give a query"),
        ({"saved": "nothing"}, "No saved query"),
        ({"saved": "consumers_of"}, "takes --param field"),
        ({"saved": "consumers_of", "params": {"field": "x", "team": None}}, "takes --param field"),
    ],
)
def test_other_questions_are_refused(client, body, words):
    answer = client.post("/v1/cypher", json=body)
    assert answer.status_code == 422
    assert words in answer.text


def test_a_path_is_a_short_record(client):
    """The same as on the command line: no hashes, no texts that are searched."""
    query = "MATCH p = (:Tool {name: 'lookup_order'})-[:FEEDS]->(:Tool) RETURN p LIMIT 1"
    (row,) = client.post("/v1/cypher", json={"query": query}).json()["rows"]
    first, _ = row["p"]["nodes"]
    tool = "orders/lookup_order"
    expected = {"label": "Tool", "id": tool, "name": "lookup_order", "service": "orders"}
    assert first == expected
    (edge,) = row["p"]["edges"]
    assert (edge["type"], edge["from"]) == ("FEEDS", tool)
    assert edge["fields"]


def test_a_misspelt_name_is_warned_about(client):
    body = client.post("/v1/cypher", json={"query": "MATCH (t:Tol {nme: 'x'}) RETURN t.id"}).json()
    assert body["rows"] == []
    assert body["warnings"][0] == "The graph has no label 'Tol'. Nearest: 'Tool'."
    assert any("'nme'" in line for line in body["warnings"])


def test_a_saved_query_about_an_unknown_tool_names_the_nearest(client):
    asked = {"saved": "feeds", "params": {"tool": "lookup_ordr"}}
    answer = client.post("/v1/cypher", json=asked)
    assert answer.status_code == 404
    assert "No tool named 'lookup_ordr'." in answer.text
    assert "nearest: 'orders/lookup_order'" in answer.text


def test_others_ask_saved_queries_and_see_what_they_see(serve, shop_copy):
    with Registry.open(str(shop_copy)) as registry:
        set_access(registry.store, "lookup_order", Access("shop", "team"))
        secret, _ = api_tokens.create(registry.store, "t", Caller("sales"))
    headers = {"Authorization": f"Bearer {secret}"}
    client = serve(shop_copy)
    assert client.post("/v1/cypher", json={"query": COUNT}, headers=headers).status_code == 403
    asked = {"saved": "feeds", "params": {"tool": "lookup_order"}}
    assert client.post("/v1/cypher", json=asked).json()["rows"]
    # FEEDS is one for all callers: what it says can come of decisions about hidden tools.
    assert client.post("/v1/cypher", json=asked, headers=headers).status_code == 422
    made = {"saved": "producers_of", "params": {"field": "customer_id"}}
    makers = client.post("/v1/cypher", json=made, headers=headers).json()["rows"]
    assert makers
    assert "orders/lookup_order" not in [row["tool"] for row in makers]
    assert "lookup_order" in client.post("/v1/cypher", json=made).text
    taken = {"saved": "consumers_of", "params": {"field": "order_id"}}
    all_of_them = client.post("/v1/cypher", json=taken).json()["rows"]
    seen = client.post("/v1/cypher", json=taken, headers=headers).json()["rows"]
    gone = [row["tool"] for row in all_of_them if row not in seen]
    assert gone == ["orders/lookup_order"]
    for_all = client.post("/v1/cypher", json={"saved": "most_travelled"}, headers=headers)
    assert for_all.status_code == 422
    assert "for callers that see everything" in for_all.json()["detail"]


def test_the_page_of_routes_needs_nothing_from_elsewhere(client):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "://" not in page.text
    assert client.get("/static/docs.js").status_code == 200
