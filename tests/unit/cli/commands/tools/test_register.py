"""`spm tools register`: any source, a preview, all or nothing, and nothing twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.help_desk import SPECIFICATION

DATA = Path(__file__).resolve().parents[4] / "data" / "formats"
MAIL: dict[str, Any] = {
    "spm": 1,
    "service": "mail",
    "tools": [{"name": "send", "description": "one", "version": "1"}, {"name": "read"}],
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def run(spm, folder):
    return lambda *arguments: spm(*arguments, "--store", folder)


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def bytes_of(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def changed(**more):
    first, second = MAIL["tools"]
    return {**MAIL, "tools": [{**first, "description": "two", "version": "2", **more}, second]}


SOURCES = [
    (DATA / "openapi" / "shop-3.0.yaml", "openapi"),
    (DATA / "openapi" / "shop-2.0.json", "openapi"),
    (DATA / "mcp" / "2026-07-28.json", "mcp"),
    (DATA / "functions" / "openai-chat.json", "functions"),
    ("textwrap:shorten", "python"),
]


@pytest.mark.parametrize(("source", "format"), SOURCES, ids=[s[1] for s in SOURCES])
def test_any_source_is_registered_and_recognised_the_second_time(run, folder, source, format):
    first = run("tools", "register", source, "--json")
    assert first.code == 0
    (result,) = first.json
    assert result["format"] == format
    assert result["added"]
    before = bytes_of(folder)
    (again,) = run("tools", "register", source, "--json").json
    assert again["unchanged"] == result["added"]
    assert (again["added"], again["changed"], again["revision"]) == ([], [], None)
    assert bytes_of(folder) == before


def test_several_sources_are_registered_together(run, tmp_path):
    done = run("tools", "register", SOURCES[0][0], write(tmp_path / "m.json", MAIL))
    assert done.code == 0
    assert "(service shop-api)" in done.out
    assert "2 added, 0 changed, 0 unchanged (service mail)" in done.out


def test_a_bad_source_among_good_ones_leaves_nothing_of_any(run, tmp_path, folder):
    good, bad = write(tmp_path / "m.json", MAIL), write(tmp_path / "bad.json", {"hello": 1})
    done = run("tools", "register", good, bad)
    assert done.code == 1
    assert "no known format" in done.err
    assert "--from" in done.err
    assert not folder.exists() or run("tools", "list", "--json").json == []


def test_a_conflict_leaves_nothing_of_its_source(run, tmp_path):
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    conflict = changed(version="1")
    conflict["tools"].append({"name": "new"})
    other = write(tmp_path / "o.json", {**MAIL, "service": "other"})
    done = run("tools", "register", other, write(tmp_path / "m.json", conflict))
    assert done.code == 1
    assert "Raise 'version'" in done.err
    listed = {row["id"]: row["description"] for row in run("tools", "list", "--json").json}
    assert sorted(listed) == ["mail/read", "mail/send", "other/read", "other/send"]
    assert listed["mail/send"] == "one"


def test_a_dry_run_prints_the_difference_and_changes_nothing(run, tmp_path, folder):
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    before = bytes_of(folder)
    after = changed(effects="destructive")
    after["tools"].append({"name": "new"})
    source = write(tmp_path / "m.json", after)
    done = run("tools", "register", source, "--dry-run")
    assert done.code == 0
    assert "+ mail/new" in done.out
    assert "~ mail/send" in done.out
    assert "two" in done.out
    assert "! " in done.out  # a tool that destroys now may break its callers
    assert "Nothing was changed (--dry-run)." in done.err
    (plan,) = run("tools", "register", source, "--dry-run", "--json").json
    assert (plan["added"], plan["changed"]) == (["mail/new"], ["mail/send"])
    assert {c["what"]: c["breaking"] for c in plan["changes"]["mail/send"]} == {
        "description": False,
        "effects": True,
    }
    assert bytes_of(folder) == before


def test_the_format_can_be_forced_and_a_wrong_one_is_refused(run, tmp_path):
    source = write(tmp_path / "m.json", MAIL)
    assert run("tools", "register", source, "--from", "spm").code == 0
    done = run("tools", "register", source, "--from", "openapi")
    assert (done.code, done.out) == (1, "")
    done = run("tools", "register", source, "--from", "soap")
    assert "Known: spm, openapi" in done.err


def test_a_name_that_is_taken_by_another_source_is_never_overwritten(run, tmp_path):
    server = {"tools": [{"name": "send", "inputSchema": {"type": "object"}}]}
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    done = run("tools", "register", write(tmp_path / "mail.json", server))
    assert "(service mail-2)" in done.out
    assert "belongs to another source" in done.err
    assert "--service" in done.err
    ids = [row["id"] for row in run("tools", "list", "--json").json]
    assert ids == ["mail-2/send", "mail/read", "mail/send"]
    own = run("tools", "register", tmp_path / "mail.json", "--service", "post", "--json").json
    assert own[0]["added"] == ["post/send"]


def test_what_changed_after_approval_waits_with_pin(run, tmp_path):
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    run("tools", "approve", "--all", "--by", "Ann")
    done = run("tools", "register", write(tmp_path / "m.json", changed()), "--pin")
    assert done.code == 0
    assert "1 tools wait for approval: spm tools approve" in done.err
    names = run("menu", "send a mail", "--format", "names").out.split()
    assert names == ["read"]
    assert run("tools", "approve", "send", "--json").json == {"approved": ["mail/send"]}
    assert set(run("menu", "send a mail", "--format", "names").out.split()) == {"read", "send"}


def test_pin_after_an_unpinned_change_and_its_dry_run(run, tmp_path, folder):
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    run("tools", "approve", "--all", "--by", "Ann")
    source = write(tmp_path / "m.json", changed())
    run("tools", "register", source)
    before = bytes_of(folder)
    done = run("tools", "register", source, "--dry-run", "--pin")
    assert "! mail/send (would wait for approval)" in done.out
    assert "0 added, 0 changed, 2 unchanged" in done.out
    (plan,) = run("tools", "register", source, "--dry-run", "--pin", "--json").json
    assert plan["quarantined"] == ["mail/send"]
    assert run("tools", "register", source, "--dry-run", "--json").json[0]["quarantined"] == []
    assert bytes_of(folder) == before
    done = run("tools", "register", source, "--pin")
    assert "1 tools wait for approval: spm tools approve" in done.err
    done = run("tools", "deprecate", "send")
    assert (done.code, done.out) == (1, "")
    assert "spm tools approve" in done.err


def test_links_that_changed_are_told(run, tmp_path):
    text = (DATA / "openapi" / "shop-3.0.yaml").read_text()
    source = tmp_path / "shop.yaml"
    source.write_text(text)
    run("tools", "register", source)
    source.write_text(text.replace("links:", "x-links:"))
    assert text != source.read_text()
    done = run("tools", "register", source, "--dry-run")
    assert "(links)" in done.out
    assert "with other links (service shop-api)" in done.out
    (result,) = run("tools", "register", source, "--json").json
    assert result["relinked"]
    assert (result["added"], result["changed"]) == ([], [])
    (again,) = run("tools", "register", source, "--json").json
    assert (again["relinked"], again["revision"]) == ([], None)


def test_a_new_owner_is_told_before_and_after(run, tmp_path, folder):
    def said(owner):
        return write(tmp_path / "m.json", {**MAIL, "service": {"name": "mail", "owner": owner}})

    run("tools", "register", said("post"))
    before = bytes_of(folder)
    done = run("tools", "register", said("news"), "--dry-run")
    assert "→ mail/send (access)" in done.out
    assert "2 unchanged, 2 with other access (service mail)" in done.out
    assert "The service 'mail' has another owner." in done.err
    assert bytes_of(folder) == before
    (result,) = run("tools", "register", said("news"), "--json").json
    assert result["reowned"] == ["mail/send", "mail/read"]
    assert "Owner news" in run("tools", "show", "send").out
    (again,) = run("tools", "register", said("news"), "--json").json
    assert (again["reowned"], again["described"], again["revision"]) == ([], [], None)


def test_what_is_missing_from_a_source_is_said(run, tmp_path):
    run("tools", "register", write(tmp_path / "m.json", MAIL))
    fewer = {**MAIL, "tools": MAIL["tools"][:1]}
    done = run("tools", "register", write(tmp_path / "m.json", fewer))
    assert "1 tools of 'mail' are not in this source: mail/read" in done.err


def test_workflows_are_sent_to_traces(run):
    done = run("tools", "register", DATA / "openapi" / "buy.arazzo.yaml")
    assert done.code == 1
    assert "spm traces import" in done.err


def test_help_names_every_kind_of_source(spm):
    said = " ".join(spm("tools", "register", "--help").out.split())
    assert "mcp+stdio" in said
    assert "--dry-run" in said
    assert "--pin" in said


def test_a_shown_tool_names_the_roles_in_which_others_take_its_answer(spm, tmp_path):
    place = tmp_path / "s"
    assert spm("tools", "register", SPECIFICATION, "--store", place).code == 0
    shown = spm("tools", "show", "findUser", "--store", place).out
    assert "taken as" in shown
    assert ["requester_id", "help-desk/createTicket"] in [
        line.split() for line in shown.splitlines()
    ]
    assert "taken as" not in spm("tools", "show", "listTeams", "--store", place).out


def test_a_folder_stands_for_the_documents_in_it(run, tmp_path):
    documents = tmp_path / "apis"
    (documents / "deeper").mkdir(parents=True)
    write(documents / "mail.json", MAIL)
    (documents / "desk.YAML").write_text("spm: 1\nservice: desk\ntools: [{name: open}]\n")
    (documents / "notes.txt").write_text("no source")
    write(documents / "deeper" / "more.json", {**MAIL, "service": "more"})
    done = run("tools", "register", documents, "--json").json
    assert [one["service"] for one in done] == ["desk", "mail"]
    write(documents / "package.json", {"name": "no source either"})
    refused = run("tools", "register", documents)
    assert refused.code == 1
    assert "package.json' is of no known format" in refused.err
    none = run("tools", "register", tmp_path / "apis" / "deeper" / "..", tmp_path)
    assert none.code == 1
    assert "ends in .json, .yaml, .yml" in none.err
