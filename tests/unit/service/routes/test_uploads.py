"""Traces and golden requests by the line."""

import json

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry

TRACE = {
    "trace_id": "t1",
    "request": "Where is order 17?",
    "steps": [{"tool": "lookup_order", "arguments": {"order_id": "zebra-17"}, "ok": True}],
}


@pytest.fixture
def lines():
    return json.dumps(TRACE) + "\n"


def test_traces_are_imported_once_and_without_values(serve, shop_copy, lines):
    client = serve(shop_copy)
    before = client.get("/v1/tools/lookup_order").json()["tool"]["frequency"]
    first = client.post("/v1/traces", content=lines)
    assert first.status_code == 200, first.text
    assert first.json() == {
        "imported": 1, "known": 0, "skipped": 0, "steps": 1, "differing": 0, "dropped": 0,
    }  # fmt: skip
    assert client.post("/v1/traces", content=lines).json()["known"] == 1
    assert client.get("/v1/tools/lookup_order").json()["tool"]["frequency"] == before + 1
    client.service.close()
    for path in shop_copy.rglob("*"):
        assert path.is_dir() or b"zebra-17" not in path.read_bytes()


def test_what_was_imported_counts_in_the_next_menu(serve, shop_copy):
    client = serve(shop_copy)
    request = "Polish the silver umbrella stand"
    before = client.post("/v1/menus", json={"request": request}).json()
    traces = "".join(
        json.dumps({"trace_id": f"p{n}", "request": request, "steps": ["lookup_order"]}) + "\n"
        for n in range(5)
    )
    assert client.post("/v1/traces", content=traces).status_code == 200
    after = client.post("/v1/menus", json={"request": request}).json()
    assert after["traces"] > before["traces"]
    assert after["revision"] > before["revision"]


def test_others_may_write_between_and_are_seen(serve, shop_copy, manifest, lines, encoder):
    client = serve(shop_copy)
    assert client.post("/v1/traces", content=lines).status_code == 200
    with Registry.open(str(shop_copy)) as registry:  # which needs the lock
        registry.register(manifest("mill", grind_flour={"description": "Grind flour"}))
        registry.encode(encoder)
    assert client.get("/v1/tools/grind_flour").status_code == 200
    menu = client.post("/v1/menus", json={"request": "Grind flour"}).json()
    assert "mill/grind_flour" in [item["id"] for item in menu["items"]]
    again = json.dumps({**TRACE, "trace_id": "t2"})
    assert client.post("/v1/traces", content=again).json()["imported"] == 1


def test_a_writer_elsewhere_is_waited_for_by_the_client(serve, shop_copy, manifest, lines):
    client = serve(shop_copy)
    with Registry.open(str(shop_copy)) as registry:
        registry.register(manifest("mill", grind_flour={"description": "Grind flour"}))
        busy = client.post("/v1/traces", content=lines)
        assert busy.status_code == 503
        assert int(busy.headers["retry-after"]) > 0
        assert client.post("/v1/menus", json={"request": "x"}).status_code == 200
    assert client.post("/v1/traces", content=lines).json()["imported"] == 1


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1]", b"\xff\xfe", b'{"request": "x"}', b"[" * 50_000, b'{"request": "\\ud800"}'],
)
@pytest.mark.parametrize("path", ["/v1/traces", "/v1/check"])
def test_what_cannot_be_read_is_told_by_its_line(client, path, body):
    answer = client.post(path, content=body)
    assert answer.status_code == 422, answer.text
    assert "body" in answer.json()["detail"]
    assert "/tmp" not in answer.text


def test_an_unknown_tool_stops_an_import_or_is_skipped(serve, shop_copy):
    client = serve(shop_copy)
    body = json.dumps({**TRACE, "steps": ["lookup_ordr"]})
    refused = client.post("/v1/traces", content=body)
    assert refused.status_code == 422
    assert "lookup_order" in refused.json()["detail"]
    assert "skip_unknown=true" in refused.json()["next"]
    assert "--" not in refused.text  # that is how a command line is told
    done = client.post("/v1/traces", params={"skip_unknown": True}, content=body)
    assert done.json()["skipped"] == 1


