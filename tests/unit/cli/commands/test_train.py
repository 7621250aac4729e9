"""`spm train` as a user runs it: a small registry, one epoch each, then a menu."""

import json

import pytest

from spm.registry import demo
from spm.registry.registry import Registry


@pytest.fixture
def small(tmp_path, encoder):
    """The demo's tools with some of its trajectories."""
    folder = tmp_path / "store"
    with Registry.open(str(folder)) as registry:
        for manifest in demo.manifests():
            registry.register(manifest)
        registry.import_traces(list(demo.trajectories())[:60])
        registry.encode(encoder)
    return folder


def train(spm, store, tmp_path, *more):
    few = ("--epochs", "1", "--order-epochs", "1")
    return spm("train", "--store", str(store), "--folder", str(tmp_path / "run"), *few, *more)


def test_a_trained_model_builds_the_next_menu(spm, small, tmp_path):
    done = train(spm, small, tmp_path, "--name", "mine", "--json")
    assert done.code == 0
    solved = sum(trace.success for trace in list(demo.trajectories())[:60])
    assert done.json["trajectories"] == solved
    assert done.json["taught"] + done.json["judged"] == solved
    files = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"config.json", "metrics.jsonl", "curves.svg", "model.safetensors"} <= files
    menu = spm("menu", demo.REQUEST, "--store", str(small), "--json")
    said = json.loads(menu.out)
    assert said["ranker"] == "mine"
    assert said["model"] == done.json["digest"]


def test_too_few_trajectories_are_refused(spm, tmp_path, encoder):
    with Registry.open(str(tmp_path / "store")) as registry:
        for manifest in demo.manifests():
            registry.register(manifest)
        registry.import_traces(list(demo.trajectories())[:5])
        registry.encode(encoder)
    done = train(spm, tmp_path / "store", tmp_path)
    assert done.code == 1
    assert "5 trajectories" in done.err
    assert not (tmp_path / "run").exists()


def test_a_folder_of_another_run_is_refused(spm, small, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text('{"name": "other"}')
    done = train(spm, small, tmp_path)
    assert done.code == 1
    assert "--folder" in done.err
