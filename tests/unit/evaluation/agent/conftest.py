"""A small shop to run in, and what runs need."""

from collections.abc import Callable
from typing import Any

import pytest

from spm.evaluation.agent.backends import Simulation
from spm.evaluation.agent.endpoint import Endpoint
from spm.evaluation.agent.episode import Run, play
from spm.evaluation.agent.shown_menus import Toolbox, toolbox
from spm.registry.registry import Registry
from tests.data.scripted import Server

ROUTE = ["shop/find_order", "shop/make_receipt", "shop/find_mail", "shop/send_mail"]


@pytest.fixture
def shop_registry(registry, manifest):
    """Four tools that feed each other, one that says nothing of what it gives, and a sharp one."""
    sharp = {"effects": "destructive", "inputs": [{"name": "order_id"}]}
    typed = {
        "inputs": [
            {"name": "count", "type": "integer"},
            {"name": "note", "required": False},
        ],
        "outputs": [{"name": "total", "type": "number"}, {"name": "lines", "type": "array"}],
    }
    registry.register(
        manifest(
            "shop",
            find_order=(["order_id"], ["customer_id", "amount"]),
            make_receipt=(["order_id", "amount"], ["receipt_id"]),
            find_mail=(["customer_id"], ["mail_address"]),
            send_mail=(["mail_address", "receipt_id"], ["message_id"]),
            close_case=([], []),
            cancel_order=sharp,
            add_up=typed,
        )
    )
    return registry


@pytest.fixture
def tools(shop_registry: Registry) -> Toolbox:
    """All of them, as a menu."""
    ids = [*ROUTE, "shop/close_case", "shop/cancel_order", "shop/add_up"]
    return toolbox(shop_registry.store, ids)


@pytest.fixture
def played(tools: Toolbox) -> Callable[..., Run]:
    """Play one run against a server."""

    def run(server: Server, backend: Any = None, **more: Any) -> Run:
        endpoint = Endpoint(server.url, "scripted", sleep=lambda seconds: None)
        return play(
            "Mail the receipt of order 4821", tools, endpoint, backend or Simulation(), **more
        )

    return run
