"""Decide, before any engine sees it, whether a query text only reads.

An allow-list over tokens, not a parser: what is not known to read is refused, and what passes may
still be a syntax error. It does not limit time or rows, and it does not replace a READ transaction.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple, NoReturn

from spm.registry.errors import QueryRefused

MAX_LENGTH: Final = 100_000  # characters
MAX_DEPTH: Final = 64  # brackets, and UNIONs; kglite 0.21.2 kills its process on very many
PROCEDURES: Final = (
    "db.labels db.relationshipTypes db.propertyKeys db.schema.visualization "
    "db.schema.nodeTypeProperties db.schema.relTypeProperties "
    "db.index.vector.queryNodes db.index.fulltext.queryNodes"
).split()
_CLAUSES: Final = "MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT, CALL { }"
_SPACES: Final = r"date|time|datetime|localtime|localdatetime|duration|point|vector\.similarity"
_FUNCTIONS: Final = re.compile(rf"(?i:(?:{_SPACES})\.[a-z]+)")

# Where a word stands, as a set of bits, because words may be names (`RETURN not`, `MATCH (set)`)
# and Neo4j tries every reading: an operand is due, or one is complete and a clause may begin.
_OPERAND, _AFTER, _EITHER = 1, 2, 3
# What may follow a complete operand, and where it leads. Every other word there is refused.
_FOLLOWS: Final = {
    word: state
    for state, words in {
        _OPERAND: "AND AS BY CALL CONTAINS FILTER FROM HAVING IN IS LIMIT MATCH OFFSET OR OVER "
        "RETURN SKIP UNWIND WHERE WITH XOR YIELD",
        _AFTER: "ALL ALLSHORTESTPATHS ANY ASC ASCENDING BINDINGS DATETIME DESC DESCENDING DISTINCT "
        "ELEMENT ELEMENTS END ENDS EXCEPT FINISH FIRST GROUP GROUPS INTEGER INTERSECT LAST NODE "
        "NORMALIZED NULLS OPTIONAL ORDER PATH PATHS RELATIONSHIP RELATIONSHIPS SHORTEST "
        "SHORTESTPATH STARTS TIME UNION VALUE WITHOUT ZONE",
        _EITHER: "ELSE NOT THEN WHEN",
    }.items()
    for word in words.split()
}
_PREFIXES: Final = frozenset("CASE DISTINCT NOT TYPED".split())  # an operand is still due
# Needed only where both readings are open: as names these words stay usable everywhere else.
_WRITES: Final = frozenset(
    "ALTER ATTACH COPY CREATE CYPHER DELETE DENY DETACH DROP EXPLAIN EXPORT FOREACH FORMAT GRANT "
    "IMPORT INSERT INSTALL LET LOAD MERGE NEXT NODETACH ON PROFILE REMOVE RENAME REVOKE SET SHOW "
    "START STOP TERMINATE USE USING".split()
)
_KEYWORDS: Final = _WRITES | _PREFIXES | _FOLLOWS.keys()

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]++)
    | (?P<comment>//[^\r\n]*+|/\*(?s:.*?)\*/)
    | (?P<string>'(?:[^'\\]|\\(?s:.))*+'|"(?:[^"\\]|\\(?s:.))*+")
    | (?P<quoted>`(?:[^`]|``)*+`)
    | (?P<parameter>\$(?:\w++|`(?:[^`]|``)*+`))
    | (?P<number>0x[0-9a-fA-F]++|0o[0-7]++|(?:[0-9][0-9_]*+)?\.?[0-9][0-9_]*+(?:[eE][+-]?[0-9]++)?)
    | (?P<word>[^\W\d]\w*+)
    | (?P<mark><>|<=|>=|!=|=~|\.\.|::|\|\||[-+*%^=<>!&|.,:;()\[\]{}]|/(?!\*)|\$(?=\())
    """,
    re.VERBOSE,
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)")
# Neo4j decodes \u escapes before it parses, so that '\u0027' would end the string.
_BAD: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\[uU]|[\0\ud800-\udfff]")
_GLUE: Final = re.compile(r"[\w$]|\.(?!\.)")


class _Token(NamedTuple):
    kind: str  # a group of _TOKEN, or "end"
    text: str
    at: int
    name: str = ""  # bare and in capitals: kglite takes even quoted words for clauses


def check_read_only(text: str) -> None:
    """Refuse a query that may do more than read the graph.

    Raises:
        QueryRefused: with the word, its line and column, and what to do instead.
    """
    if len(text) > MAX_LENGTH:
        _refuse(text, MAX_LENGTH, "Text", f"is over {MAX_LENGTH} characters. Pass parameters.")
    if bad := _BAD.search(text):
        what, why = ascii(bad[0][-2:]), "is not plain text. Write the character itself."
        _refuse(text, bad.end() - len(bad[0][-2:]), what, why)
    tokens = [_Token("end", "", 0), *_tokenise(text), *[_Token("end", "", len(text))] * 2]
    _check_shape(text, tokens)
    state = _AFTER
    for i in range(1, len(tokens) - 2):
        if tokens[i].name:
            _check_call(text, tokens, i, state)
            state = _after_name(text, tokens, i, state)
        else:
            state = _after_mark(tokens, i, state) if tokens[i].kind == "mark" else _AFTER


