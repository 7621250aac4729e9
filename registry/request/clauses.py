"""The parts of a request that each ask for something.

"Find the cheapest flight, then book it and mail me the receipt" wants three tools, and the vector
of the whole lies between them all. Its parts are looked up one by one as well; where a part stands
also says when its tool is wanted.
"""

import re
from itertools import islice

GAP = 64  # characters of white space in a row that are kept
# Where one part ends: at punctuation, at the end of a line, at words that lead on. White space
# before these words is bounded: the engine begins anew at each of its characters.
_END = re.compile(
    r"(?<=[.?!;:,])\s+|[。！？；，、]|\n+|"
    rf"\s{{1,{GAP}}}(?:and\s{{1,{GAP}}}then|and|then|after\s{{1,{GAP}}}that|afterwards)\s+",
    re.IGNORECASE,
)
_LONG = re.compile(rf"\s{{{GAP + 1},}}")
_WORD = re.compile(r"[\u3040-\u9fff]|\w+")  # Chinese and Japanese have no spaces
LEAST = 3  # words; what has fewer belongs to its neighbour
MOST = 12  # parts; a longer text is looked up by its first ones

Span = tuple[int, int]


def without_gaps(text: str) -> str:
    """A request whose long runs of white space are one space, or one end of a line."""
    return _LONG.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def clauses(text: str) -> list[Span]:
    """Where the parts of a request begin and end; one for the whole where it has no parts."""
    found: list[Span] = []
    begin = said = 0  # said: the words of the last part
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        words = sum(1 for _ in islice(_WORD.finditer(text, begin, end), LEAST))
        if found and (said < LEAST or words < LEAST):
            found[-1], said = (found[-1][0], end), said + words
        else:
            found.append((begin, end))
            said = words
        begin = end
    return found[:MOST]
