"""One score for each tool that a search found, the same for every engine and for snapshots.

By words (BM25), by meaning (cosines) and by letters, of the whole request and of its best clause.
Each is standardised over the tools that were found, which a caller sees all of, and they are
added up. What was found besides the best hardly matters for that: over the whole library the same
scores put all tools of a request among ten for .383 of the requests, over those found for .385.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from spm.registry.frontier.frontier import LOOKUP, Floats, Key, fused_places
from spm.registry.search.bm25 import Codes, Numbers

# So many tools are found by words.
WORDED = 256
# What counts how much beside the words of the whole: chosen on requests of nine public libraries,
# the valid ones (docs/decisions/search.md).
MEANING, LETTERS, CLAUSE, CLAUSE_WORDS = 1.5, 0.8, 0.7, 0.7
DIGITS = 6  # of a score: what is beyond them differs between engines


@dataclass(frozen=True)
class Evidence:
    """What is known of n tools that were found for a request, in the order of their ids.

    Attributes:
        words: (n, 1 + clauses) BM25 of the whole request, then of each clause where it has several.
        cosines: likewise.
        grams: of each tool, see `bm25.tool_grams`, end to end.
        owners: which tool each of these is of.
    """

    words: Numbers
    cosines: Numbers
    grams: Codes
    owners: NDArray[np.intp]


@dataclass(frozen=True)
class Scored(Generic[Key]):
    """The tools that a request found, best first by all of their scores together.

    Attributes:
        keys: the tools.
        scores: of all together.
        words: (n, 1 + clauses) what words alone say, as in `Evidence`.
        meaning: the cosine of the whole.
    """

    keys: list[Key]
    scores: Numbers
    words: Numbers
    meaning: Numbers

    @property
    def parts(self) -> slice:
        """The columns of the clauses; of one clause that of the whole."""
        return slice(1 if self.words.shape[1] > 1 else 0, None)

    def fused(self, words: bool = True) -> dict[Key, int]:
        """How much each counts for the frontier, best first; not `words`: by meaning alone."""
        if words:
            return fused_places(self.keys, (self.words[:, 0] > 0).tolist())
        # Of those beyond the nearest only some were found, the ones that share a word.
        pairs = sorted(zip((-self.meaning).tolist(), self.keys, strict=True))[:LOOKUP]
        return fused_places([key for _, key in pairs], [True] * len(pairs))

    def of(self, wanted: Sequence[Key]) -> Floats:
        """The words' scores of some tools, 0 for those that were not found."""
        found = np.zeros((len(wanted), self.words.shape[1]), dtype=np.float32)
        place = {key: at for at, key in enumerate(self.keys)}
        there = [(at, place[key]) for at, key in enumerate(wanted) if key in place]
        if there:
            rows, places = zip(*there, strict=True)
            found[list(rows)] = self.words[list(places)]
        return found


def score(keys: Sequence[Key], found: Evidence, asked: Codes) -> Scored[Key]:
    """Order tools by their scores, equal ones by id.

    Args:
        keys: the tools, in the order of their ids.
        found: what is known of them.
        asked: the grams of the request.
    """
    words, cosines = _standardised(found.words), _standardised(found.cosines)
    parts = slice(1 if words.shape[1] > 1 else 0, None)
    clauses = cosines[:, parts] + CLAUSE_WORDS * words[:, parts]
    letters = _standardised(_alike(found, asked)[:, None])[:, 0]
    whole = words[:, 0] + MEANING * cosines[:, 0] + LETTERS * letters
    scores = np.round(whole + CLAUSE * clauses.max(axis=1, initial=-np.inf), DIGITS)
    order = np.lexsort((np.arange(len(keys)), -scores))
    best = [keys[at] for at in order.tolist()]
    return Scored(best, scores[order], found.words[order], found.cosines[order, 0])


def _standardised(columns: Numbers) -> Numbers:
    """Each column in units of its spread around its mean."""
    if not len(columns):
        return columns
    columns = np.ascontiguousarray(columns)  # how it lies decides in which order it is added up
    spread = columns.std(axis=0)
    found: Numbers = (columns - columns.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    return found


def _alike(found: Evidence, asked: Codes) -> Numbers:
    """How many of the request's grams each tool's title and name have, rare ones counting more."""
    size, last = len(found.words), len(asked) - 1
    if last < 0:
        return np.zeros(size)
    at = np.minimum(np.searchsorted(asked, found.grams), last)
    there = asked[at] == found.grams
    held = np.bincount(at[there], minlength=len(asked))
    rare = np.log(1 + (size - held + 0.5) / (held + 0.5))
    lengths = np.bincount(found.owners, minlength=size)
    sums = np.bincount(found.owners[there], rare[at[there]], size)
    return sums / np.sqrt(np.maximum(lengths, 1))


def end_to_end(lists: Sequence[Codes]) -> tuple[Codes, NDArray[np.intp]]:
    """Grams of several tools as `Evidence` has them."""
    sizes = [len(one) for one in lists]
    return np.concatenate([np.zeros(0, np.uint32), *lists]), np.repeat(np.arange(len(sizes)), sizes)
