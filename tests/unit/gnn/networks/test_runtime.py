"""The shipped ONNX graphs: what torch computes, where a session pays, nothing that was changed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spm.gnn.encoders.by_name import load_encoder, weights_folder
from spm.gnn.encoders.minilm import MiniLM
from spm.gnn.features import Inputs
from spm.gnn.model_store import prior
from spm.gnn.networks import inference, numpy_forward, runtime
from spm.gnn.networks.inference import Networks, networks_of
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.reranker import Reranker
from spm.gnn.networks.retriever import Retriever

pytestmark = pytest.mark.usefixtures("computed")
WORKER = Path(__file__).parents[3] / "data" / "workers" / "torch_rows.py"
TEXTS = [
    "Email the customer the receipt for order 4821",
    "refund it, then tell the customer, and close the ticket",
    "",
    "Größe 住所 😀",
    "word " * 400,
]


@pytest.fixture
def onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPM_RUNTIME", "onnx")


def arrays(network: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy() for name, value in network.state_dict().items()}


def shaken(network: torch.nn.Module) -> torch.nn.Module:
    """Weights of which none is a beginning's 0 or 1, so that none can be mistaken."""
    torch.manual_seed(0)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_(0, 0.2)
    return network.eval()


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("size", [1, 5, 128])
def test_the_retriever_is_torchs(vectors: bool, size: int) -> None:
    features = widths(Inputs(vectors=vectors))[0]
    network = shaken(Retriever(features))
    rng = np.random.default_rng(size)
    x = rng.normal(size=(size, features)).astype(np.float32)
    relations = rng.integers(0, 5, (size, size))
    member, slot = runtime.Graph(f"retriever-{features}", arrays(network)).run(
        x=x, relations=relations
    )
    real = torch.ones(1, size, dtype=torch.bool)
    with torch.no_grad():
        a, b = network.dense(torch.from_numpy(x)[None], torch.from_numpy(relations)[None], real)
    np.testing.assert_allclose(member, torch.sigmoid(a[0]).numpy(), atol=1e-4)
    np.testing.assert_allclose(slot, torch.softmax(b[0], 0).numpy(), atol=1e-4)


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("size", [1, 32])
def test_the_reranker_is_torchs(vectors: bool, size: int) -> None:
    _, features, pairs = widths(Inputs(vectors=vectors))
    network = shaken(Reranker(features, pairs))
    rng = np.random.default_rng(size)
    x = rng.normal(size=(size, features)).astype(np.float32)
    between = rng.normal(size=(size, size, pairs)).astype(np.float32)
    found = runtime.Graph(f"reranker-{features}", arrays(network)).run(x=x, pairs=between)
    real = torch.ones(1, size, dtype=torch.bool)
    with torch.no_grad():
        said = network.dense(torch.from_numpy(x)[None], torch.from_numpy(between)[None], real)
    for one, other in zip(found, said[:4], strict=True):
        np.testing.assert_allclose(one, other[0].numpy(), atol=1e-4, rtol=1e-4)


def test_the_encoder_is_torchs_and_pools_as_it_did(onnx: None, tmp_path: Path) -> None:
    """Pooling too: taking the first token for the text would go unnoticed otherwise."""
    asked, answer = tmp_path / "texts.json", tmp_path / "rows.npz"
    asked.write_text(json.dumps(TEXTS))
    subprocess.run([sys.executable, str(WORKER), str(asked), str(answer)], check=True)
    encoder = MiniLM(weights_folder())
    found = encoder.encode_clauses(TEXTS)
    assert encoder._graph is not None
    with np.load(answer, allow_pickle=False) as kept:
        for rows, name in zip(found, kept.files, strict=True):
            assert rows.shape == kept[name].shape
            np.testing.assert_allclose(rows, kept[name], atol=1e-5)
    first = encoder._served(encoder._tokens(TEXTS[0]).ids)[0]
    assert float(first @ found[0][0] / np.linalg.norm(first)) < 0.99


