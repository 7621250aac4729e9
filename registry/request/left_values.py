"""Values that no noun goes with, and inputs that still lack one: the last guesses.

Only where one value and one input are left that fit, so that nothing has to be chosen.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.map.resources import KEYS, PEOPLE
from spm.registry.map.verbs import kind_of
from spm.registry.request.bare_names import bare_names, is_noun, placed
from spm.registry.request.input_nouns import Input
from spm.registry.request.value_reader import COMMON, Value

MESSAGES = ("text", "message", "body", "comment", "content", "note")
PREFIXED = re.compile(r"([A-Za-z]{2,12})[_-](?=\w*\d|\w*[A-Z])\w+")
_DASHED = re.compile(r"[A-Z]{2,10}-\d+")
_KEY = 5  # digits from which on a number is hardly a count or a year
_PLACES = frozenset("in from on of for to at".split())
_ASKS = frozenset(("has", "does", "did", "is", "was"))
_PERSONS = frozenset((*PEOPLE, "username", "login"))
_ARTICLES = frozenset(("the", "a", "an", "#", "no", "number", "id"))

Found = Iterator[tuple[Input, Value]]
GUESSED = 0.35  # how sure a value without a noun is
BARE = 0.32  # and a name that any tool would take which lacks one


class LeftValues:
    """What is left of a request when all values that have a noun or a form are given.

    Args:
        inputs: of one tool.
        is_own: whether a word is one that the tool itself uses.
    """

    def __init__(self, inputs: Sequence[Input], is_own: Callable[[str], bool]) -> None:
        self._inputs = inputs
        self._is_own = is_own

    def find(
        self, values: Sequence[Value], given: Mapping[str, Value]
    ) -> Iterator[tuple[Input, Value, float]]:
        """Inputs with values, each with how sure it is.

        Args:
            values: of the request.
            given: the inputs that have a value already, by their names.
        """
        filled, rest = dict(given), _beside(values, given.values())
        for find in (self._id, self._quotation, self._person, self._place, self._nearest):
            found = list(find(rest, filled))
            for one, value in found:
                filled[one.name] = value
                yield one, value, BARE if find == self._nearest else GUESSED
            if found:
                rest = _beside(rest, [value for _, value in found])

    def _lacking(self, filled: Mapping[str, Value]) -> list[Input]:
        return [one for one in self._inputs if one.required and one.name not in filled]

    def _id(self, rest: Sequence[Value], filled: Mapping[str, Value]) -> Found:
        """An id, or a number beside one word of what is asked for: unpin device 9921."""
        takers = [one for one in self._lacking(filled) if one.fits.get("id") and not one.enum]
        ids = [v for v in rest if v.kind in ("id", "uuid", "sha") and len(v.text) > 4]
        if len(ids) == 1 and len(takers) == 1 and not is_prefixed(ids[0].text):
            if not self._is_of_another(ids[0], takers[0]):
                yield takers[0], ids[0]
            return
        keyed = [one for one in self._lacking(filled) if one.want in ("id", "number", "uuid")]
        if len(keyed) == 1:
            fit = keyed[0].fits
            near = [v for v in rest if fit.get(v.kind) and _is_beside(v, keyed[0])]
            near = near or [v for v in rest if fit.get(v.kind) and _is_key(v)]
            if len(near) == 1:
                yield keyed[0], near[0]

    def _is_of_another(self, value: Value, one: Input) -> bool:
        """Whether the noun before an id is what the tool acts on, and not what an input takes.

        Who creates an instrument gives its room no number of an instrument.
        """
        noun = next((word for word in value.before[:3] if word not in _ARTICLES), "")
        if not self._is_own(noun) or kind_of(noun) is not None:
            return False
        return singular(noun) not in map(singular, words(one.name)) and not _is_beside(value, one)

    def _quotation(self, rest: Sequence[Value], filled: Mapping[str, Value]) -> Found:
        lacking = self._lacking(filled)
        texts = [one for one in lacking if one.want in ("content", "name", "text")]
        quotes = [v for v in rest if v.kind == "quoted"]
        if len(quotes) != 1:
            return
        if len(texts) == 1 and texts[0].place != "path":
            yield texts[0], quotes[0]
            return
        said = [one for one in self._inputs if one.name in MESSAGES]
        said.sort(key=lambda one: MESSAGES.index(one.name))
        if said and not any(one.name in filled for one in said):
            yield said[0], quotes[0]

    def _person(self, rest: Sequence[Value], filled: Mapping[str, Value]) -> Found:
        people = [
            v for v in rest if v.kind == "name" and " " in v.text and not self._is_own(v.text)
        ]
        called = [one for one in self._inputs if is_own_name(one) and one.name not in filled]
        called = [one for one in called if one.words != ("display", "name")]
        if len(people) == 1 and len(called) == 1:
            yield called[0], people[0]

    def _place(self, rest: Sequence[Value], filled: Mapping[str, Value]) -> Found:
        """`in kube-system`, where nothing else is missing."""
        lacking = self._lacking(filled)
        names = [one for one in lacking if one.want in ("name", "reference", "ref")]
        there = [v for v in rest if self._is_placed(v, bool(filled))]
        if len(there) == 1 and len(names) == 1 and len(lacking) == 1:
            yield names[0], there[0]

    def _nearest(self, rest: Sequence[Value], filled: Mapping[str, Value]) -> Found:
        """What the path goes through, by bare names: checkout-web in lumen."""
        path = [one for one in self._lacking(filled) if one.place == "path"]
        places = [one for one in path if one.want in ("name", "reference")]
        places.sort(key=lambda one: one.depth)
        for one, value in placed(bare_names(rest, self._is_own), places):
            if one.want == "name" or value.kind == "slug":  # a bare word is nobody's key
                yield one, value
        if len(places) == 1 and {*words(places[0].name)} & _PERSONS:
            asked = [v for v in rest if v.kind == "word" and {*v.before[:1]} & _ASKS]
            asked = [v for v in asked if not self._is_own(v.text)]
            if len(asked) == 1:
                yield places[0], asked[0]  # how much has mbrandt used

    def _is_placed(self, value: Value, filled: bool) -> bool:
        """`in kube-system`; a plain word only beside values that are sure: pod x in payments."""
        lead = value.before[0] if value.before else ""
        if self._is_own(value.text):
            return False
        if value.kind == "slug":
            if is_noun(value):
                return False
            return lead in _PLACES or (lead == "is" and value.after[:1] in (("a",), ("an",)))
        stop = value.after[0] if value.after else "."
        whole = not stop.isalnum() or stop in _PLACES or stop in ("to", "and", "with")
        return filled and value.kind == "word" and lead in ("in", "from") and whole


def _beside(values: Sequence[Value], used: Iterable[Value]) -> list[Value]:
    """The values that share no piece of the request with used ones."""
    taken = list(used)
    return [v for v in values if not any(overlaps(v, u) for u in taken)] if taken else [*values]


def _is_beside(value: Value, one: Input) -> bool:
    """Whether the noun before a value is a word of what an input stands for."""
    nouns = {singular(w) for thing in (*one.things, *one.described) for w in thing} - KEYS
    for word in value.before[:3]:
        if word not in _ARTICLES:
            return singular(word) in nouns - COMMON
    return False


def _is_key(value: Value) -> bool:
    """Whether a number is one's key under another noun than the tool's: document 990121."""
    noun = value.before[0] if value.before else ""
    counts = bool(value.after) and singular(value.after[0]) != value.after[0]  # 10500 users
    owner = value.before[1:2] == ("of",)  # the fee of student 4388120
    named = noun.isalpha() and noun not in COMMON
    return len(value.text) >= _KEY and named and not (counts or owner)


def overlaps(one: Value, other: Value) -> bool:
    """Whether two values share a piece of the request."""
    return one.begin < other.end and other.begin < one.end


def is_prefixed(text: str) -> bool:
    """Whether an id says what it is of: sub_1Pw is no customer, but OPS-17 may be any issue."""
    return bool(PREFIXED.fullmatch(text)) and not _DASHED.fullmatch(text)


def is_own_name(one: Input) -> bool:
    """Whether an input is what a tool's own thing will be called."""
    owner, _, name = (one.path or one.name).rpartition(".")
    named = name in ("name", "title") or words(name) == ["display", "name"]
    return named and owner in ("", "metadata") and one.place != "path"
