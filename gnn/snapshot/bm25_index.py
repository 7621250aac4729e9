"""A BM25 index as arrays, made from the one before and the texts that are new."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.library import Ints
from spm.gnn.snapshot.strings import Sorted
from spm.registry.search.bm25 import Index, terms

Arrays = dict[str, NDArray[Any]]


def indexed(texts: Mapping[int, str], size: int, old: Arrays | None, source: Ints) -> Arrays:
    """The arrays of an index.

    Args:
        texts: the documents that are read anew, by place.
        size: how many documents there are.
        old: the arrays of the index before.
        source: for each document its place in that one; -1: it is in `texts`.
    """
    words, codes, places, counts, lengths = _taken(old, source, size)
    number = {word: at for at, word in enumerate(words)}
    new_codes: list[int] = []
    new_places: list[int] = []
    new_counts: list[int] = []
    for place, text in texts.items():
        held: dict[int, int] = {}
        for term in terms(text):
            code = number.setdefault(term, len(number))
            held[code] = held.get(code, 0) + 1
        new_codes += held.keys()
        new_places += [place] * len(held)
        new_counts += held.values()
        lengths[place] = sum(held.values())
    return _packed(
        list(number),
        np.concatenate([codes, np.array(new_codes, dtype=np.int64)]),
        np.concatenate([places, np.array(new_places, dtype=np.int64)]),
        np.concatenate([counts, np.array(new_counts, dtype=np.float64)]),
        lengths,
    )


def _taken(old: Arrays | None, source: Ints, size: int) -> tuple[Iterable[str], Any, Any, Any, Any]:
    """The postings of the index before, at the places where its documents stand now."""
    lengths = np.zeros(size)
    if old is None:
        nobody = np.zeros(0, dtype=np.int64)
        return (), nobody, nobody, np.zeros(0), lengths
    stay = np.flatnonzero(source >= 0)
    place = np.full(len(old["lengths"]), -1, dtype=np.int64)
    place[source[stay]] = stay
    lengths[stay] = old["lengths"][source[stay]]
    codes = np.repeat(np.arange(len(old["starts"]) - 1), np.diff(old["starts"]))
    there = place[old["places"]] >= 0
    words = Sorted(old["terms.starts"], old["terms.data"])
    return words, codes[there], place[old["places"][there]], old["counts"][there], lengths


def _packed(words: list[str], codes: Ints, places: Ints, counts: Any, lengths: Any) -> Arrays:
    """Terms that are still in use, sorted; postings by term, then by place."""
    used = np.unique(codes)
    order = sorted(used.tolist(), key=words.__getitem__)
    place_of = np.zeros(len(words), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    codes = place_of[codes]
    best = np.lexsort((places, codes))
    kept = Sorted.of(words[code] for code in order)
    return {
        "terms.starts": kept.starts,
        "terms.data": kept.data,
        "starts": np.searchsorted(codes[best], np.arange(len(order) + 1)).astype(np.int64),
        "places": places[best],
        "counts": counts[best],
        "lengths": lengths,
    }


def index(arrays: Arrays) -> Index:
    """The index that searches these arrays."""
    return Index.kept(
        Sorted(arrays["terms.starts"], arrays["terms.data"]),
        arrays["starts"],
        arrays["places"],
        arrays["counts"],
        arrays["lengths"],
    )
