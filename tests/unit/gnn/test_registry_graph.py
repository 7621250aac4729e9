"""The whole registry for PyTorch Geometric: what the graph says, and what a caller may see."""

from __future__ import annotations

from itertools import pairwise

import torch

from spm.gnn.registry_graph import registry_graph
from spm.registry.access.caller import Caller
from spm.registry.registry import Registry

EVERYBODY = Caller()


def edges(graph, source, name, target):
    """Pairs of ids, with what the edges carry."""
    found = graph[source, name, target]
    ends = zip(*found.edge_index.tolist(), strict=True)
    return [(graph[source].id[a], graph[target].id[b]) for a, b in ends]


def test_edges_are_those_that_cypher_finds(shop: Registry) -> None:
    graph = registry_graph(shop.store)
    for source, name, target, key in (
        ("Tool", "REQUIRES", "Field", "name"),
        ("Tool", "ACCEPTS", "Field", "name"),
        ("Tool", "PRODUCES", "Field", "name"),
        ("Tool", "ACTS_ON", "Resource", "id"),
        ("Tool", "GIVES", "Resource", "id"),
        ("Tool", "FEEDS", "Tool", "id"),
        ("Tool", "PRECEDES", "Tool", "id"),
        ("Tool", "BEFORE", "Tool", "id"),
    ):
        known = "AND b.status = 'active'" if target == "Tool" else ""
        rows = shop.cypher(
            f"MATCH (a:{source})-[:{name}]->(b:{target}) WHERE a.status = 'active' {known} "
            f"RETURN a.id AS a, b.{key} AS b"
        ).rows
        expected = sorted((row["a"], row["b"]) for row in rows)
        assert expected, name
        assert sorted(edges(graph, source.lower(), name, target.lower())) == expected, name


def test_steps_walk_the_paths_of_trajectories(shop: Registry) -> None:
    graph = registry_graph(shop.store)
    steps = graph["trajectory", "STEP", "tool"]
    walk = graph["trajectory"].id.index(graph["trajectory"].id[5])
    own = steps.edge_index[0] == walk
    order = steps.idx[own].argsort()
    found = [graph["tool"].id[at] for at in steps.edge_index[1][own][order].tolist()]
    rows = shop.cypher(
        "MATCH (j:Trajectory {id: $id})-[s:STEP]->(t:Tool) WHERE s.ok RETURN t.id AS tool "
        "ORDER BY s.idx",
        {"id": graph["trajectory"].id[5]},
    ).rows
    assert found == [row["tool"] for row in rows]


def test_counts_and_vectors_are_those_of_the_graph(shop: Registry) -> None:
    graph = registry_graph(shop.store)
    assert graph["tool"].x.shape == (len(graph["tool"].id), 384)
    assert graph["trajectory"].x.shape == (len(graph["trajectory"].id), 384)
    torch.testing.assert_close(graph["tool"].x.norm(dim=1), torch.ones(len(graph["tool"].id)))
    (row,) = shop.cypher(
        "MATCH (t:Tool {id: 'orders/lookup_order'}) RETURN t.frequency AS used, "
        "t.entry_frequency AS begun"
    ).rows
    at = graph["tool"].id.index("orders/lookup_order")
    assert graph["tool"].frequency[at] == row["used"] > 0
    assert graph["tool"].entry_frequency[at] == row["begun"] > 0
    assert graph.validate()


def test_a_restricted_caller_gets_what_it_sees_counted_in_what_it_sees(shop: Registry) -> None:
    whole, reading = (
        registry_graph(shop.store, caller) for caller in (EVERYBODY, Caller(read_only=True))
    )
    effects = {row["id"]: row["effects"] for row in shop.tools()}
    assert {effects[tool] for tool in reading["tool"].id} == {"read"}
    assert len(reading["tool"].id) < len(whole["tool"].id)
    steps = set(edges(reading, "trajectory", "STEP", "tool"))
    assert {tool for _, tool in steps} <= set(reading["tool"].id)
    pairs: dict[tuple[str, str], int] = {}
    for walk in reading["trajectory"].id:
        rows = shop.cypher(
            "MATCH (j:Trajectory {id: $id})-[s:STEP]->(t:Tool) WHERE s.ok RETURN t.id AS tool "
            "ORDER BY s.idx",
            {"id": walk},
        ).rows
        tools = [row["tool"] for row in rows]
        for pair in pairwise(tools):
            pairs[pair] = pairs.get(pair, 0) + 1
    found = zip(
        edges(reading, "tool", "PRECEDES", "tool"),
        reading["tool", "PRECEDES", "tool"].count.tolist(),
        strict=True,
    )
    assert dict(found) == pairs
    produced = {field for _, field in edges(reading, "tool", "PRODUCES", "field")}
    required = {field for _, field in edges(reading, "tool", "REQUIRES", "field")}
    accepted = {field for _, field in edges(reading, "tool", "ACCEPTS", "field")}
    assert set(reading["field"].id) == produced | required | accepted
    assert reading.validate()


def test_hidden_tools_move_nothing(shop: Registry, registry: Registry) -> None:
    """The graph of who sees nothing is empty, and so is that of a registry without tools."""
    for graph in (
        registry_graph(shop.store, Caller("x", scopes=())),
        registry_graph(registry.store),
    ):
        assert all(graph[kind].num_nodes == len(graph[kind].id) for kind in graph.node_types)
        assert graph.num_edges >= 0
    assert registry_graph(registry.store).num_nodes == 0
