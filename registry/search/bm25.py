"""Finding texts by their words: which terms a text has, how much each counts, and an index of them.

Every engine takes terms and scores from here, so that they answer the same: no tokenizer and no
score of a server's index, which would also change with nodes that a caller may not see.

A tool's text has parts (`catalog/search_text.py`, a line each), and a word in its title counts more
than one in what its inputs may be (BM25F). How long parts are is compared with lengths that are
typical of tools and not with the mean of a library, so that what a term counts for a tool depends
on nothing else, and is kept with it. How rare a term is, is counted among the tools that a caller
sees. Observed requests are scored by the same rarity: what others asked, and how often, is in no
number.
"""

import math
import re
import unicodedata
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
import Stemmer
from numpy.typing import NDArray

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.search.top import top

K1, B = 1.2, 0.75
# How much a word counts in each part of a tool's text, and how many words such a part usually has.
WEIGHTS = (3.0, 2.0, 1.0, 1.0, 1.0, 0.5, 0.5)
TYPICAL = (4, 3, 3, 14, 6, 14, 4)
# Of rarities and of gains: floats add such numbers up exactly, in any order.
RARITY_STEP, GAIN_STEP = 2.0**-6, 2.0**-10
DISTINCT = 256
# Neo4j's tokenizer cuts words of 255 characters; a term must stay one token there.
LONGEST = 64
# Goes into the digests of encoded texts: raise it when terms or gains change, so that stores renew
# theirs.
VERSION = 2
GRAM = 4  # letters
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
Singles = NDArray[np.float32]
Codes = NDArray[np.uint32]
Posting = tuple[Places, Singles]  # documents that hold a term, and what it adds to each
Found = list[tuple[str, float]]
Weights = Mapping[str, float]  # of terms


