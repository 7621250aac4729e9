"""Scoring clauses only where the whole request scores high finds what scoring everything finds."""

import random

import numpy as np
import pytest

from spm.gnn.arrays import bm25_top
from spm.gnn.arrays.text_search import worded
from spm.registry.search.bm25 import Index

WORDS = [f"word{number}" for number in range(30)]


@pytest.fixture
def index():
    chance = random.Random(3)
    return Index([chance.choices(WORDS, k=chance.randrange(1, 12)) for _ in range(3_000)])


def found(rows, places, count):
    best = worded(rows, count, places)
    return best.rows, best.scores.tolist()


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("count", [1, 20, 400])
def test_the_best_are_those_of_all_scores(index, monkeypatch, count, masked):
    monkeypatch.setattr(bm25_top, "MANY", 0)
    monkeypatch.setattr(bm25_top, "EVERY", 8)
    chance = random.Random(count)
    seen = np.arange(3_000) % 3 > 0 if masked else None
    fewer = 0
    for _ in range(40):
        parts = [chance.sample(WORDS, 2), chance.sample(WORDS, 3)]
        queries = [parts[0] + parts[1], *parts]
        places, sums = bm25_top.leading(index, queries, count, seen)
        everything = index.sums(queries, seen)
        assert found(sums[:1], places, count) == found(everything[:1], None, count)
        assert found(sums[1:], places, count) == found(everything[1:], None, count)
        fewer += len(places) < 3_000
    assert fewer > 20 if count < 400 else fewer < 40


def test_a_clause_with_terms_of_its_own_is_looked_up_everywhere(index, monkeypatch):
    monkeypatch.setattr(bm25_top, "MANY", 0)
    asked: list[list[list[str]]] = [[["word1"], ["word1"], ["word2"]], [["unknown"]], [[]]]
    for queries in asked:
        places, sums = bm25_top.leading(index, queries, 5)
        assert len(places) == 3_000
        assert np.array_equal(sums, index.sums(queries))


def test_of_few_that_hold_a_word_none_is_left_out(monkeypatch):
    monkeypatch.setattr(bm25_top, "MANY", 0)
    index = Index([["rare"] if number % 500 == 1 else ["other"] for number in range(4_000)])
    places, sums = bm25_top.leading(index, [["rare", "other2"], ["rare"], ["other2"]], 20)
    assert places.tolist() == [1 + 500 * number for number in range(8)]
    assert np.array_equal(sums, index.sums([["rare"], ["rare"], []])[:, places])
