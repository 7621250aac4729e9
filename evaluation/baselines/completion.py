"""Collaborative completion: COLT's idea with LightGCN, on the graph of requests, scenes and tools.

COLT (Qu and others, 2024) tunes a text encoder, then spreads vectors over the graph of training
requests, scenes (the tools that solved a request together) and tools, so that tools that are used
together come to lie together. Here the encoder stays as it is, both graphs are one, and training
has one loss instead of three: a request that the graph does not know should find its tools.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, named
from spm.evaluation.baselines.text import Dense
from spm.evaluation.corpus import Corpus
from spm.evaluation.optional import package, versions
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Ints, Library, Numbers
from spm.registry.frontier.frontier import Floats, cosines

LAYERS = 2
RATE, BATCH, SEED = 1e-3, 256, 17
HEAT = 0.05  # what cosines are divided by before they compete
# After how many rounds of learning, and how much plain text adds. Before the first round vectors
# are only spread.
ROUNDS = (0, 1, 3, 8, 16)
CONSTANTS = tuple(product(ROUNDS, (0.0, 0.3, 1.0)))


class Completion:
    """The tools nearest to a request, after tools have drawn near who used them."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        self._vectors = learned(corpus.library, ROUNDS)
        self.constants = chosen(corpus, CONSTANTS, self._look, self._order)
        rounds, _ = self.constants
        self._vectors = {rounds: self._vectors[rounds]}

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("torch", "torch-geometric")

    def menu(self, question: Question) -> list[str]:
        """By cosine to the spread vectors, with some plain text, ties by id."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> tuple[Numbers, dict[int, Numbers]]:
        found = {at: cosines(kept, question.vector) for at, kept in self._vectors.items()}
        return self._dense.scores(question), found

    def _order(
        self, seen: tuple[Numbers, dict[int, Numbers]], constants: tuple[int, float]
    ) -> list[int]:
        rounds, weight = constants
        return best(seen[1][rounds] + weight * seen[0])


def learned(library: Library, rounds: tuple[int, ...]) -> dict[int, Floats]:
    """Vectors of tools, spread over the graph, after so many rounds of learning."""
    if not library.trajectories:
        return dict.fromkeys(rounds, library.vectors)
    with _alone() as torch:
        edges, start, scenes = graph(library)
        network = _network(torch, len(start), start.shape[1])
        network.embedding.weight.data.copy_(torch.from_numpy(start))
        learning = _Learning(torch, library, network, torch.from_numpy(edges), scenes)
        found = {}
        for done in range(max(rounds) + 1):
            if done:
                learning.round(done)
            if done in rounds:
                found[done] = learning.vectors()
        return found


def graph(library: Library) -> tuple[Ints, Floats, Ints]:
    """Edges both ways over tools, requests and scenes; their first vectors; scenes by request.

    Nodes are numbered in this order. A scene begins as the mean of its tools.
    """
    tools, requests = len(library.tools), len(library.trajectories)
    every = np.arange(requests)
    sets = [tuple(sorted(library.path(row))) for row in range(requests)]
    known = {members: at for at, members in enumerate(dict.fromkeys(sets))}
    scenes = np.array([known[members] for members in sets], dtype=np.int64)
    owner, used = library.ways.of_all(every)
    place = np.repeat(np.arange(len(known)), [len(members) for members in known])
    held = np.concatenate([np.array(members, dtype=np.int64) for members in known])
    there = np.concatenate([tools + owner, tools + requests + place, tools + every])
    back = np.concatenate([used, held, tools + requests + scenes])
    means = np.stack([library.vectors[list(members)].mean(axis=0) for members in known])
    edges = np.stack([np.concatenate([there, back]), np.concatenate([back, there])])
    return edges, np.concatenate([library.vectors, library.request_vectors, means]), scenes


class _Learning:
    """Rounds over the training requests, each asked without its own edges and its scene's."""

    def __init__(
        self, torch: Any, library: Library, network: Any, edges: Any, scenes: Ints
    ) -> None:
        self._torch, self._network, self._edges = torch, network, edges
        self._tools, self._requests = len(library.tools), len(library.trajectories)
        self._scenes = torch.from_numpy(scenes)
        self._asked = torch.from_numpy(library.request_vectors)
        owner, used = library.ways.of_all(np.arange(self._requests))
        wanted = np.zeros((self._requests, self._tools), dtype=np.float32)
        wanted[owner, used] = 1.0
        self._wanted = torch.from_numpy(wanted / wanted.sum(axis=1, keepdims=True))
        self._optimizer = torch.optim.Adam(network.parameters(), lr=RATE)

    def vectors(self) -> Floats:
        """The vectors of tools with all edges, of unit length."""
        with self._torch.no_grad():
            found: Floats = self._spread(self._edges).numpy()
        return found

    def round(self, number: int) -> None:
        """Go through all requests once."""
        shuffle = self._torch.Generator().manual_seed(SEED + number)
        order = self._torch.randperm(self._requests, generator=shuffle)
        for rows in order.split(BATCH):
            tools = self._spread(self._edges[:, self._others(rows)])
            said = (self._asked[rows] @ tools.T / HEAT).log_softmax(dim=1)
            loss = -(self._wanted[rows] * said).sum(dim=1).mean()
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()

    def _spread(self, edges: Any) -> Any:
        found = self._network.get_embedding(edges)[: self._tools]
        return self._torch.nn.functional.normalize(found, dim=1)

    def _others(self, rows: Any) -> Any:
        hidden = self._torch.zeros(self._network.num_nodes, dtype=self._torch.bool)
        hidden[self._tools + rows] = True
        hidden[self._tools + self._requests + self._scenes[rows]] = True
        return ~hidden[self._edges].any(dim=0)


def _network(torch: Any, nodes: int, width: int) -> Any:
    layers = package("torch_geometric.nn", "completion", "train")
    with torch.random.fork_rng():  # its first weights are drawn, and then replaced
        return layers.LightGCN(nodes, width, LAYERS)


@contextmanager
def _alone() -> Iterator[Any]:
    """Torch with one thread: sums keep their order, and a busy machine does not slow it down."""
    torch = package("torch", "completion", "train")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield torch
    finally:
        torch.set_num_threads(before)
