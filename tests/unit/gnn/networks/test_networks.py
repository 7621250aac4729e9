"""Both networks: their size, their arithmetic against message passing, and that they can learn."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_dense_batch

from spm.gnn.decoding import Chosen, OrderWeights, Scores, arrange
from spm.gnn.features import PAIR, Inputs, derive
from spm.gnn.networks.attention import BiasedAttention, Block
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.message_passing import RelationAwareConv, every_pair
from spm.gnn.networks.request_graphs import frontier_graph, menu_graph
from spm.gnn.networks.reranker import Order, Reranker
from spm.gnn.networks.retriever import Retriever
from spm.gnn.networks.sizes import HEADS, LAYERS, RELATIONS, SUMMARIES, WIDTH
from spm.gnn.training.config import Config, Schedule
from spm.gnn.training.loop import Fit, Ordering, Step, ordering_step, retriever_step
from spm.gnn.training.losses import reranker_loss
from spm.registry.frontier.frontier import Frontier
from tests.support.gpu import needs_gpu

torch.set_num_threads(1)
Builder = Callable[[int, int, int, int], Frontier]
CANDIDATE, CHOSEN, PAIRED = widths()
SIZES = (7, 1, 12, 3)  # of the graphs of a batch: all but one are padded


def random_place(seed: int, size: int, length: int) -> np.ndarray:
    place = np.full(size, -1, dtype=np.int64)
    gold = np.random.default_rng(seed).permutation(size)[:length]
    place[gold] = np.arange(len(gold))
    return place


def frontiers(build: Builder, sizes: Sequence[int]) -> list[Data]:
    return [
        frontier_graph(derive(build(seed, size, 5, 4)), random_place(seed, size, 3))
        for seed, size in enumerate(sizes)
    ]


def menus(build: Builder, sizes: Sequence[int], length: int = 4) -> list[Data]:
    found = []
    for seed, size in enumerate(sizes):
        frontier, rng = build(seed, size, 5, 4), np.random.default_rng(seed)
        order = rng.permutation(size)
        chosen = Chosen(order, rng.random(size).astype(np.float32), {})
        said = rng.random((size, 9)).astype(np.float32)
        place = random_place(seed, size, length)
        facts = derive(frontier)
        found.append(menu_graph(frontier, facts, chosen, said, place))
    return found


def shaken(network: nn.Module, seed: int = 0) -> nn.Module:
    """Random weights everywhere: what begins with 0 would hide a mistake."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.1)
    return network.eval()


def size_of(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


# -- sizes -----------------------------------------------------------------------------------


def test_the_networks_are_as_large_as_the_paper_says():
    """With its features: two vectors of 64 and 12 numbers, then 14 numbers and 16 per pair."""
    assert size_of(Retriever(2 * 64 + 12)) == 416_561
    assert size_of(Reranker(2 * 64 + 14, 16)) == 449_306
    assert size_of(Retriever(140)) == pytest.approx(416_000, rel=0.01)
    assert size_of(Reranker(142, 16)) == pytest.approx(449_000, rel=0.01)


def test_our_features_cost_little():
    """21 more numbers per candidate, 30 more per chosen tool, a row of weights each; 4 per pair."""
    assert (CANDIDATE, CHOSEN, PAIRED) == (140 + 21, 142 + 30, 16 + 4)
    assert size_of(Retriever(CANDIDATE)) == 416_561 + 21 * WIDTH == 419_249
    assert size_of(Reranker(CHOSEN, PAIRED)) == 449_306 + 30 * WIDTH + 4 * 9 == 453_182
    bare = widths(Inputs(vectors=False))  # the prior, which knows no library's texts
    assert (bare[0], bare[1]) == (CANDIDATE - 128, CHOSEN - 128)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match=r"'width' \(got 10\) must be divisible by 'heads'"):
        BiasedAttention(10, 4)


# -- the same by message passing -------------------------------------------------------------


def passed(block: Block, h: Tensor, edge_index: Tensor, bias: Tensor) -> Tensor:
    """A block whose attention is the layer of PyTorch Geometric's style."""
    conv = RelationAwareConv(h.size(1), block.attention.heads)
    conv.load_state_dict(block.attention.state_dict())
    h = h + conv(block.norm1(h), edge_index, bias)
    return h + block.outer(torch.relu(block.inner(block.norm2(h))))