def terms(text: str) -> list[str]:
    """The words of a text that say something, in their order, with repeats.

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


def stems(text: str) -> list[str]:
    """What a text is found by: its terms without their endings."""
    return [_stem(term) for term in terms(text)]


@lru_cache(50_000)
def _stem(term: str) -> str:
    found: str = Stemmer.Stemmer("english", 0).stemWord(term)  # one for all is not safe in threads
    return found


def asked(query: Iterable[str]) -> list[str]:
    """The different terms of a query, in the order in which every engine adds their scores."""
    return sorted([term for term in dict.fromkeys(query) if term][:DISTINCT])


def tool_gains(text: str) -> dict[str, float]:
    """What each term of a tool's text adds to its score, times its rarity.

    Of a rarity and a gain, single precision holds the product exactly, and double any sum of them.
    """
    found: dict[str, float] = {}
    for line, weight, typical in zip(text.split("\n"), WEIGHTS, TYPICAL, strict=False):
        held = stems(line)
        length = 1 - B + B * len(held) / typical
        for term, count in Counter(held).items():
            if term in found or len(found) < DISTINCT:
                found[term] = found.get(term, 0.0) + weight * count / length
    gains = {term: much * (K1 + 1) / (much + K1) for term, much in found.items()}
    return {term: max(1, round(gain / GAIN_STEP)) * GAIN_STEP for term, gain in gains.items()}


def request_gains(text: str) -> dict[str, float]:
    """What each term of an observed request adds: it is there, or it is not."""
    return dict.fromkeys(stems(text), 1.0)


def rarity(nodes: int, documents: int) -> float:
    """How much a term tells that so many out of all nodes hold, as BM25 has it; never nothing."""
    told = math.log(1 + (nodes - documents + 0.5) / (documents + 0.5))
    return max(1, round(told / RARITY_STEP)) * RARITY_STEP


def grams(text: str) -> Codes:
    """The runs of letters in the words of a text, as numbers: near spellings share most of them."""
    found = {
        zlib.crc32(bounded[at : at + GRAM].encode())
        for bounded in (f"^{term}$" for term in set(terms(text)))
        for at in range(max(1, len(bounded) - GRAM + 1))
    }
    return np.array(sorted(found), dtype=np.uint32)


def tool_grams(text: str) -> Codes:
    """Of a tool those of its title and name."""
    return grams(" ".join(text.split("\n")[:2]))


def best(ids: Sequence[str], scores: Numbers, count: int) -> Found:
    """The best documents, ties by id."""
    return [(ids[place], float(scores[place])) for place in top(scores, count, ids=ids)]


class Lexicon(Protocol):
    """Which number a term has."""

    def get(self, term: str, /) -> int | None:
        """Its number; None where no document holds the term."""
        ...


class Index:
    """An inverted index of documents in memory, of which each question may see a part."""

    def __init__(self, documents: Iterable[Mapping[str, float]]) -> None:
        """Index documents that are given as what their terms add to a score."""
        codes, places, gains = array("q"), array("q"), array("f")
        known: dict[str, int] = {}
        size = 0
        for document in documents:
            for term, gain in document.items():
                codes.append(known.setdefault(term, len(known)))
                places.append(size)
                gains.append(gain)
            size += 1
        code = np.array(codes, dtype=np.intp)
        order = np.argsort(code, kind="stable")
        self._keep(
            known,
            np.searchsorted(code[order], np.arange(len(known) + 1)),
            np.array(places, dtype=np.intp)[order],
            np.array(gains, dtype=np.float32)[order],
            size,
        )

    @classmethod
    def kept(
        cls, codes: Lexicon, starts: Places, places: Places, gains: Singles, size: int
    ) -> "Index":
        """An index from the arrays of one that was made before."""
        found = cls.__new__(cls)
        found._keep(codes, starts, places, gains, size)
        return found

    def _keep(
        self, codes: Lexicon, starts: Places, places: Places, gains: Singles, size: int
    ) -> None:
        self._codes = codes
        self._starts = starts
        self._places = places
        self._gains = gains
        self.size = size

    def posting(self, term: str, seen: NDArray[np.bool_] | None = None) -> Posting | None:
        """Where a term stands, among the documents marked in `seen`; None: nowhere at all."""
        if (code := self._codes.get(term)) is None:
            return None
        part = slice(self._starts[code], self._starts[code + 1])
        places, gains = self._places[part], self._gains[part]
        if seen is None:
            return places, gains
        there = seen[places]
        return places[there], gains[there]

    def weights(
        self, query: Iterable[str], seen: NDArray[np.bool_] | None = None
    ) -> dict[str, float]:
        """How rare each term of a query is among the documents in `seen`."""
        nodes = self.size if seen is None else int(seen.sum())
        postings = {term: self.posting(term, seen) for term in asked(query)}
        return {
            term: rarity(nodes, 0 if found is None else len(found[0]))
            for term, found in postings.items()
        }

    def overlap(self, weights: Weights, seen: NDArray[np.bool_] | None = None) -> Numbers:
        """For each document the sum of the weights of the terms that it holds."""
        sums = np.zeros(self.size)
        for term, weight in weights.items():
            if (posting := self.posting(term, seen)) is not None:
                sums[posting[0]] += weight
        return sums

    def scores(self, weights: Weights, places: Places, queries: Sequence[Iterable[str]]) -> Numbers:
        """A column of scores for each query, of some documents.

        Args:
            weights: of all terms of the queries.
            places: the documents, each once.
            queries: the terms of each.
        """
        column = np.full(self.size, -1, dtype=np.intp)
        column[places] = np.arange(len(places))
        gains = {}
        for term, weight in weights.items():
            if (posting := self.posting(term)) is not None:
                at = column[posting[0]]
                there = at >= 0
                gains[term] = at[there], np.float32(weight) * posting[1][there]
        return summed(gains, len(places), queries)


def summed(
    gains: Mapping[str, tuple[Places, NDArray[np.floating]]],
    size: int,
    queries: Sequence[Iterable[str]],
) -> Numbers:
    """A column of sums for each query, from where each term adds how much."""
    sums = np.zeros((len(queries), size))
    for row, query in zip(sums, queries, strict=True):
        for term in asked(query):
            if term in gains:
                at, much = gains[term]
                row[at] += much
    return sums.T
