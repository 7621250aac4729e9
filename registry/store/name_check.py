"""Labels, relationship types and properties of a query that the graph of spm does not know.

A mistyped name is no error in Cypher: it matches nothing, or gives blanks. Read by patterns, not by
a parser: what is not understood is not warned about.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from spm.registry.catalog.naming import nearest
from spm.registry.store.schema import LABELS, RELATIONSHIPS

_BLANK = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.S)
_NAMES, _MAP = r"!?\w+(?:\s*[|&:!]+\s*\w+)*", r"(\{[^{}]*\})?"
_NODE = re.compile(rf"(?<!\w)\(\s*([^\W\d]\w*)?\s*(?::\s*({_NAMES}))?\s*{_MAP}\s*(?:WHERE\b|\))")
_EDGE = re.compile(
    rf"-\[\s*([^\W\d]\w*)?\s*(?::\s*({_NAMES}))?\s*(?:\*[\d.\s]*)?\s*{_MAP}\s*(?:WHERE\b|\])"
)
_PROPERTY = re.compile(r"(?<![\w.$])([^\W\d]\w*)\.([^\W\d]\w*)(?!\w*\s*\()")
_KEY = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+:")
# A name that is given to something else on the way may be anything.
_RENAMED = re.compile(r"\bAS\s+([^\W\d]\w*)|\b([^\W\d]\w*)\s+IN\b", re.I)

_OF_LABEL = {label: frozenset(known) for label, known in LABELS.items()}
_OF_TYPE = {kind: frozenset(known) for kind, (_, _, known) in RELATIONSHIPS.items()}


def unknown_names(text: str) -> list[str]:
    """Sentences about names that no label, relationship type or property of the schema has."""
    bare = _BLANK.sub(lambda found: " " * len(found[0]), text)
    return list(dict.fromkeys([*_kinds(bare), *_properties(bare)]))


def _patterns(bare: str) -> Iterator[tuple[str, list[str], str, dict[str, frozenset[str]]]]:
    """Each node and relationship of a pattern: variable, names, map, and the names there are."""
    for pattern, known in ((_NODE, _OF_LABEL), (_EDGE, _OF_TYPE)):
        for variable, names, inside in pattern.findall(bare):
            yield variable, re.findall(r"\w+", names), inside, known


def _kinds(bare: str) -> Iterator[str]:
    for _, names, _, known in _patterns(bare):
        what = "label" if known is _OF_LABEL else "relationship type"
        for name in names:
            if name not in known:
                yield f"The graph has no {what} {name!r}.{_hint(name, known)}"


def _properties(bare: str) -> Iterator[str]:
    bound: dict[str, set[str]] = defaultdict(set)
    carries: dict[str, frozenset[str]] = {**_OF_LABEL, **_OF_TYPE}
    for variable, names, inside, _ in _patterns(bare):
        kinds = {name for name in names if name in carries}
        bound[variable] |= kinds
        for key in _KEY.findall(inside):
            yield from _property(key, kinds, carries)
    renamed = {name for pair in _RENAMED.findall(bare) for name in pair}
    for variable, name in _PROPERTY.findall(bare):
        if variable in bound and variable not in renamed:
            yield from _property(name, bound[variable], carries)


def _property(name: str, kinds: set[str], carries: dict[str, frozenset[str]]) -> Iterator[str]:
    known = frozenset[str]().union(*(carries[kind] for kind in kinds or carries))
    if name not in known:
        of = f" of {' or '.join(sorted(kinds))}" if kinds else ""
        yield f"There is no property {name!r}{of}: it is always null.{_hint(name, known)}"


def _hint(name: str, known: Iterable[str]) -> str:
    found = nearest(name, sorted(known))
    return f" Nearest: {found[0]!r}." if found else ""
