"""How long a registry's own model takes to learn, stage by stage and step by step."""

import argparse
import json
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.speed.library import VECTORS
from benchmarks.speed.machine import load, memory, peak
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.samples import Row, Sample, summed
from benchmarks.speed.workers import Tell, run
from spm.registry.errors import SpmError
from spm.registry.registry import Registry

GOAL = 20_000  # requests that the goal is about
STEPS = {"retriever": "retriever step, 8 requests", "reranker": "reranker step, 8 menus"}


class Clock:
    """Hears the progress of a training and writes down when it heard it."""

    def __init__(self) -> None:
        self._heard: list[tuple[float, str]] = [(time.perf_counter(), "reading")]

    def hear(self, stage: str, done: int, total: int, loss: float, measured: object) -> None:
        """Take in one step, and say so on standard output."""
        del loss, measured
        self._heard.append((time.perf_counter(), stage))
        print(json.dumps({"stage": stage, "done": done, "total": total}), flush=True)

    def seconds(self) -> dict[str, float]:
        """How long each stage took, the choosing at its end included."""
        now = (time.perf_counter(), "")
        found: dict[str, float] = {}
        for (start, stage), (end, _) in pairwise([*self._heard, now]):
            found[stage] = found.get(stage, 0.0) + end - start
        return found

    def steps(self, stage: str) -> list[float]:
        """The milliseconds of single steps of a network, the first of them left out."""
        return [
            1000 * (end - start)
            for (start, before), (end, after) in pairwise(self._heard)
            if before == after == stage
        ]


def measure(store: Path, threads: int = 1, tell: Tell | None = None) -> Finding:
    """Train both networks on a registry's trajectories, in a new process.

    Raises:
        InputError: there is too little to learn from, or no torch.
    """
    before = load()
    said = run("benchmarks.speed.training", store, "--threads", threads, tell=tell)
    requests: int = said["trajectories"]
    whole = sum(said["seconds"].values())
    minutes = whole / 60 * GOAL / requests
    processor = said["cpu"] / 60 * GOAL / requests
    direct = requests == GOAL
    rows = [summed(f"· {stage}", Sample([1000 * s])) for stage, s in said["seconds"].items()]
    rows += [_step(title, said["steps"][stage]) for stage, title in STEPS.items()]
    rows.insert(0, summed("whole training", Sample([1000 * whole]), **said["memory"]))
    reached = "measured" if direct else f"extrapolated in proportion from {requests:,} requests"
    return found(
        "train",
        {"tools": said["tools"], "requests": requests, "threads": threads},
        rows,
        [
            Figure("training_minutes", round(minutes, 1), said=reached),
            Figure("training_cpu_minutes", round(processor, 1), said=reached),
            Figure(
                "training_memory" if direct else f"most memory, {requests:,} requests, MB",
                said["peak"],
            ),
            Figure("requests per second", round(requests / whole, 1)),
        ],
        [VECTORS, "One run; a stage's time includes the choosing at its end."],
        before,
    )


def _step(title: str, times: list[float]) -> Row:
    return summed(title, Sample(times))


def train(store: str, threads: int) -> dict[str, Any]:
    """Train on a store and say what it took; a model is made and thrown away."""
    import torch

    from spm.gnn.training.config import Config
    from spm.gnn.training.train_registry import learn

    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory(prefix="spm-bench-") as folder:
        with Registry.open(store) as registry:
            clock = Clock()
            made = learn(registry.store, Path(folder), "bench", Config(), tell=clock.hear)
            seconds, spent = clock.seconds(), time.process_time()
            tools = registry.status()["tools"]
            Path(made["model"]).unlink()  # the library is measured on again, with the prior
    return {
        "tools": tools,
        "trajectories": made["trajectories"],
        "seconds": seconds,
        "steps": {stage: clock.steps(stage) for stage in STEPS},
        "memory": memory(),
        "cpu": spent,
        "peak": peak(),
    }


def main() -> None:
    """Train in a process of its own: STORE [--threads N]."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    warnings.filterwarnings("ignore", "`torch.jit", category=Warning)
    try:
        print(json.dumps(train(asked.store, asked.threads)))
    except ImportError as error:
        advice = "Install it with: pip install 'spm-registry[train]'"
        print(json.dumps({"failed": f"Training needs torch ({error}). {advice}"}))
    except SpmError as error:
        print(json.dumps({"failed": str(error)}))


if __name__ == "__main__":
    main()
