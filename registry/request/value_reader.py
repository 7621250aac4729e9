"""The values of a request, each with its kind and the words around it.

Nothing here knows any library: what a value is *for* is decided by the schemas of tools
(`value_assignment.py`). Every pattern is bounded or possessive (++) and begins only where a run
begins, so that reading is linear in the length of a request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from spm.registry.request import phrases

MOST = 1_000  # values of one request; nobody gives more on purpose
WINDOW = 12  # words that are kept on either side of a value
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_CURRENCY = (
    r"(?:usd|eur|gbp|chf|jpy|cny|inr|aud|cad|nzd|sek|nok|dkk|pln|czk|huf|ron|bgn|brl|mxn|zar|"
    r"sgd|hkd|krw|thb|ils|aed|sar|dollars?|euros?|pounds?|francs?|yen|cents?|bucks)"
)
_UNIT = (
    r"(?:ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|y|yrs?|"
    r"years?|[kmgtp]i?b?|bytes?|kg|kilos?|g|grams?|lbs?|oz|km|miles?|cm|mm|px|cores?|vcpus?|"
    r"x|times|st|nd|rd|th)"
)
_NUMBER = r"\d++(?:,\d{3})*+(?:\.\d++)?+"
# The first that fits wins, so the order matters: an address is no word, a price is no number.
_PATTERNS = {
    "quoted": (
        r"(?<!\w)\"[^\"]{1,600}\"|“[^”]{1,600}”|„[^“”]{1,600}[“”]|«[^»]{1,600}»|`[^`]{1,300}`|"
        r"(?<![\w'])'(?=[^\s'])[^'\"]{1,300}'(?!\w)"
    ),
    "url": r"(?<!\w)[a-z]{2,10}://[^\s\"'<>]++",
    # A domain ends in letters: web@4.12.0 is a release.
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]++\.(?=\w))++[a-z]{2,24}(?![\w-])",
    "uuid": r"(?<!\w)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)",
    "date": (
        r"(?<![\w.-])\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d[\d:.z+]*+)?(?![\w-])|"
        r"(?<![\w./-])\d{1,2}(?P<sep>[./-])\d{1,2}(?P=sep)(?:\d{4}|\d\d)(?![\w./-])|"
        rf"(?<!\w)(?:{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?![\w:])|"
        rf"\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?!\w))(?:,? \d{{4}}(?!\w))?"
    ),
    "time": r"(?<![\w:.])\d{1,2}(?::\d\d(?::\d\d)?(?: ?[ap]m)?| ?[ap]m)(?![\w:])",
    "amount": (
        rf"[$€£¥] ?{_NUMBER}|(?<![\w.,]){_NUMBER} ?(?:[€£¥$]|{_CURRENCY}(?!\w))|"
        rf"(?<!\w){_CURRENCY} {_NUMBER}(?!\w)"
    ),
    "percent": rf"(?<![\w.,]){_NUMBER} ?(?:%|percent(?!\w))",
    "moment": r"(?<![\w.])\d{10}\.\d{3,6}(?![\w.])",
    "ip": r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w.])",
    "phone": r"(?<![\w+])\+\d[\d ()/.-]{6,20}\d(?![\w-])",
    "measure": rf"(?<![\w.,#-]){_NUMBER}[ -]?{_UNIT}(?![\w-])",
    "channel": r"(?<![\w#&/])#(?=[^\W\d])[\w-]++",
    "handle": r"(?<![\w@./])@[\w][\w.-]*+",
    "selector": r"(?<![\w=])[\w./-]{1,80}=(?=[\w])[\w./:-]++",
    "run": r"\w++(?:[-./:@+]++\w++)*+/?+",
    "root": r"(?<![\w/])/\w[\w./-]*+",
    "mark": r"(?<=\w)['’](?:s|t|re|ve|ll|d|m)\b|[#:=(),;.?!–—&]|\n",
}
_UPPER = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_FILE = re.compile(r"\.[A-Za-z]{1,5}$")
_VERSION = re.compile(r"v\d+(?:\.\d+){0,3}(?:[-+.]\w+)*|\d+\.\d+\.\d+(?:[-+]\w+)*", re.I)
_SEGMENT = re.compile(r"[\w.-]+")
# Words of grammar, and verbs and adjectives of every request: no one's name. Said beside a noun
# they are no value ("the old namespace", "a ticket about …").
COMMON = frozenset(
    """a about above access across active actually add added after again against ago all allow
    allowed almost along already also always am an and another any anybody anyone anything anyway
    anywhere app are around as ask asked at attach available away back bad be because been before
    being below best better between big bigger biggest both break broken build bump but buy by call
    called came can cancel cannot cant card change changed check cheap cheapest clean clear close
    closed come comes contain containing copy correct could count create created current currently
    daily data date day days delete deleted deploy detail details did different disable do does
    doesnt doing done dont down drop due during each earlier either else empty enable end ended
    ends enough entire even every everybody everyone everything exact exactly exist existing expire
    export failed failing few file files final find first fix following for free from full further
    future get gets getting give given gives go goes going gone good got great had half happened
    happens has have having he help her here high him his hold holds how i if im import important
    in include included including inside instead into invite is isnt it its itself just keep kill
    know large largest last late later latest least left less let lets like limit linked list little
    live locked long look looking lot low made make makes many match matching may maybe me mean
    member members mine missing monthly more most move much must my name named need needed needs
    never new newest next no nobody none nor normal not note nothing now number of off often old
    older oldest on once one ones only onto open opened or other others our ours out outside over
    own owned owner page paid past pause pending pick please pm possible previous private public
    pull purge push put quick rather ready really recent recently remaining remove removed rename
    replace request requested reset restart result results resume return revoke right run running
    runs said same save say says scale scheduled second see seem seems send sent set sets settings
    several she should show shows simple since single size small smallest so some somebody someone
    something soon specific start started starts state status still stop stopped such sure switch
    take taken team tell test than thanks that thats the their them then there these they thing
    things third this those through till time times to today together tomorrow too top total try
    turn two three four five six seven eight nine ten type under until up update updated upon us
    use used user users uses using usual valid value values very via view wait want wanted wants
    was watch way we week weekly well went were what whatever whats when where whether which while
    who whoever whom whose why will wipe with within without wont work works would wrong yes yet
    yesterday you your yours""".split()
)


@dataclass(frozen=True)
class Value:
    """Something in a request that may be the value of a parameter.

    Attributes:
        text: the value, without quotes and without a leading `#` or `@`.
        begin: where it stands in the request.
        end: where it ends.
        kind: pair, number, email, url, quoted, channel, handle, id, slug, version, sha, uuid, word,
            common (a word of grammar), name, path, selector, date, time, moment, amount, percent,
            measure, ip or phone.
        before: the words before it in lower case, the nearest first; marks are words too.
        after: the words after it, the nearest first.
        hashed: whether a `#` stands before it.
    """

    text: str
    begin: int
    end: int
    kind: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    hashed: bool = False

    @property
    def nouns(self) -> tuple[str, ...]:
        """The words around it that may name it."""
        return (*self.before, *self.after)

    # Made once: the values of a request are compared with the inputs of dozens of tools.
    @cached_property
    def leading(self) -> tuple[tuple[int, int, str], ...]:
        """Nouns before it, see `phrases.leading`."""
        return tuple(phrases.leading(self.before))

    @cached_property
    def trailing(self) -> tuple[tuple[int, str], ...]:
        """Nouns behind it, see `phrases.trailing`."""
        return tuple(phrases.trailing(self.after))

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """Names of several words directly before it."""
        return tuple(phrases.spelled(self.before))

    @cached_property
    def distant(self) -> tuple[frozenset[str], ...]:
        """All nouns in the sentence before it, by how far they are."""
        return tuple(phrases.distant(self.before))

    @cached_property
    def runs(self) -> tuple[tuple[int, str, str], ...]:
        """It with words behind it, see `phrases.runs`."""
        return tuple(phrases.runs(self.text, self.after))


@dataclass(frozen=True)
class _Piece:
    text: str
    begin: int
    end: int
    kind: str
    hashed: bool = False


def read_values(request: str) -> list[Value]:
    """All values of a request in their order, plain words too: an enumeration may hold them."""
    pieces = _pieces(request)
    said = [piece.text.lower() for piece in pieces]
    found = []
    for at, piece in enumerate(pieces):
        if piece.kind == "mark":
            continue
        before = tuple(reversed(said[max(at - WINDOW, 0) : at]))
        after = tuple(said[at + 1 : at + 1 + WINDOW])
        grammar = piece.kind == "word" and said[at] in COMMON
        shouted = len(piece.text) > 1 and piece.text.isupper() and not request.isupper()
        kind = "common" if grammar and not shouted else piece.kind  # US is a country, us are we
        found.append(Value(piece.text, piece.begin, piece.end, kind, before, after, piece.hashed))
        if len(found) == MOST:
            break
    return found


@cache
def _token() -> re.Pattern[str]:
    """Compiled when first asked for: it takes longer than importing the module."""
    groups = (f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items())
    return re.compile("|".join(groups), re.I)


def _pieces(request: str) -> list[_Piece]:
    found: list[_Piece] = []
    for match in _token().finditer(request):
        kind = match.lastgroup or "mark"
        text, begin, end = match[0], match.start(), match.end()
        if kind == "quoted":
            text = text[1:-1].strip()
            kind = kind if text else "mark"
        elif kind in ("channel", "handle"):
            text = text[1:].rstrip(".-")
        elif kind == "run":
            text = text.rstrip("/") if text.count("/") == 1 else text
            end = begin + len(text)
            kind = _kind(text)
        elif kind == "root":
            kind = "path"
        elif kind in ("email", "url", "selector"):
            text = text.rstrip(".,;:!?)")
            end = begin + len(text)
        # Issue #77, and merge request !45.
        hashed = bool(found) and found[-1].text in ("#", "!") and found[-1].end == begin
        if hashed:
            found.pop()
        found.append(_Piece(text, begin, end, kind, hashed))
    return _names(found, request)


def _kind(text: str) -> str:
    """What a run of letters, digits and joints is."""
    if text.isdigit():
        return "number"
    if "/" in text:
        parts = text.split("/")
        whole = len(parts) == 2 and all(map(_SEGMENT.fullmatch, parts))
        return "pair" if whole and not _FILE.search(text) else "path"
    if _VERSION.fullmatch(text):
        return "version"
    digits = sum(map(str.isdigit, text))
    letters = sum(map(str.isalpha, text))
    if not letters:
        return "number" if text.replace(".", "", 1).isdigit() else "id"
    if 7 <= len(text) <= 40 and digits and all(c in "0123456789abcdef" for c in text):
        return "sha"
    if digits:
        return "id"
    if _FILE.search(text) and text.count(".") == 1:
        return "path"
    if _UPPER.fullmatch(text) or not text.isalpha() or not _is_plain(text):
        return "slug"
    return "word"


def _is_plain(text: str) -> bool:
    """A word as people write it: no camel case."""
    return text[1:].islower() or text.isupper() or len(text) == 1


def _names(pieces: Sequence[_Piece], request: str) -> list[_Piece]:
    """Words with capitals in a row are one name: Freya Lindqvist."""
    found: list[_Piece] = []
    for at, piece in enumerate(pieces):
        if not _is_capital(piece) or _begins(pieces, at):
            found.append(piece)
            continue
        last = found[-1] if found else None
        joined = last is not None and last.kind == "name" and request[last.end : piece.begin] == " "
        if joined and last is not None:
            found[-1] = _Piece(f"{last.text} {piece.text}", last.begin, piece.end, "name")
        else:
            found.append(_Piece(piece.text, piece.begin, piece.end, "name", piece.hashed))
    return found


def _is_capital(piece: _Piece) -> bool:
    return piece.kind == "word" and piece.text[:1].isupper() and piece.text[1:].islower()


def _begins(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether a word begins a sentence, where everything has a capital."""
    return at == 0 or pieces[at - 1].text in (".", "?", "!", "\n")
