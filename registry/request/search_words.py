"""The request as it is searched: without the values that it names, and without courtesies.

"Drop #night-shift from acme/web" asks for the same tool as "Could you drop #day-shift from
umbra/gateway?"; other letters only lead text search astray. Blanks of the same length take their
place, so that clauses stand where they stood.
"""

import re

from spm.registry.map.verbs import courtesies

_VALUES = re.compile(
    r"(?<!\w)'[^'\n]{1,80}'(?!\w)|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|`[^`\n]{1,80}`"  # quoted
    r"|https?://\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}"  # e-mail
    r"|(?<![\w#@])[#@]\w[\w.-]*"  # #channel, @handle, #17
    r"|(?<![\w./-])[A-Za-z][\w.-]{0,64}/[\w.-]+(?![\w/])"  # owner/repository
    r"|(?<!\w)\w{0,64}\d[\w:./-]*"  # whatever has a digit
)
LEAST = 1  # word that has to be left: "ticket 17" keeps its noun, a lone id stays
_WORD = re.compile(r"[^\W\d_]{2,}")


def searched_text(request: str) -> str:
    """The request without its values and without what is said for politeness alone."""
    return _blanked(without_values(request), courtesies(request))


def without_courtesies(request: str) -> str:
    """The request without what is said for politeness alone."""
    return _blanked(request, courtesies(request))


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    for begin, end in spans:
        text = text[:begin] + " " * (end - begin) + text[end:]
    asked = text.rstrip()
    return f"{asked[:-1]} " if spans and asked.endswith("?") else text


def without_values(request: str) -> str:
    """The request with its values blanked out, or itself where too little would be left."""
    blanked = _VALUES.sub(lambda value: " " * len(value[0]), request)
    enough = len(_WORD.findall(blanked)) >= LEAST
    return blanked if enough else request
