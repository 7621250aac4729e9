"""Terms and BM25: what a text is found by, what a term adds, and what an index adds up."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.search.bm25 import (
    DISTINCT,
    GAIN_STEP,
    LONGEST,
    STOP,
    Index,
    asked,
    best,
    grams,
    rarity,
    request_gains,
    stems,
    terms,
    tool_gains,
    tool_grams,
)

WORDS = st.sampled_from("order user mail get data x1 größe 注文 AND".split())
GAINS = st.integers(1, 2_200).map(lambda number: number * GAIN_STEP)
DOCUMENTS = st.lists(st.dictionaries(WORDS, GAINS, max_size=8), max_size=12)
TEXTS = st.lists(st.sampled_from("refund order customers mail größe 注文".split())).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getOrderItems", ["get", "order", "item"]),
        ("get_order-items by HTTPServer", ["get", "order", "item", "http", "server"]),
        ("Find all orders of the user 4821", ["find", "all", "order", "user"]),
        ("userIDs, URLs", ["user", "id", "url"]),
        ("E-mail eMails e_mail email", ["email"] * 4),
        ("a b c é 4 42 4k v2", ["é", "4k", "v2"]),
        ("Größe prüfen", ["größe", "prüfen"]),
        ("注文 4821 を探す ПОИСК", ["注文", "を探す", "поиск"]),
        ("ｆｕｌｌ ｗｉｄｔｈ ﬁle", ["full", "width", "file"]),
        ("order order", ["order", "order"]),
        ("to be or not", ["not"]),
        ("", []),
        (" _-_ 1 2 ", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


@given(st.text())
def test_terms_are_single_tokens_of_their_own(text):
    found = terms(text)
    assert found == terms(text)
    for term in found:
        assert term.split() == [term]
        assert len(term) <= LONGEST
        assert "_" not in term
        assert not term.isdigit()
        assert term not in STOP or term == "email"
    assert len(set(found)) <= DISTINCT
    assert " ".join(found).split() == found  # as they stand in the store


@given(st.lists(WORDS, max_size=20))
def test_terms_of_words_apart_are_the_terms_of_the_text(words):
    assert terms(" ".join(words)) == [t for word in words for t in terms(word)]


def test_only_so_many_different_terms_count():
    text = " ".join(f"word{i}" for i in range(1_000)) + " word1 word999 word1"
    found = terms(text)
    assert len(set(found)) == DISTINCT
    assert found[-2:] == ["word1", "word1"]
    assert terms("x" * 1_000) == ["x" * LONGEST]


@pytest.mark.parametrize(
    "unit", ["orderId ", "aB", "A", "As", "e-mail ", "s ", "注", "_", "1", "É́", "a" * 50 + "1 "]
)
def test_long_texts_take_linear_time(unit):
    begin = time.process_time()
    terms((unit * 100_000)[:100_000])
    # Generous, because a collection of garbage may fall into it.
    assert time.process_time() - begin < 60


def test_endings_do_not_matter():
    assert stems("Cancelled cancelling cancels") == ["cancel"] * 3
    assert stems("refunding orders") == stems("refund an order")


# -- what terms add -------------------------------------------------------------------------------


def test_what_a_term_adds_is_bm25_over_parts():
    text = "Refund order\n\n\nRefunds an order of a customer."
    length = [
        1 - 0.75 + 0.75 * 2 / 4,
        1 - 0.75 + 0.75 * 3 / 14,
    ]  # "refund order", "refund order customer"
    much = {"refund": 3 / length[0] + 1 / length[1], "custom": 1 / length[1]}
    found = tool_gains(text)
    assert sorted(found) == ["custom", "order", "refund"]
    for term, value in much.items():
        assert found[term] == pytest.approx(value * 2.2 / (value + 1.2), abs=2**-11)
    assert found["order"] == found["refund"] > found["custom"] > 0


@given(st.lists(TEXTS, min_size=1, max_size=7))
def test_gains_are_exact_in_single_precision_and_none_is_nothing(parts):
    found = tool_gains("\n".join(parts))
    assert found.keys() == {term for part in parts for term in stems(part)}
    for gain in found.values():
        assert gain > 0
        for nodes in (1, 17, 100_000):
            product = rarity(nodes, 1) * gain
            assert float(np.float32(rarity(nodes, 1)) * np.float32(gain)) == product


def test_a_term_counts_once_for_an_observed_request():
    assert request_gains("Refund the order, refund it") == {"refund": 1.0, "order": 1.0}


def test_rare_terms_tell_more():
    assert rarity(1_000, 1) > rarity(1_000, 10) > rarity(1_000, 1_000) > 0
    assert rarity(0, 0) >= 0


def test_near_spellings_share_most_grams():
    def shared(one, other):
        return len({*grams(one).tolist()} & {*grams(other).tolist()})

    assert shared("kubernetes", "kubernets") > shared("kubernetes", "terraform") == 0
    assert grams("").tolist() == grams("of the").tolist() == []
    assert grams("b a id").tolist() == sorted(grams("id a b").tolist())
    assert tool_grams("Refund order\nrefund_order\nother words").tolist() == (
        grams("refund order").tolist()
    )


# -- the index ------------------------------------------------------------------------------------


def held(documents, seen, term):
    return sum(term in d for d, there in zip(documents, seen, strict=True) if there)


@given(DOCUMENTS, st.lists(WORDS, max_size=6), st.data())
def test_the_index_adds_up_what_documents_hold(documents, query, data):
    marks = st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))
    seen = np.array(data.draw(marks), dtype=bool)
    index = Index(documents)
    weights = index.weights(query, seen)
    assert weights == {t: rarity(int(seen.sum()), held(documents, seen, t)) for t in set(query)}
    overlap = index.overlap(weights, seen)
    for place, document in enumerate(documents):
        shared = sum(weights[t] for t in set(query) & document.keys()) if seen[place] else 0
        assert overlap[place] == shared
    places = np.array(data.draw(st.permutations(range(len(documents)))), dtype=np.intp)[:4]
    parts = [query, query[:2], []]
    scores = index.scores(weights, places, parts)
    assert scores.shape == (len(places), 3)
    for row, place in zip(scores, places.tolist(), strict=True):
        for score, part in zip(row, parts, strict=True):
            document = documents[place]
            assert score == sum(weights[t] * document[t] for t in set(part) & document.keys())


def test_the_best_come_first_and_ties_by_id():
    ids, scores = ["n5", "n4", "n3", "n2"], np.array([1.0, 0.5, 1.0, 2.0])
    assert best(ids, scores, 10) == [("n2", 2.0), ("n3", 1.0), ("n5", 1.0), ("n4", 0.5)]
    assert best(ids, scores, 2) == [("n2", 2.0), ("n3", 1.0)]
    assert best(ids, scores, 0) == []


def test_a_query_is_a_set():
    assert asked(["b", "a", "b", ""]) == ["a", "b"]
    assert len(asked([f"t{i}" for i in range(5_000)])) == DISTINCT


def test_nothing_to_see():
    index = Index([])
    assert index.weights(["a"]) == {"a": rarity(0, 0)}
    assert index.overlap({"a": 1.0}).tolist() == []
    assert index.scores({"a": 1.0}, np.zeros(0, dtype=np.intp), [["a"]]).shape == (0, 1)
    assert Index([{"a": 1.0}]).overlap({"a": 1.0}, np.zeros(1, dtype=bool)).tolist() == [0]
