"""Which value of a request is which input of the tools at hand.

The inputs say it themselves: by their names, the resources that they identify, what their
descriptions call them, and by formats, patterns, enumerations and examples of their schemas. A
value goes to the input that it fits best; what fits none is no field.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.request.bare_names import is_noun
from spm.registry.request.input_nouns import (
    THINGS,
    Input,
    shortens,
)
from spm.registry.request.left_values import (
    MESSAGES,
    PREFIXED,
    LeftValues,
    is_own_name,
    overlaps,
)
from spm.registry.request.phrases import letters
from spm.registry.request.safe_patterns import is_match
from spm.registry.request.value_reader import COMMON, Value

LEAST = 0.3  # a fit below this is none
RIVAL = 0.6  # of its best fit; a value that is surely something else is not weakly this
AFTER = 0.85  # "the billing-eu namespace" against "namespace billing-eu"
_LISTED = frozenset(("and", ",", "&", "or"))
_LIMITS = frozenset(
    "limit per_page page_size max_result count top first take size max_item pagesize".split()
)
_LATEST = frozenset("last first top latest newest recent".split())
_ROWS = frozenset("rows results items entries records hits".split())
_REMEMBERED = 500  # short forms of one tool
_WORDS = frozenset(("word", "name", "slug"))
_SAYS = frozenset("say post send reply comment write note tell answer message add".split())
_SEARCHES = frozenset("search find look query for about".split())
_QUERIES = frozenset("query q search keyword term".split())
_CALLED = frozenset("called named titled".split())
_STARTS = frozenset("starting starts start beginning begins begin".split())
_CONTAINS = frozenset("containing contains matching matches like".split())
_TITLED = frozenset(("word", "name", "slug", "id"))
_TITLE = 4  # words that may follow the first of a name
_BETWEEN = 6  # words between `between` and the second of two days
_SINCE = frozenset("since after from between".split())
_UNTIL = frozenset("until before by till to".split())
_LOWER = frozenset("after since from start gte gt min".split())
_PAST = frozenset("ago old late later left already behind earlier".split())
_ENVIRONMENTS = frozenset("production prod staging development dev qa sandbox".split())
_SITES = frozenset("domain host hostname site zone".split())
_UPPER = frozenset("before until to end lte lt max".split())
_OPENS = frozenset(
    "the a an in of on for from to my our your this that by with at into 's ’s".split()
)
_PERSON = re.compile(r"(?:ee|er|or)$")
_INTO = frozenset("into under below beneath".split())
_GOALS = frozenset("parent destination dest target".split())
_SETS = frozenset(("to", "as"))
_IN = frozenset(("in", "from", "within"))
_LEADS = _SETS | _CALLED | {"from", "by"}
_UNIT = re.compile(r"[A-Za-z]{3}(?![A-Za-z])|[$€£¥]")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_NUMBER = re.compile(r"\d[\d.,]*")
_INITIAL = re.compile(r"[A-Z](?=[A-Z]*\d)[A-Z0-9]{6,}")
_LETTERS = re.compile(r"[a-z]+")
_LETTER = re.compile(r"[A-Za-z]")
_DIGITS = re.compile(r"\d+")
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")  # seconds or milliseconds since 1970
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}")
_ENUM_JOINTS = re.compile(r"[\W_]+")


class Match(NamedTuple):
    """An input with a value of a request."""

    input: Input
    value: Value
    score: float


def assign(
    values: Sequence[Value], inputs: Sequence[Input], context: Iterable[str] = ()
) -> dict[str, Value]:
    """The values that a request gives to inputs, by the inputs' own names.

    Args:
        values: of the request, from `read_values`.
        inputs: of one tool, or of the tools of a route together.
        context: words that the tools themselves are called: they are no values.
    """
    found: dict[str, Value] = {}
    for match in matches(values, inputs, context):
        found.setdefault(match.input.name, match.value)
    return found


def matches(
    values: Sequence[Value], inputs: Sequence[Input], context: Iterable[str] = ()
) -> list[Match]:
    """Every input with its values, best first; only lists have several."""
    tools: dict[str, list[Input]] = defaultdict(list)
    for one in inputs:
        tools[one.tool].append(one)
    called = frozenset(singular(word.lower()) for word in context)
    found = [
        match for mine in tools.values() for match in _tool(tuple(mine), called).matches(values)
    ]
    best: dict[tuple[int, int], float] = defaultdict(float)
    for match in found:
        span = (match.value.begin, match.value.end)
        best[span] = max(best[span], match.score)
    found = [m for m in found if m.score >= RIVAL * best[m.value.begin, m.value.end]]
    return sorted(found, key=lambda m: (-m.score, m.value.begin, m.input.tool, m.input.name))


@lru_cache(1_024)  # some 20 KB each
def _tool(inputs: tuple[Input, ...], context: frozenset[str]) -> "_Tool":
    return _Tool(inputs, context)


class _Tool:
    """The inputs of one tool, found by what people call them."""

    def __init__(self, inputs: Sequence[Input], context: frozenset[str]) -> None:
        self._inputs = [one for one in inputs if one.want != "none"]
        self._named: dict[str, list[tuple[Input, float]]] = defaultdict(list)
        self._options: dict[str, list[tuple[Input, str]]] = defaultdict(list)
        self._short: dict[str, list[tuple[Input, float]]] = {}
        self._things = set(context)  # what the tool is about: no values
        for one in self._inputs:
            for phrase, weight in one.phrases.items():
                self._named[phrase].append((one, weight))
            for said, option in one.options.items():
                self._options[said].append((one, option))
            for noun in (one.resource, one.tool, *one.nouns):
                self._things.update(map(singular, words(noun)))
            self._things.update(map(singular, _LETTERS.findall(one.tool.lower())))
        named = {singular(word) for one in self._inputs for word in words(one.name)}
        self._own = self._things | named

    def matches(self, values: Sequence[Value]) -> Iterator[Match]:
        """Give each value to what it fits best, and each input one, or several to a list."""
        offers = [_priced(offer) for offer in self._offers(values) if offer.score >= LEAST]
        offers.sort(key=_rank)
        filled: dict[str, Value] = {}
        used: list[Value] = []
        for offer in offers:
            if offer.input.name in filled or any(overlaps(offer.value, u) for u in used):
                continue
            filled[offer.input.name] = offer.value
            used.append(offer.value)
            yield offer
            if _takes_many(offer.input):
                for more in _listed_with(offer.value, values):
                    used.append(more)
                    yield Match(offer.input, more, offer.score)
        left = LeftValues(self._inputs, self._is_own).find(values, filled)
        yield from (Match(*found) for found in left)

    def _offers(self, values: Sequence[Value]) -> Iterator[Match]:
        for value in (*values, *_titles(values)):
            if value.kind == "common":
                yield from self._spelled(value)
            else:
                yield from self._before(value)
                yield from self._after(value)
                yield from self._formed(value)
                yield from self._set(value)
                yield from self._moved(value)
            yield from self._enumerated(value)
            yield from self._environments(value)
        yield from self._pairs(values)
        yield from self._sums(values)
        yield from self._limits(values)
        yield from self._measured(values)

    # -- by a noun beside the value ---------------------------------------------------------------

    def _before(self, value: Value) -> Iterator[Match]:
        """`namespace billing-eu`, `issue #77`, `transfer group: ORDER_95`."""
        if value.kind in _WORDS and (self._is_own(value.text) or not _ends(value)):
            return
        if _is_participle(value):
            return
        for at, count, phrase in value.leading:
            for one, weight in self._called(phrase, count):
                fit = one.fits.get(value.kind, 0.0)
                yield Match(one, value, weight * fit * 0.98**at + 0.02 * count * (fit > 0))

    def _after(self, value: Value) -> Iterator[Match]:
        """`the billing-eu namespace`, `3 replicas`."""
        if value.kind in _WORDS and (self._is_own(value.text) or not self._begins(value)):
            return
        for count, phrase in value.trailing:
            if value.kind == "word" and not all(map(_is_grammar, value.after[count : count + 1])):
                continue  # in `the cron monitor nightly` the noun has its value behind it
            for one, weight in self._called(phrase, count):
                wanted = one.want
                fit = one.fits.get(value.kind, 0.0)
                counted = wanted == "count"
                if (value.kind == "number") != counted or wanted in ("content", "text"):
                    continue
                yield Match(one, value, AFTER * weight * fit)

    def _called(self, phrase: str, count: int) -> list[tuple[Input, float]]:
        found = self._named.get(phrase, [])
        if found or count > 1 or not 2 <= len(phrase) <= 5 or phrase in COMMON:
            return found
        if len(self._short) > _REMEMBERED:
            self._short.clear()
        if phrase not in self._short:
            things = [one for one in self._inputs if one.want in THINGS]
            sure = [(one, max(shortens(phrase, noun) for noun in one.things)) for one in things]
            self._short[phrase] = [(one, 0.8 * how) for one, how in sure if how]
        return self._short[phrase]

    def _begins(self, value: Value) -> bool:
        """Whether a word begins its phrase, but not its sentence, where verbs stand."""
        if value.kind == "slug":
            return not is_noun(value)  # a cluster-wide binding
        before = value.before
        if len(before) > 1 and letters(before[0]) in self._options:  # the global acme template
            before = before[1:]
        return bool(before) and before[0] in _OPENS

    def _is_own(self, text: str) -> bool:
        return singular(text.lower()) in self._own

    def _spelled(self, value: Value) -> Iterator[Match]:
        """`change type removed`: even a common word is a value after a name of two words."""
        for phrase in value.spelled:
            for one, weight in self._named.get(phrase, ()):
                if weight == 1.0 and one.want == "text":
                    yield Match(one, value, 0.6)

    # -- by the form of the value -----------------------------------------------------------------

    def _formed(self, value: Value) -> Iterator[Match]:
        if value.kind in ("word", "name", "quoted", "pair", "amount", "percent", "measure"):
            return
        for one in self._inputs:
            fit = one.fits.get(value.kind, 0.0)
            if fit and (score := self._form(one, value)):
                yield Match(one, value, score * fit)
            elif one.want == "moment" and _EPOCH.fullmatch(value.text):
                yield Match(one, value, self._dated(one, value))

    def _form(self, one: Input, value: Value) -> float:
        wanted, kind = one.want, value.kind
        if kind in ("email", "url", "phone", "ip", "uuid", "moment", "version") and kind == wanted:
            return 0.6
        if (kind == "sha" and wanted in ("sha", "ref")) or (kind == "version" and wanted == "ref"):
            return 0.6
        if kind == "selector" and wanted == "selector":
            return 0.6 + 0.05 * _is_hinted(one, value)
        if kind == "path" and (wanted == "path" or (wanted == "name" and "file" in one.words)):
            return 0.5
        if value.hashed and wanted == "number" and one.words[-1] in ("number", "iid", "no"):
            return 0.55
        if kind == "channel" and wanted == "name" and "channel" in one.phrases:
            return 0.65
        if kind == "handle" and wanted == "name" and "user" in one.phrases:
            return 0.65
        if kind == "path" and _DOMAIN.fullmatch(value.text) and {*words(one.name)} & _SITES:
            return 0.9
        if kind in ("date", "time") and wanted in ("date", "moment"):
            return self._dated(one, value)
        if kind not in ("id", "sha", "uuid", "slug"):
            return 0.0
        if one.pattern and is_match(one.pattern, value.text) and not is_match(one.pattern, "word"):
            return 0.65
        shown = (*one.examples, *one.shown)
        if any(_alike(value.text, example) for example in shown):
            return 0.62
        if kind == "id" and any(_shape(value.text) == _shape(example) for example in one.examples):
            return 0.5
        return _initials(one, value.text)

    def _dated(self, one: Input, value: Value) -> float:
        """`since 2024-03-01`, `on May 4` where one day is asked for."""
        lead, last = value.before[:1], one.words[-1]
        if lead and lead[0] in _SINCE and last in _LOWER:
            return 0.6
        closes = lead == ("and",) and "between" in value.before[:_BETWEEN]
        if lead and (lead[0] in _UNTIL or closes) and last in _UPPER:
            return 0.6
        days = [other for other in self._inputs if other.want in ("date", "moment")]
        outer = [other for other in days if "." not in other.path]
        days = outer or days
        return 0.45 if lead in (("on",), ("at",)) and days == [one] else 0.0

    def _set(self, value: Value) -> Iterator[Match]:
        """`set the topic of C07 to "…"`, `rename it to docs`, `a channel called docs`."""
        lead = value.before[0] if value.before else ""
        called = _is_called(value)
        if not (lead in _LEADS or value.kind == "quoted" or called or _is_sought(value)):
            return
        if value.kind == "word" and not _ends(value):
            return
        for one in self._inputs:
            wanted = one.want
            fit = one.fits.get(value.kind, 0.0)
            own = list(one.words)
            if called and fit and is_own_name(one):
                yield Match(one, value, 0.75 * fit)
            if lead in ("to", "from", "by") and fit and _is_done(own, value):
                yield Match(one, value, 0.6 * fit)
            if score := _spoken(own, value):
                yield Match(one, value, score * fit)
            counted = value.kind == "number" and wanted not in ("count", "amount", "text")
            if not fit or counted or wanted in ("number", "id", "reference"):
                continue
            if lead not in _SETS and value.kind != "quoted":
                continue
            if own[-1:] == ["name"] and "rename" in value.before and lead in _SETS:
                yield Match(one, value, 0.75 * fit)
            distance = _distance(value, one)
            if distance is not None:
                yield Match(one, value, (0.85 - 0.02 * distance) * fit)

    def _moved(self, value: Value) -> Iterator[Match]:
        """`copy folder 5 into 8`: the id of where it goes."""
        if not {*value.before[:1]} & _INTO:
            return
        for one in self._inputs:
            fit = one.fits.get(value.kind, 0.0)
            if fit and one.want in ("id", "number", "uuid") and {*words(one.path)} & _GOALS:
                yield Match(one, value, 0.5 * fit)

    # -- enumerations, pairs, sums, limits --------------------------------------------------------

    def _enumerated(self, value: Value) -> Iterator[Match]:
        """`maven`, `eu_vat`, `invite only`: what a schema lists, or a description shows."""
        if value.kind not in ("word", "common", "slug", "id", "name", "quoted"):
            return
        for more, text, said in value.runs if self._options else ():
            for one, option in self._options.get(said, ()):
                if score := self._choice(one, value, option, more):
                    end = value.begin + len(text)
                    yield Match(one, replace(value, text=text, end=end), score)

    def _choice(self, one: Input, value: Value, option: str, more: int) -> float:
        """How surely a word of a request is an option of an input."""
        if self._is_named(one, value):
            return 0.9
        if option.isdigit() or (singular(value.text.lower()) in self._things and not more):
            return 0.0
        if len(one.enum) == 1 and self._things.issuperset(map(singular, words(option))):
            return 0.0  # what a thing is called in its own schema: type "ai_agent"
        if more or _ENUM_JOINTS.search(option):
            return 0.7
        if not one.enum:
            return 0.0
        if value.kind == "common":
            next_word = singular(value.after[0]) if value.after else ""
            owner = words(one.path)[:-1]  # weekly backups, for backup_policy.plan
            noun = self._is_own(next_word) or next_word in owner  # closed issues
            return 0.45 if noun or {*value.before[:2]} & {"is", "are"} else 0.0
        return 0.6 if one.required else 0.5

    def _environments(self, value: Value) -> Iterator[Match]:
        """`in production`: there are few environments, and all have the same names."""
        if value.text.lower() in _ENVIRONMENTS:
            for one in self._inputs:
                if one.words[-1] in ("environment", "env") and one.fits.get("word"):
                    yield Match(one, value, 0.55)

    def _is_named(self, one: Input, value: Value) -> bool:
        """Whether an input's own name stands directly before a value, or before `to`."""
        lead = value.before[:1]
        distance = _distance(value, one)
        return distance is not None and (distance <= 1 or (bool(lead) and lead[0] in _SETS))

    def _pairs(self, values: Sequence[Value]) -> Iterator[Match]:
        """`umbra/gateway` is owner and repo where both stand in a row."""
        by_name = {one.name: one for one in self._inputs}
        for value in values:
            if value.kind != "pair" or self._is_other(value):
                continue
            yield from self._nested(value)
            for one in self._inputs:
                if one.want in THINGS and _is_path(one):
                    yield Match(one, value, 0.6)
                first = by_name.get(one.joins)
                if first and one.fits.get("slug") and first.fits.get("slug"):
                    left, right = _halves(value)
                    yield Match(first, left, 0.95)
                    yield Match(one, right, 0.95)

    def _nested(self, value: Value) -> Iterator[Match]:
        """`finance/ledger` where a path has two names, one below the other."""
        path = [one for one in self._inputs if one.place == "path"]
        joined = any(one.joins for one in path)
        path = [one for one in path if one.want in ("name", "reference")]
        if len(path) == 2 and not joined:
            order = sorted(path, key=lambda one: one.depth)
            for one, half in zip(order, _halves(value), strict=True):
                yield Match(one, half, 0.6)

    def _is_other(self, value: Value) -> bool:
        """Whether a pair is said to be something else: branch release/2."""
        said = self._before(value)
        return any(m.score >= 0.45 and m.input.want in ("ref", "path", "text") for m in said)

    def _sums(self, values: Sequence[Value]) -> Iterator[Match]:
        """`250 EUR` where a sum is asked for."""
        sums = [one for one in self._inputs if one.want == "amount"]
        money = [value for value in values if value.kind == "amount"]
        if not sums or len(money) != 1:
            return
        top = [one for one in sums if one.name == "amount" or one.required]
        if len(top) != 1 and len(sums) != 1:
            return
        one, value = (top or sums)[0], money[0]
        unit = _UNIT.search(value.text)
        yield Match(one, value, 0.6)
        for other in self._inputs:
            if unit and other.words[-1] == "currency":
                text = _SIGNS.get(unit[0], unit[0])
                at = value.begin + unit.start()
                yield Match(other, replace(value, text=text, begin=at, end=at + len(unit[0])), 0.6)

    def _measured(self, values: Sequence[Value]) -> Iterator[Match]:
        """`for 30 minutes` where one input says that it counts minutes."""
        for value in values:
            if value.kind != "measure" or {*value.after[:1]} & _PAST:
                continue
            number, unit = _NUMBER.search(value.text), _LETTERS.search(value.text.lower())
            if number is None or unit is None or len(unit[0]) < 3:
                continue
            counts = re.compile(rf"\b(?:in|of|\() ?{singular(unit[0])}s?\b", re.I)
            mine = [
                one
                for one in self._inputs
                if one.want == "count"
                and (singular(unit[0]) in one.words or counts.search(one.description[:120]))
            ]
            if len(mine) > 1:  # the one that other words speak of: tcp_timeout_seconds
                shares = {one: len({*one.words} & {*value.nouns} - COMMON) for one in mine}
                most = max(shares.values())
                mine = [one for one in mine if shares[one] == most]
            if len(mine) == 1:
                end = value.begin + number.end()
                yield Match(mine[0], replace(value, text=number[0], end=end), 0.45)

    def _limits(self, values: Sequence[Value]) -> Iterator[Match]:
        """`last 30 messages`, `10 most recent`: how many are wanted."""
        limits = [one for one in self._inputs if "_".join(one.words) in _LIMITS]
        for value in values:
            if value.kind != "number" or not limits:
                continue
            if _is_limit(value):
                yield Match(limits[0], value, 0.7)


