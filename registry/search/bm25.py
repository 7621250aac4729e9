"""Finding texts by their words: which terms a text has, and how well others match them.

Both engines take the terms and the scores from here, so that they answer the same: no tokenizer
and no score of a server's index, which would also change with nodes that a caller may not see.
"""

import math
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.search.top import top

K1, B = 1.2, 0.75
DIGITS = 6  # of a score: what is beyond them differs between engines
DISTINCT = 256
KEPT, LEAST = 2_000_000, 16  # gains that an index keeps (16 MB), and as how many a term counts
# Neo4j's tokenizer cuts words of 255 characters; a term must stay one token there.
LONGEST = 64
# Goes into the digests of encoded texts: raise it when `terms` changes, and stores renew theirs.
VERSION = 1
STOP = frozenset(
    "a an and are as at be been by can could did do does for from had has have how i if in into is "
    "it its me my of on or our please so than that the their them then there these they this those "
    "to was we were what when where which who will with would you your".split()
)
_RUN = re.compile(r"[^\W_]+")
# The s of IDs and URLs, which camel case would take for the beginning of a word.
_ACRONYMS = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]
Posting = tuple[Places, Numbers]  # documents that hold a term, and how often
Found = list[tuple[str, float]]


def terms(text: str) -> list[str]:
    """The words that a text is found by, in their order, with repeats.

    Identifiers are taken apart, plurals folded; numbers, single letters of the Latin alphabet and
    words that say nothing are left out. Of many different terms the first `DISTINCT` count.
    """
    known: set[str] = set()
    found: list[str] = []
    before = ""
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        for word in _known_words(run) if len(run) <= LONGEST else _words(run):
            mail = before == "e" and word in ("mail", "mails")  # E-mail, eMail
            before, term = word, "email" if mail else _term(word[:LONGEST])
            if term and (term in known or len(known) < DISTINCT):
                known.add(term)
                found.append(term)
    return found


def _words(run: str) -> tuple[str, ...]:
    return tuple(words(_ACRONYMS.sub("", run)))


# The same few thousand words make up a library: taking each apart once is seven times as fast.
_known_words = lru_cache(50_000)(_words)


@lru_cache(50_000)
def _term(word: str) -> str:
    """What a word counts as; empty when it says nothing."""
    if word in STOP or word.isdigit() or (len(word) == 1 and word.isascii()):
        return ""
    return singular(word)


def asked(query: Iterable[str]) -> list[str]:
    """The different terms of a query, in the order in which every engine adds their scores."""
    return sorted([term for term in dict.fromkeys(query) if term][:DISTINCT])


def bm25(
    postings: Sequence[Posting],
    lengths: Numbers,
    nodes: int,
    total: int,
    held: Sequence[int] | None = None,
) -> Numbers:
    """Score documents: the sum over the query's terms of idf times saturated frequency.

    Args:
        postings: of each term of the query, the visible documents alone.
        lengths: number of terms of every document.
        nodes: how many documents the caller may see.
        total: number of terms of all these.
        held: how many of these hold each term, where not all of them are among the documents.
    """
    scores = np.zeros(len(lengths))
    weight = saturation(lengths, nodes, total)
    held = [len(places) for places, _ in postings] if held is None else held
    for (places, counts), documents in zip(postings, held, strict=True):
        scores[places] += gains(counts, weight[places], nodes, documents)
    return np.round(scores, DIGITS)


def saturation(lengths: Numbers, nodes: int, total: int) -> Numbers:
    """How soon a repeated term stops counting in each document: the sooner, the shorter it is."""
    mean = total / nodes if total and nodes else 1.0
    return K1 * (1 - B + B * lengths / mean)


def gains(counts: Numbers, weight: Numbers, nodes: int, documents: int) -> Numbers:
    """What one term adds to the scores of the documents that hold it."""
    idf = math.log(1 + (nodes - documents + 0.5) / (documents + 0.5))
    return idf * counts * (K1 + 1) / (counts + weight)


def best(ids: Sequence[str], scores: Numbers, matched: Places, count: int) -> Found:
    """The best of the documents that matched, ties by id."""
    order = top(scores, count, matched, ids=ids)
    return [(ids[place], float(scores[place])) for place in order]


def best_of(
    ids: Sequence[str], scores: Numbers, matched: Places, count: int
) -> list[tuple[str, list[float]]]:
    """The best by any column of their scores, with all columns."""
    place = {node: at for at, node in enumerate(ids)}
    found = best(ids, scores.max(axis=1), matched, count)
    return [(node, scores[place[node]].tolist()) for node, _ in found]


def scan(query: Iterable[str], documents: Iterable[Sequence[str]]) -> tuple[list[Posting], Numbers]:
    """Postings of a query and all lengths, read from documents that are given as their terms."""
    hits: dict[str, list[int]] = {term: [] for term in asked(query)}
    lengths = []
    for place, document in enumerate(documents):
        lengths.append(len(document))
        for term in document:
            if term in hits:
                hits[term].append(place)
    found = [np.unique(np.array(h, dtype=np.intp), return_counts=True) for h in hits.values()]
    postings = [(places, counts.astype(np.float64)) for places, counts in found]
    return postings, np.array(lengths, dtype=np.float64)


