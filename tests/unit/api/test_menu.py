"""A menu in every format, and the way back from names to tools."""

import json

import pytest

from spm.registry.demo import REQUEST
from spm.registry.errors import InputError
from spm.registry.menus.formats import MENU_FORMATS


@pytest.fixture
def menu(shop_registry):
    return shop_registry.menu(REQUEST, size=6)


def test_every_format_can_be_written(menu):
    for format in MENU_FORMATS:
        found = menu.to(format)
        assert found
        assert isinstance(found, str) == (format in ("json", "markdown", "names"))
    with pytest.raises(InputError, match=r"No menu format 'xml'. Known: .*openai"):
        menu.to("xml")


def test_names_lead_back_to_the_tools(menu):
    for format, name in (("anthropic", "name"), ("openai-responses", "name")):
        names = menu.names(format)
        assert [names[tool[name]] for tool in menu.to(format)] == [item.id for item in menu.items]
    ranked = menu.names("openai", aliases=True)
    assert ranked["01_lookup_order"] == "orders/lookup_order"
    assert menu.definitions().keys() == {item.id for item in menu.items}


def test_a_budget_keeps_what_fits(menu):
    whole, small = menu.to("openai"), menu.to("openai", token_budget=150)
    assert small == whole[: len(small)]
    assert 0 < len(small) < len(whole)


def test_what_was_read_is_not_read_again(menu, shop_registry):
    whole = menu.to("openai")
    shop_registry.close()
    assert menu.to("openai") == whole
    assert menu.definitions()


def test_a_menu_is_plain_data_and_text(menu):
    assert json.loads(menu.to("json"))["route"] == menu.route
    found = menu.to_dict()
    assert json.loads(json.dumps(found))["items"][0]["id"] == menu.route[0]
    assert found["notes"] == menu.notes
    assert str(menu) == menu.to("markdown")
    assert repr(menu) == f"<Menu of 6 tools for {REQUEST!r}>"
    assert menu.model
    assert menu.edges


def test_an_explanation_names_every_tool_and_its_reasons(menu):
    lines = menu.explain().splitlines()
    assert lines[0].startswith("Route: lookup_order → ")
    assert sum(line[:1].isdigit() for line in lines) == len(menu)
    assert "   needs order_id from request" in lines
    assert any(line.startswith("   after lookup_order, seen ") for line in lines)
