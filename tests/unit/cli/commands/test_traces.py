"""`spm traces import | stats | prune | decay` on the command line."""

import json
from pathlib import Path

import pytest

from spm.registry.registry import Registry
from spm.registry.traces.formats import TRACE_FORMATS

DATA = Path(__file__).resolve().parents[3] / "data" / "formats" / "traces"


@pytest.fixture
def run(spm, tmp_path, manifest):
    with Registry.open(str(tmp_path / "store")) as registry:
        names = ("find_orders", "get_policy", "cancel_order", "refund", "ping", "unused")
        registry.register(manifest("s", **dict.fromkeys(names, ([], []))))
    return lambda *arguments: spm("traces", *arguments, "--store", tmp_path / "store")


def test_a_transcript_is_imported_once(run):
    done = run("import", DATA / "chat.jsonl", "--json")
    assert done.json == {
        "imported": 4, "known": 0, "skipped": 0, "steps": 6, "differing": 0, "dropped": 0,
    }  # fmt: skip
    done = run("import", DATA / "chat.jsonl")
    assert done.out == "0 trajectories imported, 4 already known\n"
    assert run("import", DATA / "chat.jsonl", "--from", "openai", "--json").json["known"] == 4


def test_unknown_tools_stop_an_import_unless_they_are_left_out(run):
    done = run("import", DATA / "anthropic.json")
    assert (done.code, done.out) == (1, "")
    assert "--skip-unknown" in done.err
    done = run("import", DATA / "anthropic.json", "--skip-unknown")
    assert done.code == 0
    assert "2 skipped (unknown tools)" in done.out


def test_a_wrong_format_is_refused_with_the_known_ones(run):
    done = run("import", DATA / "chat.jsonl", "--from", "zipkin")
    assert done.code == 2
    assert all(f"'{name}'" in done.err for name in TRACE_FORMATS)


def test_statistics_are_shown(run):
    assert "spm traces import FILE" in run("stats").err
    run("import", DATA / "chat.jsonl")
    found = run("stats", "--json").json
    assert (found["trajectories"], found["successful"]) == (4, 4)
    assert found["unused"] == ["s/unused"]
    assert [row["id"] for row in found["errors"]] == ["s/get_policy"]
    assert [(r["first"], r["second"]) for r in found["travelled"]] == [
        ("s/find_orders", "s/cancel_order")
    ]
    done = run("stats", "--top", 1)
    assert "4 trajectories, 4 successful" in done.out
    assert "1 active tools were never called: s/unused" in done.out


def test_a_known_id_with_other_content_is_told(run, tmp_path):
    file = tmp_path / "t.jsonl"
    for request in ("one", "two"):
        file.write_text(json.dumps({"trace_id": "t", "request": request, "steps": ["ping"]}))
        done = run("import", file)
        assert done.code == 0
    assert done.out == "0 trajectories imported, 1 already known\n"
    assert "1 of the known came with the same id, but other content" in done.err
    assert run("import", file, "--json").json["differing"] == 1


def test_old_trajectories_are_pruned_and_still_known(run):
    run("import", DATA / "chat.jsonl")
    assert run("prune", "--before", "2026-09-21", "--json").json == {"pruned": 0}
    assert run("prune", "--before", "2026-09-22", "--json").json == {"pruned": 2}
    assert run("prune", "--before", "2026-09-22").out == "0 trajectories pruned\n"
    assert run("import", DATA / "chat.jsonl", "--json").json["known"] == 4
    assert run("stats", "--json").json["trajectories"] == 4
    assert run("prune", "--before", "yesterday").code == 2
    assert run("prune").code == 2


def test_old_transitions_weigh_less(run, tmp_path):
    lines = [{"request": "x", "steps": ["ping", "refund"], "time": "2020-01-01T00:00:00Z"}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run("import", tmp_path / "t.jsonl")
    assert run("decay", "--half-life", 30, "--json").json == {"weighed": 1}
    with Registry.open(str(tmp_path / "store")) as registry:
        (row,) = registry.store.read("library/precedes")
    assert (row["first"], row["second"]) == ("s/ping", "s/refund")
    assert row["count"] < 0.001
    assert run("stats", "--json").json["travelled"][0]["count"] == 1
    assert run("decay", "--half-life", 0).code == 2


@pytest.mark.parametrize("command", ["import", "stats", "prune", "decay"])
def test_each_command_explains_itself(spm, command):
    done = spm("traces", command, "--help")
    assert done.code == 0
    assert "--json" in done.out


def test_outputs_for_which_there_is_no_room_are_told(run, tmp_path, monkeypatch):
    monkeypatch.setattr("spm.registry.traces.field_evidence.MOST_OUTPUTS", 2)
    file = tmp_path / "t.jsonl"
    step = {"tool": "ping", "result": {"one": 1, "two": 2, "three": 3}}
    file.write_text(json.dumps({"trace_id": "t", "request": "x", "steps": [step]}))
    done = run("import", file)
    assert (done.code, done.out) == (0, "1 trajectories imported, 0 already known\n")
    assert "1 fields of results were not added: their tools have 2 observed outputs" in done.err