def _rank(match: Match) -> tuple[object, ...]:
    """The best first; of equal ones what comes first, is longer, or cannot be left out."""
    value, one = match.value, match.input
    return (-round(match.score, 3), value.begin, -value.end, not one.required, one.name)


def _ends(value: Value) -> bool:
    """Whether a word ends its phrase: in `user profile picture` profile is no user's name."""
    if value.kind != "word" or not value.after:
        return True
    if value.before[1:2] and value.before[1] in _IN:  # "in namespace shop mounts it"
        return True
    return value.after[0] in COMMON or not value.after[0].isalnum()


def _is_participle(value: Value) -> bool:
    """`slices labelled app=web`: what several things are, not how one is called."""
    many = value.before[:1] and singular(value.before[0]) != value.before[0]
    return bool(many) and value.kind == "word" and value.text.endswith("ed")


def _is_path(one: Input) -> bool:
    """Whether an input takes a whole path: group/webapp."""
    shown = any("/" in example for example in one.examples)
    return shown or bool(re.search(r"\bpath\b|\bowner/|\bfull name", one.description[:120], re.I))


def _is_done(own: list[str], value: Value) -> bool:
    """`assign it to kira`: the verb of an assignee."""
    verb = _PERSON.sub("", own[0])
    return len(verb) > 3 and verb != own[0] and any(w.startswith(verb) for w in value.before[:6])


