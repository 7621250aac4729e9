"""`spm search`: tools by words and meaning, for people and programs, as somebody sees them."""

import pytest


def test_the_best_comes_first_with_what_speaks_for_it(in_shop):
    done = in_shop("search", "mail a receipt", "--json", "-k", 3)
    assert (done.code, done.err) == (0, "")
    assert done.json[0]["id"] == "messaging/send_email_receipt"
    assert len(done.json) == 3
    scores = [row["score"] for row in done.json]
    assert scores == sorted(scores, reverse=True)
    assert done.json[0]["words"] > 0
    assert 0 < done.json[0]["meaning"] <= 1


def test_people_see_a_table_of_eighty_columns(in_shop):
    done = in_shop("search", "mail a receipt", "-k", 2)
    assert done.code == 0
    assert "Send receipt by e-mail" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("words", ["cancelling orders", "order cancellation", "cancle order"])
def test_endings_and_slips_of_the_finger_find_the_same(in_shop, words):
    done = in_shop("search", words, "--json", "-k", 3)
    assert "orders/cancel_order" in [row["id"] for row in done.json]


def test_only_what_the_caller_may_see_is_found(in_shop):
    asked = "refund a payment"
    everything = in_shop("search", asked, "--json").json
    reading = in_shop("search", asked, "--read-only", "--json").json
    assert everything
    assert reading
    assert "payments/refund_payment" in [row["id"] for row in everything]
    assert "payments/refund_payment" not in [row["id"] for row in reading]


def test_nothing_is_searched_without_words(in_shop):
    done = in_shop("search", "  ")
    assert done.code == 1
    assert "empty" in done.err
