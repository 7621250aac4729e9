"""What a GPU would do, as far as it can be known without one, and what it does where one is.

Fake CUDA tensors have shapes, types and a device, and no values: whatever mixes devices fails on
them as on a GPU. They cannot go backwards here, so that backward and optimiser run on torch's meta
device. Neither says whether numbers are right: the tests marked `gpu` do, where there is one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_geometric.data import Batch, Data

import spm.gnn
from spm.gnn.encoders.by_name import weights_folder
from spm.gnn.encoders.minilm import MiniLM
from spm.gnn.encoders.torch_bert import TorchBert
from spm.gnn.model_store import prior
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.message_passing import RelationAwareConv, every_pair
from spm.gnn.networks.numpy_forward import NumpyNetworks
from spm.gnn.networks.passes import Candidates, Leading
from spm.gnn.networks.request_graphs import candidate_graph, leading_graph
from spm.gnn.networks.retriever import Retriever
from spm.gnn.networks.sizes import HEADS, WIDTH
from spm.gnn.networks.torch_forward import TorchNetworks
from spm.gnn.training.config import shipped
from spm.gnn.training.loop import Fit, Ordering, Step, _groups, ordering_step, retriever_step
from tests.support.gpu import needs_gpu

CANDIDATE, CHOSEN, PAIRED = widths()
SIZES = (7, 1, 40)  # fewer and more than a menu's 32; all but one are padded
Case = tuple[str, Callable[[], nn.Module], Callable[[int], Data], Step]


def frontier(size: int) -> Data:
    rng = np.random.default_rng(size)
    rows = rng.normal(size=(size, CANDIDATE)).astype(np.float32)
    graph = candidate_graph(rows, rng.integers(0, 5, (size, size)))
    graph.place, graph.similarity = torch.arange(size) - 3, torch.rand(size)
    return graph


def menu(size: int) -> Data:
    rng = np.random.default_rng(size)
    rows = rng.normal(size=(size, CHOSEN)).astype(np.float32)
    graph = leading_graph(rows, rng.normal(size=(size, size, PAIRED)).astype(np.float32))
    graph.place, graph.state = torch.arange(size) - 3, torch.rand(size, 8, 2)
    return graph


STEPS: list[Case] = [
    ("retriever", lambda: Retriever(CANDIDATE), frontier, retriever_step),
    ("reranker", lambda: Ordering(shipped("default")), menu, ordering_step),
]


NAMES = [case[0] for case in STEPS]


def batch(make: Callable[[int], Data]) -> Batch:
    return Batch.from_data_list([make(size) for size in SIZES])


@pytest.fixture
def fake() -> FakeTensorMode:
    return FakeTensorMode()


def there(mode: FakeTensorMode) -> Callable[[Tensor], Tensor]:
    """Put a tensor onto a GPU that is not there."""

    def move(values: Tensor) -> Tensor:
        moved: Tensor = mode.from_tensor(values).to("cuda")
        return moved

    return move


# -- fake CUDA: forwards ---------------------------------------------------------------------


@pytest.mark.parametrize(("name", "make", "graph", "step"), STEPS, ids=NAMES)
def test_batches_losses_and_forward_passes_stay_on_the_gpu(
    name: str, make: Any, graph: Any, step: Step, fake: FakeTensorMode
) -> None:
    network, asked = make(), batch(graph)
    with fake:
        network._apply(there(fake))
        asked = asked.apply(there(fake))
        loss = step(network, asked)
    assert (loss.device.type, loss.dtype, loss.shape) == ("cuda", torch.float32, ())


def test_answers_have_the_shapes_of_the_batch_on_the_gpu(fake: FakeTensorMode) -> None:
    network, asked = Retriever(CANDIDATE), batch(frontier)
    ordering, chosen = Ordering(shipped("default")).reranker, batch(menu)
    with fake:
        for one in (network, ordering):
            one._apply(there(fake))
        member, slot, mask = network(asked.apply(there(fake)))
        order = ordering(chosen.apply(there(fake)))
    found = (member, slot, mask, order.entry, order.slot, order.precedence, order.pairs)
    assert {part.device.type for part in found} == {"cuda"}
    assert [tuple(part.shape) for part in found] == [
        (3, 40), (3, 40, 8), (3, 40), (3, 40), (3, 40, 8), (3, 40, 40), (3, 40, 40, PAIRED),
    ]  # fmt: skip


def test_the_encoder_and_the_layer_along_edges_run_on_the_gpu(fake: FakeTensorMode) -> None:
    encoder = MiniLM(weights_folder())
    bert = TorchBert(
        encoder._weights, encoder._layers, encoder._heads, encoder._epsilon, torch.device("cpu")
    )
    conv, edges = RelationAwareConv(), every_pair(5)
    ids, real = torch.ones(3, 11, dtype=torch.long), torch.ones(3, 11, dtype=torch.bool)
    h, bias = torch.randn(5, WIDTH), torch.randn(25, HEADS)
    with fake:
        move = there(fake)
        bert._weights = {name: move(values) for name, values in bert._weights.items()}
        states = bert.forward(move(ids), move(real))
        conv._apply(move)
        mixed = conv(move(h), move(edges), move(bias))
        pairs = every_pair(4, torch.device("cuda"))
    assert (states.device.type, tuple(states.shape)) == ("cuda", (3, 11, 384))
    assert (mixed.device.type, tuple(mixed.shape)) == ("cuda", (5, WIDTH))
    assert (pairs.device.type, tuple(pairs.shape)) == ("cuda", (2, 16))


def test_a_tensor_that_stays_on_the_cpu_is_found(fake: FakeTensorMode) -> None:
    """What these tests rely on: fakes of two devices do not mix."""
    network, asked = Retriever(CANDIDATE), batch(frontier)
    with fake:
        network._apply(there(fake))
        with pytest.raises(RuntimeError, match="device"):
            network(asked.apply(fake.from_tensor))


# -- meta: backwards -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "make", "graph", "step"), STEPS, ids=NAMES)
def test_backward_and_optimiser_step_run_without_values(
    name: str, make: Any, graph: Any, step: Step
) -> None:
    config = shipped("default")
    schedule = config.retriever if name == "retriever" else config.reranker
    network = make().to("meta")
    optimizer = torch.optim.AdamW(_groups(network, schedule, 25.0))
    loss = step(network, batch(graph).to("meta"))
    loss.backward()
    grown = {name: parameter.grad for name, parameter in network.named_parameters()}
    assert {grad.device.type for grad in grown.values() if grad is not None} == {"meta"}
    assert [name for name, grad in grown.items() if grad is None] == []
    nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
    optimizer.step()
    state = optimizer.state_dict()["state"]
    assert len(state) == len(list(network.parameters()))
    assert {one["exp_avg"].device.type for one in state.values()} == {"meta"}


# -- the code --------------------------------------------------------------------------------

MAKERS = {
    "arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randint", "randn",
    "randperm", "tensor", "zeros",
}  # fmt: skip
COMPUTING = ("networks", "training", "encoders")


def made_without_a_device(text: str) -> Iterator[int]:
    """Lines that leave the device of a tensor to chance; parameters move with their module."""
    tree = ast.parse(text)
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name == "__init__"
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, name = node.func.value, node.func.attr
            ours = isinstance(owner, ast.Name) and owner.id == "torch" and name in MAKERS
            named = any(keyword.arg == "device" for keyword in node.keywords)
            if ours and not named and id(node) not in inside:
                yield node.lineno


def test_every_tensor_is_made_for_a_device() -> None:
    root = Path(next(iter(spm.gnn.__path__)))
    files = [path for folder in COMPUTING for path in sorted((root / folder).glob("*.py"))]
    assert len(files) > 20
    found = [
        f"{path.relative_to(root)}:{line}"
        for path in files
        for line in made_without_a_device(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_the_search_for_tensors_without_a_device_finds_them() -> None:
    text = """
