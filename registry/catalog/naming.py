"""Names that meet: how tools and fields are folded so that different spellings find each other."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

# Invisible characters can hide orders in a name, or make two names look alike (threat T1, T3).
_INVISIBLE = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAKS = re.compile(r"[\W_]+")
_SHORT = 100  # characters of names whose words are remembered: menus ask for the same ones
_FOLDED = re.compile("[a-z0-9]+(?:_[a-z0-9]+)*")  # most names are: seven times as fast


def fold(name: str) -> str:
    """Fold a name to lower snake case: `orderId`, `Order ID` and `order-id` become `order_id`."""
    if _FOLDED.fullmatch(name):
        return name
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    return _BREAKS.sub("_", spaced).strip("_").lower()


def words(name: str) -> list[str]:
    """Split a name into its lower-case words."""
    return list(_words(name) if len(name) <= _SHORT else _words.__wrapped__(name))


@lru_cache(20_000)
def _words(name: str) -> tuple[str, ...]:
    return tuple(w for w in fold(name).split("_") if w)


def with_article(noun: str) -> str:
    """A noun as people say it: `an order_id`, `a user_id`."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def invisible(text: str) -> str | None:
    """Name the first invisible character in `text` as `U+200B`, or None."""
    found = _INVISIBLE.search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def visible_text(text: str) -> str:
    """A text without invisible characters; lines and tabs stay."""
    return _INVISIBLE.sub(lambda c: c[0] if c[0] in "\n\t" else " ", text)


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names most like `name`, best first."""
    by_fold: dict[str, str] = {}
    for candidate in known:
        by_fold.setdefault(fold(candidate.rpartition("/")[2]), candidate)
    return [by_fold[k] for k in get_close_matches(fold(name), by_fold, n=count, cutoff=0.5)]
