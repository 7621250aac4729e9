"""What is searched of a request."""

import pytest

from spm.registry.request.search_words import searched_text, without_values


@pytest.mark.parametrize(
    "text",
    [
        "Please update ticket 98",
        "Could you update ticket 17?",
        "I need you to update ticket 4711",
        "update ticket 5",
    ],
)
def test_values_and_courtesies_are_not_searched(text):
    assert searched_text(text).split() == ["update", "ticket"]


def test_clauses_stay_where_they_stood():
    text = "Please find the order 17, then could you mail it to jo@acme.example"
    searched = searched_text(text)
    assert len(searched) == len(text)
    assert searched.index("mail") == text.index("mail")


def test_a_question_is_no_courtesy():
    text = "Can the order be cancelled?"
    assert searched_text(text) == text


def test_one_word_that_is_left_is_enough():
    assert without_values("ticket 17").split() == ["ticket"]
    assert without_values("cus_Q4t7") == "cus_Q4t7"
