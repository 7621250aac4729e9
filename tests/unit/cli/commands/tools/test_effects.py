"""`spm tools effects`: list, decide, take back, and who did."""

import json

import pytest

MAIL = {
    "spm": 1,
    "service": "mail",
    "tools": [
        {"name": "send", "effects": "write", "description": "Send a mail."},
        {"name": "peek", "effects": "read", "description": "Look into a mail."},
    ],
}


@pytest.fixture
def run(spm, tmp_path):
    source = tmp_path / "mail.json"
    source.write_text(json.dumps(MAIL))
    spm("tools", "register", source, "--store", tmp_path / "store")
    return lambda *arguments: spm(*arguments, "--store", tmp_path / "store")


def test_without_an_effect_tools_are_listed(run):
    assert [row["effects"] for row in run("tools", "effects", "--json").json] == ["read", "write"]
    shown = run("tools", "effects", "mail/s*")
    assert "stated by its source" in shown.out
    assert "peek" not in shown.out


def test_a_decision_is_shown_everywhere_with_its_reason(run):
    done = run("tools", "effects", "send", "destructive", "--because", "no undo", "--by", "Zoë")
    assert (done.code, "no undo" in done.out, "Zoë" in done.out) == (0, True, True)
    shown = run("tools", "show", "send").out
    assert "Effects: destructive, no undo (decided by Zoë, " in shown
    assert "its source says write)" in shown
    rows = {row["id"]: row for row in run("tools", "list", "--json").json}
    assert rows["mail/send"]["effects_reason"] == "no undo"
    assert rows["mail/send"]["effects_by"] == "Zoë"
    explained = " ".join(run("menu", "Send a mail", "--explain").out.split())
    assert "destructive: no undo" in explained


def test_a_decision_is_taken_back_and_stays_in_the_history(run):
    run("tools", "effects", "*", "read", "--because", "sandbox")
    assert run("tools", "effects", "*", "--reset", "--json").json[1]["effects"] == "write"
    rows = run("tools", "effects", "--history", "--json").json
    assert [(row["tool"], row["kind"]) for row in rows] == [
        ("mail/peek", "override"), ("mail/peek", "reset"),
        ("mail/send", "override"), ("mail/send", "reset"),
    ]  # fmt: skip
    assert "sandbox" in run("tools", "effects", "send", "--history").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["send", "read", "--reset"], "not both"),
        (["send", "--because", "x"], "--because goes with"),
        (["send", "read", "--history"], "only lists"),
        (["send", "maybe"], "maybe"),
        (["sent", "read"], "No tool named 'sent'"),
    ],
)
def test_what_makes_no_sense_is_refused(run, arguments, said):
    done = run("tools", "effects", *arguments)
    assert done.code != 0
    assert said in done.err
    assert run("tools", "effects", "--history", "--json").json == []
