"""The layer that both networks are made of: attention over all candidates, biased by relations."""

from torch import Tensor, nn
from torch.nn import functional

from spm.gnn.networks.sizes import HEADS, SHIPPED, WIDTH, Sizes


class BiasedAttention(nn.Module):
    r"""Multi-head attention whose logits carry an additive bias for every pair.

    .. math::
        \alpha_{ij} = \mathrm{softmax}_j (q_i \cdot k_j / \sqrt{d_h} + \beta_{h, ij})

    It works on the dense layout: every candidate looks at every other, so message passing over
    edges would only add bookkeeping (see `message_passing`, which gives the same).

    Args:
        width: size of a node's state.
        heads: number of heads; must divide `width`.
    """

    def __init__(self, width: int = WIDTH, heads: int = HEADS) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"'width' (got {width}) must be divisible by 'heads' (got {heads})")
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, h: Tensor, bias: Tensor) -> Tensor:
        """Attend; `bias` is (B, heads, N, N), with -inf where a node is only padding."""
        batch, nodes, width = h.shape
        split = self.qkv(h).view(batch, nodes, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4)  # each (B, heads, N, width / heads)
        # Written out: torch's own function also looks for rows that attend to nobody.
        share = (q @ k.transpose(2, 3) * (width // self.heads) ** -0.5 + bias).softmax(-1)
        mixed = share @ v
        joined: Tensor = self.out(mixed.transpose(1, 2).reshape(batch, nodes, width))
        return joined


class Block(nn.Module):
    """Attention, then a small network for each node; both normalised first and added."""

    def __init__(self, sizes: Sizes = SHIPPED) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(sizes.width)
        self.attention = BiasedAttention(sizes.width, sizes.heads)
        self.norm2 = nn.LayerNorm(sizes.width)
        # ReLU: as good as GELU here and cheap where the networks run without torch.
        self.inner = nn.Linear(sizes.width, sizes.inner)
        self.outer = nn.Linear(sizes.inner, sizes.width)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(self, h: Tensor, bias: Tensor) -> Tensor:
        """One step for all nodes at once."""
        h = h + self.dropout(self.attention(self.norm1(h), bias))
        grown: Tensor = self.outer(functional.relu(self.inner(self.norm2(h))))
        return h + self.dropout(grown)


def hide_padding(bias: Tensor, mask: Tensor | None) -> Tensor:
    """Let nobody attend to padding: `mask` (B, N) is true where a node is real; None: all are."""
    if mask is None:
        return bias
    # Most batches have as many candidates everywhere; a GPU is not asked, it would have to wait.
    if mask.device.type == "cpu" and bool(mask.all()):
        return bias
    return bias.masked_fill(~mask[:, None, None, :], float("-inf"))
