"""The text by which a tool is found, in parts: what it is called, does and takes.

Words are searched in all parts. Vectors are made of the first four: what a tool takes made menus no
better by meaning, and reading it took half of the time. Each part is bounded: long texts drown, and
what stands after the first sentences makes tools alike. What an operation returns is no part; it
is in the graph, where it belongs.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from spm.registry.catalog.fields import is_control
from spm.registry.catalog.naming import fold
from spm.registry.models import InputSpec, ToolSpec

# The parts, in the order in which they are kept; `vectors/tool_texts` puts them together. One that
# says nothing new is empty.
PARTS = ("title", "name", "path and tag", "first sentences", "inputs", "told of inputs", "values")
TITLE, NAME, PATH, SUMMARY = 200, 200, 200, 300  # characters
INPUTS = 24  # names of inputs, the required ones first
DESCRIPTIONS, WORDS_EACH = 300, 8  # characters of what is told of inputs; words of each
VALUES, VALUES_EACH = 200, 8  # characters of values to choose from; how many of one input
DEPTH, LOOKED_AT = 4, 400  # of a schema: how deep, and how many of the schemas in it
_CODE = re.compile(r"```.*?```|<[^<>]{0,200}>", re.S)
_LINK = re.compile(r"\[([^\][]{0,200})\]\([^()]{0,400}\)")
_MARKS = re.compile(r"[`*_#>|]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_PARAMETER = re.compile(r"\{[^{}]*\}")


def search_parts(tool: ToolSpec) -> list[str]:
    """The parts of a tool's text, one for each of `PARTS`."""
    title, name = cut(plain(tool.title[: 8 * TITLE]), TITLE), cut(_spaced(tool.name), NAME)
    path = _PARAMETER.sub(" ", str((tool.call or {}).get("path", "")))
    place = [cut(_spaced(text), PATH) for text in (path, tool.family)]
    summary = first_sentences(tool.description)
    inputs = sorted(
        (spec for spec in tool.inputs if not is_control(spec.name)), key=lambda s: not s.required
    )
    names = list(dict.fromkeys(_spaced(spec.name) for spec in inputs))[:INPUTS]
    parts = [
        title,
        *_new([name], title),
        " ".join(_new(place, f"{title} {name}")).strip(),
        summary if summary.rstrip(".") != title.rstrip(".") else "",
        ", ".join(names),
        ". ".join(_within(_input_descriptions(inputs), DESCRIPTIONS)),
        ", ".join(_within(_values(tool.input_schema), VALUES)),
    ]
    return [part.rstrip(".") for part in parts]


def plain(text: str) -> str:
    """A text without Markdown and HTML."""
    linked = _LINK.sub(r"\1", _CODE.sub(" ", text))
    return " ".join(_MARKS.sub(" ", linked).split())


def first_sentences(text: str, most: int = SUMMARY, count: int = 2) -> str:
    """The first sentences of a text, at most so many and at most so many characters."""
    return cut(" ".join(_SENTENCE.split(plain(text[: 8 * most]))[:count]), most)


def cut(text: str, most: int) -> str:
    """The words at the beginning of a text that fit into so many characters."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def _new(texts: Iterable[str], said: str) -> Iterator[str]:
    """The texts, those empty that have no word which was not said yet."""
    known = {*said.lower().split()}
    for text in texts:
        words = {*text.lower().split()}
        yield text if words - known else ""
        known |= words


def _input_descriptions(inputs: Iterable[InputSpec]) -> Iterator[str]:
    """How the description of each input begins."""
    for spec in inputs:
        words = first_sentences(spec.description, 20 * WORDS_EACH, 1).split()[:WORDS_EACH]
        yield " ".join(words).rstrip(".,:;")


def _values(schema: Any) -> Iterator[str]:
    """The words that inputs may be, as their schema lists them: those of required ones first."""
    waiting: deque[tuple[Any, int]] = deque([(schema, 0)])
    for _ in range(LOOKED_AT):
        if not waiting:
            break
        node, depth = waiting.popleft()
        if isinstance(node, dict):
            listed = node.get("enum")
            named = [v for v in listed if isinstance(v, str)] if isinstance(listed, list) else []
            yield from map(_spaced, named[:VALUES_EACH])
            if depth < DEPTH:
                waiting.extend((below, depth + 1) for below in _below(node))


def _below(schema: dict[str, Any]) -> Iterator[Any]:
    """The schemas right inside one: of items, of choices, of inputs that carry data."""
    yield schema.get("items")
    for key in ("allOf", "anyOf", "oneOf"):
        yield from schema[key] if isinstance(schema.get(key), list) else ()
    inside, needed = schema.get("properties"), schema.get("required")
    if isinstance(inside, dict):
        stated = needed if isinstance(needed, list) else []
        first = [name for name in stated if isinstance(name, str) and name in inside]
        names = dict.fromkeys([*first, *inside])
        yield from (inside[name] for name in names if not is_control(name))


def _within(texts: Iterable[str], most: int) -> list[str]:
    """Texts that are not empty, each once, as long as all fit into so many characters."""
    found: dict[str, None] = {}
    room = most
    for text in texts:
        if text and text not in found:
            room -= len(text) + 2  # and what stands between two
            if room < -2:
                break
            found[text] = None
    return list(found)


def _spaced(name: str) -> str:
    return " ".join(fold(name).split("_"))