import torch
class Net:
    def __init__(self):
        self.w = torch.zeros(3)
    def forward(self, x):
        a = torch.zeros(3)
        b = torch.arange(4, device=x.device)
        return a + b + torch.tensor(1.0)
"""
    assert list(made_without_a_device(text)) == [7, 9]


# -- with a GPU ------------------------------------------------------------------------------


@needs_gpu("menus by torch on CUDA are not compared with those by numpy")
def test_a_gpu_answers_as_numpy_does() -> None:
    model, rng = prior(), np.random.default_rng(0)
    first, second, pairs = widths(model.design.inputs)
    asked = [
        Candidates(rng.normal(size=(n, first)).astype(np.float32), rng.integers(0, 5, (n, n)))
        for n in (128, 5, 60)
    ]
    chosen = [
        Leading(
            rng.normal(size=(n, second)).astype(np.float32),
            rng.normal(size=(n, n, pairs)).astype(np.float32),
        )
        for n in (32, 5)
    ]
    quick = TorchNetworks(model.retriever, model.reranker, torch.device("cuda"))
    light = NumpyNetworks(model.retriever, model.reranker)
    for one, other in zip(quick.retrieve(asked), light.retrieve(asked), strict=True):
        np.testing.assert_allclose(one.member, other.member, atol=1e-4)
        np.testing.assert_allclose(one.slot, other.slot, atol=1e-4)
    for found, expected in zip(quick.order(chosen), light.order(chosen), strict=True):
        for part, same in zip(found, expected, strict=True):
            np.testing.assert_allclose(part, same, atol=1e-3)


@needs_gpu("vectors made on CUDA are not compared with those made by numpy")
@pytest.mark.usefixtures("computed")
def test_a_gpu_encodes_as_numpy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Email the customer the receipt for order 4821", "refund it, then close the ticket"]
    monkeypatch.setenv("SPM_DEVICE", "cpu")
    expected = MiniLM(weights_folder()).encode_clauses(texts)
    monkeypatch.setenv("SPM_DEVICE", "cuda")
    for rows, same in zip(MiniLM(weights_folder()).encode_clauses(texts), expected, strict=True):
        np.testing.assert_allclose(rows, same, atol=1e-4)


@needs_gpu("no epoch was ever trained on CUDA")
def test_a_gpu_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPM_DEVICE", "cuda")
    torch.manual_seed(0)
    graphs = [frontier(size) for size in (12, 9, 30, 12)]
    fit = Fit(Retriever(CANDIDATE), graphs, retriever_step, shipped("default").retriever)
    assert next(fit.network.parameters()).is_cuda
    losses = [fit.run() for _ in range(2)]
    assert losses[1] < losses[0]
