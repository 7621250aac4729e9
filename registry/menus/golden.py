"""Golden requests: known good answers, a JSON line each, for `spm impact` and `spm check`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spm.registry.errors import InputError

MAX_LINE = 2_000_000
SHAPE = '{"request": "…", "path": ["tool", …]}'


@dataclass(frozen=True)
class GoldenRequest:
    """A request with the tools that answer it.

    Attributes:
        request: what is asked.
        path: the tools, in the order in which they run.
        state: fields known besides the text.
        chain: whether the order counts; false for tools that may run in any order.
        allow_writes: whether tools that change something may make inputs.
    """

    request: str
    path: tuple[str, ...]
    state: tuple[str, ...] = ()
    chain: bool = True
    allow_writes: bool = False


def read_golden(path: Path, *, open_ended: bool = False) -> Iterator[GoldenRequest]:
    """Read golden requests from JSON lines.

    Each has `request` and `path` (names of tools, or `steps` of a trace); `state` (a list of
    fields), `chain` (false: in any order) and `allow_writes` may be left out. Other keys are
    ignored, so that successful traces can be used as they are.

    Args:
        path: the file.
        open_ended: also take lines without a path, whose answer nobody knows.

    Raises:
        InputError: a line cannot be used; says which.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), b""), 1):
                if line.strip():
                    yield _golden(line, f"{path}:{number}", open_ended)
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error


def read_requests(path: Path) -> Iterator[GoldenRequest]:
    """Read requests, one in each line: as text, or as JSON without a path; see `read_golden`.

    Raises:
        InputError: a line cannot be used; says which.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), b""), 1):
                text = line.decode("utf-8", "replace").strip()
                if text.startswith("{"):
                    yield _golden(line, f"{path}:{number}", open_ended=True)
                elif text:
                    yield GoldenRequest(text, ())
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error


def _golden(line: bytes, place: str, open_ended: bool) -> GoldenRequest:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not valid JSON. Is the line complete?") from error
    if isinstance(value, dict) and isinstance(value.get("request"), str):
        path = _names(value.get("path", value.get("steps")))
        state = _fields(value.get("state", []))
        chain, writes = value.get("chain", True), value.get("allow_writes", False)
        known = bool(path) or (open_ended and not {"path", "steps"} & value.keys())
        if known and state is not None and isinstance(chain, bool) and isinstance(writes, bool):
            return GoldenRequest(value["request"], path, state, chain, writes)
    raise InputError(f"{place}: expected {SHAPE}.")


def _names(steps: object) -> tuple[str, ...]:
    if not isinstance(steps, list):
        return ()
    names = [step.get("tool") if isinstance(step, dict) else step for step in steps]
    found = tuple(name for name in names if isinstance(name, str))
    return found if len(found) == len(names) else ()


def _fields(state: object) -> tuple[str, ...] | None:
    """Names of fields; of an object with values only the names."""
    if isinstance(state, dict | list) and all(isinstance(name, str) for name in state):
        return tuple(state)
    return None
