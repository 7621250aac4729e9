"""Which thing a field or a schema is about: nouns, owners, and names that say nothing alone."""

import re
from functools import lru_cache

from spm.registry.fields import is_generic
from spm.registry.fields import singular as word_singular
from spm.registry.formats.loading import clean
from spm.registry.naming import fold as _fold

fold = lru_cache(50_000)(_fold)  # the same few thousand names, again and again

# What the names of schemas have around the noun.
_AROUND = frozenset(
    "get list create update patch put post delete fetch find search retrieve add upsert new api "
    "rest http paginated paged page full minimal simple basic base partial short detailed detail "
    "details extended nullable public response responses request requests reply result results dto "
    "model schema type object input output params parameters param arguments args payload body "
    "resource entity collection array items data info summary view envelope wrapper "
    "definition properties schemas definitions defs value a an the of for with and to".split()
)


def belongs(name: str, owner: str, *, nested: bool = False) -> str:
    """Whose a field is, if its own name does not say: `id` in an order is the order's.

    Args:
        name: of the field.
        owner: the noun of what it stands in.
        nested: whether it stands in an inner object, where every single word needs its owner.
    """
    folded = fold(name)
    generic = is_generic(folded) or (nested and "_" not in folded)
    return owner[:256] if generic and folded != owner else ""


def noun(name: object) -> str:
    """What a schema describes, by its title or its reference: `OrderListResponse` is an order."""
    if not isinstance(name, str) or len(name) > 400:
        return ""
    # The part that names: after the last slash of a reference, after the last dot of a package.
    for part in reversed(name.replace("~1", "/").rpartition("/")[2].split(".")):
        spelled = fold(clean(part)).split("_")
        parts = [w for w in spelled if w and not re.fullmatch(r"v?[0-9]+\w{0,8}", w)]
        while parts and parts[-1] in _AROUND:
            parts.pop()
        while parts and parts[0] in _AROUND:
            parts.pop(0)
        if parts:
            return singular("_".join(parts))[:256] if len(parts) <= 4 else ""
    return ""


def singular(name: str) -> str:
    """The singular of a folded name: of its last word."""
    head, _, last = name.rpartition("_")
    return f"{head}_{word_singular(last)}" if head else word_singular(last)
