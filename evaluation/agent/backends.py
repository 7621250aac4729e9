"""Backends that answer the calls of a model.

Nothing of what a tool returns is ever interpreted: it is read by the model and, by the names and
types of its fields, by the trace.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from spm.evaluation.agent.protocol import SEED
from spm.registry.addresses import address
from spm.registry.calling.callable_tool import Failed, NotCalled, Tool
from spm.registry.calling.client import Unreachable, post
from spm.registry.errors import InputError

Arguments = dict[str, Any]
KNOWN = ("simulate", "none", "recorded:FILE", "http://…", "package.module:function")
UNDONE = {"status": "accepted"}  # what nobody ran has no more to say
TIMEOUT = 60.0


class Backend(Protocol):
    """Runs tools, or pretends to."""

    @property
    def name(self) -> str:
        """For people and records."""
        ...

    @property
    def real(self) -> bool:
        """Whether calls have effects, so that what cannot be undone waits for approval."""
        ...

    @property
    def observed(self) -> bool:
        """Whether results are those of the real tools, so that traces may learn from them."""
        ...

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """The result as JSON or text; raises whatever a tool raises."""
        ...


@dataclass(frozen=True)
class Dry:
    """Accepts every valid call and does nothing."""

    name = "none"
    real = observed = False

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """The same for every call."""
        del tool, arguments
        return UNDONE


@dataclass(frozen=True)
class Simulation:
    """Keeps each tool's contract: placeholders for what it declares to return, by the seed.

    The same call always gets the same result, and what is both taken and given stays as it was.
    A value that the model made up passes as well as one that a tool gave.
    """

    seed: int = SEED
    name = "simulate"
    real = observed = False

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """An object with every declared output; the fixed answer when none is declared."""
        said = json.dumps([self.seed, tool.id, arguments], sort_keys=True)
        return {
            out.name: arguments.get(out.name, _placeholder(out.name, out.type, said))
            for out in tool.spec.outputs
        } or UNDONE


@dataclass(frozen=True)
class Recorded:
    """Answers with what was recorded: JSON lines of tool, result, and arguments where they count.

    The first line with the same arguments answers; then the first without any.
    """

    file: Path
    results: dict[str, list[tuple[Arguments | None, object]]]
    real = False
    observed = True

    @property
    def name(self) -> str:
        """Where the results come from."""
        return f"recorded:{self.file.name}"

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """The recorded result.

        Raises:
            NotCalled: nothing was recorded for this call.
        """
        known = self.results.get(tool.id) or self.results.get(tool.spec.name) or []
        for wanted in (arguments, None):
            for given, result in known:
                if given == wanted:
                    return result
        raise NotCalled("no response was recorded for this call")


@dataclass(frozen=True)
class Remote:
    """Sends `{"tool", "arguments"}` to an address and takes its JSON as the result."""

    url: str
    timeout: float = TIMEOUT
    real = observed = True

    @property
    def name(self) -> str:
        """The host; the rest of an address may hold secrets."""
        return f"http:{address(self.url, '--backend').hostname}"

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """The JSON that came back.

        Raises:
            Failed: there is no answer, or it is an error, or no JSON.
        """
        try:
            response = post(self.url, {"tool": tool.id, "arguments": arguments}, self.timeout)
        except Unreachable as error:
            raise Failed(str(error)) from error
        if not 200 <= response.status < 300:
            raise Failed(f"the tool's server answered {response.status}")
        if not response.body.strip():
            return None
        try:
            return response.json()
        except ValueError:
            raise Failed("the tool's server answered with something else than JSON") from None


@dataclass(frozen=True)
class Local:
    """A Python function that takes the tool's id and its arguments."""

    target: str
    function: Callable[[str, Arguments], object]
    real = observed = True

    @property
    def name(self) -> str:
        """Which function."""
        return self.target

    def call(self, tool: Tool, arguments: Arguments) -> object:
        """Whatever the function returns."""
        return self.function(tool.id, arguments)


def backend(said: str, *, seed: int = SEED, timeout: float = TIMEOUT) -> Backend:
    """A backend by name: one of KNOWN.

    Raises:
        InputError: there is none of that name, or what it names cannot be used.
    """
    kind, colon, rest = said.partition(":")
    if said == "simulate":
        return Simulation(seed)
    if said == "none":
        return Dry()
    if kind == "recorded" and rest:
        return Recorded(Path(rest), _recorded(Path(rest)))
    if kind in ("http", "https"):
        address(said, "--backend")
        return Remote(said, timeout)
    if colon:
        from spm.registry.importers.python import load_function

        return Local(said, load_function(said))
    raise InputError(f"No backend is called {said!r}. Known: {', '.join(KNOWN)}.")


def _placeholder(name: str, kind: str, said: str) -> object:
    mark = hashlib.sha256(f"{said} {name}".encode()).hexdigest()
    number = int(mark[:8], 16)
    match kind:
        case "integer":
            return 1 + number % 999
        case "number":
            return round(1 + number % 99_900 / 100, 2)
        case "boolean":
            return True
        case "array":
            return [f"{name}-{mark[:6]}"]
        case "object":
            return {"id": f"{name}-{mark[:6]}"}
    return f"{name}-{mark[:6]}"


def _recorded(file: Path) -> dict[str, list[tuple[Arguments | None, object]]]:
    found: dict[str, list[tuple[Arguments | None, object]]] = {}
    for place, line in _lines(file):
        try:
            row = json.loads(line)
            given = row.get("arguments")
            known = isinstance(row["tool"], str) and isinstance(given, dict | None)
        except (ValueError, RecursionError, LookupError, AttributeError, TypeError):
            known = False
        if not known or "result" not in row:
            raise InputError(f'{place}: expected {{"tool": "…", "result": …}}.')
        found.setdefault(row["tool"], []).append((given, row["result"]))
    return found


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{file}:{number}", line
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {str(file)!r}: {error}.") from error
