"""`spm tokens`: the secret is printed once, and never again."""

import json

import pytest

from spm.cli.main import main


@pytest.fixture
def run(tmp_path, capsys):
    """Run a command on one store; its exit code and what it printed."""

    def call(*arguments):
        code = main([*arguments, "--store", str(tmp_path / "store")])
        return code, *capsys.readouterr()

    return call


def test_a_token_is_created_listed_and_revoked(run):
    code, out, err = run("tokens", "create", "bot", "--team", "mail", "--scopes", "b,a")
    secret = out.strip()
    assert (code, secret[:4], len(secret)) == (0, "spm_", 47)
    assert "team mail" in err
    code, out, _ = run("tokens", "list", "--json")
    (token,) = json.loads(out)
    assert (token["name"], token["team"], token["scopes"]) == ("bot", "mail", ["a", "b"])
    assert (token["may"], token["status"]) == (["read"], "active")
    _, table, _ = run("tokens", "list")
    assert token["id"][:12] in table
    assert secret not in out + table
    assert run("tokens", "revoke", "bot")[0] == 0
    assert json.loads(run("tokens", "list", "--json")[1])[0]["status"] == "revoked"
    code, _, err = run("tokens", "revoke", "bot")
    assert code == 1
    assert "spm tokens list" in err


def test_what_a_token_may_do_is_chosen(run):
    _, out, _ = run("tokens", "create", "in", "--may", "traces", "--may", "read", "--json")
    made = json.loads(out)
    assert made["may"] == ["read", "traces"]
    assert made["team"] is None
    assert made["secret"].startswith("spm_")
    code, _, err = run("tokens", "create", "other", "--may", "everything")
    assert code == 1
    assert "read, traces, call, metrics, register" in err


def test_a_service_for_others_needs_a_token_first(run):
    for options in (["--host", "0.0.0.0"], ["--require-token"], ["--trust-proxy"]):
        code, out, err = run("serve", "--port", "0", *options)
        assert (code, out) == (1, "")
        assert "spm tokens create" in err
