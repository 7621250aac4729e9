"""Answers as text: the same bytes on a terminal, over HTTP and in a file."""

import json
from dataclasses import asdict, is_dataclass
from typing import Any


def json_text(value: Any, *, ascii_only: bool = False, compact: bool = False) -> str:
    """A value as JSON, ending in a newline; what cannot be seen is escaped; compact, one line."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    text = json.dumps(plain, indent=None if compact else 2, ensure_ascii=ascii_only, default=_plain)
    if not text.replace("\n", "").isprintable():
        # JSON leaves some control characters as they are, and UTF-8 cannot hold half a character.
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    return text + "\n"


def printable(text: str) -> str:
    """Show control characters as escapes, so that a tool's text cannot steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