class Lexicon(Protocol):
    """Which number a term has."""

    def get(self, term: str, /) -> int | None:
        """Its number; None where no document holds the term."""
        ...


class Index:
    """An inverted index of documents in memory, of which each question may see a part."""

    def __init__(self, documents: Iterable[Iterable[str]]) -> None:
        """Index documents that are given as their terms."""
        codes, places, counts = array("q"), array("q"), array("q")
        known: dict[str, int] = {}
        lengths = array("q")
        for place, document in enumerate(documents):
            frequencies = Counter(document)
            lengths.append(frequencies.total())
            for term, frequency in frequencies.items():
                codes.append(known.setdefault(term, len(known)))
                places.append(place)
                counts.append(frequency)
        code = np.array(codes, dtype=np.intp)
        order = np.argsort(code, kind="stable")
        self._keep(
            known,
            np.searchsorted(code[order], np.arange(len(known) + 1)),
            np.array(places, dtype=np.intp)[order],
            np.array(counts, dtype=np.float64)[order],
            np.array(lengths, dtype=np.float64),
        )

    @classmethod
    def kept(
        cls, codes: Lexicon, starts: Places, places: Places, counts: Numbers, lengths: Numbers
    ) -> "Index":
        """An index from the arrays of one that was made before."""
        found = cls.__new__(cls)
        found._keep(codes, starts, places, counts, lengths)
        return found

    def _keep(
        self, codes: Lexicon, starts: Places, places: Places, counts: Numbers, lengths: Numbers
    ) -> None:
        self._codes = codes
        self._starts = starts
        self._places = places
        self._counts = counts
        self.lengths = lengths
        self._all: Gains | None = None

    def scores(
        self, query: Iterable[str], seen: NDArray[np.bool_] | None = None
    ) -> tuple[Numbers, Places]:
        """The score of every document, and which of those in `seen` hold a term of the query."""
        (sums,) = self.sums([query], seen)
        return np.round(sums, DIGITS), np.flatnonzero(sums > 0)

    def sums(
        self, queries: Sequence[Iterable[str]], seen: NDArray[np.bool_] | None = None
    ) -> Numbers:
        """A row of scores for each query, not rounded: above zero where a term of it is held.

        Queries that are parts of one another share their terms, and so do those of a day: what a
        term adds is computed once, and kept for whoever sees everything.
        """
        known = self.known(seen)
        sums = np.zeros((len(queries), len(self.lengths)))
        for row, query in zip(sums, queries, strict=True):
            for term in asked(query):
                if (found := known.of(term)) is not None:
                    row[found[0]] += found[1]
        return sums

    def known(self, seen: NDArray[np.bool_] | None = None) -> "Gains":
        """What terms add; of all documents it is kept, and begun anew when it has grown large."""
        if seen is not None:
            return Gains(self, seen)
        if self._all is None or self._all.numbers > KEPT:
            self._all = Gains(self, None)
        return self._all

    def posting(self, term: str, seen: NDArray[np.bool_] | None) -> Posting | None:
        """Where a term stands, among the documents marked in `seen`; None: nowhere at all."""
        if (code := self._codes.get(term)) is None:
            return None
        part = slice(self._starts[code], self._starts[code + 1])
        places, counts = self._places[part], self._counts[part]
        if seen is None:
            return places, counts
        there = seen[places]
        return places[there], counts[there]


class Gains:
    """What terms add to the scores of those documents of an index that are seen; None: all."""

    def __init__(self, index: Index, seen: NDArray[np.bool_] | None) -> None:
        lengths = index.lengths
        self._index = index
        self._seen = seen
        self._nodes = len(lengths) if seen is None else int(seen.sum())
        total = int(lengths.sum() if seen is None else lengths[seen].sum())
        self._weight = saturation(lengths, self._nodes, total)
        self._found: dict[str, Posting | None] = {}
        self.numbers = 0

    def of(self, term: str) -> Posting | None:
        """The documents that hold a term, and what it adds to their scores."""
        if term not in self._found:
            self._found[term] = self._computed(term)
            self.numbers += LEAST  # also a word that nobody knows takes room
        return self._found[term]

    def _computed(self, term: str) -> Posting | None:
        if (found := self._index.posting(term, self._seen)) is None:
            return None
        places, counts = found
        self.numbers += len(places)
        return places, gains(counts, self._weight[places], self._nodes, len(places))


def united(postings: Sequence[Posting]) -> Places:
    """The documents that hold any of the terms."""
    places = [place for place, _ in postings]
    return np.unique(np.concatenate(places)) if places else np.zeros(0, dtype=np.intp)
