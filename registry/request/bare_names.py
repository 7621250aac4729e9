"""Names that stand without their noun: `in lumen`, `lumen's`, `delete old-landing`.

Nothing tells a name from a word of English for sure. What speaks for a name: in English a thing
that can be counted has an article (`in the archive`), a name has none (`in lumen`). Words that go
without an article too are listed here, and endings of abstract nouns. So a bare name is only a
guess, and is only given to what a path cannot do without.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spm.registry.catalog.fields import singular
from spm.registry.map.resources import KEYS
from spm.registry.request.input_nouns import Input
from spm.registry.request.value_reader import COMMON, Value

_PLACES = frozenset("in at from of for on to under into within inside".split())
_ASKS = frozenset("is are was has does did".split())
_OWNERS = frozenset(("'s", "’s"))
_DEFINITE = frozenset("the a an my our your their his her this that each every".split())
_ABSTRACT = re.compile(r"(?:ing|ed|ly|tion|sion|ment|ness|ity|ance|ence|ship|age|al|ure|ism)$")
# Nouns that need no article: times, substances, states. `in production` names nothing.
_MASS = frozenset(
    """access advance archive audio average beta bulk business cache case cash chat cleanup code
    compliance content control cost credit csv dark default demand demo dev development doubt draft
    effect email english error everywhere excel fact favor favour france fraud full german germany
    github good gmail hand hold home html human id info inventory json june july kubernetes legal
    light linux lowercase mail mail main markdown mass master mind money month monday more music
    november night noon october office offline online order paper parallel part particular payroll
    pdf people person place plain plan play prep preview prod production progress public purpose
    python qa queue question read reality reason reference release research retry review risk root
    sandbox scope scratch secret security service short sight sort source spam stage staging
    stock storage support sync text theory there today tomorrow total traffic transit trash travel
    trial trouble turn uppercase uptime usage version video vpn waste web windows work xml yaml year
    yesterday zip january february march april may august september december tuesday wednesday
    thursday friday saturday sunday weekend winter summer spring autumn morning evening afternoon
    sales marketing finance engineering legal hr""".split()
)
# self-hosted, read-only, follow-up: words of English that have a hyphen.
_BEFORE_HYPHEN = frozenset(
    """self multi non cross pre post re co e per long short high low real full read two one first
    third sub auto semi opt sign log""".split()
)
_AFTER_HYPHEN = frozenset(
    """only wide level time term free like specific facing side date day up in out off end source
    party class to""".split()
)
_OWN = frozenset("company org organization organisation workspace account enterprise".split())
_JOINED = re.compile(r"\w[-_:@]\w")
_HAS_LETTER = re.compile(r"[A-Za-z]")
_STOPS = frozenset((".", "?", "!", "\n", ",", ";", ":"))


class BareName(NamedTuple):
    """A name without a noun.

    Attributes:
        value: the name.
        owns: whether something is said to be its own: `lumen's`.
    """

    value: Value
    owns: bool


def bare_names(values: Sequence[Value], is_own: Callable[[str], bool]) -> list[BareName]:
    """The values that look like names of something, in their order.

    Args:
        values: of a request, without those that are inputs already.
        is_own: whether a word is one that the tool itself uses: these are nouns, not names.
    """
    found = []
    for value in values:
        if value.kind not in ("slug", "word", "name", "id") or is_own(value.text):
            continue
        if not _HAS_LETTER.search(value.text) or "." in value.text:  # numbers, hosts, files
            continue
        if _owns(value) or _is_self(value):
            found.append(BareName(value, True))
        elif _is_placed(value) or _is_acted_on(value):
            found.append(BareName(value, False))
    return found


def _owns(value: Value) -> bool:
    if value.after[:1] and value.after[0] in _OWNERS:
        return not is_noun(value) and _is_object(value)
    return False


def _is_self(value: Value) -> bool:
    """`we are lumen`, `our company is lumen`."""
    if not _ends(value) or is_noun(value):
        return False
    said = value.before
    ours = said[2:3] in (("our",), ("my",)) and bool({*said[1:2]} & _OWN)
    return said[:2] == ("are", "we") or (said[:1] == ("is",) and ours)


def _ends(value: Value) -> bool:
    """Whether a value ends its phrase: in `in lumen mode` it is no name."""
    stop = value.after[0] if value.after else "."
    return not stop[:1].isalnum() or stop in COMMON or stop.endswith("ed")


def _is_placed(value: Value) -> bool:
    if not {*value.before[:1]} & _PLACES or is_noun(value):
        return False
    return value.kind == "slug" or _ends(value)


def _is_acted_on(value: Value) -> bool:
    """`restart checkout-web`, `lumen's checkout-web`; a plain word may be anything there."""
    if value.kind not in ("slug", "id") or is_noun(value) or not _JOINED.search(value.text):
        return False  # PVCs are no name
    if value.kind == "slug" and {*value.before[:1]} & _ASKS:
        return True  # is checkout-web hidden?
    if not _ends(value):
        return False
    return _is_object(value) or bool({*value.before[:1]} & _OWNERS)


def _is_object(value: Value) -> bool:
    """Whether a value stands where the verb that begins a sentence has what it acts on."""
    if not value.before:
        return True
    lead, earlier = value.before[0], value.before[1:2]
    verb = not earlier or earlier[0] in _STOPS or earlier[0] in ("and", "then", "please")
    return lead not in _DEFINITE and (lead in COMMON or lead in _STOPS or verb)


def is_noun(value: Value) -> bool:
    """Whether a plain word is more likely a noun than a name."""
    said = value.text.lower()
    if said in _MASS or said in COMMON:
        return True
    if value.kind == "slug":
        first, *_, last = re.split(r"[-_]", said) * 2
        key = "_" in said and last in KEYS  # user_id is a field, not a user
        return key or first in _BEFORE_HYPHEN or last in _AFTER_HYPHEN or last.endswith("ed")
    if value.kind != "word":
        return False
    return len(said) < 3 or singular(said) != said or bool(_ABSTRACT.search(said))


def placed(names: Sequence[BareName], places: Sequence[Input]) -> Iterator[tuple[Input, Value]]:
    """Which parts of a path are meant by names that stand without a noun.

    Args:
        names: from `bare_names`.
        places: the parts of the path that lack a value and take names, the outermost first.
    """
    if not names or not places:
        return
    owners = [name for name in names if name.owns]
    others = [name for name in names if not name.owns]
    if len(owners) == 1 and len(others) <= len(places) - 1 <= 1:
        yield places[0], owners[0].value  # acme's storefront
        yield from zip(places[1:], (name.value for name in others), strict=False)
    elif len(names) == len(places) <= 2:
        # What is inside is named before what it is in: checkout-web in lumen.
        yield from zip(places, (name.value for name in reversed(names)), strict=True)
    elif len(names) == 1 and len(places) == 2 and names[0].value.kind == "slug":
        yield places[1], names[0].value  # who asks says the thing, and leaves out where it is