def test_numpy_and_onnx_compute_the_same_networks(onnx: None) -> None:
    model = prior()
    candidate, chosen, pairs = widths(model.design.inputs)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, candidate)).astype(np.float32)
    relations = rng.integers(0, 5, (90, 90))
    networks = Networks(model.retriever, model.reranker)
    for one, other in zip(
        networks.retrieve(x, relations),
        numpy_forward.retrieve(model.retriever, x, relations),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert list(networks._graphs) == ["retriever"]  # the other one when it is asked for
    x, between = x[:32, :1].repeat(chosen, 1), rng.normal(size=(32, 32, pairs)).astype(np.float32)
    for one, other in zip(
        networks.order(x, between), numpy_forward.order(model.reranker, x, between), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-4)
    empty = networks.retrieve(np.zeros((0, candidate), np.float32), np.zeros((0, 0), np.int64))
    assert [part.shape for part in empty] == [(0,), (0, 8)]


def test_a_graph_that_was_changed_is_refused(onnx: None, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dict.fromkeys(runtime._manifest(), "0" * 64)
    monkeypatch.setattr(runtime, "_manifest", lambda: wrong)
    with pytest.raises(ValueError, match="does not match its checksum"):
        runtime.verified("minilm")
    assert runtime.graph("minilm", {}) is None  # and numpy computes
    model, x = prior(), np.zeros((2, 33), dtype=np.float32)
    networks = Networks(model.retriever, {})
    assert networks.retrieve(x, np.zeros((2, 2), dtype=np.int64))[0].shape == (2,)
    assert not networks._graphs


def test_every_graph_in_the_manifest_is_shipped_and_no_other() -> None:
    folder = Path(runtime.__file__).parent / "exported"
    assert {path.stem for path in folder.glob("*.onnx")} == set(runtime._manifest())
    for name in runtime._manifest():
        assert b"/" + b"work" not in runtime.verified(name)


@pytest.mark.parametrize(
    ("said", "built", "expected"),
    [
        ("auto", 1, False),
        ("auto", runtime.PAYS + 1, True),
        ("numpy", 10_000, False),
        ("onnx", 0, True),
    ],
)
def test_sessions_are_opened_where_they_pay(
    said: str, built: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPM_RUNTIME", said)
    count = runtime.Menus()
    for _ in range(built):
        count.next()
    assert count.pay() is expected
    assert runtime.Menus().pay(built) is expected  # and as soon where they are sure to come


@pytest.mark.parametrize(("said", "threads"), [("", 1), ("2", 2), ("0", 1), ("many", 1)])
def test_threads(said: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPM_THREADS", said)
    assert runtime.threads() == threads


def test_documents_keep_their_bits(onnx: None) -> None:
    """Vectors that are kept do not depend on what a process did before."""
    fresh = MiniLM(weights_folder())
    fresh.encode_clauses(TEXTS[:1])
    assert fresh._graph is not None
    loaded: Any = load_encoder()
    assert np.array_equal(fresh.encode(TEXTS[:1]), loaded.encode(TEXTS[:1]))


def test_the_same_model_read_twice_has_its_sessions_once() -> None:
    """Each thread of a service reads the file for itself; opening sessions costs 60 menus."""
    first, second = prior(), prior()
    assert first is not second
    assert networks_of(first) is networks_of(second)


def test_the_networks_of_a_few_models_are_kept() -> None:
    made = [replace(prior(), digest=f"model {number}") for number in range(inference.KEPT + 1)]
    kept = [networks_of(model) for model in made]
    assert networks_of(made[-1]) is kept[-1]
    assert networks_of(made[1]) is kept[1]
    assert networks_of(made[0]) is not kept[0]
    unsaved = [replace(prior(), digest="") for _ in range(2)]
    assert networks_of(unsaved[0]) is not networks_of(unsaved[1])


def test_what_a_session_leaves_in_memory_reads_as_before(tmp_path: Path) -> None:
    kept = np.arange(40_000, dtype=np.float32)
    kept.tofile(tmp_path / "weights")
    mapped = np.asarray(np.memmap(tmp_path / "weights", np.uint8, "r"))
    part = mapped[4:150_004].view("<f4")  # begins and ends within a page
    runtime.leave([part, kept, kept[:0], mapped[:10]])
    assert np.array_equal(part, kept[1:37_501])
    assert np.array_equal(mapped.view("<f4"), kept)
    assert np.array_equal(kept, np.arange(40_000))
