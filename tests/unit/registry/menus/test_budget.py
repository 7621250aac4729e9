"""Token budgets: the route first, a leading part that can run, never more than allowed."""

from dataclasses import replace
from itertools import pairwise

import pytest

from spm.registry.menus.budget import fit, tokens
from spm.registry.menus.export import export_menu
from spm.registry.menus.menu import Edge


@pytest.fixture
def chain(item, menu):
    """A route of three, then two backups; of each definition 10, 20, 30, 40 and 50 tokens."""
    items = [
        item(1, "s/a", role="entry", gives=["x"]),
        item(2, "s/b", role="bridge", needs={"x": ["s/a"]}, gives=["y"]),
        item(3, "s/c", role="target", needs={"y": ["s/b"]}),
        item(4, "s/d", needs={"z": ["s/e", "s/a"]}),
        item(5, "s/e"),
    ]
    edges = [Edge("s/a", "s/b", "declared", "x", 0), Edge("s/b", "s/c", "observed", "", 3)]
    return menu(*items, route=3, edges=edges)


def costs(item):
    return "x" * (item.rank * 40 - 2)  # with its quotes 40, 80, … bytes


def test_tokens_are_bytes_by_four_rounded_up():
    assert tokens("ab") == 1
    assert tokens("abc") == 2
    assert tokens({"a": [1, 2]}) == 3  # {"a":[1,2]}: nothing is spent on blanks
    assert tokens("漢字") == 2  # other scripts cost more than characters by four


@pytest.mark.parametrize(
    ("budget", "kept", "used", "cut"),
    [(9, 0, 0, True), (10, 1, 10, True), (59, 2, 30, True), (60, 3, 60, False),
     (99, 3, 60, False), (100, 4, 100, False), (149, 4, 100, False), (150, 5, 150, False)],
)  # fmt: skip
def test_the_longest_leading_part_is_kept(chain, budget, kept, used, cut):
    found = fit(chain, budget, costs)
    assert [i.rank for i in found.menu.items] == list(range(1, kept + 1))
    assert (found.tokens, found.left_out, found.route_cut) == (used, 5 - kept, cut)
    assert found.menu.route == chain.route[:kept]


def test_what_is_kept_does_not_mention_what_is_gone(chain):
    found = fit(chain, 100, costs).menu
    assert found.items[3].needs == {"z": ["s/a"]}
    assert fit(chain, 30, costs).menu.edges == chain.edges[:1]


def test_a_larger_budget_never_loses_a_tool(chain):
    kept = [fit(chain, size, costs).menu.items for size in range(0, 160, 5)]
    for small, large in pairwise(kept):
        assert [i.id for i in large[: len(small)]] == [i.id for i in small]
    assert (len(kept[0]), len(kept[-1])) == (0, 5)


def test_a_serving_says_what_was_left_out(registry, chain):
    plenty = export_menu(registry.store, chain, "openai", budget=10_000)
    assert plenty.notes() == []
    assert plenty.as_dict()["tokens"] == sum(tokens(t) for t in plenty.definitions())
    each = [tokens(t) for t in plenty.definitions()]
    three = export_menu(registry.store, chain, "openai", budget=sum(each[:4]) - 1)
    assert three.notes() == [
        f"2 of 5 tools are left out to fit the token budget; about {sum(each[:3])} tokens are used."
    ]
    two = export_menu(registry.store, chain, "openai", budget=sum(each[:3]) - 1)
    assert two.notes() == [
        "3 of 5 tools are left out to fit the token budget. "
        "The route is cut after 2: its end does not fit."
    ]
    none = export_menu(registry.store, chain, "openai", budget=1)
    assert none.definitions() == []
    assert none.notes()[0].endswith("not even the first one fits.")


def test_a_reference_costs_what_its_definition_does(registry, chain, item, menu):
    long = replace(item(1, "s/a"), description="word " * 100)
    referred = export_menu(registry.store, menu(long), "tool-reference", budget=10_000)
    defined = export_menu(registry.store, menu(long), "anthropic", budget=10_000)
    assert referred.fitted is not None
    assert defined.fitted is not None
    assert referred.fitted.tokens == defined.fitted.tokens > 100
