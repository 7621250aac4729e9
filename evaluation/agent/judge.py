"""Judges whether a run succeeded: by its path, by a program, or by a function.

A judge sees the request, the calls with their observations and the answer; not which model ran and
not who built the menu.
"""

import json
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from spm.evaluation.agent.episode import Run
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, InputError, JudgeError, UnknownTool
from spm.registry.insight.paths import required
from spm.registry.menus.golden import GoldenRequest
from spm.registry.store.interface import Store

KNOWN = ("path", "none", "command:PROGRAM", "package.module:function")
TIMEOUT = 600.0
REASON = 500  # characters that are kept of a reason


@dataclass(frozen=True)
class Verdict:
    """Whether a run succeeded, and why one thinks so."""

    success: bool
    reason: str = ""


@dataclass(frozen=True)
class Gold:
    """A known path, and which of its tools have to wait for which.

    Attributes:
        path: ids of the tools, each once; a name where the registry knows no such tool.
        waits: for each tool those before it on the path that must have run.
    """

    path: tuple[str, ...]
    waits: Mapping[str, frozenset[str]]


Judge = Callable[[GoldenRequest, Gold | None, Run], Verdict | None]


def gold(store: Store, resolver: Resolver, golden: GoldenRequest) -> Gold | None:
    """The path of a golden request in the registry's terms; None when nobody knows it.

    Two tools may change places when the earlier one declares what it gives and the later one
    requires none of it. Where no outputs are declared, the order of the path is all there is.
    """
    path = tuple(dict.fromkeys(_identity(resolver, name) for name in golden.path))
    if not path:
        return None
    if not golden.chain:
        return Gold(path, {})
    needs = required(store.read("tools/inputs", ids=list(path)))
    speaks = {row["id"] for row in store.read("tools/outputs", ids=list(path))}
    names = sorted({name for fields in needs.values() for name in fields})
    makers: dict[str, set[str]] = {}
    for row in store.read("fields/producers", fields=names):
        makers.setdefault(row["field"], set()).add(row["id"])
    waits = {
        tool: frozenset(
            other
            for other in path[:place]
            if other not in speaks or any(other in makers.get(n, ()) for n in needs.get(tool, ()))
        )
        for place, tool in enumerate(path)
    }
    return Gold(path, waits)


def by_path(golden: GoldenRequest, gold: Gold | None, run: Run) -> Verdict | None:
    """Success when every tool of the path was called and worked, in an order that could work."""
    del golden
    if gold is None:
        return None
    done: set[str] = set()
    early: set[str] = set()
    for call in run.calls:
        if call.ok and call.tool in gold.path:
            (done if gold.waits.get(call.tool, frozenset()) <= done else early).add(call.tool)
    missing = [tool for tool in gold.path if tool not in done]
    if not missing:
        return Verdict(True, "every tool of the path worked")
    too_soon = [tool for tool in missing if tool in early]
    never = [tool for tool in missing if tool not in early]
    reasons = [f"never worked: {', '.join(never)}"] if never else []
    reasons += [f"called too soon: {', '.join(too_soon)}"] if too_soon else []
    return Verdict(False, "; ".join(reasons))


def nobody(golden: GoldenRequest, gold: Gold | None, run: Run) -> Verdict | None:
    """No verdict."""
    del golden, gold, run
    return None


def judge(said: str) -> Judge:
    """A judge by name: one of KNOWN.

    A program reads what `evidence` gives as JSON on its standard input and prints
    `{"success": true, "reason": "…"}`; a function takes and returns the same as a dict. Where
    several runs go on at a time, both are called from several threads.

    Raises:
        InputError: there is none of that name.
    """
    kind, colon, rest = said.partition(":")
    if said in ("path", "none"):
        return by_path if said == "path" else nobody
    if kind == "command" and rest.strip():
        return _asking(partial(_program, _words(rest)), said)
    if colon and kind != "command":
        from spm.registry.importers.python import load_function

        return _asking(load_function(said), said)
    raise InputError(f"No judge is called {said!r}. Known: {', '.join(KNOWN)}.")


def evidence(golden: GoldenRequest, gold: Gold | None, run: Run) -> dict[str, Any]:
    """What a judge gets to see of a run."""
    return {
        "request": golden.request,
        "path": list(gold.path) if gold else None,
        "calls": [
            {
                "tool": call.tool,
                "name": call.name,
                "arguments": call.arguments,
                "outcome": call.outcome,
                "observation": call.observation.text,
            }
            for call in run.calls
        ],
        "answer": run.answer,
        "ended": run.ended,
    }


def _asking(ask: Callable[[dict[str, Any]], Any], name: str) -> Judge:
    def judged(golden: GoldenRequest, gold: Gold | None, run: Run) -> Verdict:
        try:
            found = ask(evidence(golden, gold, run))
        except JudgeError:
            raise
        except (Exception, SystemExit) as error:
            raise JudgeError(
                f"The judge {name!r} failed: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(found, Mapping) or not isinstance(found.get("success"), bool):
            raise JudgeError(
                f"The judge {name!r} gave no verdict. Expected "
                '{"success": true or false, "reason": "…"}.'
            )
        return Verdict(found["success"], str(found.get("reason") or "")[:REASON])

    return judged


def _program(command: list[str], found: dict[str, Any]) -> Any:
    try:
        done = subprocess.run(
            command,
            input=json.dumps(found).encode(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JudgeError(f"The judge {command[0]!r} cannot be asked: {error}.") from error
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
    if done.returncode:
        raise JudgeError(f"The judge {command[0]!r} ended with {done.returncode}: {said}")
    try:
        return json.loads(done.stdout)
    except (ValueError, RecursionError):
        return None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"--judge command: cannot be split into words: {error}.") from error


def _identity(resolver: Resolver, name: str) -> str:
    try:
        return resolver.resolve(name)
    except (UnknownTool, AmbiguousTool):
        return name
