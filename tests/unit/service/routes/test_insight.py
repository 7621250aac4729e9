"""Questions about the registry over HTTP are those of the commands, byte for byte."""

import io
import json
import sys

import pytest

from spm.cli.main import main


@pytest.fixture
def printed(demo_folder, monkeypatch):
    def run(*arguments):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8", write_through=True))
        main([*arguments, "--json", "--store", str(demo_folder)])
        return raw.getvalue()

    return run


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/v1/tools/lookup_order", ["tools", "show", "lookup_order"]),
        ("/v1/tools/orders/lookup_order", ["tools", "show", "orders/lookup_order"]),
        ("/v1/impact/lookup_order", ["impact", "lookup_order"]),
        ("/v1/impact/order_id?kind=field", ["impact", "order_id", "--field"]),
        ("/v1/atlas", ["atlas"]),
        ("/v1/atlas?visible=order_id&error_share=0.01",
         ["atlas", "--visible", "order_id", "--errors", "0.01"]),
        ("/v1/fields", ["fields", "list"]),
        ("/v1/fields?unproduced=true", ["fields", "list", "--unproduced"]),
    ],
)  # fmt: skip
def test_the_same_bytes_as_on_the_command_line(client, printed, path, command):
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.content == printed(*command)


def test_ways_and_plans(client, printed):
    way = client.get("/v1/paths", params={"from": "lookup_order", "to": "send_email_receipt"})
    told = printed("path", "lookup_order", "send_email_receipt")
    assert way.json() == {"paths": json.loads(told), "plan": None}
    told = json.loads(printed("path", "--have", "order_id", "--to", "send_email_receipt"))
    for question in ({"have": "order_id"}, {"from": "order_id"}):
        plan = client.get("/v1/paths", params={**question, "to": "send_email_receipt"})
        assert plan.json() == {"paths": [], "plan": told}


def test_all_tools_come_page_by_page(client, shop):
    found, after = [], None
    while True:
        page = client.get("/v1/tools", params={"limit": 7, **({"after": after} if after else {})})
        found += page.json()["tools"]
        assert page.json()["total"] == len(shop.tools())
        if not (after := page.json()["next"]):
            break
    assert found == shop.tools()


def test_tools_by_words_family_service_and_field(client, shop):
    best = client.get("/v1/tools", params={"q": "email a receipt"}).json()["tools"]
    assert best[0]["name"] == "send_email_receipt"
    assert len(best) < len(shop.tools())
    for column in ("family", "service"):
        row = shop.tools()[0]
        found = client.get("/v1/tools", params={column: row[column]}).json()["tools"]
        assert row in found
        assert {other[column] for other in found} == {row[column]}
    having = client.get("/v1/tools", params={"field": "receipt_id"}).json()["tools"]
    assert {"create_receipt", "send_email_receipt"} <= {row["name"] for row in having}
    assert client.get("/v1/tools", params={"field": "nowhere"}).json()["total"] == 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/tools/lookup_ordr", 404), ("/v1/impact/lookup_ordr", 404), ("/v1/paths", 422),
        ("/v1/paths?from=a&to=b", 404), ("/v1/paths?from=lookup_order&to=lookup_order", 422),
        ("/v1/paths?have=nowhere&to=lookup_order", 404), ("/v1/tools?after=nowhere", 404),
        ("/v1/tools?limit=0", 422), ("/v1/tools?limit=x", 422), ("/v1/atlas?visible=nowhere", 404),
        ("/v1/atlas?error_share=nan", 422), ("/v1/atlas?error_share=2", 422),
        ("/v1/impact/x?kind=service", 422), ("/v1/tools/%00", 404), ("/v1/tools/%ff%fe", 404),
        ("/v1/tools?q=%00%ed%a0%80", 200), ("/v1/tools?family=%00", 200),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_told_politely(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["next"]
