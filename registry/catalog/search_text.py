"""The text by which a tool is found: what it is called and does, and what it takes.

Long texts drown: what an operation returns, and what stands after the first sentences, make tools
alike. Outputs are in the graph, where they belong.
"""

import re

from spm.registry.catalog.fields import is_control
from spm.registry.catalog.naming import fold
from spm.registry.models import ToolSpec

SUMMARY = 300  # characters of the description
INPUTS = 24  # names of inputs, the required ones first
_CODE = re.compile(r"```.*?```|<[^<>]{0,200}>", re.S)
_LINK = re.compile(r"\[([^\][]{0,200})\]\([^()]{0,400}\)")
_MARKS = re.compile(r"[`*_#>|]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_PARAMETER = re.compile(r"\{[^{}]*\}")


def search_text(tool: ToolSpec) -> str:
    """Title, name in words, path, first sentences and names of inputs, in that order."""
    title, name = plain(tool.title), _spaced(tool.name)
    parts = [title, name if _differs(name, title) else ""]
    path = _spaced(_PARAMETER.sub(" ", str((tool.call or {}).get("path", ""))))
    parts.append(path if _differs(path, f"{title} {name}") else "")
    summary = first_sentences(tool.description)
    parts.append(summary if summary.rstrip(".") != title.rstrip(".") else "")
    parts.append(", ".join(_inputs(tool)))
    return ". ".join(part.rstrip(".") for part in parts if part)


def plain(text: str) -> str:
    """A text without Markdown and HTML."""
    linked = _LINK.sub(r"\1", _CODE.sub(" ", text))
    return " ".join(_MARKS.sub(" ", linked).split())


def first_sentences(text: str, most: int = SUMMARY) -> str:
    """The first sentences of a text, at most two, and at most so many characters."""
    kept = " ".join(_SENTENCE.split(plain(text[: 8 * most]))[:2])
    return kept if len(kept) <= most else kept[:most].rpartition(" ")[0]


def _inputs(tool: ToolSpec) -> list[str]:
    named = sorted((s for s in tool.inputs if not is_control(s.name)), key=lambda s: not s.required)
    return list(dict.fromkeys(_spaced(spec.name) for spec in named))[:INPUTS]


def _spaced(name: str) -> str:
    return " ".join(fold(name).split("_"))


def _differs(text: str, said: str) -> bool:
    """Whether a text has a word that was not said yet."""
    return bool({*text.lower().split()} - {*said.lower().split()})
