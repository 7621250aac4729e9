"""`spm bench`: figures that come with the command that made them."""

import gzip
import json
from typing import Any


def test_loading_is_measured_in_json(spm):
    done = spm("bench", "load", "--tools", 200, "--traces", 100, "--json")
    assert done.code == 0
    assert done.json["engine"] == "embedded"
    assert (done.json["tools"], done.json["trajectories"]) == (200, 100)
    assert done.json["transitions"] > 100
    assert done.json["tools_per_second"] > 0
    assert done.json["again_ratio"] > 0


def test_loading_is_measured_in_a_table_that_fits(spm):
    done = spm("bench", "load", "--tools", 20, "--traces", 5)
    assert done.code == 0
    assert "embedded" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_store_that_is_not_empty_is_spared(spm, shop_copy):
    done = spm("bench", "load", "--tools", 20, "--traces", 5, "--store", shop_copy)
    assert done.code == 1
    assert "is not empty. Give a new store." in done.err
    assert len(spm("tools", "list", "--store", shop_copy, "--json").json) == 100


def test_too_few_tools_are_wrong_usage(spm):
    assert spm("bench", "load", "--tools", 1).code == 2


def test_fields_are_compared_in_json_and_in_a_table(spm, tmp_path):
    tool = {"family": "", "inputs": [{"name": "a_b"}], "outputs": [{"name": "aB"}]}
    rows: dict[str, list[Any]] = {
        "tools": [{**tool, "name": "x"}, {**tool, "name": "y"}],
        "flows": [{"from": "x", "to": "y"}],
    }
    for name, lines in rows.items():
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    found = spm("bench", "fields", tmp_path, "--json").json
    assert [(a["naming"], a["precision"], a["recall"]) for a in found] == [
        ("as spelled", 0.0, 0.0),
        ("folded", 0.5, 1.0),
        ("canonical", 0.5, 1.0),
    ]
    assert "canonical" in spm("bench", "fields", tmp_path).out


def test_a_folder_without_data_is_refused(spm, tmp_path):
    done = spm("bench", "fields", tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("spm: ")


def test_a_menus_stages_are_timed_beside_semantic_retrieval(spm, shop_copy, tmp_path):
    done = spm("bench", "menu", "--store", shop_copy, "--limit", 3, "--json")
    assert done.code == 0
    assert (done.json["engine"], done.json["tools"], done.json["requests"]) == ("embedded", 100, 3)
    times = done.json["milliseconds"]
    parts = ("encoding", "visible fields", "frontier", "networks and order")
    assert all(0 < times[name]["p50"] <= times[name]["p95"] for name in times)
    assert times["whole menu"]["p50"] > max(times[name]["p50"] for name in parts) / 2
    assert done.json["ratio"] > 1
    (empty := tmp_path / "none.jsonl").write_text("")
    refused = spm("bench", "menu", empty, "--store", shop_copy)
    assert refused.code == 1
    assert "no request to ask for" in refused.err
