"""A small menu holds its whole route, whatever else could come first."""

import pytest

from spm.registry import demo
from spm.registry.menus.menu import Ask
from spm.registry.registry import Registry

REQUESTS = ["Refund order 7", demo.REQUEST, "Cancel order 12 and tell the customer"]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_every_tool_of_the_route_is_in_the_menu(demo_folder, size):
    with Registry.open(str(demo_folder)) as registry:
        for request in REQUESTS:
            menu = registry.answer(Ask(request, (), size))
            items = [item.id for item in menu.items]
            assert len(items) == size
            assert [tool for tool in items if tool in menu.route] == list(menu.route)
