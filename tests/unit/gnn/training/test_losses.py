"""The losses: what training adds up is what decoding adds up, and nothing is ever infinite."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_dense_batch

from spm.gnn.decoding import Chosen, OrderWeights, Scores, arrange, step_terms
from spm.gnn.features import Facts, derive, recalled
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.request_graphs import frontier_graph, menu_graph
from spm.gnn.networks.reranker import Order, Reranker
from spm.gnn.networks.retriever import Retriever
from spm.gnn.training.config import Config, RetrieverLosses
from spm.gnn.training.loop import Ordering, ordering_step, retriever_step
from spm.gnn.training.losses import path_loss, reranker_loss, retriever_loss
from spm.registry.frontier.frontier import Frontier

torch.set_num_threads(1)
CANDIDATE, CHOSEN, PAIRED = widths()


@dataclass(frozen=True)
class Case:
    """A menu and everything that it was made of."""

    frontier: Frontier
    facts: Facts
    chosen: Chosen
    said: np.ndarray
    place: np.ndarray  # of every candidate in the gold path

    def graph(self) -> Data:
        given = self.frontier, self.facts, self.chosen, self.said, self.place
        return menu_graph(*given)

    def gold(self) -> list[int]:
        """The gold path as places among the chosen, without what was not chosen."""
        where = {int(tool): at for at, tool in enumerate(self.chosen.order)}
        path = sorted((int(p), tool) for tool, p in enumerate(self.place) if p >= 0)
        return [where[tool] for _, tool in path if tool in where]


def test_the_first_network_is_trained_for_what_the_configuration_says():
    """Each loss counts by its weight; the entry is the first place's."""
    generator = torch.Generator().manual_seed(3)
    member, slot = (torch.randn(2, 50, *more, generator=generator) for more in ((), (8,)))
    place = torch.full((2, 50), -1)
    place[0, :3], place[1, 40] = torch.arange(3), 0
    mask, similarity = torch.ones(2, 50, dtype=torch.bool), torch.rand(2, 50, generator=generator)
    nothing = RetrieverLosses(gold=1.0, hard=1.0, edge=0.0, slot=0.0, entry=0.0)

    def loss(**changed: Any) -> float:
        found = replace(nothing, **changed)
        return float(retriever_loss(member, slot, mask, place, similarity, found))

    plain = functional.binary_cross_entropy_with_logits(member, (place >= 0).float())
    assert loss() == pytest.approx(float(plain), abs=1e-5)
    first = -slot[..., 0].log_softmax(1)
    entry = float(first[0, 0] + first[1, 40]) / 2
    assert loss(entry=1.0) - loss() == pytest.approx(entry, abs=1e-4)
    assert loss(entry=0.5) - loss() == pytest.approx(entry / 2, abs=1e-4)
    one = loss(slot=1.0) - loss()
    assert loss(slot=0.3) - loss() == pytest.approx(0.3 * one, abs=1e-4)
    assert loss(gold=4.0) > loss()
    assert loss(hard=2.0) > loss()
    assert loss(edge=0.5) > loss()


@pytest.fixture(scope="module")
def make(random_frontier):
    def case(seed: int, size: int, length: int, shown: int | None = None) -> Case:
        frontier, rng = random_frontier(seed, size, 6, 3), np.random.default_rng(seed)
        order = rng.permutation(size)[:shown]
        place = np.full(size, -1, dtype=np.int64)
        path = rng.permutation(size)[:length]
        place[path] = np.arange(len(path))
        score = rng.random(len(order)).astype(np.float32)
        said = rng.random((len(order), 9)).astype(np.float32)
        return Case(frontier, derive(frontier), Chosen(order, score, {}), said, place)

    return case