def _spoken(own: list[str], value: Value) -> float:
    """`reply "on it"`, `search for "budget"`, `starting with Mar`."""
    if own[-1] in _QUERIES and _is_sought(value):
        return 0.6
    if value.kind != "quoted":
        return 0.0
    near = {*value.before[:3]}
    if own[-1] == "reason" and near & {"because", "as", "for"}:
        return 0.6
    if own[-1] in _QUERIES and near & _SEARCHES:
        return 0.6
    if len(own) == 1 and own[0] in MESSAGES and near & _SAYS:
        return 0.6 - 0.01 * MESSAGES.index(own[0])
    return 0.0


def _is_limit(value: Value) -> bool:
    """`last 30`, `10 newest`, `at most 20`."""
    before, after = value.before, value.after
    if before[:1] and before[0] in _LATEST:
        return True
    if after[:1] in (("latest",), ("newest",)) or after[:2] in (("most", "recent"), ("at", "most")):
        return True
    if after[:1] and after[0] in _ROWS:
        return True
    bounded = before[:2] in (("most", "at"), ("to", "up"))
    return bounded or before[:3] == ("than", "more", "no")


def _is_sought(value: Value) -> bool:
    """`groups starting with Mar`, `users matching jo`."""
    if value.before[:1] == ("with",):
        return bool({*value.before[1:2]} & _STARTS)
    return bool({*value.before[:1]} & _CONTAINS)


