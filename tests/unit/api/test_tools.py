"""The tools of a registry."""

import pytest

from spm.registry.errors import ToolInUse


def test_a_tool_lives(shop_registry):
    tools = shop_registry.tools
    assert len(tools.list()) == 100
    assert {row["service"] for row in tools.list(service="orders")} == {"orders"}
    assert len(tools.history("cancel_order")) == 1
    assert tools.deprecate("cancel_order", "lookup_order")["successor"] == "orders/lookup_order"
    assert [row["id"] for row in tools.list(status="deprecated")].count("orders/cancel_order") == 1
    with pytest.raises(ToolInUse):
        tools.remove("cancel_order")
    assert tools.remove("cancel_order", force=True) == "orders/cancel_order"


def test_versions_are_compared(empty, manifest):
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    empty.register(manifest("mail", send=(["address", "subject"], ["message_id"])))
    found = empty.tools.diff("send")
    assert (found.before, found.after, found.breaking) == ("1", "2", True)


def test_sources_are_judged_before_they_are_registered(empty, tmp_path):
    file = tmp_path / "mail.json"
    file.write_text('{"spm": 1, "service": "mail", "tools": [{"name": "do"}]}')
    (verdict,) = empty.tools.lint(file)
    assert verdict.tool == "mail/do"
    assert verdict.remarks
    assert empty.tools.list() == []


def test_a_tool_is_drawn_with_its_neighbours(shop_registry):
    from spm.registry.pictures.formats import render

    assert "lookup_order" in render(shop_registry.tools.draw("lookup_order"), "mermaid")