def scored(cases: list[Case]) -> tuple[Order, torch.Tensor, torch.Tensor]:
    """What a network of random weights says of them, their places and their states."""
    torch.manual_seed(1)
    network = Reranker(CHOSEN, PAIRED).eval()
    torch.nn.init.normal_(network.evidence)
    torch.nn.init.normal_(network.bias)
    batch = Batch.from_data_list([case.graph() for case in cases])
    place, _ = to_dense_batch(batch.place, batch.batch, fill_value=-1)
    state, _ = to_dense_batch(batch.state, batch.batch)
    with torch.no_grad():
        return network(batch), place, state


def scores_of(case: Case, order: Order, at: int) -> Scores:
    """The same scores as the decoder gets them, straight from the frontier."""
    size, local = len(case.chosen.order), np.ix_(case.chosen.order, case.chosen.order)
    return Scores(
        member=order.member[at, :size].numpy(),
        entry=order.entry[at, :size].numpy(),
        slot=order.slot[at, :size].numpy(),
        precedence=order.precedence[at, :size, :size].numpy(),
        follows=case.facts.follows[local],
        feeds=case.facts.feeds[local],
        recalled=recalled(case.frontier, case.chosen.order)[2],
        takes=case.frontier.takes[case.chosen.order],
        gives=case.frontier.gives[case.chosen.order],
        belongs=case.said[:, 0],
    )


def slow_path_loss(case: Case, scores: Scores, weights: OrderWeights) -> float:
    """Walk the gold path with the decoder's own steps."""
    state, free = case.frontier.given.copy(), np.ones(len(scores.member), dtype=bool)
    lead = scores.precedence - scores.precedence.T
    ahead, last, lost = np.zeros(len(free), dtype=np.float32), -1, []
    for at, tool in enumerate(case.gold()[:8]):
        learned = step_terms(scores, state, ahead, last, at, free)[:9]  # `waits` is not
        sums = np.dot(weights.array(), learned)
        open_sums = sums[free].astype(np.float64)
        lost.append(np.log(np.exp(open_sums - sums[tool]).sum()))
        free[tool] = False
        state, ahead, last = np.maximum(state, scores.gives[tool]), ahead + lead[tool], tool
    return float(np.mean(lost)) if lost else 0.0


WEIGHTS = OrderWeights(0.3, 0.7, 1.1, 0.6, 0.9, 1.3, 0.8, 0.7, -1.2)


def test_training_and_decoding_add_up_the_same_terms(make):
    """Sizes differ (padding), paths are longer than 8, empty, or partly outside the menu."""
    cases = [make(0, 6, 4), make(1, 12, 11), make(2, 9, 0), make(3, 12, 6, 7), make(4, 1, 1)]
    order, place, state = scored(cases)
    found = path_loss(order, place, state, torch.from_numpy(WEIGHTS.array()))
    slow = [
        slow_path_loss(case, scores_of(case, order, at), WEIGHTS) for at, case in enumerate(cases)
    ]
    np.testing.assert_allclose(found.numpy(), slow, atol=1e-5, rtol=1e-5)
    assert found[2] == 0
    assert found[4] == 0  # a single tool: nothing to choose
    assert len(cases[3].gold()) < 6  # some gold tools are not in that menu


@pytest.mark.parametrize("term", range(9))
def test_each_term_alone(make, term):
    alone = [0.0] * 9
    alone[term] = 1.0
    weights, cases = OrderWeights(*alone), [make(seed, 10, 6) for seed in range(5, 9)]
    order, place, state = scored(cases)
    found = path_loss(order, place, state, torch.from_numpy(weights.array()))
    slow = [
        slow_path_loss(case, scores_of(case, order, at), weights) for at, case in enumerate(cases)
    ]
    np.testing.assert_allclose(found.numpy(), slow, atol=1e-5, rtol=1e-5)
    nothing = path_loss(order, place, state, torch.zeros(9))
    assert not torch.allclose(found, nothing)


def test_the_likeliest_path_is_the_decoded_one(make):
    """Of all first tools the decoder takes the one whose path loss is lowest."""
    case = make(7, 8, 1)
    order, place, state = scored([case])
    weights = torch.from_numpy(WEIGHTS.array())
    losses = []
    for tool in range(8):
        place[:] = -1
        place[0, tool] = 0
        losses.append(float(path_loss(order, place, state, weights)[0]))
    decoded = arrange(scores_of(case, order, 0), case.frontier.given, WEIGHTS).order
    assert int(np.argmin(losses)) == decoded[0]


