"""What the examples share and you replace: approval, a shop that pretends, the record of a run."""

import json
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import spm

MOST = 8  # calls in one run
VALUES = {"integer": 3, "number": 49.9, "boolean": True, "array": [], "object": {}}


def options(document: str | None) -> Namespace:
    """The command line that every agent here takes."""
    parser = ArgumentParser(description=(document or "").partition("\n")[0])
    parser.add_argument("request", help="what the agent should do, in quotes")
    parser.add_argument("--store", help="a folder or a Neo4j address; default: as spm itself")
    parser.add_argument("--base-url", help="another server that speaks the protocol")
    parser.add_argument("--model", required=True, help="what the server calls the model")
    parser.add_argument("--yes", action="store_true", help="run destructive tools unasked")
    return parser.parse_args()


def answer(spec: spm.ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """Pretend to run a tool: example values of what it declares. Yours would call the service."""
    if spec.input_schema is not None:
        required = spec.input_schema.get("required", [])
    else:
        required = [given.name for given in spec.inputs if given.required]
    if missing := [name for name in required if name not in arguments]:
        return {"error": f"missing arguments: {', '.join(missing)}"}
    return {out.name: VALUES.get(out.type, f"{out.name}-8f3a61") for out in spec.outputs}


@dataclass
class Run:
    """One request: what ran, which fields are known by now, and the trace of it.

    Attributes:
        request: what the agent should do.
        source: who ran it, for the trace.
        yes: run destructive tools without asking.
        done: ids of the tools that ran, for `registry.menu(…, done=…)`.
        known: fields that results carried, for `registry.menu(…, state=…)`.
        steps: what was called, as `spm traces import` takes it.
        calls: how many calls the model has made, also those that were refused.
    """

    request: str
    source: str
    yes: bool = False
    done: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0

    def call(
        self, tool: str | None, spec: spm.ToolSpec | None, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Run what a model asked for; what cannot be run is an error that the model reads."""
        self.calls += 1
        if self.calls > MOST:
            return {"error": "no calls are left"}
        if tool is None or spec is None:
            return {"error": "the menu has no such tool"}
        if spec.effects == "destructive" and not self.approved(tool, arguments):
            return self.record(tool, arguments, {"error": "a person declined this call"})
        return self.record(tool, arguments, answer(spec, arguments))

    def approved(self, tool: str, arguments: dict[str, Any]) -> bool:
        """Ask a person about a destructive call. Nobody there means no."""
        if self.yes:
            return True
        print(f"{tool} {json.dumps(arguments)} cannot be undone. Run it? [y/N]", file=sys.stderr)
        return sys.stdin.isatty() and input().strip().lower() in ("y", "yes")

    def record(self, tool: str, arguments: dict[str, Any], result: Any) -> dict[str, Any]:
        """Keep a call for the trace, and what it makes known for the next menu."""
        found = result if isinstance(result, dict) else {"result": result}
        ok = "error" not in found
        # The importer keeps names and types, and which result became which argument; no value.
        self.steps.append({"tool": tool, "ok": ok, "arguments": arguments, "result": found})
        if ok:
            self.done.append(tool)
            self.known += found
        print(f"{tool}: {json.dumps(found)}", file=sys.stderr)
        return found

    def trace(self, *, finished: bool) -> str:
        """The run as one JSON line for `spm traces import`."""
        return json.dumps(
            {
                "trace_id": str(uuid4()),
                "request": self.request,
                "steps": self.steps,
                "success": finished and bool(self.steps) and self.steps[-1]["ok"],
                "source": self.source,
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        )
