"""What an input wants, and the nouns that people say for it: read out of its name and schema."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from spm.registry.catalog.fields import folded, is_control, singular
from spm.registry.catalog.naming import words
from spm.registry.map.resources import CONTENT, KEYS
from spm.registry.request.phrases import letters
from spm.registry.request.value_reader import COMMON


@dataclass(frozen=True)
class Input:
    """An input of a tool, with what its schema says of it.

    Attributes:
        name: its own name.
        field: its canonical name.
        resource: what it identifies, without the service, or "".
        role: in which role.
        type: one of the six types of JSON Schema.
        format: such as `email`, `date-time`.
        pattern: a regular expression of its values; untrusted.
        enum: the values that it may have.
        examples: some that it may have.
        description: what the source says of it.
        required: whether a call must have it.
        place: path, query, header, cookie or body.
        path: the names that lead to it: `metadata.name`.
        nouns: other nouns whose value it is: the path's segment before it, what its tool acts on.
        joins: the input that stands directly before it in the path: `{owner}/{repo}`.
        depth: where it stands in the path: what comes later is below what comes earlier.
        tool: the id of its tool.
    """

    name: str
    field: str = ""
    resource: str = ""
    role: str = ""
    type: str = "string"
    format: str = ""
    pattern: str = ""
    enum: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    description: str = ""
    required: bool = False
    place: str = ""
    path: str = ""
    nouns: tuple[str, ...] = ()
    joins: str = ""
    depth: int = 0
    tool: str = ""

    def __hash__(self) -> int:
        return hash((self.tool, self.name, self.field))

    # Read once: the inputs of tools are kept, and menus ask for them again and again.
    @cached_property
    def want(self) -> str:
        """The kind of value that it takes, a key of FITS."""
        return _want(self)

    @cached_property
    def fits(self) -> dict[str, float]:
        """How well a value of each kind fits."""
        return FITS[self.want]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return tuple(folded(self.name)) or (self.name,)

    @cached_property
    def phrases(self) -> dict[str, float]:
        """What people say for it, as joined words in the singular, each with a weight."""
        return _phrases(self)

    @cached_property
    def things(self) -> tuple[tuple[str, ...], ...]:
        """The nouns that it stands for, in words, for short forms of them."""
        nouns = [tuple(_base(words(noun))) for noun in (self.resource, *self.nouns)]
        nouns = [noun for noun in (*nouns, self.words) if noun]
        return tuple(dict.fromkeys((*nouns, *((noun[-1],) for noun in nouns))))

    @cached_property
    def described(self) -> tuple[tuple[str, ...], ...]:
        """What its description calls it."""
        return tuple(map(tuple, _described(self.description)))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Values that its description shows: `T1234`."""
        return tuple(_CODE.findall(self.description))

    @cached_property
    def options(self) -> dict[str, str]:
        """The values that its schema lists or its description shows, by their letters."""
        shown = self.shown if self.want == "text" else self.enum
        return {letters(option): option for option in shown}