@pytest.mark.parametrize("length", [0, 1, 8, 9, 12])
def test_losses_and_gradients_are_finite(make, length):
    """An empty path, one of eight, and longer ones; alone and in a padded batch."""
    torch.manual_seed(0)
    first, second = Retriever(CANDIDATE), Ordering(Config())
    for cases in ([make(1, 12, length)], [make(1, 12, length), make(2, 3, 2), make(3, 1, 0)]):
        frontiers = [frontier_graph(case.facts, case.place) for case in cases]
        lost = retriever_step(first, Batch.from_data_list(frontiers))
        lost = lost + ordering_step(second, Batch.from_data_list([case.graph() for case in cases]))
        lost.backward()
        assert torch.isfinite(lost)
        for parameter in (*first.parameters(), *second.parameters()):
            assert torch.isfinite(parameter.grad).all()


def test_each_of_the_five_is_finite_for_an_empty_path(make):
    order, place, state = scored([make(0, 5, 0)])
    losses = reranker_loss(order, place, state, torch.from_numpy(WEIGHTS.array()))
    assert {name: float(losses[name]) for name in ("entry", "slot", "precedence", "path")} == {
        "entry": 0,
        "slot": 0,
        "precedence": 0,
        "path": 0,
    }
    assert 0 < float(losses["member"]) < 10


def test_hard_negatives_count_double():
    """Alike in meaning (16 of them) or at the menu's edge (places 25 to 40), all else alike."""
    size = 128
    place = torch.full((1, size), -1)
    similarity = torch.linspace(1, 0, size)[None]  # the first 16 are alike in meaning
    member = torch.linspace(-1, 1, size)[None].requires_grad_()  # the last are ranked first
    mask, slot = torch.ones(1, size, dtype=torch.bool), torch.zeros(1, size, 8)
    retriever_loss(member, slot, mask, place, similarity).backward()
    assert member.grad is not None
    weight = member.grad[0] * size / torch.sigmoid(member.detach()[0])
    double = {*range(16), *range(size - 40, size - 24)}
    for at in range(size):
        assert float(weight[at]) == pytest.approx(2.0 if at in double else 1.0, rel=1e-3), at


def test_gold_tools_learn_to_rise():
    place = torch.tensor([[1, -1, 0, -1]])
    member = torch.zeros(1, 4, requires_grad=True)
    mask = torch.tensor([[True, True, True, False]])
    slot = torch.zeros(1, 4, 8, requires_grad=True)
    retriever_loss(member, slot, mask, place, torch.zeros(1, 4)).backward()
    assert member.grad is not None
    assert slot.grad is not None
    assert (member.grad[0, [0, 2]] < 0).all()
    assert member.grad[0, 1] > 0
    assert member.grad[0, 3] == 0  # padding
    assert slot.grad[0, 2, 0] < 0 < slot.grad[0, 0, 0]
    assert slot.grad[0, 0, 1] < 0 < slot.grad[0, 2, 1]
    assert not slot.grad[0, :, 2:].any()  # nobody stands there


def test_precedence_learns_the_order_of_gold_pairs(make):
    """At zero scores every gold pair costs log 2, and the earlier tool is pushed ahead."""
    order, place, state = scored([make(0, 6, 3)])
    zero = torch.zeros_like(order.precedence).requires_grad_()
    flat = order._replace(precedence=zero)
    loss = reranker_loss(flat, place, state, torch.zeros(9))["precedence"]
    loss.backward()
    assert float(loss.detach()) == pytest.approx(np.log(2), abs=1e-6)
    assert zero.grad is not None
    first, second = int((place[0] == 0).nonzero()), int((place[0] == 1).nonzero())
    assert zero.grad[0, first, second] < 0 < zero.grad[0, second, first]
