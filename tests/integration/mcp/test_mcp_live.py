"""Real MCP servers, as children and over HTTP on this machine; some of them misbehave."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from spm.registry.errors import ManifestError
from spm.registry.importers.mcp import read_mcp_server

SERVER = Path(__file__).parents[2] / "data" / "workers" / "mcp_server.py"


def stdio(mode):
    return f"mcp+stdio:{sys.executable} {SERVER} {mode}"


@pytest.fixture(scope="module")
def port():
    command = [sys.executable, str(SERVER), "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield int(server.stdout.readline())
        server.terminate()


def check(source, server):
    assert (source.format, source.name) == ("mcp", server)
    assert source.manifest.service.name == "test-shop"
    found = {tool.name: tool for tool in source.manifest.tools}
    assert {name: tool.effects for name, tool in found.items()} == {
        "find_order": "read",
        "create_receipt": "write",
        "get_customer_email": "read",  # it has no annotations: its name says so
    }
    order = found["find_order"]
    assert order.title == "Find an order"
    assert order.description == "Find an order of a customer."
    assert [(i.name, i.required) for i in order.inputs] == [
        ("customer_id", True),
        ("newest", False),
    ]
    assert [o.name for o in order.outputs] == ["order_id", "total"]
    assert {"receipt_id", "order_id"} <= {o.name for o in found["create_receipt"].outputs}
    assert [o.name for o in found["get_customer_email"].outputs] == ["customer_email"]
    assert order.call == {"format": "mcp", "server": server, "tool": "find_order"}


@pytest.mark.parametrize("mode", ["stdio", "chatty"])
def test_a_command_is_asked_for_its_tools(mode):
    check(read_mcp_server(stdio(mode)), stdio(mode))


def test_a_server_is_asked_over_http(port):
    address = f"mcp+http://127.0.0.1:{port}/mcp"
    check(read_mcp_server(address + "?key=secret"), address)


def test_a_proxy_is_not_asked_for_this_machine(port, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert read_mcp_server(f"mcp+http://localhost:{port}/mcp", service="mine")


def test_all_pages_are_read_and_one_without_an_end_is_noted():
    source = read_mcp_server(stdio("paged"))
    assert [tool.name for tool in source.manifest.tools] == ["tool_0", "tool_1", "tool_2"]
    assert any("incomplete" in note for note in source.notes)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("dies", "Its last words: the database is gone"),
        ("hangs", "did not list its tools within 2 seconds"),
        ("garbage", "wrote 1 lines to stdout that are not MCP"),
    ],
)
def test_a_server_that_misbehaves_is_named(mode, message, capfd):
    with pytest.raises(ManifestError, match=message) as caught:
        # Who dies is heard of when it does; the others are waited for, however slow the machine.
        read_mcp_server(stdio(mode), timeout=60 if mode == "dies" else 2)
    assert f"mcp_server.py {mode}" in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_server_that_misbehaves_is_ended(tmp_path):
    pid = tmp_path / "pid"
    script = f"echo $$ > {pid}; exec sleep 600"
    with pytest.raises(ManifestError, match="within 2 seconds"):
        read_mcp_server(f'mcp+stdio:sh -c "{script}"', timeout=2)
    assert not Path("/proc", pid.read_text().strip()).exists()


def test_the_child_does_not_see_the_environment(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    script = "import os, sys; sys.exit(os.environ.get('SECRET_TOKEN', 'nothing to see'))"
    with pytest.raises(ManifestError, match="nothing to see"):
        read_mcp_server(f'mcp+stdio:{sys.executable} -c "{script}"')


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("mcp+stdio:no-such-program", "No such file"),
        ("mcp+http://127.0.0.1:9/mcp", "failed: "),
    ],
)
def test_a_server_that_is_not_there(target, message):
    with pytest.raises(ManifestError, match=message):
        read_mcp_server(target)


def test_a_web_server_that_is_no_mcp_server(port):
    with pytest.raises(ManifestError, match="failed: Not Found"):
        read_mcp_server(f"mcp+http://127.0.0.1:{port}/elsewhere")
