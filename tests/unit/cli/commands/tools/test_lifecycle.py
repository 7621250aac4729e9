"""`spm tools history | diff | deprecate | approve | lint` on the command line."""

import json

import pytest


def manifest(text="Sends one mail to one address, now.", **more):
    send = {"name": "send", "description": text, "family": "mail", **more}
    return {"spm": 1, "service": "mail", "tools": [send, {"name": "read"}]}


@pytest.fixture
def run(spm, tmp_path):
    return lambda *arguments: spm(*arguments, "--store", tmp_path / "store")


@pytest.fixture
def register(run, tmp_path):
    def register(*arguments, **more):
        file = tmp_path / "m.json"
        file.write_text(json.dumps(manifest(**more)))
        done = run("tools", "register", file, *arguments)
        assert done.code == 0
        return done

    register()
    return register


def status(run, name="send"):
    return run("tools", "show", name, "--json").json["tool"]["status"]


def refused(done, text):
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("spm: ")
    assert text in done.err
    assert "Traceback" not in done.err


def test_history_lists_versions_also_of_a_removed_tool(run, register):
    register(text="two")
    assert [row["version"] for row in run("tools", "history", "send", "--json").json] == ["1", "2"]
    run("tools", "remove", "send")
    assert len(run("tools", "history", "mail/send", "--json").json) == 2
    assert run("tools", "history", "mail/send").out.count("\n") == 4
    refused(run("tools", "history", "nobody"), "nobody")


def test_a_difference_that_breaks_ends_with_1(run, register):
    register(text="two")
    done = run("tools", "diff", "send")
    assert done.code == 0
    assert "mail/send: 1 → 2" in done.out
    register(text="two", inputs=[{"name": "address"}])
    done = run("tools", "diff", "send", "--json")
    assert done.code == 1
    assert done.json["breaking"] is True
    assert [(c["what"], c["breaking"]) for c in done.json["changes"]] == [("input address", True)]
    assert run("tools", "diff", "send", "1", "2").code == 0
    assert run("tools", "diff", "send", "1").code == 1


def test_a_difference_needs_versions_that_exist(run, register):
    refused(run("tools", "diff", "send"), "only version '1'")
    register(text="two")
    refused(run("tools", "diff", "send", "7"), "It has: 1, 2")


def test_a_tool_is_deprecated_with_its_successor(run, register):
    done = run("tools", "deprecate", "send", "--successor", "read")
    assert (done.code, done.out) == (0, "mail/send is deprecated; use mail/read.\n")
    assert "Use instead: mail/read" in run("tools", "show", "send").out
    register(text="two")
    assert status(run) == "deprecated"
    refused(run("tools", "deprecate", "send", "--successor", "send"), "own successor")
    refused(run("tools", "deprecate", "sned"), "mail/send")
    assert run("tools", "deprecate", "read", "--json").json["successor"] is None


def test_what_waits_is_listed_and_approved(run, register):
    assert "Nothing waits for approval." in run("tools", "approve").err
    assert run("tools", "approve", "--json").json == []
    assert run("tools", "approve", "--all", "--by", "Ann").out == "2 tools approved\n"
    register("--pin", text="two")
    (waiting,) = run("tools", "approve", "--json").json
    assert waiting["id"] == "mail/send"
    assert "changed" in run("tools", "approve").out
    assert status(run) == "quarantined"
    assert run("tools", "approve", "send", "--by", "Ann").code == 0
    assert status(run) == "active"
    refused(run("tools", "approve", "nobody"), "nobody")


def test_approving_everything_does_not_bring_back_what_is_deprecated(run, register):
    run("tools", "deprecate", "read")
    assert run("tools", "approve", "--all", "--json").json == {"approved": ["mail/send"]}
    assert status(run, "read") == "deprecated"


def test_lint_is_a_gate(run, register):
    found = run("tools", "lint", "--json")
    assert found.code == 0
    scores = {row["tool"]: row["score"] for row in found.json["tools"]}
    assert found.json["worst"] == min(scores.values()) == scores["mail/read"]
    assert found.json["mean"] == round(sum(scores.values()) / 2)
    worst = found.json["worst"]
    assert run("tools", "lint", "--minimum", worst).code == 0
    assert run("tools", "lint", "--minimum", worst + 1).code == 1
    assert run("tools", "lint", "--minimum", 101).code == 2


def test_lint_says_what_to_change_worst_first(run, register):
    done = run("tools", "lint", "--count", 1)
    assert done.out.startswith("mail/read")
    assert "[no-description]" in done.out
    assert "mail/send" not in done.out
    assert "2 tools, mean score" in done.err


def test_a_source_is_judged_before_it_is_registered(run, tmp_path):
    file = tmp_path / "m.json"
    file.write_text(json.dumps(manifest()))
    done = run("tools", "lint", file, "--json")
    assert {row["tool"] for row in done.json["tools"]} == {"mail/send", "mail/read"}
    assert run("tools", "list", "--json").code == 3  # nothing was written
    assert run("tools", "lint", file, "--minimum", 99).code == 1
    refused(run("tools", "lint", tmp_path / "none.json"), "Cannot read")


@pytest.mark.parametrize("command", ["history", "diff", "deprecate", "approve", "lint"])
def test_each_command_explains_itself(spm, command):
    done = spm("tools", command, "--help")
    assert done.code == 0
    assert "--json" in done.out
