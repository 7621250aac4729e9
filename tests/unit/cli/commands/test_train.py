"""`spm train` as a user runs it: a small registry, one epoch each, then a menu."""

import json

import pytest

from spm.gnn.arrays import from_store
from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.checkpoint import load
from spm.gnn.constructor import construct, names
from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.training.config import shipped
from spm.registry import demo
from spm.registry.registry import Registry
from spm.registry.request.search_words import searched_text


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


def test_the_paper_can_be_trained_and_builds_menus_by_its_own_rule(spm, small, tmp_path):
    done = train(spm, small, tmp_path, "--name", "published", "--config", "paper.yaml", "--json")
    assert done.code == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["design"]["frontier"]["anchors"] == 64
    model = load(tmp_path / "run" / "model.safetensors")
    assert model.design == shipped("paper").design
    assert (model.sets, model.orders) == (shipped("paper").sets[0], shipped("paper").order)
    said = json.loads(spm("menu", demo.REQUEST, "--store", str(small), "--json").out)
    assert said["ranker"] == "published"
    assert said["model"] == done.json["digest"]
    with Registry.open(str(small)) as registry:
        library = from_store.load(registry.store)
        text = searched_text(demo.REQUEST)
        rows = encoder_of(registry.store).encode_clauses([text])[0]
    question = Question(text, rows[0], frozenset(said["state"]), None, rows[1:])
    frontier = expand(library, question, sizes=model.design.frontier)
    assert not frontier.memory.ids
    built = construct(model, frontier)
    assert [item["id"] for item in said["items"]] == names(built)
    # The leading eight are the path, then come the others as they were chosen.
    head = [built.frontier.tools[built.head[at]] for at in built.arranged.order]
    assert names(built)[:8] == head
    rest = [frontier.tools[at] for at in built.chosen.order[:32]]
    assert names(built)[8:] == [tool for tool in rest if tool not in head]


def test_a_configuration_that_is_not_there_is_refused(spm, small, tmp_path):
    done = train(spm, small, tmp_path, "--config", "papr.yaml")
    assert done.code == 1
    assert "default, paper" in done.err


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
