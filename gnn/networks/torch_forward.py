"""Both networks by torch and PyTorch Geometric: many requests in one pass, on a GPU or the CPU.

A request is a graph, several are a `Batch`; what is only padding in a pass of several sizes is cut
off again.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from spm.gnn.model import Weights
from spm.gnn.networks.passes import Belief, Candidates, Leading, Order
from spm.gnn.networks.request_graphs import candidate_graph, leading_graph
from spm.gnn.networks.reranker import Reranker
from spm.gnn.networks.retriever import Retriever
from spm.gnn.networks.sizes import Sizes
from spm.registry.menus.menu import PREFIX

TOGETHER = 64  # requests in one pass: of 128 candidates each, some 100 MB in single precision

T = TypeVar("T")


class TorchNetworks:
    """Both networks of one model on one device; see `passes.Inference`.

    Args:
        retriever: weights of the first network.
        reranker: weights of the second one; whoever asks for no order needs none.
        device: where they are put.
    """

    def __init__(self, retriever: Weights, reranker: Weights, device: torch.device) -> None:
        self.device = device
        self._retriever = _loaded(retriever_of(retriever), retriever, device)
        self._reranker = _loaded(reranker_of(reranker), reranker, device) if reranker else None

    def retrieve(self, asked: Sequence[Candidates]) -> list[Belief]:
        """Ask the first network, at most so many requests in one pass."""
        found = [_NOBODY] * len(asked)
        for some in _parts([at for at, one in enumerate(asked) if len(one.rows)]):
            graphs = [candidate_graph(asked[at].rows, asked[at].relations) for at in some]
            with torch.inference_mode():
                member, slot, mask = self._retriever(self._batch(graphs))
                # What is padding takes no share of a place.
                slot = slot.masked_fill(~mask[..., None], -torch.inf).softmax(1)
                parts = _arrays(member.sigmoid()), _arrays(slot)
            for at, one, places in zip(some, *parts, strict=True):
                size = len(asked[at].rows)
                found[at] = Belief(one[:size], places[:size])
        return found

    def order(self, asked: Sequence[Leading]) -> list[Order]:
        """Ask the second network, at most so many requests in one pass.

        Raises:
            ValueError: there is none.
        """
        if self._reranker is None:
            raise ValueError("expected weights of the second network (got none)")
        found = [_UNORDERED] * len(asked)
        for some in _parts([at for at, one in enumerate(asked) if len(one.rows)]):
            graphs = [leading_graph(asked[at].rows, asked[at].pairs) for at in some]
            with torch.inference_mode():
                said = self._reranker(self._batch(graphs))
                parts = map(_arrays, (said.entry, said.member, said.slot, said.precedence))
            for at, entry, member, slot, precedence in zip(some, *parts, strict=True):
                size = len(asked[at].rows)
                square = precedence[:size, :size]
                found[at] = Order(entry[:size], member[:size], slot[:size], square)
        return found

    def _batch(self, graphs: Sequence[Data]) -> Batch:
        return Batch.from_data_list(list(graphs)).to(self.device)


_NOBODY = Belief(np.zeros(0, np.float32), np.zeros((0, PREFIX), np.float32))
_UNORDERED = Order(*_NOBODY[:1], *_NOBODY, np.zeros((0, 0), np.float32))


def retriever_of(weights: Weights) -> Retriever:
    """A first network of the size that its weights have."""
    layers, heads, _ = weights["beta"].shape
    tokens = len(weights["summaries"])
    return Retriever(weights["enter.weight"].shape[1], _sizes(weights, layers, heads, tokens))


def reranker_of(weights: Weights) -> Reranker:
    """A second network of the size that its weights have."""
    layers, heads, pairs = weights["bias"].shape
    return Reranker(weights["enter.weight"].shape[1], pairs, _sizes(weights, layers, heads, 0))


def _sizes(weights: Weights, layers: int, heads: int, summaries: int) -> Sizes:
    inner, width = weights["blocks.0.inner.weight"].shape
    return Sizes(width, heads, inner, layers, summaries)


def _loaded(network: nn.Module, weights: Weights, device: torch.device) -> nn.Module:
    found = {name: torch.from_numpy(np.array(values)) for name, values in weights.items()}
    network.load_state_dict(found)
    return network.to(device).eval()


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), TOGETHER):
        yield items[start : start + TOGETHER]


def _arrays(values: Tensor) -> np.ndarray:
    found: np.ndarray = values.cpu().numpy()
    return found