def _tokenise(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            why = "does not end. Close it." if text[at] in "'\"`/" else "is not allowed. Remove it."
            _refuse(text, at, ascii(text[at]), why)
        kind, word, end = str(found.lastgroup), found[0], found.end()
        # kglite ends a line comment at \n alone, Neo4j at \r too: a lone \r would split them.
        if kind != "string" and (bad := _CONTROL.search(word)):
            _refuse(text, at + bad.start(), ascii(bad[0]), "is a control character. Remove it.")
        if kind == "word" and _folds(word):
            _refuse(text, at, repr(word), "has letters engines read differently. Quote it: `…`")
        # Neo4j takes `x$` for one name and `1SET` for one number, kglite for two tokens.
        glue = _GLUE.match(text, end) if kind in ("word", "number", "parameter") else None
        if glue and (glue[0] != "." or kind == "number"):
            _refuse(text, at, repr(word + glue[0]), "runs together. Put a space between.")
        if kind not in ("space", "comment"):
            name = word.strip("`").upper() if kind in ("word", "quoted") else ""
            yield _Token(kind, word, at, name)
        at = end


def _folds(word: str) -> bool:
    """Tell whether a name turns into a keyword in another form, as 'ſet' does in upper case."""
    forms = {word.upper(), word.casefold().upper(), unicodedata.normalize("NFKC", word).upper()}
    return not word.isascii() and (max(word) > "\uffff" or not forms.isdisjoint(_KEYWORDS))


def _check_shape(text: str, tokens: list[_Token]) -> None:
    """Refuse deep nesting, long unions, and whatever follows the first semicolon."""
    depth = unions = 0
    for token, after in pairwise(tokens):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        unions += token.name in ("UNION", "INTERSECT", "EXCEPT")
        if max(depth, unions) > MAX_DEPTH:
            _refuse(text, token.at, repr(token.text), f"is one more than {MAX_DEPTH}. Simplify.")
        if token.text == ";" and after.kind != "end":
            _refuse(text, after.at, repr(after.text), "begins a second statement. Send one.")


def _check_call(text: str, tokens: list[_Token], i: int, state: int) -> None:
    """Refuse procedures and dotted functions outside the lists, and CALL … IN TRANSACTIONS."""
    token, start, end = tokens[i], i, i + 1
    if tokens[end].text == "(" and (tokens[i - 1].text == "." or "." in token.text):
        while tokens[start - 1].text == "." and tokens[start - 2].name:
            start -= 2
        name = _dotted(tokens, start)
        if name not in PROCEDURES and not _FUNCTIONS.fullmatch(name):
            _refuse(text, token.at, repr(name[-80:]), "is not on the list. Use built-in functions.")
    if (
        token.name[:11] == "TRANSACTION"
        and tokens[i - 1].name == "IN"
        and tokens[i - 2].text == "}"
    ):
        _refuse(text, token.at, repr(token.text), "commits. Leave out IN TRANSACTIONS.")
    if token.text.upper() == "CALL" and state & _AFTER:
        while tokens[i + 1].text == "(" and tokens[end - 1].text not in (")", ""):
            end += 1  # CALL (x, y) {
        if tokens[end].text != "{" and (name := _dotted(tokens, end)) not in PROCEDURES:
            why = f"is not on the list. Use: {', '.join(PROCEDURES)}"
            _refuse(text, token.at, repr(f"CALL {name[:80]}"), why)


def _dotted(tokens: list[_Token], start: int) -> str:
    end = start + 1
    while tokens[end : end + 1] and tokens[end].text == ".":
        end += 2
    return "".join(token.text for token in tokens[start:end]).replace("`", "")


def _after_name(text: str, tokens: list[_Token], i: int, state: int) -> int:
    """Give the state after a name or keyword, or refuse it."""
    before, token, after = tokens[i - 1 : i + 2]
    if before.text == ".":
        return _AFTER
    follows = _FOLLOWS.get(token.name, 0) if token.kind == "word" and state & _AFTER else 0
    called = after.text == "(" and before.text not in (":", "|", "&", "!")
    if (token.name in _WRITES and (called or state & _AFTER)) or not (follows or state & _OPERAND):
        _refuse(text, token.at, repr(token.text), f"is not for reading. Use: {_CLAUSES}")
    if state & _OPERAND:
        follows |= _EITHER if token.name in _PREFIXES else _AFTER
    return follows


def _after_mark(tokens: list[_Token], i: int, state: int) -> int:
    before, mark, after, second = tokens[i - 1 : i + 3]
    quantifier = mark.text in ("*", "+") and before.text == ")"  # ((a)-->(b))+
    type_end = mark.text == ">" and (before.name or before.text == ">")  # LIST<INT>
    data = after.name and second.text in (":", ",", "}", "=")  # {key: 1}, n{key}, {p = ()}
    if quantifier or type_end:
        return _EITHER
    if mark.text in (")", "]", "}") or (mark.text == "{" and not data):
        return _AFTER
    if mark.text in ("*", "%") and state & _OPERAND:  # RETURN *, (n:%)
        return _AFTER | (_OPERAND if state & _AFTER else 0)
    return _OPERAND


def _refuse(text: str, at: int, what: str, why: str) -> NoReturn:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    raise QueryRefused(f"{what} at {line}:{column} {why}")
