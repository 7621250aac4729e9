"""Requests as PyTorch Geometric graphs, which the loader batches."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from spm.gnn.decoding import Chosen, Contracts
from spm.gnn.features import NODE, RELATION_NAMES, SHIPPED, Facts, Inputs, derive, pairs
from spm.gnn.networks.input_rows import candidate_names, candidate_rows, chosen_rows
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.menus.menu import PREFIX


def candidate_graph(rows: Floats, relations: NDArray[np.int64]) -> Data:
    """What the retriever reads: candidates, and an edge for each related pair with its type."""
    related = np.nonzero(relations)
    return Data(
        x=torch.from_numpy(rows.astype(np.float32, copy=False)),
        edge_index=torch.from_numpy(np.stack(related)),
        edge_type=torch.from_numpy(relations[related]),
    )


def leading_graph(rows: Floats, pairs: Floats) -> Data:
    """What the reranker reads: chosen tools, and every pair as an edge with what is known of it."""
    size = len(rows)
    whole = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij")).reshape(2, -1)
    return Data(
        x=torch.from_numpy(rows.astype(np.float32, copy=False)),
        edge_index=torch.from_numpy(whole),
        edge_attr=torch.from_numpy(pairs.reshape(size * size, -1).astype(np.float32, copy=False)),
    )


def named_graph(frontier: Frontier, inputs: Inputs = SHIPPED) -> Data:
    """What the retriever reads of a frontier, with names for whoever looks at it."""
    facts = derive(frontier, inputs)
    graph = candidate_graph(candidate_rows(facts, inputs), facts.relations)
    graph.tool, graph.feature_names = list(frontier.tools), candidate_names(inputs)
    graph.relation_names = list(RELATION_NAMES)
    return graph


def frontier_graph(facts: Facts, place: np.ndarray, inputs: Inputs = SHIPPED) -> Data:
    """A retriever's example; `place` is each candidate's place in the path, -1 outside."""
    graph = candidate_graph(candidate_rows(facts, inputs), facts.relations)
    graph.place = torch.from_numpy(place)
    graph.similarity = torch.from_numpy(facts.nodes[:, NODE.index("similarity")].copy())
    return graph


def menu_graph(
    frontier: Frontier,
    facts: Facts,
    chosen: Chosen,
    said: Floats,
    place: np.ndarray,
    inputs: Inputs = SHIPPED,
) -> Data:
    """A reranker's example: the chosen tools, all pairs, and the states along the gold path."""
    size = len(chosen.order)
    local = place[chosen.order]
    # Gold tools that were not chosen leave no gap: the path is what the menu can show of it.
    path = np.argsort(np.where(local < 0, size + len(place), local), kind="stable")
    path = path[: int((local >= 0).sum())]
    local = np.full(size, -1, dtype=np.int64)
    local[path] = np.arange(len(path))
    graph = leading_graph(
        chosen_rows(facts, chosen, said, inputs),
        pairs(frontier, facts, chosen.order, chosen.score, inputs.pair),
    )
    graph.place = torch.from_numpy(local)
    graph.state = torch.from_numpy(_states(frontier, chosen, said[:, 0], path))
    return graph


def _states(frontier: Frontier, chosen: Chosen, belongs: Floats, path: np.ndarray) -> Floats:
    """Who could run and who would be blocked along the gold path, (k, 8, 2)."""
    gives = frontier.gives[chosen.order]
    contracts = Contracts(frontier.takes[chosen.order], gives)
    state, free, columns = frontier.given.copy(), np.ones(len(gives), dtype=np.float32), []
    for at in range(PREFIX):
        both = contracts.ready(state), contracts.blocked(state, belongs * free)[0]
        columns.append(np.stack(both, axis=1))
        if at < len(path):
            state, free[path[at]] = np.maximum(state, gives[path[at]]), 0.0
    return np.stack(columns, axis=1).astype(np.float32, copy=False)