def naive_retriever(network: Retriever, graph: Data) -> tuple[Tensor, Tensor]:
    size = graph.x.size(0)
    relations = torch.zeros(size + SUMMARIES, size + SUMMARIES, dtype=torch.long)
    relations[graph.edge_index[0], graph.edge_index[1]] = graph.edge_type
    h = torch.cat([network.enter(graph.x), network.summaries])
    for block, beta in zip(network.blocks, network.beta, strict=True):
        h = passed(block, h, every_pair(len(h)), beta[:, relations.reshape(-1)].T)
    h = network.norm(h[:size])
    return network.member(h)[:, 0], network.slot(h)


def naive_reranker(network: Reranker, graph: Data) -> Order:
    size = graph.x.size(0)
    pairs = torch.zeros(size, size, PAIRED)
    pairs[graph.edge_index[0], graph.edge_index[1]] = graph.edge_attr
    h = network.enter(graph.x)
    for block, weight in zip(network.blocks, network.bias, strict=True):
        h = passed(block, h, every_pair(size), pairs.reshape(size * size, -1) @ weight.T)
    z = network.norm(h)
    precedence = torch.zeros(size, size)
    for i in range(size):
        for j in range(size):
            meet = network.before(z[i]) @ network.after(z[j]) / WIDTH**0.5
            precedence[i, j] = meet + network.evidence @ pairs[i, j]
    mask = torch.ones(size, dtype=torch.bool)
    entry, member = network.entry(z)[:, 0], network.member(z)[:, 0]
    return Order(entry, member, network.slot(z), precedence, mask, pairs)


@torch.no_grad()
def test_the_layer_along_edges_is_the_dense_one_where_some_pairs_are_left_out():
    """A pair without an edge is one that attention is told to leave out."""
    attention = shaken(BiasedAttention())
    assert isinstance(attention, BiasedAttention)
    conv = RelationAwareConv()
    conv.load_state_dict(attention.state_dict())
    generator = torch.Generator().manual_seed(1)
    h = torch.randn(9, WIDTH, generator=generator)
    linked = torch.rand(9, 9, generator=generator) < 0.4
    linked[4] = False  # who looks at nobody gets nothing from anybody
    linked[4, 4] = True
    bias = torch.randn(HEADS, 9, 9, generator=generator)
    dense = attention(h[None], bias.masked_fill(~linked, -torch.inf)[None])[0]
    edges = linked.nonzero().T
    found = conv(h, edges, bias[:, edges[0], edges[1]].T)
    torch.testing.assert_close(found, dense, atol=1e-5, rtol=1e-5)


def test_heads_must_divide_the_width_along_edges_too():
    with pytest.raises(ValueError, match=r"'width' \(got 10\) must be divisible by 'heads'"):
        RelationAwareConv(10, 4)


