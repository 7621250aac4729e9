"""`spm fields list | suggest | is | merge | split` on the command line."""

import json

import pytest

from spm.registry.registry import Registry


@pytest.fixture
def run(spm, tmp_path, manifest):
    with Registry.open(str(tmp_path / "store")) as registry:
        registry.register(
            manifest(
                "s",
                find=([], ["clientNumber"]),
                mail=(["customer_number"], []),
                track=(["client_number"], []),
            )
        )
    return lambda *arguments: spm("fields", *arguments, "--store", tmp_path / "store")


def refused(done, text):
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("spm: ")
    assert text in done.err


def test_fields_are_listed_with_who_makes_and_takes_them(run):
    rows = {row["field"]: row for row in run("list", "--json").json}
    client = rows["client_number"]
    assert (client["producers"], client["consumers"], client["required"]) == (1, 1, 1)
    assert client["aliases"] == ["clientNumber"]
    assert [row["field"] for row in run("list", "--unproduced", "--json").json] == [
        "customer_number"
    ]
    done = run("list")
    assert "clientNumber" in done.out
    assert "2 fields" in done.err


def test_suggestions_come_with_confidence_reasons_and_a_next_step(run):
    (found,) = run("suggest", "--json").json
    assert (found["output"], found["input"]) == ("client_number", "customer_number")
    assert 0.35 <= found["confidence"] <= 1
    assert found["reasons"]["description"] > 0.5
    assert found["unblocks"] == 1
    done = run("suggest")
    assert "customer_number is a client_number" in done.out
    assert found["command"] == "spm fields is customer_number client_number"
    assert found["command"] in done.out
    assert run("suggest", "--minimum", 1, "--json").json == []
    assert "Nothing to suggest." in run("suggest", "--minimum", 1).err
    assert run("suggest", "--minimum", 2).code == 2


def test_observed_values_are_shown_with_their_count(run, spm, tmp_path, manifest):
    lines = [
        {
            "trace_id": str(i),
            "request": "x",
            "steps": [
                {"tool": "find", "result": {"badge": f"SECRET-{i}"}},
                {"tool": "mail", "arguments": {"customer_number": f"SECRET-{i}"}},
            ],
        }
        for i in range(12)
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert spm("traces", "import", file, "--store", tmp_path / "store").code == 0
    assert run("suggest", "--json").json == []  # the edge is there, observed
    with Registry.open(str(tmp_path / "store")) as registry:
        registry.register(manifest("s", greet=(["customer_number"], [])))
    first, *_ = run("suggest", "--json").json
    assert (first["output"], first["input"], first["observed"]) == ("badge", "customer_number", 12)
    done = run("suggest")
    assert "observed 12×" in done.out
    assert "SECRET" not in done.out + run("suggest", "--json").out


def test_a_merge_is_kept_shown_and_taken_back(run):
    done = run("merge", "clientNumber", "customer_number", "--by", "Ann", "--json")
    assert done.json == {
        "field": "client_number",
        "same": "customer_number",
        "reviewed_by": "Ann",
    }
    rows = {row["field"]: row["same"] for row in run("list", "--json").json}
    assert rows == {"client_number": ["customer_number"], "customer_number": ["client_number"]}
    assert run("suggest", "--json").json == []
    done = run("split", "customer_number", "client_number")
    assert done.out == "client_number and customer_number are two fields again.\n"
    assert all(row["same"] == [] for row in run("list", "--json").json)


def test_a_field_is_another_until_it_is_taken_back(run):
    done = run("is", "customerNumber", "client_number", "--by", "Ann", "--json")
    assert done.json == {
        "field": "customer_number",
        "kind": "client_number",
        "reviewed_by": "Ann",
    }
    rows = {row["field"]: row["kinds"] for row in run("list", "--json").json}
    assert rows == {"client_number": [], "customer_number": ["client_number"]}
    assert run("suggest", "--json").json == []
    done = run("is", "--undo", "customer_number", "client_number")
    assert done.out == "customer_number is no client_number any more.\n"
    assert all(row["kinds"] == [] for row in run("list", "--json").json)
    refused(run("is", "--undo", "customer_number", "client_number"), "Nobody said")
    done = run("is", "customer_number", "client_number")
    assert done.out == "customer_number is a client_number from now on.\n"


def test_who_merges_is_written_down_without_being_asked(run):
    assert run("merge", "client_number", "customer_number", "--json").json["reviewed_by"]


def test_mistakes_are_one_line_with_a_next_step(run):
    refused(run("merge", "client_nubmer", "customer_number"), "client_number")
    refused(run("merge", "client_number", "clientNumbers"), "one field already")
    refused(run("split", "client_number", "customer_number"), "See: spm fields list")
    assert run("merge", "client_number").code == 2


@pytest.mark.parametrize("command", ["list", "suggest", "is", "merge", "split"])
def test_each_command_explains_itself(spm, command):
    done = spm("fields", command, "--help")
    assert done.code == 0
    assert "--json" in done.out
