"""The parts of a request that each ask for something.

"Find the cheapest flight, then book it and mail me the receipt" wants three tools, and the vector
of the whole lies between them all. Its parts are looked up one by one as well; where a part stands
also says when its tool is wanted.
"""

import re
from itertools import islice

# Where one part ends: at punctuation, at the end of a line, at words that lead on.
_END = re.compile(
    r"(?<=[.?!;:,])\s+|[。！？；，、]|\n+|\s+(?:and\s+then|and|then|after\s+that|afterwards)\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\u3040-\u9fff]|\w+")  # Chinese and Japanese have no spaces
LEAST = 3  # words; what has fewer belongs to its neighbour
MOST = 12  # parts; a longer text is looked up by its first ones

Span = tuple[int, int]


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
