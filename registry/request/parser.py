"""The parser of requests: which value in the text belongs to which field.

Nouns claim the identifiers beside them first; what is left goes to the nearest word that can own a
value of its kind. Distances are counted in tokens, so that every rule costs the same everywhere.
"""

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from spm.registry.catalog.fields import singular
from spm.registry.request.tokenizer import TYPED, Token, tokens
from spm.registry.request.vocabulary import IMPLIED, Name, Vocabulary

# Between a noun and its identifier: order no. 4821, the order's number is 4821.
_LABELS = frozenset("no nr num number id code key ref reference n nummer numéro número".split())
_JOINTS = _LABELS | frozenset("is was s called named : = # (".split())
# Between an identifier and its noun: 4821 is the order, 4821 (that's the order number).
_COPULAS = frozenset("is was are that this these those (".split())
_DETERMINED = _COPULAS | frozenset("s the my our your a an as , - – —".split())
_AND = frozenset("and or und oder et ou y o , & -".split())
_TO = frozenset("to until till through and - – — bis au al".split())
_SINCE = frozenset("since after starting seit ab depuis desde".split())
_UNTIL = frozenset("until till through bis jusqu hasta".split())
_OF = frozenset("of from dated placed vom du del".split())
_NOW = frozenset("today tonight heute".split())
_PIECES = frozenset("piece unit pc pcs item copy pair box pack stück pièce pieza".split())
_SPANS = frozenset("days weeks months years hours minutes times people".split())
# Nouns that are verbs too: after them a number may count. Order 30 umbrellas, but agent 31 takes.
_ACTS = frozenset("order return book ship request charge bill refund file call claim post".split())
_VERBS = frozenset("is was has does needs wants says gets goes looks arrives costs shows".split())
_PHRASAL = frozenset("up aside off".split())  # to set up is not to set
_CODES = frozenset(("code", "number", "tracking", "phone"))
_CONTACTS = frozenset(("email", "url", "phone"))  # often at the very end, far from their owner
# What may follow a field's whole name, besides a value of its own kind.
_FITS = {kind: frozenset(("number",)) for kind in ("count", "amount", "percent", "weight")}
_FITS |= {"code": _CODES, "plain": frozenset(("code", "number"))}
_FITS |= {"name": frozenset(("quote",)), "text": frozenset(("quote",))}
# A quotation beside a thing is what the thing is called, or what it says.
_CALLED = frozenset("name title label headline".split())
_SAYS = frozenset("text message body content comment question".split())
_PREFIX = re.compile(r"([A-Za-z]{2,12})[-_]?\d")
_DECIMAL = re.compile(r"\d+[.,]\d\d")
_NEAR = 6  # tokens that a noun reaches to its identifier, or a quotation to what it is
_REACH = 15  # beyond so many tokens a sum or a date belongs to something else
_FEW = 16  # values of one kind that are looked at: nobody gives more of them on purpose


class _Mention(NamedTuple):
    start: int
    end: int
    phrase: tuple[str, ...]


