"""A BM25 index as arrays, made from the one before and the texts that are new."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.library import Ints
from spm.gnn.snapshot.strings import Sorted
from spm.registry.search.bm25 import Index

Arrays = dict[str, NDArray[Any]]


def indexed(
    texts: Mapping[int, str],
    gains_of: Callable[[str], Mapping[str, float]],
    size: int,
    old: Arrays | None,
    source: Ints,
) -> Arrays:
    """The arrays of an index.

    Args:
        texts: the documents that are read anew, by place.
        gains_of: what each term of a document adds to its score.
        size: how many documents there are.
        old: the arrays of the index before.
        source: for each document its place in that one; -1: it is in `texts`.
    """
    words, codes, places, gains = _taken(old, source)
    number = {word: at for at, word in enumerate(words)}
    new_codes: list[int] = []
    new_places: list[int] = []
    new_gains: list[float] = []
    for place, text in texts.items():
        held = gains_of(text)
        new_codes += [number.setdefault(term, len(number)) for term in held]
        new_places += [place] * len(held)
        new_gains += held.values()
    return _packed(
        list(number),
        np.concatenate([codes, np.array(new_codes, dtype=np.int64)]),
        np.concatenate([places, np.array(new_places, dtype=np.int64)]),
        np.concatenate([gains, np.array(new_gains, dtype=np.float32)]),
        size,
    )


def _taken(old: Arrays | None, source: Ints) -> tuple[Iterable[str], Any, Any, Any]:
    """The postings of the index before, at the places where its documents stand now."""
    if old is None:
        nobody = np.zeros(0, dtype=np.int64)
        return (), nobody, nobody, np.zeros(0, dtype=np.float32)
    stay = np.flatnonzero(source >= 0)
    place = np.full(int(old["size"][0]), -1, dtype=np.int64)
    place[source[stay]] = stay
    codes = np.repeat(np.arange(len(old["starts"]) - 1), np.diff(old["starts"]))
    there = place[old["places"]] >= 0
    words = Sorted(old["terms.starts"], old["terms.data"])
    return words, codes[there], place[old["places"][there]], old["gains"][there]


def _packed(words: list[str], codes: Ints, places: Ints, gains: Any, size: int) -> Arrays:
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
        "gains": gains[best],
        "size": np.array([size], dtype=np.int64),
    }


def index(arrays: Arrays) -> Index:
    """The index that searches these arrays."""
    return Index.kept(
        Sorted(arrays["terms.starts"], arrays["terms.data"]),
        arrays["starts"],
        arrays["places"],
        arrays["gains"],
        int(arrays["size"][0]),
    )
