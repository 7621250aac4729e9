"""`spm tools register` from an address, and at a service."""

import json

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry
from tests.support.serving import serve  # noqa: F401
from tests.unit.registry.importers.test_fetching import API, server  # noqa: F401

MAIL = {"spm": 1, "service": "mail", "tools": [{"name": "send", "description": "Send a mail."}]}


def test_from_an_address_and_unchanged_the_second_time(spm, tmp_path, server):  # noqa: F811
    def run(*more):
        return spm("tools", "register", server.at(), "--store", tmp_path / "store", *more)

    (first,) = run("--json").json
    assert first["added"] == ["desk/listTickets"]
    (again,) = run("--json").json
    assert (again["unchanged"], again["revision"]) == (["desk/listTickets"], None)
    assert "304" in str(again["notes"])
    assert server.asked[-1]["If-None-Match"] == '"one"'
    (owned,) = run("--owner", "support", "--json").json
    assert owned["reowned"] == ["desk/listTickets"]
    assert "If-None-Match" not in server.asked[-1]
    spm("tools", "remove", "listTickets", "--store", tmp_path / "store")
    (back,) = run("--json").json
    assert back["added"] == ["desk/listTickets"]


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "mail.json"
    file.write_text(json.dumps(MAIL))
    return file


def test_at_a_service(spm, tmp_path, shop_copy, serve, source, monkeypatch):  # noqa: F811
    with Registry.open(str(shop_copy)) as registry:
        may = ("read", "register")
        secret, _ = api_tokens.create(registry.store, "ci", Caller("support"), may=may)
    client = serve(shop_copy)
    at = ["tools", "register", source, "--server", str(client.base_url)]
    monkeypatch.setenv("SPM_TOKEN", secret)
    plan = spm(*at, "--dry-run")
    assert plan.code == 0, plan.err
    assert "+ mail/send" in plan.out
    assert "Nothing was changed" in plan.err
    monkeypatch.delenv("SPM_TOKEN")
    file = tmp_path / "token"
    file.write_text(f"{secret}\n")
    (done,) = spm(*at, "--token-file", file, "--visibility", "team", "--json").json
    assert done["added"] == ["mail/send"]
    tool = client.get("/v1/tools/mail/send").json()["tool"]
    assert (tool["owner"], tool["visibility"]) == ("support", "team")
    taken = spm(*at, "--token-file", file, "--service", "orders")
    assert taken.code == 1
    assert "belongs to others" in taken.err
    assert "refused (403)" in taken.err


def test_a_list_is_called_after_its_file_at_a_service_too(spm, tmp_path, shop_copy, serve):  # noqa: F811
    file = tmp_path / "weather.json"
    file.write_text(json.dumps([{"name": "forecast", "input_schema": {"type": "object"}}]))
    at = ["tools", "register", file, "--server", str(serve(shop_copy).base_url), "--json"]
    here = spm("tools", "register", file, "--store", tmp_path / "store", "--json")
    assert spm(*at).json[0]["added"] == here.json[0]["added"] == ["weather/forecast"]
    assert spm(*at, "--service", "sky").json[0]["added"] == ["sky/forecast"]


def test_a_token_goes_to_nobody_in_plain_text(spm, source):
    done = spm("tools", "register", source, "--server", "http://spm.example")
    assert done.code == 1
    assert "plain HTTP" in done.err
    missing = spm("tools", "register", "package.module", "--server", "http://127.0.0.1:9")
    assert "only files are sent" in missing.err
    nobody = spm("tools", "register", source, "--server", "http://127.0.0.1:9")
    assert "gives no answer" in nobody.err
