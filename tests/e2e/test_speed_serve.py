"""The speed of a service on a small library: it is started, asked and stopped."""

import json
import subprocess
import sys

import pytest

from benchmarks.speed.service_process import children, started
from benchmarks.speed.workers import environment
from spm.registry.errors import InputError
from tests.support.campaigns import size


def bench(*arguments):
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "speed",
        "serve",
        "--rate",
        "4",
        "--seconds",
        "2",
    ]
    return subprocess.run(
        [*command, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.campaign
@pytest.mark.skipif(size("benches") < 2, reason="a campaign: make stress")
def test_a_generated_library_is_served_and_measured(tmp_path):
    done = bench("--tools", 60, "--traces", 30, "--workers", 2, "--cache", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["settings"]["statuses"] == {"200": 8}
    assert (found["settings"]["engine"], found["settings"]["workers"]) == ("embedded", 2)
    assert [(row["name"], row["runs"]) for row in found["rows"]] == [
        ("one at a time", 40), ("under load", 8),
    ]  # fmt: skip
    figures = {one["name"]: one["value"] for one in found["figures"]}
    assert figures["errors under that load"] == 0
    assert 0.5 < figures["memory, last / first quarter of that load"] < 1.5
    assert (tmp_path / "serve.svg").exists()


def test_a_service_that_runs_is_asked_where_it_is(demo_folder, tmp_path):
    with started(str(demo_folder)) as service:
        done = bench("--url", service.url, "--cache", tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "under load" in done.stdout
    assert children(service.process) == []  # it is gone
    refused = bench("--url", service.url, "--cache", tmp_path)
    assert refused.returncode == 1
    assert "answered nothing" in refused.stderr


def test_a_service_that_cannot_start_says_why(tmp_path):
    (tmp_path / "graph.spm").write_bytes(b"not a graph")
    with pytest.raises(InputError, match="did not start"), started(str(tmp_path)):
        pass
