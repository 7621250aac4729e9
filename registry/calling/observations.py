"""Observations: the text that a model reads about a call.

They are the same for every menu, whoever makes the call.
"""

import json
from dataclasses import dataclass
from typing import Literal, get_args

LONGEST = 20_000  # characters of one observation; the rest would only crowd out the request
SHOWN = 300  # characters of what a tool or a model said, inside a standard observation

Outcome = Literal[
    "ok",
    "missing tool",
    "invalid arguments",
    "exception",
    "empty response",
    "declined",
    "not called",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# Only these say something about the tool; of the others it never heard.
REACHED: frozenset[Outcome] = frozenset({"ok", "exception", "empty response"})
# The gap takes what differs; its text is data and goes in as it is.
_STANDARD: dict[Outcome, str] = {
    "missing tool": "The menu has no tool named {}. Use only tools in the menu.",
    "invalid arguments": "The tool was not called, because its arguments are not valid: {}.",
    "exception": "The tool failed: {}.",
    "empty response": "The response was empty.",
    "declined": "The tool was not called: it cannot be undone, and nobody approved it.",
    "not called": "The tool was not called: {}.",
}


@dataclass(frozen=True)
class Observation:
    """What became of a call, and the text that the model reads about it."""

    outcome: Outcome
    text: str

    @property
    def reached(self) -> bool:
        """Whether the tool was asked; if not, the call is no evidence about it."""
        return self.outcome in REACHED


def standard(outcome: Outcome, detail: str = "") -> Observation:
    """The observation that every run gets for a call that did not work."""
    message = _STANDARD[outcome].format(detail[:SHOWN])
    return Observation(outcome, json.dumps({"error": outcome, "message": message}))


def observation(result: object) -> Observation:
    """What a tool returned, as the model reads it.

    Texts stay as they are, other values become JSON. Nothing, and what holds nothing, is an empty
    response.

    Raises:
        TypeError: the value is not JSON.
        ValueError: likewise.
    """
    if result is None or (isinstance(result, str | list | tuple | dict) and not result):
        return standard("empty response")
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if not text.strip():
        return standard("empty response")
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … (cut: {len(text) - LONGEST} more characters)"
    return Observation("ok", text)
