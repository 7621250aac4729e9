"""Canonical field names: spellings that must meet, and names that must not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spm.registry.catalog.fields import (
    CONTROL,
    GENERIC,
    canonical,
    folded,
    is_control,
    is_generic,
    singular,
)

SPELLINGS = {
    "order_id": ["orderId", "OrderID", "order-id", "Order ID", "ORDER_ID", "orderIDs", "order.ids"],
    "user_id": ["user_ids", "userIds", "userIDs", "User IDs", "UserID", " user  id "],
    "customer_email": ["Customer E-mail", "customerEmail", "customer_emails", "customerEMail"],
    "website_url": ["websiteURLs", "website-url", "WebsiteUrl", "website urls"],
    "line_item": ["lineItems", "Line Items", "line-item"],
    "http_proxy": ["HTTPProxy", "httpProxies", "HTTP_PROXY"],
    "größe": ["Größe", "GRÖSSE".replace("SS", "ß")],
    "注文": ["注文"],
}


@pytest.mark.parametrize(
    ("met", "spelled"), [(m, s) for m, all_ in SPELLINGS.items() for s in all_]
)
def test_spellings_of_a_field_meet(met, spelled):
    assert canonical(spelled) == met


PLURALS = {
    "orders": "order", "boxes": "box", "classes": "class", "addresses": "address",
    "processes": "process", "businesses": "business", "statuses": "status", "analyses": "analysis",
    "categories": "category", "cities": "city", "movies": "movie", "cookies": "cookie",
    "branches": "branch", "dishes": "dish", "taxes": "tax", "caches": "cache", "houses": "house",
    "databases": "database", "responses": "response", "sizes": "size", "keys": "key",
    "days": "day", "buses": "bus", "viruses": "virus", "aliases": "alias", "lenses": "lens",
    "bonuses": "bonus", "gases": "gas", "skus": "sku", "menus": "menu", "cpus": "cpu",
    "apis": "api", "uris": "uri", "urls": "url", "ids": "id", "indices": "index",
    "matrices": "matrix", "people": "person", "quizzes": "quiz", "crises": "crisis", "ties": "tie",
}  # fmt: skip


@pytest.mark.parametrize(("plural", "one"), PLURALS.items())
def test_a_plural_and_its_singular_are_one_field(plural, one):
    assert singular(plural) == one
    assert singular(one) == one


@pytest.mark.parametrize(
    "word",
    "address status series species news analysis basis access business process class pass bus lens "
    "canvas alias sms gps https dns css aws ios campus virus radius axis this gas bias".split(),
)
def test_words_that_only_look_like_plurals_stay(word):
    assert singular(word) == word


def test_only_the_last_word_is_a_noun_in_the_plural():
    assert canonical("sales_orders") == "sales_order"
    assert canonical("settings.values.max") == "settings_values_max"


@pytest.mark.parametrize(
    ("name", "owner", "met"),
    [
        ("id", "order", "order_id"),
        ("ID", "Customers", "customer_id"),
        ("ids", "Line Items", "line_item_id"),
        ("name", "customer", "customer_name"),
        ("firstName", "customer", "customer_first_name"),
        ("startDate", "bookings", "booking_start_date"),
        ("created_at", "order", "order_created_at"),
        ("status", "order", "order_status"),
        ("id", "", "id"),
        ("id", "id", "id"),
        ("status_code", "status", "status_code"),
        ("order_id", "customer", "order_id"),
        ("orderId", "order", "order_id"),
        ("tracking", "order", "tracking"),
    ],
)
def test_a_generic_name_takes_the_name_of_its_owner_and_no_other_does(name, owner, met):
    assert canonical(name, owner) == met


def test_generic_fields_of_two_owners_are_two_fields():
    assert canonical("id", "order") != canonical("id", "customer")
    assert canonical("id", "orders") == canonical("order id", "customer")


@pytest.mark.parametrize("name", ["id", "IDs", "first_name", "startDate", "Total Count", "E-mail"])
def test_names_that_say_nothing_alone_are_generic(name):
    assert is_generic(name)


@pytest.mark.parametrize("name", ["order_id", "tracking", "colleague_name", "warehouse"])
def test_names_that_say_something_are_not_generic(name):
    assert not is_generic(name)


@pytest.mark.parametrize(
    "name",
    "page pageSize per_page limit offset cursor nextPageToken api_key apiKey API-Key access_token "
    "sort_by Authorization format locale errors status_code totalPages hasMore X-Request-ID "
    "max_results".split(),
)
def test_names_that_steer_a_call_are_control(name):
    assert is_control(name)


@pytest.mark.parametrize("name", ["order_id", "limit_price", "page_title", "secretary", "city"])
def test_names_that_carry_data_are_not_control(name):
    assert not is_control(name)


def test_the_lists_are_written_as_names_are_folded():
    assert {word for word in GENERIC if singular(word) != word} == set()
    assert {name for name in CONTROL if "_".join(folded(name)) != name} == set()


# -- properties --------------------------------------------------------------------------------

WORDS = sorted(
    {*GENERIC, *PLURALS, *PLURALS.values(), *"customer order invoice e mail HTTP URL IDs ID i 2 v3 "
     "URLs größe Straße 注文 series status address parcel SKU eMail".split()}
)  # fmt: skip
PARTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
JOINED = st.one_of(
    PARTS.map("_".join),
    PARTS.map("-".join),
    PARTS.map(" ".join),
    PARTS.map(lambda parts: parts[0] + "".join(p[:1].upper() + p[1:] for p in parts[1:])),
    PARTS.map(lambda parts: "_".join(parts).upper()),
)
OWNERS = st.one_of(st.just(""), JOINED)


@given(JOINED, OWNERS)
@example("orderIDs", "Orders")
@example("e mail", "e")
@example("mail", "e")
@example("IDs", "IDs")
@example("status", "statuses")
def test_a_canonical_name_is_its_own_canonical_name(name, owner):
    met = canonical(name, owner)
    assert canonical(met, owner) == met
    assert canonical(met) == met  # as people type it after `spm fields merge`


@given(JOINED)
def test_case_and_separators_do_not_matter(name):
    plain = canonical(name)
    assert canonical(plain.replace("_", "-")) == plain
    assert canonical(plain.replace("_", " ").title()) == plain
    assert canonical(plain.upper()) == canonical(plain.upper().lower())


@given(JOINED, OWNERS)
def test_a_name_stays_what_it_is_or_takes_its_owner_in_front(name, owner):
    alone, owned = canonical(name), canonical(name, owner)
    assert owned in (alone, f"{canonical(owner)}_{alone}")
    assert owned == alone or is_generic(name)