class Reading:
    """A request, cut into tokens, with what its words stand for."""

    def __init__(self, request: str, vocabulary: Vocabulary) -> None:
        self._known = vocabulary
        self._kinds: dict[str, list[int]] = defaultdict(list)
        self._tokens = tokens(request)
        for at, token in enumerate(self._tokens):
            self._kinds[token.kind].append(at)
        noun = cache(vocabulary.noun)
        self._nouns = [noun(t.text) if t.kind == "word" else "" for t in self._tokens]
        # Rules look a few tokens back and ahead. With this at the end they need not ask whether
        # there are any: before the first token, negative indices find it too.
        self._tokens += [Token("mark", "")] * _REACH
        self._said = [token.text.lower() for token in self._tokens]
        self._places = self._locate()
        self._mentions = list(self._find_mentions())
        self._claimed: set[int] = set()  # values that belong to a noun
        self._busy: set[int] = set()  # words that have their identifier
        self._seen: set[int] = set()  # lists of names that were found

    def fields(self) -> Iterator[str]:
        """Every field that is given, some more than once."""
        for mention in self._mentions:
            yield from self._after(mention)
        for mention in self._mentions:
            yield from self._before(mention)
        yield from self._prefixed()
        yield from self._counted()
        yield from self._labelled()
        for kind in sorted(TYPED):
            for at in self._values(kind):
                yield from self._owned(kind, at)
        for at in self._values("quote"):
            yield from self._quoted(at)

    def _locate(self) -> dict[str, list[int]]:
        """Where the request mentions words of the vocabulary, in ascending order."""
        places = defaultdict(list)
        meanings = cache(self._known.meanings)
        for at in self._kinds["word"]:
            if self._said[at + 1] not in _PHRASAL:
                for meaning in meanings(self._said[at]):
                    places[meaning].append(at)
        return places

    def _find_mentions(self) -> Iterator[_Mention]:
        """Phrases of the vocabulary, the longest at each place: a purchase order is no order."""
        at = 0
        while at < len(self._nouns):
            reach = self._known.longest if self._nouns[at] in self._known.first else 0
            for end in range(min(at + reach, len(self._nouns)), at, -1):
                phrase = tuple(self._nouns[at:end])
                if phrase in self._known.owners or phrase in self._known.full:
                    yield _Mention(at, end, phrase)
                    at = end - 1
                    break
            at += 1

    def _values(self, kind: str) -> list[int]:
        free = (at for at in self._kinds[kind] if at not in self._claimed)
        return list(islice(free, _FEW))

    # -- an identifier, a name or a labelled value beside its noun --------------------------------

    def _after(self, mention: _Mention) -> Iterator[str]:
        """`order no. 4821`, `customer Ivo Klein`, `cost_center=4400`."""
        at = self._joined(mention.end)
        if self._tokens[at].kind == "mark":
            return
        says = any(word in (":", "=") for word in self._said[mention.end : at])
        found: list[Name] = []
        for kind, names in self._known.full.get(mention.phrase, {}).items():
            complete = kind == "plain" or bool(names[0].owner)  # `id 5` is anybody's
            if complete and (says or self._fits(kind, at)):
                found += self._once(names)
        for kind, names in self._known.owners.get(mention.phrase, {}).items():
            if self._is_called(kind, mention.phrase, at):
                found += self._once(names)
        if found:
            self._claim(mention, at)
        elif self._fits("code", at):  # it has an identifier, though no field for it
            self._busy.update(range(mention.start, mention.end))
        yield from (name.field for name in found)

    def _once(self, names: list[Name]) -> list[Name]:
        """All names the first time, then one: a long request says the same noun very often."""
        again = id(names) in self._seen
        self._seen.add(id(names))
        return names[:1] if again else names

    def _joined(self, at: int) -> int:
        """Where the value of a noun that ends at `at` would stand."""
        for _ in range(_NEAR):
            word = self._said[at]
            dot = word == "." and self._said[at - 1] in _LABELS
            comma = word == "," and self._said[at + 1] in _LABELS
            leads = word in ("with", "the") and _LABELS & {*self._said[at + 1 : at + 3]}
            if word not in _JOINTS and not (dot or comma or leads):
                break
            at += 1
        return at

    def _is_called(self, kind: str, owner: tuple[str, ...], at: int) -> bool:
        """Whether a value that follows the owner alone identifies it: order 4821, carrier DHL."""
        value = self._tokens[at]
        if kind == "code":
            prefix = _PREFIX.match(value.text)
            other = (self._known.noun(prefix[1]),) if prefix else owner
            # Refund RMA-17: that is a return's number, whatever stands before it.
            return self._fits(kind, at) and (other == owner or other not in self._known.owners)
        if kind == "amount":  # refund 49.90
            return bool(_DECIMAL.fullmatch(value.text))
        return kind == "name" and value.kind == "word" and self._is_proper(at)

    def _is_proper(self, at: int) -> bool:
        """A proper name, and no noun of the vocabulary: German writes all nouns with capitals."""
        text = self._tokens[at].text
        proper = text[:1].isupper() and len(text) > 1
        return self._said[at - 1] == "#" or (
            proper and (self._nouns[at],) not in self._known.owners
        )

    def _fits(self, kind: str, at: int) -> bool:
        """Whether a value can be of a field of that kind."""
        value = self._tokens[at]
        if kind == "code" and value.kind == "number":
            return not self._counts(at) and not _DECIMAL.fullmatch(value.text)
        if kind == "code" and value.kind == "quote":
            return " " not in value.text
        if kind == "name" and value.kind == "word":
            return self._is_proper(at)
        return value.kind == kind or value.kind in _FITS.get(kind, ())

    def _counts(self, at: int) -> bool:
        """Whether a number counts what follows: order 30 sun umbrellas, ticket 3 days old."""
        if len(self._said[at]) > 3 or self._said[at - 1] in ("#", ":", "=", *_LABELS):
            return False
        first, second = self._said[at + 1], self._said[at + 2]
        if self._tokens[at + 1].text[:1].isupper():  # address 14 Mill Lane
            return self._tokens[at + 1].kind == "word"
        if self._said[at - 1] not in _ACTS or first in _VERBS:
            return first in _SPANS
        return any(word not in _VERBS and singular(word) != word for word in (first, second))

    def _claim(self, mention: _Mention, at: int) -> None:
        """Take a value, and the list that it begins: orders 17, 18 and 19."""
        self._claimed.add(at)
        if self._tokens[at].kind in _CODES:
            self._busy.update(range(mention.start, mention.end))
        while self._tokens[at].kind in _CODES:
            self._claimed.add(at)
            at += 1
            while self._said[at] in _AND:
                at += 1

    def _before(self, mention: _Mention) -> Iterator[str]:
        """`#4821 is the order`, `4821 (that's the order number)`."""
        at, copula = mention.start - 1, False
        while mention.start - at <= _NEAR and self._said[at] in _DETERMINED:
            copula |= self._said[at] in _COPULAS
            at -= 1
        if not copula or self._tokens[at].kind not in _CODES or at in self._claimed:
            return
        for phrases in (self._known.owners, self._known.full):
            names = phrases.get(mention.phrase, {}).get("code")
            if names and names[0].owner:
                self._claimed.add(at)
                self._busy.update(range(mention.start, mention.end))
                yield from (name.field for name in self._once(names))

    def _prefixed(self) -> Iterator[str]:
        """`INV-2034` abbreviates an invoice and `PO-17` a purchase order, if nothing else does."""
        for at in self._values("code"):
            prefix = _PREFIX.match(self._tokens[at].text)
            found = self._known.abbreviated(prefix[1]) if prefix else []
            if found:
                self._claimed.add(at)
            yield from found

    # -- a value of the field's kind, near what it belongs to -------------------------------------

    def _owned(self, kind: str, at: int) -> Iterator[str]:
        """The fields that take such a value, and whose owner is named nearest to it."""
        if kind == "tracking":
            tracked = self._known.owners.get(("tracking",), {}).get("code", [])
            yield from (name.field for name in tracked)
            return
        kinds = [kind]
        if kind == "date":
            kinds += ["start", "since"] * self._begins(at) + ["end", "expiry"] * self._ends(at)
        if kind == "time":
            kinds += ["start"]
        names = [name for one in kinds for name in self._known.kinds[one]]
        yield from (name.field for name in names if not name.owner)
        if self._said[at] not in _NOW or self._said[at - 1] in ("for", "to", *_UNTIL):
            yield from self._nearest(names, kind, at)

    def _nearest(self, names: Iterable[Name], kind: str, at: int) -> list[str]:
        gaps = [(self._gap(name, kind, at), name.field) for name in names if name.owner]
        least = min((gap for gap, _ in gaps if gap is not None), default=None)
        return [field for gap, field in gaps if gap is not None and gap == least]

    def _gap(self, name: Name, kind: str, at: int) -> float | None:
        """How far from a value its owner is named; None if a word of it is not, or all too far."""
        gaps = [self._distance(word, kind, at) for word in name.owner]
        least = min((gap for gap in gaps if gap is not None), default=math.inf)
        return None if None in gaps or least == math.inf else least

    def _distance(self, word: str, kind: str, at: int) -> float | None:
        """How far from a value a word is; None if it is nowhere, infinite if it is too far."""
        if IMPLIED.get(word) == kind:
            return 0 if kind == "date" and self._between(at) else _NEAR
        places = self._places.get(word, [])
        here = bisect_left(places, at)
        near = places[max(0, here - 4) : here + 4]
        return min((self._cost(place, kind, at) for place in near), default=None)

    def _cost(self, place: int, kind: str, at: int) -> float:
        gap, busy = abs(place - at), place in self._busy
        if not gap:  # a label that could be its own owner: text, mail
            return _REACH
        if kind in _CONTACTS:
            return gap + _NEAR * busy
        if busy and kind == "date" and self._said[at - 1] not in _OF:
            return math.inf
        # A noun that has its identifier is less likely to have another value too.
        return math.inf if gap > (_NEAR if busy else _REACH) else gap + _NEAR * busy

    def _begins(self, at: int) -> bool:
        return self._said[at - 1] in _SINCE or self._between(at)

    def _ends(self, at: int) -> bool:
        return self._said[at - 1] in _UNTIL or self._between(at)

    def _between(self, at: int) -> bool:
        """Whether a date is one of the two of a range: 1 May - 3 June, from 1 to 15 May."""
        first = self._said[at + 1] in _TO and self._tokens[at + 2].kind == "date"
        return first or (
            self._said[at - 1] in _TO and self._tokens[at - 2].kind in ("date", "number")
        )

    # -- counts, labels and quotations ------------------------------------------------------------

    def _counted(self) -> Iterator[str]:
        """`500 points`, `12 seats`, `10 pieces`."""
        for at in self._values("number"):
            if self._tokens[at + 1].kind != "word":
                continue
            following = {singular(word) for word in self._said[at + 1 : at + 3]}
            names = [name for name in self._known.kinds["count"] if following & _unit(name)]
            yield from (name.field for name in names if not name.owner)
            yield from self._nearest(names, "number", at)

    def _labelled(self) -> Iterator[str]:
        """`Subject: …`, `set the quantity to 12`: a label whose owner is named elsewhere."""
        seen: Counter[str] = Counter()
        for at in self._kinds["word"]:
            noun = self._nouns[at]
            names = self._known.tails.get(noun)
            kinds = self._label(at) if names and at not in self._busy else ()
            if names and kinds and seen[noun] < _FEW:
                seen[noun] += 1
                yield from self._whose([name for name in names if name.kind in kinds], at)

    def _label(self, at: int) -> set[str]:
        """The kinds of field that a word would be a label of, from what follows it."""
        joint, value = self._said[at + 1], self._tokens[at + 2]
        says = joint in (":", "=")
        found = {"text"} if says else set()
        if (says or joint == "is") and self._is_proper(at + 2):
            found.add("name")
        if value.kind == "number" and (says or joint in ("to", "of")):
            found.add("count")
        return found

    def _whose(self, names: list[Name], at: int) -> list[str]:
        """Those whose owner is named nearest; the only one needs no owner."""
        owned = self._nearest(names, "text", at)
        return owned or [name.field for name in names if len(names) == 1]

    def _quoted(self, at: int) -> Iterator[str]:
        """The fields that the noun just after a quotation, or words before it, speak of."""
        if self._tokens[at + 1].kind == "word":
            called = self._called({self._nouns[at + 1]}, at)
            if called:
                yield from called
                return
        for place in (*range(at - 1, at - 1 - _NEAR, -1), at + 1, at + 2, at + 3):
            if self._tokens[place].kind == "word" and place not in self._busy:
                found = self._mentioned_at(place, at)
                if found:
                    yield from found
                    return

    def _mentioned_at(self, place: int, at: int) -> list[str]:
        meanings = self._known.meanings(self._said[place])
        tails = [name for m in sorted(meanings) for name in self._known.tails.get(m, ())]
        labels = [name for name in tails if name.kind == "text"]
        if labels:
            return self._whose(labels, place)
        owned = [name for m in sorted(meanings) for name in self._known.owned.get(m, ())]
        called = self._called(meanings, at) if place == at - 1 else []
        says = [name.field for name in owned if name.tail in _SAYS]
        return called or says or [name.field for name in owned if name.tail == "title"]

    def _called(self, owners: Iterable[str], at: int) -> list[str]:
        """What the owner beside a short quotation is called by it: the folder "Contracts"."""
        if self._said[at].count(" ") > 3 or self._said[at][-2:-1] in (".", "?", "!"):
            return []
        owned = [name for owner in sorted(owners) for name in self._known.owned.get(owner, ())]
        return [name.field for name in owned if name.tail in _CALLED]


def _unit(name: Name) -> frozenset[str]:
    """What a count of the field is a count of."""
    if name.tail in ("quantity", "qty"):
        return _PIECES
    return frozenset(name.owner[-1:] if name.tail == "count" else (name.tail,))
