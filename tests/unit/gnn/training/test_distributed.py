"""Training by two processes, started by the real torchrun, against training by one."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from spm.gnn.checkpoint import load
from spm.gnn.training import distributed
from tests.data.workers import tiny_training as tiny

torch.set_num_threads(1)
WORKER = Path(tiny.__file__)


def test_alone_everything_is_nothing():
    assert distributed.world() == (0, 1)
    assert distributed.share([1, 2, 3]) == [1, 2, 3]
    network = nn.Linear(2, 1)
    network(torch.ones(1, 2)).sum().backward()
    before = network.weight.grad.clone()
    distributed.average_gradients(network)
    distributed.same_start(network)
    assert torch.equal(network.weight.grad, before)
    with distributed.joined() as leads:
        assert leads
        assert distributed.world() == (0, 1)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_the_processor_computes():
    assert distributed.device() == torch.device("cpu")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which two processes trained."""
    folder = tmp_path_factory.mktemp("two")
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1"]
    command = [sys.executable, *launch, "--master-port", str(free_port()), str(WORKER)]
    done = subprocess.run(
        [*command, str(folder / "run"), str(folder / "rank")],
        env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def ranks(ended: Path) -> list[dict[str, Any]]:
    return [json.loads((ended / f"rank{at}").read_text()) for at in range(2)]


def test_both_end_with_the_same_weights(ranks, ended):
    assert [rank["rank"] for rank in ranks] == [0, 1]
    assert [rank["size"] for rank in ranks] == [2, 2]
    assert [rank["leads"] for rank in ranks] == [True, False]
    assert ranks[0]["digest"] == ranks[1]["digest"]
    models = [load(ended / f"rank{at}.model") for at in range(2)]
    for name, values in models[0].retriever.items():
        np.testing.assert_array_equal(values, models[1].retriever[name])


def test_the_leader_writes_the_files(ranks, ended):
    run = ended / "run"
    assert load(run / "model.safetensors").digest == ranks[0]["digest"]
    there = {file.name for file in run.iterdir()}
    assert {"config.json", "curves.svg", "metrics.jsonl", "state"} <= there
    lines = (run / "metrics.jsonl").read_text().splitlines()
    stages = [json.loads(line)["stage"] for line in lines]
    assert stages == ["retriever", "fold1", "fold2", "reranker"]  # once each: one process wrote


def test_two_processes_take_the_steps_that_one_takes(ranks):
    """Each saw its half of every batch: the means of their losses are the losses of one process.

    The second batch is computed after a step, so that gradients were averaged as well.
    """
    alone = tiny.first_losses()
    assert len(alone) == 2
    np.testing.assert_allclose(np.mean([r["losses"] for r in ranks], axis=0), alone, atol=1e-4)
    assert abs(ranks[0]["losses"][0] - ranks[1]["losses"][0]) > 1e-3  # they saw other halves
