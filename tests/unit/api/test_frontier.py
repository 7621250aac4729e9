"""The candidates of a request through the public API: the graph that the networks read."""

from __future__ import annotations

import builtins
import sys

import pytest
import torch
from torch_geometric.data import Batch

import spm
from spm.gnn.model_store import prior
from spm.gnn.networks.torch_forward import retriever_of
from spm.registry.errors import EncoderError, InputError

REQUEST = "Email the customer the receipt for order 4821"


def test_the_network_says_of_the_graph_what_the_menu_shows(shop_registry: spm.Registry) -> None:
    graph = shop_registry.frontier(REQUEST).to_pyg()
    weights = prior().retriever
    network = retriever_of(weights).eval()
    network.load_state_dict(
        {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
    )
    with torch.no_grad():
        member, _, mask = network(Batch.from_data_list([graph]))
    assert mask.all()
    said = dict(zip(graph.tool, member[0].sigmoid().tolist(), strict=True))
    menu = shop_registry.menu(REQUEST)
    for item in menu.items:
        assert item.terms["belongs"] == pytest.approx(said[item.id], abs=1e-4), item.id


def test_columns_and_edges_have_names(shop_registry: spm.Registry) -> None:
    frontier = shop_registry.frontier(REQUEST)
    graph = frontier.to_pyg()
    assert graph.x.shape == (len(frontier), len(graph.feature_names))
    assert graph.tool == frontier.tools
    similar = graph.x[:, graph.feature_names.index("similarity")]
    torch.testing.assert_close(similar, torch.from_numpy(frontier.arrays.similarity))
    forward = graph.relation_names.index("forward")
    feeds = graph.edge_index[:, graph.edge_type == forward].T.tolist()
    named = [(graph.tool[a], graph.tool[b]) for a, b in feeds]
    assert ("payments/create_receipt", "messaging/send_email_receipt") in named
    assert graph.validate()


def test_the_arguments_of_a_menu_are_heeded(shop_registry: spm.Registry) -> None:
    assert shop_registry.frontier("Cancel it", state=["order_id"]).given == ["order_id"]
    reading = shop_registry.frontier(REQUEST, caller=spm.Caller(read_only=True))
    effects = {row["id"]: row["effects"] for row in shop_registry.core.tools()}
    assert {effects[tool] for tool in reading.tools} == {"read"}
    assert "of 98 tools" in repr(shop_registry.frontier(REQUEST))
    with pytest.raises(InputError, match="empty"):
        shop_registry.frontier(" ")


def test_without_torch_geometric_the_error_says_how_to_get_it(
    shop_registry: spm.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier = shop_registry.frontier(REQUEST)
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("torch_geometric"):
            raise ImportError("No module named 'torch_geometric'")
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "torch_geometric.data", raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    for ask in (frontier.to_pyg, shop_registry.to_pyg):
        with pytest.raises(EncoderError, match=r"pip install 'spm-registry\[train\]'"):
            ask()
