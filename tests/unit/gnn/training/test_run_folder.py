"""A run's folder: what was asked for, how it went, and the picture of it."""

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import torch

from spm.gnn.training.config import Config
from spm.gnn.training.curves import MEASURES, draw
from spm.gnn.training.measures import Measures
from spm.gnn.training.run_folder import Run, plain
from spm.registry.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"
GOOD = Measures(0.5, 0.75, 0.25, 0.5, 0.123456, 1.0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "deep" / "run")
    found.begin({"seed": 1, "folds": 3})
    return found


def polylines(text: str) -> list[list[tuple[float, float]]]:
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return [
        [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]  # type: ignore[misc]
        for line in root.iter(f"{SVG}polyline")
    ]


def test_what_is_asked_for_is_written_down(run):
    assert json.loads((run.folder / "config.json").read_text()) == {"seed": 1, "folds": 3}
    run.begin({"folds": 3, "seed": 1})  # the same again


def test_something_else_is_refused_with_what_differs(run):
    with pytest.raises(InputError, match=r"with other more, seed\. Choose another with --folder"):
        run.begin({"seed": 2, "folds": 3, "more": True})
    assert json.loads((run.folder / "config.json").read_text()) == {"seed": 1, "folds": 3}


def test_a_configuration_survives_the_file(tmp_path):
    """Read back from JSON it must be equal, or no run could ever go on."""
    first, config = Run(tmp_path), plain(Config())
    first.begin(config)
    Run(tmp_path).begin(plain(Config()))
    assert config["retriever"] == {
        "rate": 8e-4,
        "epochs": 2,
        "seed": 20260525,
        "batch": 8,
        "decay": 0.01,
        "clip": 1.0,
        "pace": "cosine",
    }


def test_metrics_are_lines(run):
    run.record("retriever", 1, 2.3456789, GOOD)
    run.record("fold1", 1, 1.5, None)
    lines = (run.folder / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == run.metrics()
    assert run.metrics() == [
        {"stage": "retriever", "epoch": 1, "loss": 2.345679, **GOOD.rounded()},
        {"stage": "fold1", "epoch": 1, "loss": 1.5},
    ]
    assert run.metrics()[0]["prefix"] == 0.1235


def test_an_epoch_that_was_done_twice_counts_once(run):
    for loss in (3.0, 2.0):
        run.record("retriever", 1, 4.0, None)
        run.record("retriever", 2, loss, None)
    assert [(row["epoch"], row["loss"]) for row in run.metrics()] == [(1, 4.0), (2, 2.0)]


def test_a_new_run_has_no_metrics(tmp_path):
    assert Run(tmp_path).metrics() == []


def test_curves_have_a_line_per_stage(run):
    for epoch in (1, 2, 3):
        run.record("retriever", epoch, 3.0 / epoch, GOOD)
    run.record("fold1", 1, 1.5, None)
    run.record("reranker", 1, 2.0, GOOD)
    text = (run.folder / "curves.svg").read_text()
    lines = polylines(text)
    assert [len(line) for line in lines[:3]] == [3, 1, 1]  # one per stage
    assert len(lines) == 3 + len(MEASURES)
    assert all(len(line) == 4 for line in lines[3:])
    labels = [text.text for text in ElementTree.fromstring(text).iter(f"{SVG}text")]
    assert {"retriever", "fold1", "reranker", "loss", *MEASURES} <= set(labels)


def test_a_falling_loss_falls_in_the_picture():
    lines = polylines(draw([{"stage": "s", "epoch": e, "loss": 4.0 - e} for e in (1, 2, 3)]))
    (xs, ys) = zip(*lines[0], strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys)  # y grows downwards
    assert all(40 <= y <= 220 for y in ys)


def test_curves_of_nothing_are_still_a_picture():
    assert polylines(draw([])) == []
    assert len(polylines(draw([{"stage": "<&>", "epoch": 1, "loss": 0.0}]))) == 1


def test_a_state_comes_back(run):
    state = {"weights": torch.tensor([1.5, math.pi]), "epoch": torch.tensor(3)}
    assert run.kept("retriever") is None
    run.keep("retriever", state)
    found = run.kept("retriever")
    assert found
    assert torch.equal(found["weights"], state["weights"])
    assert int(found["epoch"]) == 3


def test_the_end_leaves_results_and_no_states(run):
    run.keep("retriever", {"epoch": torch.tensor(1)})
    run.record("retriever", 1, 1.0, None)
    (run.folder / "state" / ".fold1.safetensors.77.tmp").touch()  # of a killed process
    run.finish({"digest": "abc"})
    assert json.loads((run.folder / "summary.json").read_text()) == {"digest": "abc"}
    assert not list((run.folder / "state").iterdir())
    assert run.metrics()
    assert run.kept("retriever") is None
