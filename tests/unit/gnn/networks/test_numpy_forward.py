"""The numpy twin of both networks against torch: one set of weights, one answer."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from spm.gnn.features import Inputs
from spm.gnn.networks import numpy_forward
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.reranker import Reranker
from spm.gnn.networks.retriever import Retriever
from spm.gnn.networks.sizes import RELATIONS

torch.set_num_threads(1)


def shaken(network: nn.Module, seed: int) -> nn.Module:
    """Random weights, also where training begins with 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            drawn = torch.randn(parameter.shape, generator=generator)
            wide = parameter.dim() == 2  # as wide as an initialised layer, so sums stay moderate
            parameter.copy_(drawn * (parameter.shape[-1] ** -0.5 if wide else 0.5))
            assert parameter.abs().max() > 0, name
    return network.eval()


def arrays(network: nn.Module) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in network.state_dict().items()}


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("size", [1, 2, 32, 128])
@torch.no_grad()
def test_retrieve_equals_torch(size, vectors):
    features = widths(Inputs(vectors=vectors))[0]
    network = shaken(Retriever(features), size)
    assert isinstance(network, Retriever)
    rng = np.random.default_rng(size)
    x = rng.normal(size=(size, features)).astype(np.float32)
    relations = rng.integers(0, RELATIONS, (size, size))
    member, slots = numpy_forward.retrieve(arrays(network), x, relations)
    mask = torch.ones(1, size, dtype=torch.bool)
    logits, places = network.dense(torch.from_numpy(x)[None], torch.tensor(relations)[None], mask)
    np.testing.assert_allclose(member, logits[0].sigmoid().numpy(), atol=1e-5)
    np.testing.assert_allclose(slots, places[0].softmax(0).numpy(), atol=1e-5)
    np.testing.assert_allclose(slots.sum(0), 1, atol=1e-5)  # over candidates, for each place
    assert member.dtype == slots.dtype == np.float32


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("size", [1, 2, 32, 128])
@torch.no_grad()
def test_order_equals_torch(size, vectors):
    _, features, pairs = widths(Inputs(vectors=vectors))
    network = shaken(Reranker(features, pairs), size)
    assert isinstance(network, Reranker)
    rng = np.random.default_rng(size)
    x = rng.normal(size=(size, features)).astype(np.float32)
    a = rng.normal(size=(size, size, pairs)).astype(np.float32)
    found = numpy_forward.order(arrays(network), x, a)
    mask = torch.ones(1, size, dtype=torch.bool)
    order = network.dense(torch.from_numpy(x)[None], torch.from_numpy(a)[None], mask)
    for name in ("entry", "member", "slot", "precedence"):
        ours, theirs = getattr(found, name), getattr(order, name)[0].numpy()
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=1e-5)
        assert ours.dtype == np.float32


def test_a_network_that_is_very_sure_overflows_nothing():
    """numpy would warn, and a warning is an error here."""
    features = widths(Inputs(vectors=False))[0]
    network = shaken(Retriever(features), 0)
    weights = arrays(network)
    x, neutral = np.zeros((3, features), np.float32), np.zeros((3, 3), int)
    for sign in (-1, 1):
        sure = {**weights, "member.bias": np.array([sign * 1e4], dtype=np.float32)}
        member, _ = numpy_forward.retrieve(sure, x, neutral)
        np.testing.assert_array_equal(member, [sign > 0] * 3)


def test_a_menu_needs_no_torch():
    code = (
        "import sys, spm.gnn.constructor, spm.gnn.checkpoint\n"
        "import spm.gnn.training.selection, spm.gnn.training.measures\n"
        "assert not {'torch', 'torch_geometric'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
