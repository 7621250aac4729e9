"""Training from Python."""

import sys

import pytest

from spm.api import training
from spm.registry.errors import EncoderError, InputError


def test_settings_that_nobody_chose_stay():
    pytest.importorskip("torch_geometric")
    usual = training.config("default", None, None, None, 0.1)
    chosen = training.config("default", 5, 6, 7, 0.2)
    assert (chosen.retriever.epochs, chosen.reranker.epochs) == (5, 6)
    assert (chosen.retriever.seed, chosen.reranker.seed) == (7, 7)
    assert chosen.development == 0.2
    assert chosen.retriever.rate == usual.retriever.rate
    assert training.config("default", 5, None, None, None).reranker == usual.reranker
    paper = training.config("paper.yaml", None, None, None, None)
    assert paper.reranker.rate == 1e-4
    assert paper.development == usual.development


def test_training_says_what_it_needs(empty, monkeypatch):
    monkeypatch.setitem(sys.modules, "spm.gnn.training.recipe", None)
    with pytest.raises(EncoderError, match=r"spm-registry\[train\]"):
        empty.train(epochs=1)


def test_training_without_traces_is_refused_and_leaves_the_threads(empty, manifest, tmp_path):
    torch = pytest.importorskip("torch")
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    before = torch.get_num_threads()
    with pytest.raises(InputError, match="training needs"):
        empty.train(folder=tmp_path / "run", threads=2)
    assert torch.get_num_threads() == before
