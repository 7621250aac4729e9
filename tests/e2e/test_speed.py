"""The benches that start other programs: fresh processes, torch, two published packages, Neo4j."""

import json
import subprocess
import sys

import pytest

from benchmarks.speed.workers import environment
from tests.support.campaigns import size

BENCHES, LATER = size("benches"), "a campaign: make stress"


def bench(name, cache, *arguments, **more):
    command = [sys.executable, "-m", "benchmarks", "speed", name, "--json", "--cache", str(cache)]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        env={**environment(), **more},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (cache / f"{name}.svg").exists()
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.mark.campaign
def test_a_fresh_menu_is_timed_beside_python_with_torch(cache):
    found = bench("cold", cache, "--tools", 60, "--traces", 40, "--runs", 1)
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == ['python -c ""', 'python -c "import torch"', "spm menu, 60 tools"]
    assert rows['python -c ""']["p50"] < rows["spm menu, 60 tools"]["p50"]
    assert rows['python -c "import torch"']["rss"] > 200
    ratio = found["figures"][0]
    assert ratio["name"].startswith("cold `spm menu` / ")
    assert ratio["value"] > 0
    assert "verdict" not in ratio  # the goal is about 16,000 tools


@pytest.mark.campaign
@pytest.mark.skipif(BENCHES < 4, reason=LATER)
def test_training_is_timed_by_stage_and_step_and_says_that_it_extrapolates(cache):
    found = bench("train", cache, "--tools", 60, "--requests", 40)
    rows = {row["name"]: row for row in found["rows"]}
    whole = rows["whole training"]["p50"]
    assert whole == pytest.approx(
        sum(row["p50"] for name, row in rows.items() if name.startswith("· ")), rel=0.01
    )
    assert rows["retriever step, 8 requests"]["runs"] >= 4
    assert rows["reranker step, 8 menus"]["p50"] > 0
    minutes = found["figures"][0]
    assert minutes["name"] == "training_minutes"
    assert minutes["said"] == "extrapolated in proportion from 40 requests"
    assert minutes["value"] == pytest.approx(whole / 60_000 * 20_000 / 40, rel=0.05)


@pytest.mark.campaign
@pytest.mark.skipif(BENCHES < 5, reason=LATER)
def test_peers_answer_the_same_requests_about_the_same_tools(cache):
    found = bench("peers", cache, "--tools", 60, "--requests", 2)
    names = [row["name"] for row in found["rows"][:3]]
    assert names == [
        f"{who}, one answer" for who in ("spm", "graph-tool-call", "langgraph-bigtool")
    ]
    assert found["settings"]["requests"] == 2
    assert {one["name"] for one in found["figures"]} > {"menu_over_peer"}


@pytest.mark.campaign
@pytest.mark.skipif(BENCHES < 3, reason=LATER)
def test_menus_are_built_with_and_without_a_snapshot_on_a_neo4j_of_its_own(cache, tmp_path):
    more = {"XDG_CACHE_HOME": str(tmp_path)}  # where the snapshots of servers lie
    try:
        found = bench("snapshots", cache, "--sizes", "60", "--traces", 20, "--requests", 2, **more)
    except AssertionError as failed:
        if "No Neo4j can be started here" in str(failed):
            pytest.skip(str(failed))
        raise
    assert found["settings"]["stores"] == ["embedded, 60 tools", "neo4j, 60 tools"]
    values = {one["name"]: one["value"] for one in found["figures"]}
    assert values["Neo4j: menu without a snapshot / with one, 60 tools"] > 0
    assert values["neo4j, 60: CPU-ms of the server without a snapshot, mean"] >= 0
    assert {row["name"] for row in found["rows"]} >= {"neo4j, 60: menu without"}


@pytest.mark.campaign
@pytest.mark.neo4j
@pytest.mark.skipif(BENCHES < 3, reason=LATER)
def test_neo4j_is_measured_beside_the_embedded_engine(cache, neo4j_empty):
    found = bench(
        "load", cache, "--tools", 60, "--traces", 20, "--requests", 2, "--store", neo4j_empty.uri,
        NEO4J_USERNAME=neo4j_empty.username, NEO4J_PASSWORD=neo4j_empty.password,
    )  # fmt: skip
    assert sorted(found["settings"]["engines"]) == ["embedded", "neo4j"]
    names = [one["name"] for one in found["figures"]]
    assert "Neo4j store: frontier query p50 / embedded p50" in names
    assert "neo4j: tools/s" in names
