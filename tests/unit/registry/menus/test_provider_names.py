"""Names that providers accept: legal, one for each tool, always the same, with a way back."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.menus.menu import MenuItem
from spm.registry.menus.provider_names import ANTHROPIC, MCP, OPENAI, display_names, name

RULES = {"openai": OPENAI, "anthropic": ANTHROPIC, "mcp": MCP}


def tool(rank: int, identity: str, called: str | None = None) -> MenuItem:
    known = identity.partition("/")[2] if called is None else called
    return MenuItem(rank, identity, known, "", "", "backup", "read", {}, [], 1.0, {})


def test_legal_names_stay_as_they_are():
    items = [tool(1, "orders/lookup_order"), tool(2, "mail/send-mail")]
    for rule in RULES.values():
        assert name(items, rule).of == {
            "orders/lookup_order": "lookup_order",
            "mail/send-mail": "send-mail",
        }


@pytest.mark.parametrize(
    ("called", "openai", "mcp"),
    [
        ("GET /orders/{id}", "GET_orders_id", "GET_orders_id"),
        ("calendar.events.list", "calendar_events_list", "calendar.events.list"),
        ("Größe ändern", "Groe_andern", "Groe_andern"),
        ("注文を探す", "tool", "tool"),
        ("a\x1b[31mb\u202ec", "a_31mbc", "a_31mbc"),
        ("`rm -rf` | <b>", "rm_-rf_b", "rm_-rf_b"),
    ],
)
def test_what_is_not_allowed_is_replaced(called, openai, mcp):
    items = [tool(1, "s/x", called)]
    assert name(items, OPENAI).of == {"s/x": openai}
    assert name(items, MCP).of == {"s/x": mcp}


def test_tools_of_one_name_are_told_apart_by_their_service():
    items = [tool(1, "orders/find"), tool(2, "users/find"), tool(3, "users/list")]
    assert name(items, OPENAI).of == {
        "orders/find": "orders_find",
        "users/find": "users_find",
        "users/list": "list",
    }


def test_what_cannot_be_told_apart_by_words_gets_a_digest_of_its_id():
    items = [tool(1, "a/注文", "注文"), tool(2, "a/顧客", "顧客"), tool(3, "b/" + "x" * 200)]
    named = name(items, OPENAI).of
    assert len(set(named.values())) == 3
    assert all(OPENAI.fits(text) for text in named.values())
    assert named["b/" + "x" * 200].startswith("x" * 55 + "_")


def test_ranks_in_names_sort_as_the_menu_does():
    items = [tool(rank, f"s/{chr(122 - rank % 26)}{rank}") for rank in range(1, 121)]
    named = name(items, OPENAI, ranked=True)
    assert named.of["s/y1"] == "001_y1"
    assert sorted(named.of.values()) == [named.of[i.id] for i in items]
    few = name(items[:9], OPENAI, ranked=True)
    assert few.of["s/y1"] == "01_y1"


def test_there_is_a_way_back_and_a_route_on_one_line():
    named = name([tool(1, "a/x"), tool(2, "b/y")], OPENAI, ranked=True)
    assert named.tools == {"01_x": "a/x", "02_y": "b/y"}
    assert named.route(["a/x", "b/y"]) == "01_x → 02_y"


def test_people_read_names_and_ids_where_a_name_is_shared():
    items = [tool(1, "a/x"), tool(2, "b/x"), tool(3, "b/y"), tool(4, "c/a/x", "a/x")]
    named = display_names(items)
    assert named == {"a/x": "a/x", "b/x": "b/x", "b/y": "y", "c/a/x": "c/a/x"}


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.text(min_size=1, max_size=200)),
        unique=True,
        max_size=40,
    ),
    st.sampled_from(sorted(RULES)),
    st.booleans(),
)
def test_any_names_become_legal_and_different(pairs, provider, ranked):
    rule = RULES[provider]
    found = {f"{service}/{called}": called for service, called in pairs}
    items = [tool(rank, key, called) for rank, (key, called) in enumerate(found.items(), 1)]
    named = name(items, rule, ranked=ranked)
    assert len(set(named.of.values())) == len(items)
    assert all(rule.fits(text) for text in named.of.values())
    assert {named.tools[text] for text in named.of.values()} == set(found)
    if not ranked:
        shuffled = items[:]
        random.Random(1).shuffle(shuffled)
        assert name(shuffled, rule).of == named.of
