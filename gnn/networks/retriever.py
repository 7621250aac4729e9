"""The first network: which tools of the frontier belong into the menu."""

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch

from spm.gnn.networks.attention import Block, hide_padding
from spm.gnn.networks.dense import dense_nodes, dense_pairs
from spm.gnn.networks.sizes import RELATIONS, SHIPPED, Sizes


class Retriever(nn.Module):
    r"""A relation-aware Transformer over one request's candidates.

    Relation types (neutral, forward, reverse, shared name, shared family) enter attention as one
    learned scalar per layer and head:

    .. math::
        \alpha_{ij} = \mathrm{softmax}_j (q_i \cdot k_j / \sqrt{d_h} + \beta_{\ell, h, r_{ij}})

    Four learned path-summary tokens, neutral to everybody, join the candidates.

    Args:
        features: length of a candidate's input row.
        sizes: how large the network is.
    """

    def __init__(self, features: int, sizes: Sizes = SHIPPED) -> None:
        super().__init__()
        self.features, self.sizes = features, sizes
        self.enter = nn.Linear(features, sizes.width)
        self.summaries = nn.Parameter(torch.randn(sizes.summaries, sizes.width) * 0.02)
        self.blocks = nn.ModuleList(Block(sizes) for _ in range(sizes.layers))
        self.beta = nn.Parameter(torch.zeros(sizes.layers, sizes.heads, RELATIONS))
        self.norm = nn.LayerNorm(sizes.width)
        self.member = nn.Linear(sizes.width, 1)
        self.slot = nn.Linear(sizes.width, sizes.slots)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of membership (B, N) and of slots (B, N, 8), and which nodes are real (B, N)."""
        x, mask = dense_nodes(batch.x, batch)
        member, slot = self.dense(x, dense_pairs(batch.edge_type, batch), mask)
        return member, slot, mask

    def dense(
        self, x: Tensor, relations: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The same on padded arrays: x (B, N, features), relations (B, N, N); no mask: all real."""
        size = len(x)
        h = torch.cat([self.enter(x), self.summaries.expand(size, -1, -1)], dim=1)
        # Summary tokens stand behind the candidates: real, and neutral (relation 0) to all.
        tokens = self.sizes.summaries
        relations = nn.functional.pad(relations, (0, tokens, 0, tokens))
        if mask is not None:
            mask = nn.functional.pad(mask, (0, tokens), value=True)
        for block, bias in zip(self.blocks, self._biases(relations), strict=True):
            h = block(h, hide_padding(bias, mask))
        h = self.norm(h[:, : x.size(1)])
        return self.member(h).squeeze(-1), self.slot(h)

    def _biases(self, relations: Tensor) -> Tensor:
        """The bias of every layer, (layers, B, heads, N, N).

        As a product with ones and zeros: the same numbers as looking each pair up, and half the
        time (forwards and backwards in torch; in onnxruntime a fifth of it forwards).
        """
        ones = torch.stack([relations == kind for kind in range(RELATIONS)]).to(self.beta.dtype)
        layers, heads = self.sizes.layers, self.sizes.heads
        found = self.beta.reshape(layers * heads, RELATIONS) @ ones.reshape(RELATIONS, -1)
        return found.view(layers, heads, *relations.shape).transpose(1, 2)
