"""`spm tools access`, and the same options of `spm tools register`."""

import json

import pytest


@pytest.fixture
def run(spm, tmp_path):
    tools = [{"name": "send", "description": "Send a mail."}, {"name": "read"}]
    (tmp_path / "mail.json").write_text(json.dumps({"spm": 1, "service": "mail", "tools": tools}))

    def act(*arguments):
        return spm(*arguments, "--store", tmp_path / "store")

    act.source = tmp_path / "mail.json"  # type: ignore[attr-defined]
    return act


def test_registered_for_a_team(run):
    given = ["--owner", "support", "--visibility", "team", "--scopes", "mail:send,mail:read"]
    plan = run("tools", "register", run.source, "--dry-run", *given)
    assert plan.code == 0
    run("tools", "register", run.source, *given)
    shown = run("tools", "show", "send").out
    assert "Owner support, team, scopes: mail:read, mail:send" in shown
    (again,) = run("tools", "register", run.source, "--json").json
    assert (again["reowned"], again["revision"]) == ([], None)
    none = run("menu", "send a mail", "--as", "support", "--scopes", "other")
    assert none.code == 1
    assert "2 tools, none visible to support with the scopes other." in none.err


def test_set_listed_and_taken_back(run):
    run("tools", "register", run.source)
    assert run("tools", "access", "--json").json["tools"][0] == {
        "id": "mail/read", "owner": "", "visibility": "public", "scopes": [], "set": [],
    }  # fmt: skip
    done = run("tools", "access", "mail/*", "--owner", "support", "--scopes", "a, b")
    assert (done.code, done.err) == (0, "2 tools, 2 changed\n")
    assert "support" in done.out
    cleared = run("tools", "access", "send", "--scopes", "", "--json").json
    assert cleared["changed"] == ["mail/send"]
    assert cleared["tools"][0]["scopes"] == []
    back = run("tools", "access", "*", "--as-source", "--json").json
    assert back["changed"] == ["mail/read", "mail/send"]
    assert {tool["owner"] for tool in back["tools"]} == {""}


def test_mistakes_are_told(run):
    run("tools", "register", run.source)
    both = run("tools", "access", "*", "--as-source", "--owner", "x")
    assert both.code == 2
    hidden = run("tools", "access", "*", "--visibility", "team")
    assert hidden.code == 1
    assert "has no owner" in hidden.err
    assert "No visibility 'hidden'" in run("tools", "access", "*", "--visibility", "hidden").err
    assert "No tool named 'x*'" in run("tools", "access", "x*").err
