"""Pieces of the graph: bounded, true to the store, and without a trace of what is hidden."""

from dataclasses import asdict

import pytest

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import UnknownField, UnknownTool
from spm.registry.importers.detection import read_source
from spm.registry.insight.browse import AROUND, JOINS, Browser, survey_ground
from spm.registry.insight.name_search import KINDS, described, read_names
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.support.help_desk import SPECIFICATION

RIVAL = Caller("rival")


def browser(registry, caller=EVERYTHING):
    return Browser(registry.store, caller, survey_ground(registry.store, caller))


def ids(piece, kind):
    return [node.id for node in piece.nodes if node.kind == kind]


def ends(piece, kind):
    return {(edge.source, edge.target) for edge in piece.edges if edge.kind == kind}


def library(hidden: bool) -> Manifest:
    """Three open tools, and where `hidden` is true two of another team around them."""
    open_tools = [
        ("find_order", "order", ["order_id"], ["customer_id"]),
        ("find_customer", "customer", ["customer_id"], ["customer_email"]),
        ("send_mail", "mail", ["customer_email"], []),
    ]
    secret = [
        ("spy_order", "order", ["order_id", "spy_key"], ["customer_id", "spy_result"]),
        ("spy_mail", "spying", ["customer_email"], ["order_id"]),
    ]
    tools = [
        {
            "name": name,
            "family": family,
            "inputs": [{"name": field} for field in needs],
            "outputs": [{"name": field} for field in gives],
            **({"visibility": "team"} if name.startswith("spy") else {}),
        }
        for name, family, needs, gives in open_tools + secret * hidden
    ]
    service = {"name": "desk", "owner": "spies"}
    return Manifest.model_validate({"spm": 1, "service": service, "tools": tools})


@pytest.fixture
def pair(tmp_path, trace):
    """The same registry with and without another team's tools, and what agents did in both."""
    opened = []
    for hidden in (True, False):
        registry = Registry.open(str(tmp_path / str(hidden)))
        registry.register(library(hidden))
        ways = [trace("find_order", "find_customer", "send_mail", trace_id="t1")]
        if hidden:
            ways.append(trace("spy_order", "find_customer", "spy_mail", trace_id="t2"))
        registry.import_traces(ways)
        opened.append(registry)
    yield opened
    for registry in opened:
        registry.close()


def test_what_is_hidden_leaves_no_trace(pair):
    secret, plain = pair
    for ask in (
        lambda b: b.family("order", 10),
        lambda b: b.family("spying", 10),
        lambda b: b.field("order_id", 10),
        lambda b: b.field("customer_id", 10),
        lambda b: b.tool("find_customer"),
        lambda b: b.tool("desk/find_order"),
    ):
        assert asdict(ask(browser(secret, RIVAL))) == asdict(ask(browser(plain, RIVAL)))
    grounds = [survey_ground(registry.store, RIVAL) for registry in pair]
    assert grounds[0] == grounds[1]
    assert grounds[0].families_first() == grounds[1].families_first()
    names = [read_names(one.store, RIVAL, grounds[0]) for one in pair]
    assert names[0] == names[1]
    found = [described(one.store, RIVAL, names[0], "spy order", 9) for one in pair]
    assert found[0] == found[1]


def test_what_is_hidden_cannot_be_named(pair):
    for ask in (lambda b: b.tool("spy_order"), lambda b: b.tool("desk/spy_mail")):
        with pytest.raises(UnknownTool):
            ask(browser(pair[0], RIVAL))
        ask(browser(pair[0]))
    with pytest.raises(UnknownField) as refused:
        browser(pair[0], RIVAL).field("spy_key", 9)
    assert "spy_result" not in str(refused.value)
    assert ids(browser(pair[0]).field("spy_key", 9), "tool") == ["desk/spy_order"]


def test_families_lead_to_each_other_through_fields(shop):
    piece = survey_ground(shop.store, EVERYTHING).families_first()
    sizes = [node.facts["tools"] for node in piece.nodes]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == len(shop.tools(status="active"))
    assert 0 < len(piece.edges) <= JOINS
    found = {(edge.source, edge.target): edge for edge in piece.edges}
    assert found["family order", "family customer"].fields == ["customer_id"]
    assert found["family order", "family customer"].count > 0


def test_a_family_has_its_tools_with_what_they_take_and_give(shop):
    piece = browser(shop).family("order", 100)
    assert set(ids(piece, "tool")) == {
        row["id"] for row in shop.tools(family="order", status="active")
    }
    assert ("field order_id", "orders/lookup_order") in ends(piece, "requires")
    assert ("orders/lookup_order", "field customer_id") in ends(piece, "produces")
    assert ("field period_end", "orders/list_customer_orders") in ends(piece, "optional")
    quantity = next(node for node in piece.nodes if node.id == "field order_quantity")
    assert quantity.facts == {"makers": 0, "takers": 2}


def test_a_family_comes_in_parts(shop):
    whole = ids(browser(shop).family("order", 100), "tool")
    after, seen = "", []
    while after is not None:
        piece = browser(shop).family("order", 3, after)
        seen += ids(piece, "tool")
        assert piece.left_out == len(whole) - len(seen)
        after = piece.next
    assert seen == whole


def test_a_field_has_makers_on_one_side_and_takers_on_the_other(shop):
    piece = browser(shop).field("orderId", 2)
    assert piece.name == "order_id"
    into = [edge.source for edge in piece.edges if edge.target == "field order_id"]
    out = [edge.target for edge in piece.edges if edge.source == "field order_id"]
    assert len(into) == len(out) == 3, "two, and one that stands for the others"
    assert piece.left_out == len(browser(shop).field("order_id", 200).edges) - 4


def test_a_tool_makes_the_roles_in_which_others_take_its_answer(registry):
    registry.add(read_source(str(SPECIFICATION)))
    piece = browser(registry).tool("findUser")
    assert ("help-desk/findUser", "field requester_id") in ends(piece, "produces")
    assert ("field requester_id", "help-desk/createTicket") in ends(piece, "requires")


def test_a_tool_has_its_neighbours(shop):
    piece = browser(shop).tool("create_receipt")
    assert piece.name == "payments/create_receipt"
    assert ("orders/list_customer_orders", "field order_id") in ends(piece, "produces")
    # Others answer with such a total; nobody is asked for it there.
    assert {tool for tool, name in ends(piece, "produces") if name == "field order_total"} == set()
    assert ("field receipt_id", "messaging/send_email_receipt") in ends(piece, "requires")
    assert ("orders/lookup_order", "payments/create_receipt") in ends(piece, "precedes")
    for node in piece.nodes:
        if node.kind == "field":
            around = [e for e in piece.edges if node.id in (e.source, e.target)]
            assert len(around) <= 2 * AROUND + 4


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("send_email_r", "send_email_receipt"),
        ("Send-Email R", "send_email_receipt"),
        ("em rec", "send_email_receipt"),
        ("payments/create_r", "create_receipt"),
        ("eceipt_u", "receipt_url"),
    ],
)
def test_names_are_found_by_their_beginnings(shop, typed, first):
    names = read_names(shop.store, EVERYTHING, survey_ground(shop.store, EVERYTHING))
    assert names.fitting(typed, KINDS, 5)[0].name == first


def test_tools_are_found_by_what_they_do(shop):
    names = read_names(shop.store, EVERYTHING, survey_ground(shop.store, EVERYTHING))
    found = described(shop.store, EVERYTHING, names, "finished receipt", 3)
    assert found[0].id == "messaging/send_email_receipt"
    assert names.fitting("zzz", KINDS, 5) == []
