"""Examples that are kept packed are, once unpacked, what they were."""

import pickle
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from spm.gnn.constructor import place_of
from spm.gnn.decoding import SetWeights, choose
from spm.gnn.features import Inputs, derive
from spm.gnn.networks.request_graphs import frontier_graph, menu_graph
from spm.gnn.networks.sizes import VECTOR
from spm.gnn.training.examples import Example
from spm.gnn.training.packing import PackedArray, PackedExamples, PackedGraph, Texts

ARRAYS = [
    np.array([-1, 0, 127]),
    np.array([0, 255]),
    np.array([-1, 40_000]),
    np.array([2**40, -(2**40)]),
    np.arange(12, dtype=np.float32).reshape(3, 4) / 7,
    np.zeros((3, 0), dtype=np.float32),
    np.zeros((0, 4), dtype=np.int64),
    np.arange(24, dtype=np.float32).reshape(2, 3, 4),
    np.array([np.nan, -0.0, np.inf, 1e-42], dtype=np.float32),
]


def same(left: Any, right: Any) -> bool:
    """The same down to the bytes, and of the same kind."""
    if is_dataclass(left):
        return all(same(getattr(left, f.name), getattr(right, f.name)) for f in fields(left))
    if isinstance(left, Data):
        return sorted(left.keys()) == sorted(right.keys()) and all(
            same(left[name].numpy(), right[name].numpy()) for name in left.keys()
        )
    if isinstance(left, np.ndarray):
        alike = left.dtype == right.dtype and left.shape == right.shape
        return bool(alike and left.tobytes() == right.tobytes())
    return bool(left == right)


def examples(build: Any, count: int = 4) -> list[Example]:
    made = [build(seed, 40, 12, 8) for seed in range(count)]
    return [Example(frontier, frontier.tools[3:6]) for frontier in made]


def graphs(build: Any, *, vectors: bool) -> list[Data]:
    found = []
    for one in examples(build):
        facts, place = derive(one.frontier), place_of(one.frontier, one.path)
        inputs = Inputs(vectors=vectors)
        found.append(frontier_graph(facts, place, inputs))
        member = np.linspace(1, 0, len(place), dtype=np.float32)
        slots = np.zeros((len(place), 8), dtype=np.float32)
        chosen = choose(member, slots, one.frontier.gives, facts.vectors, SetWeights())
        said = np.zeros((len(chosen.order), 9), dtype=np.float32)
        found.append(menu_graph(one.frontier, facts, chosen, said, place, inputs))
    return found


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_an_array_is_what_it_was(array):
    assert same(PackedArray.of(array).array(), array)


def test_an_unpacked_array_may_be_written_to():
    packed = PackedArray.of(np.ones((2, 2), dtype=np.float32))
    packed.array()[:] = 0
    assert packed.array().all()


@pytest.mark.parametrize("vectors", [True, False])
def test_a_graph_is_what_it_was(random_frontier, vectors):
    texts = Texts()
    made = graphs(random_frontier, vectors=vectors)
    packed = [PackedGraph(graph, texts, VECTOR if vectors else 0) for graph in made]
    for before, after in zip(made, packed, strict=True):
        assert same(before, after.graph())
        after.graph().x.zero_()
        assert torch.equal(before.x, after.graph().x)


def test_an_example_is_what_it_was(random_frontier):
    before = examples(random_frontier)
    packed = PackedExamples(before, Texts())
    assert len(packed) == len(before)
    assert all(same(one, two) for one, two in zip(before, packed, strict=True))
    assert same(packed[1], before[1])
    assert all(same(one, two) for one, two in zip(before[1:3], packed[1:3], strict=True))


def test_a_text_is_kept_once():
    texts, rows = Texts(), np.random.default_rng(0).random((300, 5), dtype=np.float32)
    numbers = texts.numbers(rows)
    assert texts.numbers(rows[::-1]).tolist() == numbers[::-1].tolist()
    assert same(texts.vectors(numbers, 5), rows)


def test_packing_saves_memory(random_frontier):
    """Not by how much exactly: generated frontiers are fuller than those of registries."""
    texts = Texts()
    made = graphs(random_frontier, vectors=True)
    whole = sum(len(pickle.dumps(graph)) for graph in made)
    packed = [PackedGraph(graph, texts, VECTOR) for graph in made]
    assert sum(len(one.content) for graph in packed for one in graph._arrays.values()) < whole / 3
