"""What is looked up: requests as probes, and vectors as they come from a server."""

from typing import Any

import numpy as np

from spm.registry.search.bm25 import grams
from spm.registry.search.neo4j_search import scores_of, stacked
from spm.registry.search.results import Probes

ROWS = np.eye(4, dtype=np.float32)


def test_a_request_of_one_clause_is_one_probe():
    probes = Probes.of("Refund the order", ROWS[:2])
    assert probes.vectors.tolist() == [[1, 0, 0, 0]]
    assert probes.terms == [["refund", "order"]]
    assert probes.vectors[probes.parts].tolist() == probes.vectors.tolist()


def test_several_clauses_are_looked_up_besides_the_whole():
    probes = Probes.of("Find the order of Ann, then mail her the receipt", ROWS[:3])
    assert probes.vectors.tolist() == ROWS[:3].tolist()
    assert probes.terms == [
        ["find", "order", "ann", "mail", "her", "receipt"],
        ["find", "order", "ann"],
        ["mail", "her", "receipt"],
    ]
    assert probes.vectors[probes.parts].tolist() == ROWS[1:3].tolist()
    assert probes.terms[probes.parts] == probes.terms[1:]


def test_without_vectors_of_clauses_the_whole_is_asked_alone():
    probes = Probes.of("Find the order of Ann, then mail her the receipt", ROWS[:1])
    assert len(probes.vectors) == len(probes.terms) == 1


def test_terms_are_asked_for_once_and_letters_of_the_whole():
    probes = Probes.of("Find the orders of Ann, then order her the receipt", ROWS[:3])
    assert probes.all_terms == ["ann", "find", "her", "order", "receipt"]
    assert probes.grams.tolist() == grams("find orders of Ann order her receipt").tolist()


def test_tools_that_an_earlier_spm_wrote_have_no_words_until_they_are_encoded_again():
    made = np.array([1.5, 0.5], dtype="<f4").tobytes()
    rows: list[dict[str, Any]] = [
        {"terms": "order mail", "gains": made},
        {"terms": "order order mail", "gains": None},
        {"terms": None, "gains": None},
    ]
    found = scores_of(rows, {"order": 2.0, "mail": 1.0}, [["order", "mail"], ["mail"]])
    assert found.tolist() == [[3.5, 0.5], [0, 0], [0, 0]]


def test_vectors_come_as_bytes():
    row = np.array([0.1, -2.5, 3.0], dtype=np.float32)
    found = stacked([row.astype("<f4").tobytes(), None])
    assert found.dtype == np.float32
    assert found.tolist() == [row.tolist(), [0, 0, 0]]


def test_vectors_of_another_width_are_none():
    short, long = (np.arange(1, size + 1, dtype="<f4").tobytes() for size in (2, 3))
    assert stacked([short, long], 3).tolist() == [[0, 0, 0], [1, 2, 3]]
    assert stacked([None, None]).shape == (2, 0)
    assert stacked([], 3).shape == (0, 3)