# How well a value of a kind is what an input wants; what is not here is not it at all.
FITS: dict[str, dict[str, float]] = {
    "email": {"email": 1.0},
    "url": {"url": 1.0, "path": 0.6},
    "domain": {"slug": 0.9, "path": 1.0, "word": 0.7, "id": 0.6},
    "date": {"date": 1.0},
    "moment": {"moment": 1.0, "date": 0.9, "time": 0.6},
    "phone": {"phone": 1.0, "number": 0.7},
    "ip": {"ip": 1.0},
    "uuid": {"uuid": 1.0},
    "sha": {"sha": 1.0, "id": 0.4, "number": 0.4},
    "ref": {"sha": 1.0, "slug": 0.9, "word": 0.8, "version": 0.9, "id": 0.8, "pair": 0.7}
    | {"path": 0.6, "quoted": 0.9},
    "version": {"version": 1.0, "id": 0.8, "slug": 0.7, "number": 0.7, "quoted": 0.9},
    "path": {"path": 1.0, "pair": 0.9, "quoted": 0.8, "slug": 0.5, "id": 0.7, "number": 0.6},
    "number": {"number": 1.0},
    "count": {"number": 1.0},
    "amount": {"amount": 1.0, "number": 0.8},
    "currency": {"word": 0.8, "slug": 0.4},
    "id": {"id": 1.0, "uuid": 1.0, "sha": 0.9, "number": 0.9, "moment": 0.6, "version": 0.4},
    "name": {"slug": 1.0, "word": 0.9, "name": 0.9, "id": 0.9, "quoted": 0.9, "channel": 0.9}
    | {"handle": 0.9, "sha": 0.5, "version": 0.5, "number": 0.4, "path": 0.6, "pair": 0.5},
    "reference": {"id": 1.0, "uuid": 1.0, "sha": 0.9, "number": 0.8, "slug": 0.8, "word": 0.65}
    | {"version": 0.5, "quoted": 0.6, "moment": 0.5},
    "selector": {"selector": 1.0},
    "content": {"quoted": 1.0},
    "enum": {},
    "none": {},
    "text": {"quoted": 0.9, "slug": 0.9, "id": 0.9, "word": 0.75, "name": 0.85, "number": 0.8}
    | {"path": 0.85, "pair": 0.85, "version": 0.8, "selector": 0.7, "ip": 0.9, "measure": 0.6}
    | {"url": 0.7, "moment": 0.7, "sha": 0.8, "uuid": 0.8, "phone": 0.6},
}
# Wants that stand for a thing: said with the noun of the thing. All others by their own name.
THINGS = frozenset(("number", "id", "name", "reference", "sha", "ref", "uuid", "version"))
_BY_FORMAT = {
    "email": "email", "idn-email": "email", "uri": "url", "url": "url", "uri-reference": "url",
    "date": "date", "date-time": "moment", "unix-time": "moment", "time": "moment",
    "uuid": "uuid", "ipv4": "ip", "ipv6": "ip", "hostname": "domain", "phone": "phone",
}  # fmt: skip
_BY_WORD = {
    "email": "email mail", "url": "url uri link href website webhook", "domain": "domain hostname",
    "phone": "phone telephone mobile", "ip": "ip", "sha": "sha commit",
    "ref": "ref branch base head tag", "version": "version",
    "date": "date day birthday deadline",
    "moment": "timestamp datetime ts since until before after at time start end",
    "path": "path file filename filepath folder directory", "currency": "currency",
    "amount": "amount price total cost fee balance sum budget",
    "selector": "selector",
}  # fmt: skip
_WANTS = {word: want for want, said in _BY_WORD.items() for word in said.split()}
_SYNONYMS = frozenset("email url phone path ref sha".split())
# Wants that a name shows even where it stands for a thing.
_SURE = frozenset("email url phone ip sha ref path".split())
_SECRETS = frozenset("token secret password credential credentials signature".split())
_IDS = frozenset("id uid guid gid iid identifier arn urn number no num".split())
_NAMES = frozenset("name slug login handle username nickname alias title".split())
_SAYS_ID = re.compile(r"\b(?:ids?|identifiers?|uuid|unique key)\b", re.I)
_SAYS_NAME = re.compile(r"\b(?:names?|slug|login|handle|username|alias)\b", re.I)
_EITHER = re.compile(  # an ID or key; the ID or URL-encoded path
    r"\b(?:ids?|identifiers?),? or (?:[\w-]+ ){0,3}(?:keys?|paths?|slugs?|names?)\b", re.I
)
_OF_THE = re.compile(
    r"\b(?:ids?|identifiers?|names?|numbers?|keys?|slugs?|shas?|handles?|logins?|codes?)"
    r"(?:\s\(\S{1,20}\))?\s(?:of|for)\s(?:the|a|an|this|that|each)?\s?((?:[A-Za-z-]+\s?){1,4})",
    re.I,
)
_FIRST = re.compile(r"(?:(?:the|a|an|this|encoded|unique)\s)*((?:[A-Za-z]+\s){1,3})", re.I)
_ENDS = frozenset(
    "to of in on for that which whose where with by from who is are was and or as at when if you "
    "your it its be must can will should only return returns filter object".split()
)
# A flag that is declared as a text.
_FLAG = re.compile(r"(?:pass|set (?:this )?to|when|if) `?(?:set to )?`?true\b|whether\b", re.I)
_CODE = re.compile(r"`([\w.-]{2,40})`")


def _want(one: Input) -> str:
    last = one.words[-1]
    if one.type in ("boolean", "object") or (is_control(one.name) and _steers(one)):
        return "none"
    if one.enum:
        return _listed(one, last)
    if one.format in _BY_FORMAT and one.format != "uri":
        return _BY_FORMAT[one.format]
    if last in ("url", "uri") or one.format == "uri":
        return "url"
    numeric = one.type in ("integer", "number")
    if numeric:
        return _numeric(one, last)
    if last in _SECRETS and one.place != "path" and not one.resource:
        return "none"
    if _FLAG.match(one.description):
        return "none"
    if last in ("ts", "timestamp"):
        return "moment"
    if last == "version":
        return "version"
    keyed = one.resource and _SAYS_ID.search(one.description[:120])  # a `file` may be one's id
    if last in _WANTS and not keyed and not (one.resource and _WANTS[last] not in _SURE):
        return _WANTS[last]
    if last in CONTENT and last != "title" and one.type != "array":
        return "content"
    return _textual(one, last)


def _listed(one: Input, last: str) -> str:
    """Of an enumeration: `an ID, or "latest"` takes ids too."""
    return "id" if last in _IDS and _SAYS_ID.search(one.description[:120]) else "enum"


def _steers(one: Input) -> bool:
    """Paging, credentials and formats: nobody says them, but for how many are wanted."""
    return one.place != "path" and not one.resource and one.type != "integer"


def _numeric(one: Input, last: str) -> str:
    if one.type == "integer" and (last in _IDS or one.resource or one.place == "path"):
        return "number"
    found = _WANTS.get(last, "count")
    return found if found in ("amount", "moment", "date") else "count"


