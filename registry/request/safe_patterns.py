"""Patterns of schemas are untrusted: only those are compiled that cannot take long.

A pattern is slow when it can match the same text in many ways: a repetition inside a repetition,
many open ones in a row, many alternatives. What has more of them than ids need is refused, and says
nothing about values.
"""

import re
from functools import lru_cache

LONGEST = 200  # characters of a pattern
VALUE = 64  # characters of a value that is matched
OPEN = 4  # repetitions and options, of which at most…
REPEATED = 3  # …are repetitions
GROUPS = 3
ALTERNATIVES = 12
_REPEATED_GROUP = re.compile(r"\)(?:[*+{])")
_REPETITION = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\d*\})")
_OPTION = re.compile(r"(?<!\\)\?")
_STRANGE = re.compile(r"\\[1-9kgG]|\(\?(?!:)")  # references back, looking around, flags
_COUNT = re.compile(r"\d{4,}")


@lru_cache(2_000)
def safe_pattern(pattern: str) -> re.Pattern[str] | None:
    """A pattern of a schema, compiled; None when it might be slow or is none."""
    if not pattern or len(pattern) > LONGEST or _is_slow(pattern):
        return None
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _is_slow(pattern: str) -> bool:
    repetitions = len(_REPETITION.findall(pattern))
    return (
        bool(_REPEATED_GROUP.search(pattern) or _STRANGE.search(pattern))
        or bool(_COUNT.search(pattern))
        or repetitions > REPEATED
        or repetitions + len(_OPTION.findall(pattern)) > OPEN
        or pattern.count("(") > GROUPS
        or pattern.count("|") > ALTERNATIVES
    )


def is_match(pattern: str, text: str) -> bool:
    """Whether a value surely has a pattern's form, from its beginning to its end."""
    compiled = safe_pattern(pattern)
    return compiled is not None and len(text) <= VALUE and compiled.fullmatch(text) is not None
