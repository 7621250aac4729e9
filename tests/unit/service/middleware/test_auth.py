"""The door: who is let in, who is not, and who only looks as if they came from this machine."""

import json
from urllib.parse import urlsplit

import pytest
from starlette.requests import HTTPConnection

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry
from spm.service import token_cache
from spm.service.middleware.auth import address_of


@pytest.fixture
def issue(shop_copy):
    """Make a token for the copy of the demo."""

    def make(name="bot", caller=None, **options):
        with Registry.open(str(shop_copy)) as registry:
            return api_tokens.create(registry.store, name, caller or Caller("shop"), **options)[0]

    return make


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


def test_this_machine_needs_no_token(client):
    assert client.get("/v1/fields").status_code != 401
    assert client.get("/metrics").status_code == 200


SIGNS = [
    {"X-Forwarded-For": "127.0.0.1"},
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"X-Forwarded-Proto": "https"},
    {"Via": "1.1 proxy"},
]


@pytest.mark.parametrize("headers", SIGNS, ids=lambda headers: next(iter(headers)))
def test_who_comes_through_a_proxy_needs_one(client, headers):
    answer = client.get("/v1/tools", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "spm tokens create" in answer.json()["next"]


def test_so_does_who_speaks_as_an_unconfigured_nginx_does(client):
    import socket

    host, port = client.base_url.host, client.base_url.port
    with socket.create_connection((host, port)) as line:
        line.sendall(b"GET /v1/tools HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        assert line.makefile("rb").readline().split()[1] == b"401"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200), ("localhost", 200), ("LOCALHOST:99", 200), ("[::1]:8321", 200),
        ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421),
        ("", 421), ("[", 421), ("0.0.0.0", 421), ("10.0.0.1", 421), ("evil.example:127", 421),
    ],
)  # fmt: skip
def test_other_names_of_this_machine_are_refused(client, host, status):
    """DNS rebinding: a page of evil.example, whose name was made to point here."""
    answer = client.post("/v1/menus", json={"request": "x"}, headers={"Host": host})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403), ("null", 403), ("http://localhost", 403),
        ("http://127.0.0.1:1", 403), ("http://HERE", 200),
    ],
)  # fmt: skip
def test_pages_of_other_sites_are_refused(client, origin, status):
    here = f"{client.base_url.host}:{client.base_url.port}"
    answer = client.post(
        "/v1/menus", json={"request": "x"}, headers={"Origin": origin.replace("HERE", here)}
    )
    assert answer.status_code == status


def test_a_token_opens_and_a_wrong_one_does_not(serve, shop_copy, issue):
    secret = issue()
    client = serve(shop_copy, require_token=True)
    question = {"request": "Refund order 991"}
    assert client.post("/v1/menus", json=question, headers=bearer(secret)).status_code == 200
    wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    for refused in (
        client.post("/v1/menus", json=question),
        client.post("/v1/menus", json=question, headers=bearer(wrong)),
        client.post("/v1/menus", json=question, headers=bearer("x")),
        client.post("/v1/menus", json=question, headers={"Authorization": f"Basic {secret}"}),
        client.post("/v1/menus", json=question, headers={"Authorization": secret}),
    ):
        assert refused.status_code == 401
        assert secret not in refused.text
    # What is known of nobody's tools stays open.
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert client.get(path).status_code == 200


def test_a_wrong_token_is_refused_even_on_this_machine(client):
    assert client.get("/metrics", headers=bearer("spm_" + "A" * 43)).status_code == 401


def test_a_token_may_do_what_it_was_made_for(serve, shop_copy, issue):
    reader, writer = issue("reader"), issue("writer", may=("traces",))
    watcher = issue("watcher", may=("metrics",))
    client = serve(shop_copy)
    allowed = {
        (secret, path): client.request(
            method, path, headers=bearer(secret), content=b""
        ).status_code
        for secret in (reader, writer, watcher)
        for method, path in (("POST", "/v1/menus"), ("POST", "/v1/traces"), ("GET", "/metrics"))
    }
    refused = {key for key, status in allowed.items() if status == 403}
    assert refused == {
        (reader, "/v1/traces"), (reader, "/metrics"), (writer, "/v1/menus"),
        (writer, "/metrics"), (watcher, "/v1/menus"), (watcher, "/v1/traces"),
    }  # fmt: skip


def lying(scope):
    """A URL as starlette below 1.0.1 makes it: the Host header decides where the path begins."""
    host = dict(scope["headers"])[b"host"].decode("latin-1")
    return urlsplit(f"http://{host}{scope['path']}")


TRACE = json.dumps({"request": "x", "steps": ["lookup_order"]}).encode()
DISGUISED = [
    ("GET", "/metrics", "a/static/x?", None, 401),
    ("GET", "/v1/tools", "a/metrics?", "metrics", 403),
    ("GET", "/v1/menus/frozen", "a/metrics?", "metrics", 403),
    ("GET", "/v1/tools", "a/v1/traces?", "traces", 403),
    ("POST", "/v1/traces", "a/x?", "read", 403),
]


@pytest.mark.parametrize("url", [None, lying], ids=["installed", "lying"])
def test_no_host_header_changes_what_a_token_may_do(serve, shop_copy, issue, monkeypatch, url):
    secrets = {may: issue(may, may=(may,)) for may in ("metrics", "traces", "read")}
    client = serve(shop_copy, require_token=True)
    if url:
        monkeypatch.setattr("starlette.requests.URL", url)
    for method, path, host, may, status in DISGUISED:
        headers = {"Host": host} | (bearer(secrets[may]) if may else {})
        answer = client.request(method, path, headers=headers, content=TRACE)
        assert answer.status_code == status, (method, path, host)


def test_a_revoked_token_is_refused_within_the_promised_time(serve, shop_copy, issue, monkeypatch):
    secret = issue()
    client = serve(shop_copy)
    assert client.get("/v1/tools", headers=bearer(secret)).status_code != 401
    with Registry.open(str(shop_copy)) as registry:
        api_tokens.revoke(registry.store, "bot")
    monkeypatch.setattr(token_cache, "SECONDS", 0.0)  # as if they had passed
    assert client.get("/v1/tools", headers=bearer(secret)).status_code == 401


def test_a_proxy_is_believed_only_when_it_is_trusted():
    scope = {
        "type": "http", "client": ("10.0.0.9", 1),
        "headers": [(b"x-forwarded-for", b"1.2.3.4, 9.9.9.9")],
    }  # fmt: skip
    assert address_of(HTTPConnection(scope), trust_proxy=False) == "10.0.0.9"
    assert address_of(HTTPConnection(scope), trust_proxy=True) == "9.9.9.9"


def test_behind_a_trusted_proxy_everybody_needs_a_token(serve, shop_copy, issue):
    secret = issue()
    client = serve(shop_copy, trust_proxy=True)
    assert client.post("/v1/menus", json={"request": "x"}).status_code == 401
    assert (
        client.post("/v1/menus", json={"request": "x"}, headers=bearer(secret)).status_code == 200
    )
