"""The layer of `attention` in PyTorch Geometric's own style: messages along edges.

Both have the same weights and give the same; tests hold them to it. The networks use the dense
layout, because every candidate looks at every other: there is an edge for each pair, so that
messages only add bookkeeping (docs/encoders-and-training.md has what was measured). This one is
for graphs of your own that are sparse, and for reading the method as PyTorch Geometric writes it.
"""

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax

from spm.gnn.networks.sizes import HEADS, WIDTH


class RelationAwareConv(MessagePassing):
    r"""Multi-head attention along edges, whose logits carry an additive bias for every edge.

    .. math::
        x_i' = W_o \sum_j \mathrm{softmax}_j (q_i \cdot k_j / \sqrt{d_h} + \beta_{h, ij}) \, v_j

    An edge :math:`(i, j)` lets :math:`i` look at :math:`j`, as `edge_index` of `to_pyg` says which
    relation :math:`i` has to :math:`j`. `load_state_dict` takes the weights of a `BiasedAttention`.

    Args:
        width: size of a node's state.
        heads: number of heads; must divide `width`.
    """

    def __init__(self, width: int = WIDTH, heads: int = HEADS) -> None:
        super().__init__(aggr="add", flow="target_to_source", node_dim=0)
        if width % heads:
            raise ValueError(f"'width' (got {width}) must be divisible by 'heads' (got {heads})")
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, edge_index: Tensor, bias: Tensor) -> Tensor:
        """Attend; `bias` is (edges, heads)."""
        q, k, v = self.qkv(x).view(len(x), 3, self.heads, -1).unbind(1)
        mixed: Tensor = self.propagate(edge_index, q=q, k=k, v=v, bias=bias)
        joined: Tensor = self.out(mixed.flatten(1))
        return joined

    def message(
        self,
        q_i: Tensor,
        k_j: Tensor,
        v_j: Tensor,
        bias: Tensor,
        index: Tensor,
        size_i: int,
    ) -> Tensor:
        """What an edge brings: the value of its far end, by its share of the attention."""
        logits = (q_i * k_j).sum(-1) * k_j.size(-1) ** -0.5 + bias
        share: Tensor = softmax(logits, index, num_nodes=size_i)
        return share[..., None] * v_j


def every_pair(size: int, device: torch.device | None = None) -> Tensor:
    """The edges among nodes that all look at each other and themselves, (2, size²)."""
    return torch.cartesian_prod(*[torch.arange(size, device=device)] * 2).T
