"""`python -m benchmarks speed`: figures that come with the command that made them."""

import json
from xml.etree import ElementTree

import pytest

from spm.registry.registry import Registry


@pytest.fixture
def bench(benchmarks, tmp_path):
    """Run a bench with its own cache and picture."""

    def run(name, *arguments):
        return benchmarks("speed", name, *arguments, "--cache", tmp_path / "cache")

    return run


def test_loading_is_measured_in_json_and_drawn(bench, tmp_path):
    picture = tmp_path / "load.svg"
    done = bench("load", "--tools", 60, "--traces", 20, "--requests", 2, "--json",
                 "--picture", picture)  # fmt: skip
    assert done.code == 0
    assert done.json["settings"] == {"tools": 60, "trajectories": 20, "engines": ["embedded"]}
    figures = {one["name"]: one["value"] for one in done.json["figures"]}
    assert figures["embedded: tools/s"] > 0
    assert figures["embedded: transitions/s"] > 0
    assert figures["embedded: unchanged, times faster"] > 0
    assert [row["name"] for row in done.json["rows"]] == [
        "embedded: frontier query", "embedded: whole menu",
    ]  # fmt: skip
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_warm_bench_shows_a_table_that_fits_and_keeps_its_figures(bench, tmp_path):
    kept = tmp_path / "figures.json"
    done = bench("warm", "--tools", 60, "--traces", 20, "--requests", 3, "--keep", kept)
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    for said in ("semantic top 32", "whole menu", "· encoding", "p95", "RSS MB", "minima"):
        assert said in done.out
    assert "Vectors of the generated texts" in done.err
    assert "load " in done.err
    assert (tmp_path / "cache" / "warm.svg").exists()
    assert json.loads(kept.read_text())[0]["bench"] == "warm"


def test_ones_own_registry_is_asked_for_its_own_requests(bench, shop_copy, tmp_path):
    done = bench("warm", "--store", shop_copy, "--requests", 3, "--json")
    assert done.code == 0, done.err
    assert done.json["settings"] == {"engine": "embedded", "tools": 100, "requests": 3}
    rows = {row["name"]: row for row in done.json["rows"]}
    assert all(0 < row["minimum"] <= row["p50"] <= row["p95"] for row in rows.values())
    assert not any("generated" in line for line in done.json["notes"])
    (empty := tmp_path / "none.jsonl").write_text("")
    refused = bench("warm", empty, "--store", shop_copy)
    assert refused.code == 1
    assert "no request to ask for" in refused.err


def test_a_store_that_is_not_empty_is_spared(bench, shop_copy):
    done = bench("load", "--tools", 20, "--traces", 5, "--store", shop_copy)
    assert done.code == 1
    assert "is not empty. Give a new store." in done.err
    with Registry.open(str(shop_copy)) as registry:
        assert registry.status()["tools"] == 100


@pytest.mark.parametrize("sizes", ["1000", "few,many", "5,100"])
def test_sizes_that_cannot_be_compared_are_wrong_usage(bench, sizes):
    done = bench("scale", "--sizes", sizes)
    assert done.code == 2
    assert "two or more" in done.err


def test_too_few_tools_are_wrong_usage(bench):
    assert bench("load", "--tools", 1).code == 2


def test_kept_figures_are_rendered_into_marked_tables(benchmarks, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- speed: load -->\nold\n<!-- /speed -->\nb\n")
    assert benchmarks("speed", "table", page).code == 0
    text = page.read_text()
    assert "| embedded |" in text
    assert "old" not in text
    assert benchmarks("speed", "table", tmp_path / "none.md").code == 2
