"""The tokenizer of requests: one pass that tells words from values, with the kind of each value.

General knowledge only, nothing about any library. Every pattern is bounded or possessive (++) and
begins only where a run begins: a text may have 100,000 characters, and reading is linear.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from spm.registry.catalog.naming import words

_MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|"
    r"juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|janvier|"
    r"février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|"
    r"abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMBER = r"(?<![.,])\d++(?:[.,]\d++)*+ ?"
_QUOTES = (
    r"(?<!\w)\"(?=[^\s\"])[^\"]{1,300}(?<!\s)\"(?!\s?:)",  # "key": is no quotation
    r"(?<![\w'])'(?=\w)[^'\"]{2,300}'(?!\w)",
    r"“[^”]{1,300}”|„[^“”]{1,300}[“”]|«[^»]{1,300}»",
)
_DAY = (
    rf"{_MONTH}\.? {_ORDINAL}(?![\w:])(?:,? \d{{4}}\b)?|(?:to(?:day|morrow|night)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute|morgen|"
    r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|"
    r"demain|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|mañana)\b"
)
_LANGUAGE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|danish|swedish|norwegian|finnish|"
    r"polish|czech|hungarian|romanian|greek|turkish|russian|ukrainian|arabic|hebrew|hindi|chinese|"
    r"japanese|korean|vietnamese|thai|indonesian)\b"
)
# What may begin with a letter, a digit, or neither. The first that fits wins, so the order matters:
# an address is no word, a price is no number.
_LETTERS = {
    "url": r"https?://[^\s\"'<>]++",
    "email": r"(?<![.+-])[\w.+-]++@[\w-]++\.\w[\w.-]*+",
    "day": _DAY,
    "hour": r"(?:noon|midnight)\b",
    "language": _LANGUAGE,
    "tracking": r"(?:[a-z]{2}\d{9}[a-z]{2}|jd\d{18})\b",  # the Universal Postal Union's S10, DHL
}
_DIGITS = {
    "date": (
        r"\d{4}-\d\d-\d\d(?:t\d\d:\d\d[\d:.z+]*+)?(?!\w)|"
        r"(?<![./])\d{1,2}(?P<sep>[./-])\d{1,2}(?P=sep)(?:\d{4}|\d\d)(?![\w/])|"
        rf"{_ORDINAL}\.? (?:of |de )?{_MONTH}\b(?:,? \d{{4}}\b)?"
    ),
    "time": (
        r"(?<![:.])\d{1,2}(?::\d\d(?::\d\d)?(?: ?[ap]\.?m\b)?(?![\w:])|"
        r" ?(?:[ap]\.?m|uhr|o'clock|h\d\d)\b)"
    ),
    "sum": rf"{_NUMBER}(?:[$€£¥]|(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|francs?|yen)\b)",
    "percent": rf"{_NUMBER}(?:%|(?:percent|per cent|prozent|pour cent|por ciento)\b)",
    "weight": rf"{_NUMBER}(?:kg|kilos?|kilograms?|g|grams?|lbs?|oz|ounces?|tons?|tonnes?)\b",
    "parcel": r"1z[0-9a-z]{16}\b",  # UPS
    "mailbox": r"(?<![.+-])[\w.+-]++@[\w-]++\.\w[\w.-]*+",
    "local": r"(?<![.-])(?:0\d{1,4}[ /-]\d[\d /-]{4,12}\d|(?:\d{3}[ -])?\d{3}[ -]\d{4})(?![\w-])",
}
_OTHERS = {
    "quote": "|".join(_QUOTES),
    "phone": (
        r"(?<![\w+])(?:\+\d[\d ()/.-]{6,20}\d|\(0\d{1,4}\)[ /-]?\d[\d /-]{4,12}\d|"
        r"\(\d{3}\) ?\d{3}[ -]\d{4})(?![\w-])"
    ),
    "amount": r"[$€£¥] ?\d++(?:[.,]\d++)*+",
    "mark": r"[:=#(),;.?!&–—-]",
}
# Groups that find the same kind of value from another beginning.
_KIND = {"day": "date", "hour": "time", "sum": "amount", "parcel": "tracking"}
_KIND |= {"mailbox": "email", "local": "phone"}


def _any(patterns: dict[str, str]) -> str:
    return "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns.items())


@cache
def _token() -> re.Pattern[str]:
    """Compiled when first asked for: it takes longer than importing the module."""
    return re.compile(
        rf"(?<!\w)(?=[a-z])(?:{_any(_LETTERS)})|(?<!\w)(?=\d)(?:{_any(_DIGITS)})|"
        rf"(?P<run>\d{{1,3}}(?:,\d{{3}})++(?!\w)|[^\W_]++(?:[-_/.][^\W_]++)*+)|{_any(_OTHERS)}",
        re.I,
    )


_NUMERIC = re.compile(r"\d+(?:[.,/-]\d+)*")
_COUNTED = re.compile(r"\d+(?:st|nd|rd|th|x)", re.I)
TYPED = frozenset(_KIND.get(kind, kind) for kind in (*_LETTERS, *_DIGITS, "phone"))


class Token(NamedTuple):
    """A piece of a text.

    Attributes:
        kind: `word`, `mark`, `number` (digits only), `code` (a run with a digit in it), `quote`
            or one of TYPED.
        text: as it stands there.
    """

    kind: str
    text: str


def tokens(text: str) -> list[Token]:
    """Cut a text into words, values and marks; how much white space is between them is no matter.

    Compound words (`order_id`, `customerId`, `purchase-order`) come as their parts.
    """
    found: list[Token] = []
    for match in _token().finditer(" ".join(text.split())):
        kind = match.lastgroup or "mark"
        if kind == "run":
            found.extend(_parts(match[0]))
        else:
            found.append(Token(_KIND.get(kind, kind), match[0]))
    return found


def _parts(run: str) -> Iterator[Token]:
    if not any(map(str.isdigit, run)):
        plain = run.isalpha() and (run.islower() or run[1:].islower() or run.isupper())
        yield from (Token("word", part) for part in ([run] if plain else words(run)))
    elif _NUMERIC.fullmatch(run):
        yield Token("number", run)
    else:
        yield Token("word" if _COUNTED.fullmatch(run) else "code", run)