def _textual(one: Input, last: str) -> str:
    said = one.description[:120]
    if last in _NAMES:
        return "ref" if {*one.words} & {"tag", "branch", "ref"} else "name"
    if "or" in one.words[1:-1] or _EITHER.search(said):
        return "name"
    if last in _IDS:
        return "id"
    if _SAYS_ID.search(said):  # "an encoded ID, or a name" takes both
        return "name" if _SAYS_NAME.search(said) else "id"
    if one.resource or one.place == "path":
        return "name" if _SAYS_NAME.search(said) else "reference"
    return "text"


def _phrases(one: Input) -> dict[str, float]:
    found: dict[str, float] = {}
    for parts, weight in _said(one):
        joined = "".join(parts)
        if joined and not (len(parts) == 1 and parts[0] in _NEVER):
            found[joined] = max(found.get(joined, 0.0), weight)
    return found


_TIMES = frozenset("at on by date time".split())
# Said of anything, so they name nothing.
_NEVER = frozenset("new old test object item data info the a an of in to for is".split())


def _said(one: Input) -> Iterator[tuple[list[str], float]]:
    parts = list(one.words)
    thing = one.want in THINGS
    bare = len(parts) == 1 and parts[0] in KEYS
    yield parts, 0.7 if bare else 1.0
    for key in ("name", "id"):  # username, hostname
        if len(parts[-1]) > len(key) + 2 and parts[-1].endswith(key):
            yield [*parts[:-1], parts[-1].removesuffix(key)], 0.9
    if len(parts) > 1:
        if parts[-1] in _TIMES:
            yield parts[:-1], 0.9
        if parts[-1] in KEYS:
            base = _base(parts)
            yield _singular(base), 0.95
            if len(base) > 1:
                yield [singular(base[-1])], 0.75
                yield [base[-1], parts[-1]], 0.75
        else:
            yield parts[-1:], 0.8
    if one.path and "." in one.path:
        owner = folded(one.path.split(".")[-2])
        yield [*owner, *parts], 1.0
    if one.want in _SYNONYMS:
        yield from (([word], 0.7) for word in _BY_WORD[one.want].split())
    plain = parts[-1] not in ("description", "reason", "label")
    if one.want in ("content", "name") and plain and len(owned := folded(one.field)) > len(parts):
        yield _singular(owned[: -len(parts)]), 0.75
    if not thing and one.want != "enum":
        return
    weaker = 0.6 if one.role else 0.9
    for noun, weight in ((one.resource, weaker), *((n, 0.9) for n in one.nouns)):
        said = _singular(_base(words(noun)))
        yield said, weight
        for start in range(1, len(said)):
            yield said[start:], weight - 0.15
    if thing:
        yield from ((list(said), 0.7) for said in one.described)


def _base(parts: list[str]) -> list[str]:
    """Words without the keys at their end: account_id_or_slug is an account."""
    end = len(parts)
    while end > 1 and (parts[end - 1] in KEYS or parts[end - 1] == "or"):
        end -= 1
    return parts[:end]


def _singular(parts: list[str]) -> list[str]:
    return [*parts[:-1], singular(parts[-1])] if parts else []


def _described(description: str) -> Iterator[list[str]]:
    """`ID of the workspace`, `Conversation to archive`: what a description calls it."""
    text = description[:200]
    phrases = [match[1] for match in _OF_THE.finditer(text)]
    if match := _FIRST.match(text):
        phrases.append(match[1])
    for said in phrases:
        parts: list[str] = []
        for word in re.findall(r"[a-z]+", said.lower()):
            if word in _ENDS:
                break
            parts.append(word)
        while parts and parts[-1] in KEYS:
            parts.pop()
        for start in range(len(parts)):
            tail = _singular(parts[start:])
            if len(tail) > 1 or tail[0] not in COMMON or tail[0] in _NOUNS:
                yield tail


# Of the common words those that are nouns of APIs more often than not.
_NOUNS = frozenset("user team member file card app owner page note".split())


def shortens(short: str, parts: Iterable[str]) -> float:
    """How surely a short form stands for words: org, PR, ns, acct; 0 when it does not."""
    parts = [part for part in parts if part]
    joined = "".join(parts)
    if len(short) < 2 or len(short) > len(joined) or short[0] != joined[0]:
        return 0.0
    if short == joined or (len(short) > 2 and joined.startswith(short)):
        return 1.0
    if len(short) <= _SHORT and _is_made_of(short, parts):
        return 0.9
    rest = iter(joined)
    if len(short) <= _SHORT and not _VOWELS & {*short[1:]} and all(c in rest for c in short):
        return 0.8
    return 0.0


_SHORT = 7  # letters of a short form
_VOWELS = frozenset("aeiou")


def _is_made_of(short: str, parts: list[str]) -> bool:
    """Whether a short form is made of beginnings of all words: PR, seti, plink."""
    if len(parts) < 2:
        return False
    ends = {0}
    for part in parts:
        ends = {
            end + count
            for end in ends
            for count in range(1, len(part) + 1)
            if short[end : end + count] == part[:count]
        }
    return len(short) in ends
