"""The rule of FEEDS on small graphs, and its upkeep by every write."""

from dataclasses import replace

import pytest

from spm.registry.map.feeds import HUB_TOOLS, REQUIRED, Node, Takes, feeds, is_handed
from spm.registry.map.resources import Given, Identity

EDGES = "MATCH (a:Tool)-[e:FEEDS]->(b:Tool) RETURN a.name AS a, b.name AS b, e.fields AS fields"


def node(name, verb, resource, takes=(), gives=()):
    """A tool: `takes` are (field, resource, role, required), `gives` (resource, role)."""
    return Node(
        name,
        verb,
        resource,
        tuple(Takes(f, Identity(r, role), required) for f, r, role, required in takes),
        tuple(Given(r, role) for r, role in gives),
    )


def pairs(*nodes):
    return {(feed.producer, feed.consumer) for feed in feeds(nodes)}


GET_USER = node("get_user", "get", "user", [("user_id", "user", "", True)], [("user", "")])
LIST_USERS = node("list_users", "list", "user", [], [("user", "")])


def test_a_list_feeds_what_takes_an_item():
    assert pairs(LIST_USERS, GET_USER) == {("list_users", "get_user")}


def test_who_needs_the_same_id_makes_nothing():
    other = node("rename_user", "update", "user", [("user_id", "user", "", True)], [("user", "")])
    assert pairs(GET_USER, other) == set()


@pytest.mark.parametrize("verb", ["update", "delete", "act"])
def test_what_changes_something_that_exists_feeds_nothing(verb):
    assert pairs(node("do_user", verb, "user", [], [("user", "")]), GET_USER) == set()


def test_the_plain_id_feeds_a_role_and_a_reference_the_plain_id():
    assign = node("assign", "update", "ticket", [("assignee_id", "user", "assignee", True)])
    ticket = node("get_ticket", "get", "ticket", [("t", "ticket", "", True)], [("user", "owner")])
    assert ("list_users", "assign") in pairs(LIST_USERS, assign)
    assert ("get_ticket", "get_user") in pairs(ticket, GET_USER)


def test_one_role_feeds_no_other():
    assign = node("assign", "update", "ticket", [("assignee_id", "user", "assignee", True)])
    ticket = node("get_ticket", "get", "ticket", [("t", "ticket", "", True)], [("user", "owner")])
    assert pairs(ticket, assign) == set()


def test_a_hub_is_fed_only_by_what_lists_it():
    takers = [
        node(f"use_{n}", "act", "thing", [("space", "space", "", True)]) for n in range(HUB_TOOLS)
    ]
    lists = node("list_spaces", "list", "space", [], [("space", "")])
    refers = node("get_me", "get", "me", [], [("space", "space")])
    found = pairs(*takers, lists, refers)
    assert {producer for producer, _ in found} == {"list_spaces"}


def test_producers_are_bounded_and_one_of_them_creates():
    many = [node(f"list_users_{n}", "list", "user", [], [("user", "")]) for n in range(20)]
    create = node("create_user", "create", "user", [], [("user", "")])
    found = pairs(*many, create, GET_USER)
    assert len(found) == REQUIRED + 1
    assert ("create_user", "get_user") in found


def test_handed_fields():
    assert is_handed("order_id")
    assert is_handed("tracking_number")
    assert not is_handed("subject")
    assert not is_handed("id")
    assert not is_handed("page_token")


@pytest.fixture
def shop(registry, manifest):
    registry.register(
        manifest(
            "orders",
            list_orders=([], ["order_id"]),
            ship_order={"inputs": [{"name": "order_id"}], "effects": "write"},
        )
    )
    return registry


def edges(registry):
    return {(r["a"], r["b"]) for r in registry.cypher(EDGES, {}).rows}


def test_a_registration_writes_edges_and_a_removal_takes_them(shop):
    assert edges(shop) == {("list_orders", "ship_order")}
    shop.remove("list_orders", force=True)
    assert edges(shop) == set()


def test_another_service_feeds_only_what_nobody_here_makes(shop, manifest):
    shop.register(manifest("billing", refund_order={"inputs": [{"name": "order_id"}]}))
    assert ("list_orders", "refund_order") in edges(shop)
    shop.register(
        manifest(
            "billing",
            refund_order={"inputs": [{"name": "order_id"}]},
            find_order=(["receipt_text"], ["order_id"]),
        )
    )
    assert ("find_order", "refund_order") in edges(shop)
    assert ("list_orders", "refund_order") not in edges(shop)


def test_registering_again_changes_nothing(shop, manifest):
    before = shop.status()["revision"]
    again = shop.register(
        manifest(
            "orders",
            list_orders=([], ["order_id"]),
            ship_order={"inputs": [{"name": "order_id"}], "effects": "write"},
        )
    )
    assert again.revision is None
    assert shop.status()["revision"] == before


def test_a_tool_without_declared_outputs_is_inferred_to_give_what_it_names(registry, manifest):
    registry.register(
        manifest("desk", find_user_by_email=(["email"], []), close_user_account=(["user_id"], []))
    )
    found = registry.cypher(
        "MATCH (a:Tool)-[e:FEEDS]->(b:Tool) RETURN a.name AS a, b.name AS b, e.evidence AS how", {}
    ).rows
    assert [(r["a"], r["b"], r["how"]) for r in found] == [
        ("find_user_by_email", "close_user_account", "inferred")
    ]


def test_a_get_that_takes_its_own_id_only_echoes_it_though_it_is_not_required():
    info = node("user_info", "get", "user", [("user", "user", "", False)], [("user", "")])
    assert pairs(info, GET_USER) == set()


def test_of_two_versions_of_an_api_each_is_used_with_its_own():
    def versioned(word, verb, *more):
        return replace(node(f"{word}_{verb}", verb, "user", *more), words=frozenset({word}))

    old, new = (versioned(word, "list", [], [("user", "")]) for word in ("v1", "v2"))
    taker = versioned("v2", "get", [("user_id", "user", "", True)])
    assert pairs(old, new, taker) == {("v2_list", "v2_get")}


def test_what_goes_on_answering_is_no_look_up():
    stream = replace(LIST_USERS, id="watch_users", words=frozenset({"watch", "users"}))
    assert pairs(stream, GET_USER) == set()


def test_what_creates_one_thing_feeds_no_other():
    token = node("create_token", "create", "token", [], [("user", "")])
    assert pairs(token, GET_USER) == set()
