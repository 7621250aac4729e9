"""Configurations: ours is what the code does, the paper's builds the paper's networks."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from spm.gnn.features import CHOSEN, NODE, PAIR, PAPER
from spm.gnn.networks.input_rows import widths
from spm.gnn.training.config import SHIPPED, Config, parsed, read, shipped, text_of
from spm.registry.errors import InputError


def keys(said: Any, above: str = "") -> set[str]:
    """All keys of nested mappings."""
    if not isinstance(said, dict):
        return set()
    return {f"{above}{key}" for key in said}.union(
        *(keys(value, f"{above}{key}.") for key, value in said.items())
    )


def test_the_default_is_what_training_does_without_a_file():
    assert shipped("default") == Config()
    assert parsed("", "empty") == Config()


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_configuration_says_every_key(name):
    assert keys(yaml.safe_load(text_of(name))) == keys(asdict(Config()))


def test_the_papers_networks_have_the_papers_sizes():
    torch = pytest.importorskip("torch")
    from spm.gnn.networks.retriever import Retriever
    from spm.gnn.training.loop import Ordering

    torch.set_num_threads(1)
    config = shipped("paper")
    candidate, chosen, pair = widths(config.design.inputs)
    assert (candidate, chosen, pair) == (64 + 64 + 12, 64 + 64 + 14, 16)
    retriever = Retriever(candidate, config.design.networks)
    reranker = Ordering(config).reranker
    for network, published in ((retriever, 416_000), (reranker, 449_000)):
        size = sum(weights.numel() for weights in network.parameters())
        assert size == pytest.approx(published, rel=0.01)


def test_the_paper_is_what_was_published():
    config = shipped("paper")
    first, second, design = config.retriever, config.reranker, config.design
    assert (first.rate, first.epochs, first.seed) == (8e-4, 2, 20260525)
    assert (second.rate, second.epochs, second.seed) == (1e-4, 4, 17)
    for schedule in (first, second):
        assert (schedule.batch, schedule.decay, schedule.clip) == (8, 0.01, 1.0)
        assert schedule.pace == "constant"
    assert asdict(config.reranker_losses) == {
        "entry": 0.55, "slot": 0.55, "precedence": 0.75, "member": 0.30, "path": 1.15,
    }  # fmt: skip
    assert [asdict(sets) for sets in config.sets] == [{"slot": 0.45, "field": 0.45, "alike": 0.12}]
    weights = {name: weight for name, weight in asdict(config.order).items() if weight}
    assert weights == {"entry": 0.55, "member": 0.35, "slot": 0.65, "ready": 0.60, "before": 0.90}
    assert not config.learned
    assert design.inputs.candidate == PAPER
    assert len(design.inputs.chosen) == 14
    assert len(design.inputs.relations) == 5
    frontier = design.frontier
    assert (frontier.anchors, frontier.sources, frontier.per_source) == (64, 64, 4)
    assert (frontier.size, frontier.memories, frontier.producers) == (128, 0, 0)
    assert design.networks.summaries == 4
    assert design.networks.slots == 8
    assert design.networks.dropout == 0.08


def test_a_configuration_is_found_by_name_or_file(tmp_path, monkeypatch):
    assert read("paper") is read("paper.yaml") is shipped("paper")
    (tmp_path / "own.yaml").write_text("retriever: {rate: 0.01, epochs: 1, seed: 3}\nfolds: 2\n")
    found = read(tmp_path / "own.yaml")
    assert (found.retriever.rate, found.folds) == (0.01, 2)
    assert found.reranker == Config().reranker
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.yaml").write_text("folds: 5")  # one's own goes before what is shipped
    assert read("paper.yaml").folds == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour: red", "there is no key 'colour'"),
        ("retriever: {rate: 1, epochs: 1, seed: 1, pase: x}", "there is no key 'retriever.pase'"),
        ("retriever: {rate: 1, epochs: 1, seed: 1, pace: x}", "retriever.pace: .*'cosine'"),
        ("retriever: {rate: fast, epochs: 1, seed: 1}", "retriever.rate: .*number"),
        ("retriever: {rate: 1, epochs: 0, seed: 1}", "epochs .got 0. must be 1 or more"),
        ("design: {inputs: {candidate: [smell]}}", "no feature 'smell'"),
        ("design: {inputs: {pair: [rank, rank]}}", "names a feature twice"),
        ("design: {inputs: {pair: [rank]}}", "order.follows needs the pair feature 'follows'"),
        ("design: {networks: {heads: 3}}", "heads .got 3. must divide width"),
        ("design: {networks: {slots: 9}}", "slots .got 9. must be 8"),
        ("design: {frontier: {anchors: -1}}", "anchors .got -1. must not be negative"),
        ("sets: []", "need an entry each"),
        ("[1, 2]", "cannot be used"),
        ("a: {", "is no YAML"),
    ],
)
def test_what_cannot_be_used_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        parsed(text, "own.yaml")


def test_a_configuration_that_is_not_there_names_those_that_are(tmp_path):
    with pytest.raises(InputError, match=r"'nothing\.yaml'.*default, paper"):
        read("nothing.yaml")
    (tmp_path / "own.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="Cannot read"):
        read(Path(tmp_path / "own.yaml"))


def test_another_start_is_refused_where_it_reads_other_features():
    from spm.gnn.model_store import prior

    assert Config().begins_with(prior()) is not None
    with pytest.raises(InputError, match="reads other candidate features"):
        shipped("paper").begins_with(prior())
    assert shipped("paper").begins_with(None) is None


def test_ours_reads_all_features():
    inputs = Config().design.inputs
    assert (inputs.candidate, inputs.chosen, inputs.pair) == (NODE, CHOSEN, PAIR)
