"""The second network: in which order the chosen tools can run."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch

from spm.gnn.networks.attention import Block, hide_padding
from spm.gnn.networks.dense import dense_nodes, dense_pairs
from spm.gnn.networks.sizes import SHIPPED, Sizes


class Order(NamedTuple):
    """What the reranker says of each chosen tool, as logits."""

    entry: Tensor  # (B, N): begins the route
    member: Tensor  # (B, N): is on the route
    slot: Tensor  # (B, N, 8): stands at this place
    precedence: Tensor  # (B, N, N): i comes before j
    mask: Tensor  # (B, N): real, not padding
    pairs: Tensor  # (B, N, N, features): the pair features, for the state-dependent terms


class Reranker(nn.Module):
    r"""A Transformer over the chosen tools with continuous pair features as attention bias.

    .. math::
        \alpha_{ij} \propto \exp(q_i \cdot k_j / \sqrt{d_h} + w_{\ell, h} \cdot a_{ij})

        b_{ij} = (W_1 z_i) \cdot (W_2 z_j) / \sqrt{d} + w \cdot a_{ij}

    Args:
        features: length of a tool's input row.
        pairs: number of pair features.
        sizes: how large the network is.
    """

    def __init__(
        self,
        features: int,
        pairs: int,
        sizes: Sizes = SHIPPED,
    ) -> None:
        super().__init__()
        self.features, self.sizes = features, sizes
        width = sizes.width
        self.enter = nn.Linear(features, width)
        self.blocks = nn.ModuleList(Block(sizes) for _ in range(sizes.layers))
        self.bias = nn.Parameter(torch.zeros(sizes.layers, sizes.heads, pairs))
        self.norm = nn.LayerNorm(width)
        self.entry = nn.Linear(width, 1)
        self.member = nn.Linear(width, 1)
        self.slot = nn.Linear(width, sizes.slots)
        self.before = nn.Linear(width, width, bias=False)
        self.after = nn.Linear(width, width, bias=False)
        self.evidence = nn.Parameter(torch.zeros(pairs))

    def forward(self, batch: Batch) -> Order:
        """Score a batch of chosen tools; `edge_attr` holds the pair features."""
        x, mask = dense_nodes(batch.x, batch)
        return self.dense(x, dense_pairs(batch.edge_attr, batch), mask)

    def dense(self, x: Tensor, pairs: Tensor, mask: Tensor | None = None) -> Order:
        """The same on padded arrays: x (B, N, features), pairs (B, N, N, features)."""
        h = self.enter(x)
        # One product for all that is linear in the pair features: the biases of every layer and
        # head, and what they say of the order.
        rows = torch.cat([self.bias.flatten(0, 1), self.evidence[None]])
        said = (pairs @ rows.T).permute(3, 0, 1, 2)
        layout = (self.sizes.layers, self.sizes.heads)
        biases = said[:-1].unflatten(0, layout).transpose(1, 2)
        for block, bias in zip(self.blocks, biases, strict=True):
            h = block(h, hide_padding(bias, mask))
        z = self.norm(h)
        meet = self.before(z) @ self.after(z).transpose(1, 2) / self.sizes.width**0.5
        return Order(
            entry=self.entry(z).squeeze(-1),
            member=self.member(z).squeeze(-1),
            slot=self.slot(z),
            precedence=meet + said[-1],
            mask=x.new_ones(x.shape[:2], dtype=torch.bool) if mask is None else mask,
            pairs=pairs,
        )
