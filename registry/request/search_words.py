"""The request as it is searched: without the values that it names, and without courtesies.

"Drop #night-shift from acme/web" asks for the same tool as "Could you drop #day-shift from
umbra/gateway?"; other letters only lead text search astray. Blanks of the same length take their
place, so that clauses stand where they stood.
"""

import re

from spm.registry.catalog.verbs import courtesies

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
    text = without_values(request)
    polite = courtesies(request)
    for begin, end in polite:
        text = text[:begin] + " " * (end - begin) + text[end:]
    if polite and text.rstrip().endswith("?"):
        text = f"{text.rstrip()[:-1]} "
    return text


def without_values(request: str) -> str:
    """The request with its values blanked out, or itself where too little would be left."""
    blanked = _VALUES.sub(lambda value: " " * len(value[0]), request)
    enough = len(_WORD.findall(blanked)) >= LEAST
    return blanked if enough else request
