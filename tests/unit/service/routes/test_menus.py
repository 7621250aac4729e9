"""Menus over HTTP are those of the command line, byte for byte."""

import io
import sys

import pytest

from spm.cli.main import main
from spm.registry import demo
from spm.registry.menus.formats import MENU_FORMATS

QUESTIONS = [
    ({"request": demo.REQUEST}, []),
    ({"request": demo.REQUEST, "k": 5, "prefix": 2}, ["-k", "5", "--prefix", "2"]),
    ({"request": "Refund order 991", "state": {"customer_id": None}}, ["--state", "customer_id"]),
    ({"request": "Refund order 991", "read_only": True}, ["--read-only"]),
    ({"request": "Refund order 991", "token_budget": 900}, ["--token-budget", "900"]),
    (
        {"request": "Refund order 991", "done": ["find_payment"], "observed": ["payment_id"]},
        ["--done", "find_payment", "--observed", "payment_id"],
    ),
    ({"request": demo.REQUEST, "without": ["order_id"]}, ["--without", "order_id"]),
    ({"request": "Refund order 991", "allow_writes": True}, ["--allow-writes"]),
]


@pytest.fixture
def printed(demo_folder, monkeypatch):
    """What a command writes to standard output, as bytes."""

    def run(*arguments: str) -> bytes:
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8", write_through=True))
        assert main([*arguments, "--store", str(demo_folder)]) == 0
        return raw.getvalue()

    return run


@pytest.mark.parametrize(("question", "options"), QUESTIONS)
def test_the_same_bytes_as_on_the_command_line(client, printed, question, options):
    answer = client.post("/v1/menus", json=question)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == printed("menu", question["request"], *options, "--json")


@pytest.mark.parametrize("shape", MENU_FORMATS)
def test_the_same_bytes_in_every_format(client, printed, shape):
    answer = client.post("/v1/menus", json={"request": demo.REQUEST, "format": shape})
    assert answer.content == printed("menu", demo.REQUEST, "--format", shape)


def test_ranks_can_stand_in_names(client, printed):
    answer = client.post(
        "/v1/menus", json={"request": demo.REQUEST, "format": "openai", "aliases": True}
    )
    assert answer.content == printed("menu", demo.REQUEST, "--format", "openai", "--aliases")


def test_why_a_tool_is_not_there(client, printed):
    question = {"request": "Refund order 991", "k": 3, "tool": "issue_store_credit"}
    answer = client.post("/v1/menus/why-not", json=question)
    assert answer.content == printed(
        "menu", "Refund order 991", "-k", "3", "--why-not", "issue_store_credit", "--json"
    )


def test_a_tool_that_nobody_knows_is_told_with_the_nearest(client):
    answer = client.post("/v1/menus", json={"request": "x", "done": ["lookup_ordr"]})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:spm:problem:unknown-tool"
    assert "lookup_order" in problem["next"]
    assert problem["status"] == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"request": ""}', 422),
        (b'{"request": "  "}', 422),
        (b'{"request": "\\ud800"}', 422),
        (b'{"request": "x", "\\ud800": 1}', 422),
        (b'{"request": "x", "k": 1e400}', 422),
        (b'{"request": "x", "k": NaN}', 422),
        (b'{"request": "x", "k": ' + b"9" * 5_000 + b"}", 400),
        (b'{"request": "x", "k": 0}', 422),
        (b'{"request": "x", "unknown": 1}', 422),
        (b'{"request": "x", "format": "table"}', 422),
        (b'{"request": 1}', 422),
        (b'\xff\xfe{"request": "x"}', 400),
    ],
    ids=range(15),
)
def test_what_cannot_be_read_is_refused_politely(client, body, status):
    answer = client.post("/v1/menus", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status


@pytest.mark.parametrize("request_", ["\x00", "‮order 12", "𝔘𝔫𝔦 🧾", "a" * 20_000])
def test_any_text_gets_a_menu(client, request_):
    assert client.post("/v1/menus", json={"request": request_}).status_code == 200