@torch.no_grad()
def test_the_retriever_equals_message_passing(random_frontier):
    graphs, network = frontiers(random_frontier, SIZES), shaken(Retriever(CANDIDATE))
    assert isinstance(network, Retriever)
    member, slot, mask = network(Batch.from_data_list(graphs))
    assert mask.sum(1).tolist() == list(SIZES)
    for at, graph in enumerate(graphs):
        size = graph.x.size(0)
        slow_member, slow_slot = naive_retriever(network, graph)
        torch.testing.assert_close(member[at, :size], slow_member, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(slot[at, :size], slow_slot, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_reranker_equals_message_passing(random_frontier):
    graphs, network = menus(random_frontier, SIZES), shaken(Reranker(CHOSEN, PAIRED))
    assert isinstance(network, Reranker)
    order = network(Batch.from_data_list(graphs))
    for at, graph in enumerate(graphs):
        size, slow = graph.x.size(0), naive_reranker(network, graph)
        for name in ("entry", "member", "slot"):
            found = getattr(order, name)[at, :size]
            torch.testing.assert_close(found, getattr(slow, name), atol=1e-5, rtol=1e-5)
        square = order.precedence[at, :size, :size]
        torch.testing.assert_close(square, slow.precedence, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(order.pairs[at, :size, :size], slow.pairs)


# -- order and padding -----------------------------------------------------------------------


@torch.no_grad()
def test_padding_changes_nothing(random_frontier):
    first, second = shaken(Retriever(CANDIDATE)), shaken(Reranker(CHOSEN, PAIRED))
    graphs, chosen = frontiers(random_frontier, SIZES), menus(random_frontier, SIZES)
    member, slot, _ = first(Batch.from_data_list(graphs))
    order = second(Batch.from_data_list(chosen))
    for at, size in enumerate(SIZES):
        alone = first(Batch.from_data_list([graphs[at]]))
        torch.testing.assert_close(member[at, :size], alone[0][0], atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(slot[at, :size], alone[1][0], atol=1e-6, rtol=1e-5)
        single = second(Batch.from_data_list([chosen[at]]))
        torch.testing.assert_close(order.entry[at, :size], single.entry[0], atol=1e-6, rtol=1e-5)
        square = order.precedence[at, :size, :size]
        torch.testing.assert_close(square, single.precedence[0], atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_padding_changes_no_loss(random_frontier):
    """The loss of a batch is the mean of the losses of its graphs, whatever their sizes."""
    network = shaken(Retriever(CANDIDATE))
    graphs = frontiers(random_frontier, SIZES)
    whole = retriever_step(network, Batch.from_data_list(graphs))
    alone = [retriever_step(network, Batch.from_data_list([graph])) for graph in graphs]
    torch.testing.assert_close(whole, torch.stack(alone).mean(), atol=1e-5, rtol=1e-5)
    ordering, chosen = shaken(Ordering(Config())), menus(random_frontier, SIZES)
    whole = ordering_step(ordering, Batch.from_data_list(chosen))
    alone = [ordering_step(ordering, Batch.from_data_list([graph])) for graph in chosen]
    torch.testing.assert_close(whole, torch.stack(alone).mean(), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_order_of_candidates_does_not_matter(random_frontier):
    first, second = shaken(Retriever(CANDIDATE)), shaken(Reranker(CHOSEN, PAIRED))
    assert isinstance(first, Retriever)
    assert isinstance(second, Reranker)
    generator = torch.Generator().manual_seed(3)
    mixed = torch.randperm(9, generator=generator)
    x, mask = torch.randn(1, 9, CANDIDATE, generator=generator), torch.ones(1, 9, dtype=torch.bool)
    relations = torch.randint(RELATIONS, (1, 9, 9), generator=generator)
    member, slot = first.dense(x, relations, mask)
    turned = first.dense(x[:, mixed], relations[:, mixed][:, :, mixed], mask)
    torch.testing.assert_close(turned[0], member[:, mixed], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(turned[1], slot[:, mixed], atol=1e-5, rtol=1e-5)
    x, pairs = torch.randn(1, 9, CHOSEN, generator=generator), torch.randn(1, 9, 9, PAIRED)
    order = second.dense(x, pairs, mask)
    again = second.dense(x[:, mixed], pairs[:, mixed][:, :, mixed], mask)
    torch.testing.assert_close(again.slot, order.slot[:, mixed], atol=1e-5, rtol=1e-5)
    square = order.precedence[:, mixed][:, :, mixed]
    torch.testing.assert_close(again.precedence, square, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_a_relation_has_a_direction(random_frontier):
    """Transposed relations give other scores: forward and reverse are not mixed up."""
    network = shaken(Retriever(CANDIDATE))
    assert isinstance(network, Retriever)
    graph = frontiers(random_frontier, [12])[0]
    turned = graph.clone()
    turned.edge_index = graph.edge_index.flip(0)
    straight, _, _ = network(Batch.from_data_list([graph]))
    crossed, _, _ = network(Batch.from_data_list([turned]))
    assert (straight - crossed).abs().max() > 1e-4


# -- learning --------------------------------------------------------------------------------


def test_every_relation_learns(random_frontier):
    graphs = frontiers(random_frontier, [12, 11, 10])
    types = {int(kind) for graph in graphs for kind in graph.edge_type}
    assert types == {1, 2, 3, 4}  # and the neutral one between all others
    torch.manual_seed(0)
    network = Retriever(CANDIDATE).eval()
    retriever_step(network, Batch.from_data_list(graphs)).backward()
    assert network.beta.grad.shape == (LAYERS, HEADS, RELATIONS)
    assert (network.beta.grad != 0).all()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_every_pair_feature_learns(random_frontier):
    torch.manual_seed(0)
    network = Ordering(Config()).eval()
    ordering_step(network, Batch.from_data_list(menus(random_frontier, [12, 11, 10]))).backward()
    reranker = network.reranker
    assert reranker.bias.grad.shape == (LAYERS, HEADS, PAIRED)
    assert (reranker.bias.grad != 0).all()
    assert (network.weights.grad != 0).all()
    for name, parameter in reranker.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_what_is_the_same_both_ways_says_nothing_about_the_order(random_frontier):
    """Only b_ij - b_ji counts, so six of the sixteen weights of `evidence` stay where they are."""
    torch.manual_seed(0)
    network = Ordering(Config()).eval()
    ordering_step(network, Batch.from_data_list(menus(random_frontier, [12, 11, 10]))).backward()
    learns = network.reranker.evidence.grad.abs() > 1e-6
    symmetric = {"service", "family", "name", "alike", "in_in", "out_out"}
    assert {name for name, does in zip(PAIR, learns, strict=True) if not does} == symmetric


def fitted(network: nn.Module, graphs: list[Data], step: Step, rate: float) -> list[float]:
    """Forty epochs of one batch."""
    fit = Fit(network, graphs, step, Schedule(rate=rate, epochs=40, seed=5))
    return [fit.run() for _ in range(40)]


def test_the_retriever_can_learn_a_batch_by_heart(random_frontier):
    graphs = frontiers(random_frontier, [12, 10, 11, 12, 9, 12, 8, 12])
    torch.manual_seed(0)
    network = Retriever(CANDIDATE)
    losses = fitted(network, graphs, retriever_step, 2e-3)
    assert losses[-1] < 0.1 * losses[0]
    with torch.no_grad():
        member, _, _ = network(Batch.from_data_list(graphs))
    for at, graph in enumerate(graphs):
        best = member[at, : len(graph.place)].argsort(descending=True)[:3]
        assert set(best.tolist()) == set(torch.nonzero(graph.place >= 0).flatten().tolist())


def test_the_order_can_be_learned_by_heart(random_frontier):
    sizes = [12, 10, 11, 12, 9, 12, 8, 12]
    graphs = menus(random_frontier, sizes)
    torch.manual_seed(0)
    network = Ordering(Config())
    losses = fitted(network, graphs, ordering_step, 2e-3)
    assert losses[-1] < 0.2 * losses[0]
    for at, (size, graph) in enumerate(zip(sizes, graphs, strict=True)):
        frontier, rng = random_frontier(at, size, 5, 4), np.random.default_rng(at)
        chosen = rng.permutation(size)  # as `menus` drew it
        decoded = _decoded(network, graph, frontier, chosen)
        gold = torch.nonzero(graph.place >= 0).flatten()
        assert decoded[: len(gold)] == gold[graph.place[gold].argsort()].tolist()


def _decoded(network: Ordering, graph: Data, frontier: Frontier, chosen: np.ndarray) -> list[int]:
    with torch.no_grad():
        order = network.reranker(Batch.from_data_list([graph]))
    pairs = order.pairs[0].numpy()
    scores = Scores(
        member=order.member[0].numpy(),
        entry=order.entry[0].numpy(),
        slot=order.slot[0].numpy(),
        precedence=order.precedence[0].numpy(),
        follows=pairs[..., PAIR.index("follows")],
        feeds=pairs[..., PAIR.index("feeds")],
        recalled=pairs[..., PAIR.index("recalled_next")],
        takes=frontier.takes[chosen],
        gives=frontier.gives[chosen],
        belongs=graph.x[:, 130].numpy(),  # two vectors, score and rank stand before it
    )
    weights = OrderWeights(*network.weights.tolist())
    return [int(tool) for tool in arrange(scores, frontier.given, weights).order]


def test_the_five_losses_are_all_there(random_frontier):
    network = Ordering(Config()).eval()
    batch = Batch.from_data_list(menus(random_frontier, [6, 8]))
    place, _ = to_dense_batch(batch.place, batch.batch, fill_value=-1)
    state, _ = to_dense_batch(batch.state, batch.batch)
    losses = reranker_loss(network.reranker(batch), place, state, network.weights)
    shares = {"entry": 0.55, "slot": 0.55, "precedence": 0.75, "member": 0.30, "path": 1.15}
    expected = sum(share * losses[name] for name, share in shares.items())
    torch.testing.assert_close(ordering_step(network, batch), expected)


@needs_gpu("CPU and GPU are not compared")
@torch.no_grad()
def test_a_gpu_says_the_same(random_frontier):
    for network, graphs in (
        (shaken(Retriever(CANDIDATE)), frontiers(random_frontier, SIZES)),
        (shaken(Reranker(CHOSEN, PAIRED)), menus(random_frontier, SIZES)),
    ):
        batch = Batch.from_data_list(graphs)
        here = network(batch)
        there = network.to("cuda")(batch.to("cuda"))
        for ours, theirs in zip(here, there, strict=True):
            torch.testing.assert_close(ours, theirs.cpu(), atol=1e-4, rtol=1e-4)
