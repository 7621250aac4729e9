"""Which fields a request gives."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.state import visible


@pytest.mark.parametrize(
    ("field", "request_text"),
    [
        ("order_id", "Email the customer the receipt for order 4821"),
        ("order_id", "what about Order #4821?"),
        ("order_id", "order no. 4821"),
        ("order_id", "order number 4821"),
        ("order_id", "order id: 4821"),
        ("order_id", "orders 17 and 18"),
        ("order_id", "ORDER:A-17"),
        ("order_number", "order 4821"),
        ("ticket_id", "close ticket T-17"),
        ("ticket_id", "close ticket #T17"),
        ("purchase_order_id", "send purchase order 12"),
        ("purchase_order_id", "send purchase-order 12"),
        ("orderId", "order 4821"),
        ("customer_email", "the customer is ann@example.org"),
        ("email", "write to ann.b+c@mail.example.org, please"),
        ("url", "open https://example.org/x"),
        ("link", "see http://example.org"),
        ("payment_link", "this payment: https://example.org/pay"),
        ("date", "on 2026-03-01"),
        ("date", "on 1.3.2026"),
        ("date", "on 3/1/26"),
        ("date", "on March 3"),
        ("date", "tomorrow"),
        ("meeting_date", "move the meeting to Friday"),
        ("day", "TODAY"),
        ("amount", "pay $50"),
        ("amount", "pay € 50"),
        ("amount", "pay 50 dollars"),
        ("amount", "pay 1,250.00 EUR"),
        ("price", "for 9.99 usd"),
        ("order_total", "the order of 20 euros"),
    ],
)
def test_a_field_is_visible(field, request_text):
    assert visible(request_text, [field]) == [field]


@pytest.mark.parametrize(
    ("field", "request_text"),
    [
        ("order_id", "Email the customer the receipt"),
        ("order_id", "cancel my order please"),
        ("order_id", "reorder 4821"),
        ("order_id", "border 4821"),
        ("order_id", "order pizza for 4 people"),
        ("order_id", "4821"),
        ("customer_id", "order 4821"),
        ("purchase_order_id", "order 12"),
        ("ticket_id", "ticket about order"),
        ("customer_email", "ann@example.org"),  # whose?
        ("customer_email", "email the customer"),
        ("email", "at example.org"),
        ("email", "ann@"),
        ("url", "example.org"),
        ("date", "soon"),
        ("date", "version 1.2"),
        ("day", "sundries"),
        ("meeting_date", "friday"),
        ("amount", "50"),
        ("amount", "50 people"),
        ("order_total", "20 euros"),
        ("message", "message 5"),
        ("id", "id 5"),
        ("", "order 4821"),
        ("--", "order 4821"),
    ],
)
def test_a_field_is_not_visible(field, request_text):
    assert visible(request_text, [field]) == []


def test_fields_come_sorted():
    request = "order 4821 and ticket 5"
    assert visible(request, ["ticket_id", "x", "order_id"]) == ["order_id", "ticket_id"]


def test_the_demo_request_gives_the_order(shop):
    fields = [row["field"] for row in shop.store.read("fields/vocabulary")]
    assert visible("Email the customer the receipt for order 4821", fields) == ["order_id"]


@pytest.mark.parametrize(
    "request_text",
    [
        "a" * 100_000,
        "a." * 50_000,
        "a@" * 50_000,
        "a@b" * 33_000,
        "1," * 50_000,
        "1 " * 50_000,
        "order" + " " * 100_000,
        "order " * 16_000,
        "order: # " * 11_000,
        "order no" * 12_000,
        "order " + "a" * 100_000,
        "order" + "-" * 100_000,
        "https://" * 12_000,
        "jan " * 25_000,
        "\n" * 100_000,
        "$" * 100_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_request_takes_long(request_text):
    fields = ["customer_email", "url", "date", "amount", "order_total", "order_id", "a_id"]
    before = time.process_time()
    visible(request_text, fields)
    assert time.process_time() - before < 1


@given(st.text(), st.lists(st.text(max_size=12), max_size=5))
def test_any_text_and_any_field_give_an_answer(request_text, fields):
    assert set(visible(request_text, fields)) <= set(fields)