def test_a_team_cannot_write_about_tools_that_it_does_not_see(serve, shop_copy, manifest, lines):
    with Registry.open(str(shop_copy)) as registry:
        registry.register(manifest("safe", open_zebra={"visibility": "private", "owner": "bank"}))
        secret, _ = api_tokens.create(registry.store, "bot", Caller("mail"), may=("traces",))
    client = serve(shop_copy)
    headers = {"Authorization": f"Bearer {secret}"}
    for name in ("open_zebra", "open_zebr"):
        body = json.dumps({**TRACE, "steps": [name]})
        refused = client.post("/v1/traces", content=body, headers=headers)
        assert refused.status_code == 422
        assert "safe/" not in refused.text
    assert client.post("/v1/traces", content=lines, headers=headers).json()["imported"] == 1
    # The same id of another team is another trace, and each says where it is from.
    assert client.post("/v1/traces", content=lines).json()["imported"] == 1
    with Registry.open(str(shop_copy)) as registry:
        found = registry.cypher(
            "MATCH (j:Trajectory) WHERE j.id IN ['t1', 'mail:t1'] "
            "RETURN j.id AS id, j.source AS source ORDER BY id"
        ).rows
    assert found == [{"id": "mail:t1", "source": "token bot"}, {"id": "t1", "source": ""}]


@pytest.mark.parametrize("team", [None, "mail"])
@pytest.mark.parametrize("trace_id", ["t1", None])
def test_a_trace_is_the_same_whoever_delivers_it(serve, shop_copy, team, trace_id):
    with Registry.open(str(shop_copy)) as registry:
        secrets = [
            api_tokens.create(registry.store, name, Caller(team), may=("traces",))[0]
            for name in ("collector", "spare")
        ]
    client = serve(shop_copy)
    bodies = [json.dumps({**TRACE, "trace_id": trace_id, "request": f"r{n}"}) for n in (1, 2)]

    def sent(secret):
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        done = client.post("/v1/traces", content="\n".join(bodies), headers=headers)
        return done.json()["imported"], done.json()["known"], done.json()["differing"]

    if trace_id:
        bodies = bodies[:1]
    whole = len(bodies)
    assert sent(secrets[0]) == (whole, 0, 0)
    others = secrets if team else [*secrets, None]  # who has no token stands for no team
    assert [sent(secret) for secret in others] == [(0, whole, 0)] * len(others)


def test_golden_requests_are_replayed(client, tmp_path, demo_folder, capsys):
    from spm.cli.main import main

    golden = tmp_path / "golden.jsonl"
    golden.write_text(
        json.dumps({"request": "Where is the parcel of order 77?", "path": ["find_shipment"]})
        + "\n"
        + json.dumps({"request": "Refund order 991", "path": ["no_such_tool"]})
    )
    answer = client.post("/v1/check", params={"min_chain": 0.5}, content=golden.read_bytes())
    main(["check", str(golden), "--min-chain", "0.5", "--json", "--store", str(demo_folder)])
    assert answer.text == capsys.readouterr().out
    assert answer.json()["passed"] is True
    assert client.post("/v1/check", content=golden.read_bytes()).json()["passed"] is False


@pytest.mark.parametrize(
    "gives", [{"a\nb": "string"}, {"🎉": "string"}, {f"g{n}": "string" for n in range(50_000)}]
)
def test_fields_that_no_tool_may_have_are_refused_with_their_place(client, gives):
    bad = {**TRACE, "steps": [{"tool": "lookup_order", "gives": gives}]}
    answer = client.post("/v1/traces", content=f"{json.dumps(TRACE)}\n{json.dumps(bad)}")
    assert answer.status_code == 422, answer.text
    assert "body:2 is not valid" in answer.json()["detail"]
    assert "steps[0].gives" in answer.json()["detail"]
    assert len(answer.content) < 1_000
