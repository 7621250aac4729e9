"""Terms and BM25: what a text is found by, and that the fast ways score like the plain one."""

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.search import bm25 as module
from spm.registry.search.bm25 import DISTINCT, LONGEST, STOP, Index, asked, best, bm25, scan, terms

WORDS = st.sampled_from("order user mail get data x1 größe 注文 AND".split())
DOCUMENTS = st.lists(st.lists(WORDS, max_size=8), max_size=12)


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


def naive(documents, query, seen):
    """BM25 from its definition, document by document."""
    visible = [d for d, there in zip(documents, seen, strict=True) if there]
    if not visible:
        return {}
    mean = sum(map(len, visible)) / len(visible)
    found = {}
    for place, document in enumerate(documents):
        counts, score = Counter(document), 0.0
        if not seen[place] or not counts.keys() & set(query):
            continue
        for term in set(query) & counts.keys():
            df = sum(term in d for d in visible)
            idf = math.log(1 + (len(visible) - df + 0.5) / (df + 0.5))
            tf = counts[term]
            score += idf * tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * len(document) / mean))
        found[place] = score
    return found


@given(DOCUMENTS, st.lists(WORDS, max_size=6), st.data())
def test_the_index_scores_like_the_definition(documents, query, data):
    seen = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))),
        dtype=bool,
    )
    scores, matched = Index(documents).scores(query, seen)
    expected = naive(documents, query, seen)
    assert matched.tolist() == sorted(expected)
    for place, score in expected.items():
        assert scores[place] == pytest.approx(score, abs=1e-6)


@given(DOCUMENTS, st.lists(WORDS, max_size=6), st.data())
def test_scanning_a_part_scores_to_the_last_bit_like_the_index_of_all(documents, query, data):
    """What Neo4j's side does with the visible matches, against the embedded side."""
    seen = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))),
        dtype=bool,
    )
    ids = [f"n{place}" for place in range(len(documents))]
    scores, matched = Index(documents).scores(query, seen)
    visible = [d for d, there in zip(documents, seen, strict=True) if there]
    holding = [p for p, d in enumerate(documents) if seen[p] and set(d) & set(query)]
    postings, lengths = scan(query, [documents[p] for p in holding])
    apart = bm25(postings, lengths, len(visible), sum(map(len, visible)))
    for count in (1, 3, 100):
        assert best([ids[p] for p in holding], apart, module.united(postings), count) == best(
            ids, scores, matched, count
        )


def test_the_best_come_first_and_ties_by_id():
    documents = [["a"], ["a", "b"], ["a"], ["b"], [], ["a"]]
    ids = ["n5", "n4", "n3", "n2", "n1", "n0"]
    scores, matched = Index(documents).scores(["a"], np.ones(6, dtype=bool))
    found = best(ids, scores, matched, 10)
    assert [node for node, _ in found] == ["n0", "n3", "n5", "n4"]
    assert best(ids, scores, matched, 2) == found[:2]
    assert best(ids, scores, matched, 0) == []
    assert all(score == round(score, 6) for _, score in found)


def test_a_match_counts_however_little_it_says():
    documents = [["a"] + ["b"] * 100_000] + [["a"]] * 2_000
    scores, matched = Index(documents).scores(["a"], np.ones(2_001, dtype=bool))
    assert scores[0] == 0.0  # rounded
    assert 0 in matched


def test_a_query_is_a_set():
    assert asked(["b", "a", "b", ""]) == ["a", "b"]
    assert len(asked([f"t{i}" for i in range(5_000)])) == DISTINCT
    everything = np.ones(2, dtype=bool)
    index = Index([["a", "b"], ["b"]])
    assert np.array_equal(
        index.scores(["b", "b"], everything)[0], index.scores(["b"], everything)[0]
    )


def test_nothing_to_see():
    index = Index([])
    scores, matched = index.scores(["a"], np.zeros(0, dtype=bool))
    assert len(scores) == len(matched) == 0
    scores, matched = Index([["a"]]).scores(["a"], np.zeros(1, dtype=bool))
    assert not len(matched)
    assert best(["n"], scores, matched, 3) == []


def test_what_an_index_keeps_of_terms_is_bounded_and_changes_no_score(monkeypatch):
    index = Index([["a", "b"], ["b", "c", "c"], ["a"], ["d"]])
    expected = [index.scores([term])[0].tolist() for term in "abcdx"]
    monkeypatch.setattr(module, "KEPT", 2 * module.LEAST)
    for _ in range(3):
        assert [index.scores([term])[0].tolist() for term in "abcdx"] == expected
        assert index._all is not None
        assert index._all.numbers <= module.KEPT + module.LEAST + len(index.lengths)


def test_several_questions_at_once_score_as_one_by_one():
    index = Index([["a", "b"], ["b", "c", "c"], ["a"], ["d"]])
    seen = np.array([True, True, False, True])
    queries = [["a", "c"], ["b"], ["c", "a", "b"], []]
    for mask in (None, seen):
        apart = [np.round(row, 6).tolist() for row in index.sums(queries, mask)]
        assert apart == [index.scores(query, mask)[0].tolist() for query in queries]
