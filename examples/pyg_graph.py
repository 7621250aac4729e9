"""The registry in PyTorch Geometric: learn from texts and observed order which tool feeds which.

Some edges from producers to consumers are set aside; the network sees the vectors of tools and
which tool ran right after which, and has to tell those edges from pairs of chance.
"""

import argparse

import torch
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of
from torch_geometric.nn import SAGEConv

import spm

EPOCHS, WIDTH = 200, 32


class Feeds(torch.nn.Module):
    """Tools as vectors after two steps along observed order; a score for each ordered pair."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.steps = torch.nn.ModuleList([SAGEConv(features, WIDTH), SAGEConv(WIDTH, WIDTH)])
        self.feeds = torch.nn.Bilinear(WIDTH, WIDTH, 1)

    def forward(self, x: torch.Tensor, order: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        """The score of each pair of tools."""
        for step in self.steps:
            x = step(x, order).tanh()
        scores: torch.Tensor = self.feeds(x[pairs[0]], x[pairs[1]])[:, 0]
        return scores


def main() -> None:
    """Train on most edges, and say how the others fare."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--store", help="default: $SPM_STORE, or your own")
    with spm.open(arguments.parse_args().store) as registry:
        graph = registry.to_pyg()
    torch.manual_seed(0)
    tools = graph["tool"].num_nodes
    order = graph["tool", "PRECEDES", "tool"].edge_index
    edges = graph["tool", "FEEDS", "tool"].edge_index
    edges = edges[:, torch.randperm(edges.size(1))]
    aside, taught = edges.split([edges.size(1) // 5, edges.size(1) - edges.size(1) // 5], dim=1)
    network = Feeds(graph["tool"].x.size(1))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(EPOCHS):
        chance = torch.randint(tools, taught.shape)
        scores = network(graph["tool"].x, order, torch.cat([taught, chance], dim=1))
        real = torch.arange(len(scores)) < taught.size(1)
        optimizer.zero_grad()
        loss_of(scores, real.float()).backward()
        optimizer.step()
    with torch.no_grad():
        real_scores = network(graph["tool"].x, order, aside)
        chance_scores = network(graph["tool"].x, order, torch.randint(tools, (2, 1_000)))
    share = (real_scores[:, None] > chance_scores).float().mean()
    print(f"{tools} tools; {aside.size(1)} of {edges.size(1)} edges set aside")
    print(f"An edge set aside scores above a pair of chance in {share:.0%} of all comparisons.")


if __name__ == "__main__":
    main()