def _is_called(value: Value) -> bool:
    """`called Night shift`, `call it Night shift`."""
    said = value.before
    return bool({*said[:1]} & _CALLED) or (
        bool({*said[1:2]} & {"call", "name"}) and bool({*said[:1]} & {"it", "them", "this"})
    )


def _titles(values: Sequence[Value]) -> Iterator[Value]:
    """Names of several words that nobody quoted: `call it Night shift`."""
    for at, value in enumerate(values):
        renamed = "rename" in value.before and value.before[0] in _SETS
        if value.kind not in _TITLED or not (
            _is_called(value) or (value.before[:1] == ("name",)) or renamed
        ):
            continue
        end = at
        while end + 1 < len(values) and end - at < _TITLE:
            follows = values[end + 1]
            if follows.kind not in _TITLED or follows.begin != values[end].end + 1:
                break
            end += 1
        parts = values[at : end + 1]
        if len(parts) > 1 and any(part.kind != "word" for part in parts):
            text = " ".join(part.text for part in parts)
            after = parts[-1].after
            yield replace(value, text=text, end=parts[-1].end, kind="name", after=after)


def _takes_many(one: Input) -> bool:
    return one.type == "array" or bool(re.search(r"comma[- ]separated", one.description[:200]))


def _listed_with(value: Value, values: Sequence[Value]) -> Iterator[Value]:
    """The values of the same kind that are named in a row with one: U07 and U08."""
    at = next(i for i, v in enumerate(values) if v.begin == value.begin)
    for more in values[at + 1 :]:
        if more.kind == "common" and more.text.lower() in _LISTED:
            continue
        if more.kind != value.kind or not more.before or more.before[0] not in _LISTED:
            return
        yield more


