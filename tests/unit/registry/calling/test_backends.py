"""The operator's file of backends: what it allows, and what nothing in the graph can add."""

import pytest

from spm.registry.calling.backends import Backends, HttpBackend, McpBackend, read_backends
from spm.registry.errors import InputError

HTTP = {"http": {"base_url": "https://api.example/v1"}}


def read(tmp_path, text):
    file = tmp_path / "backends.yaml"
    file.write_text(text)
    return read_backends(file)


def test_without_a_file_nobody_runs_anything():
    assert read_backends(None).of("orders", {"format": "openapi", "server": "http://x"}) is None


def test_services_have_the_backends_that_the_file_names(tmp_path):
    found = read(
        tmp_path,
        """
services:
  orders: {http: {base_url: "https://orders.example/v1/", auth_env: KEY}}
  memory: {mcp: {command: [npx, server]}}
  search: {mcp: {url: "http://127.0.0.1:9/mcp"}}
""",
    )
    orders = found.of("orders", None)
    assert isinstance(orders, HttpBackend)
    assert orders.base_url == "https://orders.example/v1"
    assert orders.headers({"KEY": " s3 "}) == {"Authorization": "Bearer s3"}
    assert isinstance(found.of("memory", None), McpBackend)
    assert found.of("search", None).url == "http://127.0.0.1:9/mcp"
    assert found.of("others", None) is None


def test_clients_approve_for_no_service_that_does_not_say_so():
    said = {"a": HTTP, "b": {**HTTP, "approve": "elicitation"}}
    found = Backends.model_validate({"services": said})
    assert [found.elicits(service) for service in ("a", "b", "c")] == [False, True, False]


def test_a_credential_may_go_into_another_header():
    backend = HttpBackend(
        base_url="https://x.example", auth_env="K", auth_header="X-Api-Key", auth_scheme=""
    )
    assert backend.headers({"K": "s"}) == {"X-Api-Key": "s"}
    with pytest.raises(InputError, match="K is not set"):
        backend.headers({})


@pytest.mark.parametrize(
    "bad",
    [
        "[]", "services: 3", "services: {a: {}}", "services: {a: {http: {}}}", "{",
        "services: {a: {http: {base_url: 'ftp://x'}}}",
        "services: {a: {http: {base_url: 'http://elsewhere.example'}}}",
        "services: {a: {http: {base_url: 'https://user:pw@x.example'}}}",
        "services: {a: {http: {base_url: 'https://x.example?key=s'}}}",
        "services: {a: {http: {base_url: 'https://x.example', auth_env: 'a b'}}}",
        "services: {a: {http: {base_url: 'https://x.example', secret: x}}}",
        "services: {a: {mcp: {}}}",
        "services: {a: {mcp: {command: [x], url: 'https://x.example'}}}",
        "services: {a: {http: {base_url: 'https://x.example'}, mcp: {command: [x]}}}",
        "services: {a: {registered: {hosts: []}}}",
        "services: {a: {http: {base_url: 'https://x.example', timeout: 0}}}",
        "services: {a: {http: {base_url: 'https://x.example'}, approve: yes}}",
        "services: {a: {approve: elicitation}}",
    ],
)  # fmt: skip
def test_what_is_not_valid_is_refused_by_name(tmp_path, bad):
    with pytest.raises(InputError, match=r"backends\.yaml"):
        read(tmp_path, bad)


def test_the_registered_address_is_believed_on_listed_hosts_only():
    known = Backends.model_validate(
        {"services": {"a": {"registered": {"hosts": ["api.example"], "auth_env": "K"}}}}
    )
    good = known.of("a", {"format": "openapi", "server": "https://api.example/v1"})
    assert isinstance(good, HttpBackend)
    assert (good.base_url, good.auth_env) == ("https://api.example/v1", "K")
    mcp = known.of("a", {"format": "mcp", "server": "mcp+https://api.example/mcp"})
    assert isinstance(mcp, McpBackend)
    assert (mcp.url, mcp.command) == ("https://api.example/mcp", ())


@pytest.mark.parametrize(
    "server",
    [
        "", "https://evil.example/v1", "https://api.example.evil.example", "http://api.example",
        "https://api.example@evil.example/", "mcp+stdio:rm -rf /", "file:///etc/passwd",
        "https://169.254.169.254/", "https://x@api.example/", "//api.example",
    ],
)  # fmt: skip
def test_whatever_else_the_graph_says_is_not(server):
    known = Backends.model_validate({"services": {"a": {"registered": {"hosts": ["api.example"]}}}})
    for format in ("openapi", "mcp", "python", None):
        assert known.of("a", {"format": format, "server": server}) is None
    assert known.of("a", None) is None
