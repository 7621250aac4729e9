"""Folding names, finding invisible characters, guessing what was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.catalog.naming import fold, invisible, nearest, words


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("order_id", "order_id"),
        ("orderId", "order_id"),
        ("OrderID", "order_id"),
        ("Order ID", "order_id"),
        ("order-id", "order_id"),
        ("order.id", "order_id"),
        ("  order   id ", "order_id"),
        ("__order__id__", "order_id"),
        ("HTTPServerURL", "http_server_url"),
        ("parseJSONFile", "parse_json_file"),
        ("v2Token", "v2_token"),
        ("ｏｒｄｅｒ＿ｉｄ", "order_id"),  # full width
        ("Größe", "größe"),
        ("注文番号", "注文番号"),
        ("--", ""),
        ("", ""),
    ],
)
def test_spellings_fold_to_one(name, folded):
    assert fold(name) == folded


@given(st.text())
def test_folding_twice_changes_nothing(name):
    assert fold(fold(name)) == fold(name)


@given(st.text(alphabet="abcXYZ019 _-./"))
def test_a_folded_name_is_words_joined(name):
    assert "_".join(words(name)) == fold(name)
    assert all(word and word == word.lower() for word in words(name))


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x1b", "\x7f", "\x85", "\xad", "\u200b", "\u200d", "\u200f", "\u202e", "\u2060",
     "\u2066", "\ufeff", "\ufe0f", "\U000e0041"],
)  # fmt: skip
def test_invisible_characters_are_found_and_named(character):
    assert invisible(f"send{character}mail") == f"U+{ord(character):04X}"


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"], exclude_characters="")))
def test_ordinary_text_is_visible(text):
    marks = [c for c in text if invisible(c)]
    assert not [c for c in marks if c.isalnum() and c.isascii()]


def test_the_nearest_names_come_best_first():
    known = ["mail/send_email", "mail/send_letter", "shop/cancel_order"]
    assert nearest("sendEmial", known)[0] == "mail/send_email"
    assert nearest("cancel_ordr", known) == ["shop/cancel_order"]
    assert nearest("zzz", known) == []


def test_nearest_offers_as_many_as_asked_for():
    known = [f"s/tool_{i}" for i in range(9)]
    assert len(nearest("tool_x", known)) == 3
    assert len(nearest("tool_x", known, count=1)) == 1
