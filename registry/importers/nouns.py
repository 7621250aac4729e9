"""Which thing a field or a schema is about: nouns, owners, and names that say nothing alone."""

import re
from collections.abc import Iterable
from functools import lru_cache

from spm.registry.catalog.fields import is_generic
from spm.registry.catalog.fields import singular as word_singular
from spm.registry.catalog.naming import fold as _fold
from spm.registry.importers.references import clean
from spm.registry.map.resources import split_key

fold = lru_cache(50_000)(_fold)  # the same few thousand names, again and again

# What the names of schemas have around the noun.
_AROUND = frozenset(
    "get list create update patch put post delete fetch find search retrieve add upsert new api "
    "rest http paginated paged page full minimal simple basic base partial short mini compact "
    "brief read detailed detail bean json vo pojo representation out deprecated found created "
    "updated changed identifiers "
    "details extended nullable public response responses request requests reply result results dto "
    "model schema type object input output params parameters param arguments args payload body "
    "resource entity collection array items data info summary view envelope wrapper "
    "definition properties schemas definitions defs def objs obj value a an the of for with and "
    "to success".split()
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


def noun(
    name: object, ambiguous: frozenset[str] = frozenset(), named: frozenset[str] = frozenset()
) -> str:
    """What a schema describes, by its title or its reference: `OrderListResponse` is an order.

    Args:
        name: the title or reference.
        ambiguous: nouns that need the package in front: `issuing.card` beside `card`.
        named: the nouns of paths, which are whole: below /signing-requests is a signing request.
    """
    if not isinstance(name, str) or len(name) > 400:
        return ""
    # The part that names: after the last slash of a reference, after the last dot of a package.
    packages = name.replace("~1", "/").rpartition("/")[2].split(".")
    for at in range(len(packages) - 1, -1, -1):
        spelled = _unversioned(packages[at])
        parts = _trimmed(spelled, named)
        if not parts and len(spelled) > 1:  # all of its words are such: a value list is one
            parts = spelled
        if parts and len(parts) <= 4:
            found = singular("_".join(parts))[:256]
            before = next((w for p in reversed(packages[:at]) if (w := _unversioned(p))), [])
            return "_".join([*before, found]) if found in ambiguous and before else found
        if parts:
            return ""
    return ""


def _trimmed(parts: list[str], named: frozenset[str]) -> list[str]:
    """The words of a schema's name without those around its noun; a noun of a path is whole."""
    first, last = 0, len(parts)
    while first < last:
        if last - first > 1 and _squashed(parts[first:last]) in named:
            break
        if parts[last - 1] in _AROUND:
            last -= 1
        elif parts[first] in _AROUND:
            first += 1
        else:
            break
    return parts[first:last]


def named_nouns(paths: Iterable[object]) -> frozenset[str]:
    """The nouns of paths without the gaps between their words, which paths often leave out.

    Also those of parameters: {projectTypeKey} is the key of a project type, which is no project.
    """
    parts = {part for path in paths for part in str(path).split("/") if part}
    named = {fold(clean(part)) for part in parts if "{" not in part}
    for part in parts:
        if part.startswith("{") and part.endswith("}"):
            base, key = split_key(fold(clean(part[1:-1])).split("_"))
            named.update({"_".join(base)} if key and len(base) > 1 else ())
    return frozenset(_squashed(name.split("_")) for name in named)


def _squashed(parts: list[str]) -> str:
    return "".join([*parts[:-1], word_singular(parts[-1])]) if parts else ""


def ambiguous_nouns(names: Iterable[object]) -> frozenset[str]:
    """Nouns under which packages of one document keep different schemas of the very same name."""
    owners: dict[tuple[str, ...], set[str]] = {}
    for name in names:
        if isinstance(name, str):
            spelled = [w for part in name.split(".") if (w := _unversioned(part))]
            if spelled:
                before = "_".join(word for part in spelled[:-1] for word in part)
                owners.setdefault(tuple(spelled[-1]), set()).add(before)
    shared = ("_".join(parts) for parts, packages in owners.items() if len(packages) > 1)
    return frozenset(map(singular, shared))


def _unversioned(part: str) -> list[str]:
    """The words of a name, without versions."""
    spelled = fold(clean(part)).split("_")
    return [w for w in spelled if w and not re.fullmatch(r"v?[0-9]+\w{0,8}", w)]


def singular(name: str) -> str:
    """The singular of a folded name: of its last word."""
    head, _, last = name.rpartition("_")
    return f"{head}_{word_singular(last)}" if head else word_singular(last)
