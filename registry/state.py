"""The visible state F0: which fields a request already gives, read from its words and values."""

import re
from collections.abc import Iterable

from spm.registry.naming import words

# Possessive (++) and anchored at the start of a run: a request may have 100,000 characters, and no
# pattern may take more than linear time.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.-]")
_URL = re.compile(r"https?://\S+")
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|"
    r"\b(?:today|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.I,
)
_AMOUNT = re.compile(
    r"[$€£]\s?\d|(?<![\d.,])\b\d[\d.,]*+\s?(?:usd|eur|gbp|dollars?|euros?|pounds?)\b", re.I
)
# A noun followed by something that looks like its identifier: order 4821, ticket #T-17.
_NAMED = r"\b{noun}s?\b(?:\s++(?:no\.?|nr\.?|number|id|code))?\s*+[:#]?\s*+#?[A-Za-z]*+-?\d"
_TYPED = (
    ({"email"}, _EMAIL),
    ({"url", "link"}, _URL),
    ({"date", "day"}, _DATE),
    ({"amount", "price", "total"}, _AMOUNT),
)
_SUFFIXES = ("id", "number", "code", "no", "key")


def visible(request: str, fields: Iterable[str]) -> list[str]:
    """The fields whose value stands in the request, sorted.

    A field counts when a value of its kind is there (an e-mail address for `customer_email`), or
    when its noun is followed by an identifier (`order 4821` for `order_id`).
    """
    return sorted(name for name in fields if _stands_in(request, words(name)))


def _stands_in(request: str, parts: list[str]) -> bool:
    if not parts:
        return False
    for marks, pattern in _TYPED:
        if parts[-1] in marks:
            return pattern.search(request) is not None and _owner_named(request, parts[:-1])
    if len(parts) > 1 and parts[-1] in _SUFFIXES:
        noun = r"[\s_-]+".join(map(re.escape, parts[:-1]))
        return re.search(_NAMED.format(noun=noun), request, re.I) is not None
    return False


def _owner_named(request: str, owner: list[str]) -> bool:
    """`order_total` needs the word order beside the amount; a bare `amount` does not."""
    return all(re.search(rf"\b{re.escape(word)}", request, re.I) for word in owner)