def _priced(match: Match) -> Match:
    """A sum without its currency."""
    value = match.value
    number = _NUMBER.search(value.text) if value.kind == "amount" else None
    if number is None or match.input.want != "amount":
        return match
    begin, end = value.begin + number.start(), value.begin + number.end()
    return match._replace(value=replace(value, text=number[0], begin=begin, end=end))


def _halves(value: Value) -> tuple[Value, Value]:
    left, _, right = value.text.partition("/")
    cut = value.begin + len(left)
    return (
        replace(value, text=left, end=cut, kind="slug"),
        replace(value, text=right, begin=cut + 1, kind="slug"),
    )


def _alike(text: str, example: str) -> bool:
    """Whether a value has the form of an example: the same prefix, then digits or letters."""
    mine, other = PREFIXED.fullmatch(text), PREFIXED.fullmatch(example)
    if mine and other:
        return mine[1] == other[1]
    if _INITIAL.fullmatch(text) and re.fullmatch(r"[A-Z]+\d[A-Z0-9]*", example):
        return text[0] == example[0]
    return False


def _shape(text: str) -> str:
    """The form of a text, where both letters and digits make it: nyc3 and fra1."""
    shape = _DIGITS.sub("0", _LETTER.sub("a", text))
    return shape if {"a", "0"} <= {*shape} else text


def _initials(one: Input, text: str) -> float:
    """cus_Q4t7 is a customer, C07HARBR1 a channel."""
    nouns = (*one.things, *one.described)
    if match := PREFIXED.fullmatch(text):
        return 0.7 * max((shortens(match[1].lower(), noun) for noun in nouns), default=0.0)
    if _INITIAL.fullmatch(text):
        return 0.5 if any(noun[0][0] == text[0].lower() for noun in nouns) else 0.0
    return 0.0


def _is_grammar(word: str) -> bool:
    return word in COMMON or not word[:1].isalnum()


def _is_hinted(one: Input, value: Value) -> bool:
    """Whether a word before a value begins like the input's name: labelled app=web."""
    first = one.words[0]
    return len(first) > 3 and any(word.startswith(first) for word in value.before[:3])


def _distance(value: Value, one: Input) -> int | None:
    """How many words before a value the input's own name stands."""
    own = "".join(one.words)
    tails = {own, one.words[-1]}
    for at, nouns in enumerate(value.distant):
        if not nouns.isdisjoint(tails):
            # In `limit namespace dev to 40` the noun has its value already.
            return at if not at or _is_grammar(value.before[at - 1]) else None
    return None
