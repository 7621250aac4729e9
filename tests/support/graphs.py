"""Libraries to fill two stores with: the demo, and random ones that hold every odd thing allowed.

A library is built from a seed alone, so the same one can be put into any number of stores.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from spm.registry import demo
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.store.interface import Store

MOMENT = "2026-01-02T03:04:05Z"
# Keywords of Cypher, quotes and escapes, several scripts. Nothing between U+E000 and U+FFFF: see
# test_parity for the one order that the engines do not share.
TOOLS = (
    "SendEmail", "send-sms", "match", "RETURN", "null", "true", "order", "größe prüfen",
    "注文を探す", "поиск", "naïve café", "tool😀", "O'Brien", 'quo"ted', "back`tick",
    "$param", "a\\b", "{brace}", "semi;colon", "//comment", "sub/tool", "id", "name", "Éclair",
    "éclair 2", "zebra", "Zebra 2", "_x_", "10", "9", "DELETE n",
)  # fmt: skip
FIELDS = (
    "orderId", "Order Total", "customer-email", "id", "name", "type", "match", "count", "größe",
    "住所", "email😀", "is_ok", "Tax Rate", "url", "title", "required", "Null",
)  # fmt: skip
SERVICES = ("shop", "Ünï", "where", "a b")
FAMILIES = ("", "order", "MATCH", "Größe", "")
TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass
class Library:
    """What happens to a registry, in order."""

    manifests: list[Manifest] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    later: list[Manifest] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)


def demo_library() -> Library:
    """The bundled shop."""
    return Library(demo.manifests(), list(demo.trajectories()))


def random_library(seed: int) -> Library:
    """Versions, removed and deprecated tools, optional inputs, failed steps, odd names."""
    rng = random.Random(seed)
    services = rng.sample(SERVICES, rng.randint(2, len(SERVICES)))
    names = {s: rng.sample(TOOLS, rng.randint(3, 12)) for s in services}
    specs = {(s, n): _tool(rng, n) for s in services for n in names[s]}
    library = Library(manifests=[_manifest(s, names[s], specs) for s in services])
    ids = [f"{s}/{n}" for s in services for n in names[s]]
    takes = {f"{s}/{n}": [spec["name"] for spec in specs[s, n]["inputs"]] for s, n in specs}
    library.traces = [_trace(rng, i, ids, takes) for i in range(rng.randint(20, 60))]
    library.removed = rng.sample(ids, 2)
    for service in services[:2]:
        for name in rng.sample(names[service], 2):
            specs[service, name] |= {"description": f"changed {rng.random()}", "version": None}
        old, new = rng.sample(names[service], 2)
        specs[service, old] |= {
            "status": "deprecated",
            "successor": new,
            "version": rng.choice([None, "2.0.0"]),
        }
        specs[service, new] |= {"version": rng.choice([None, "v2"])}
        # Tools removed before come back with the manifest, in a second version.
        library.later.append(_manifest(service, names[service], specs))
    library.same = [tuple(sorted(rng.sample(FIELDS, 2))) for _ in range(4)]  # type: ignore[misc]
    return library


def _tool(rng: random.Random, name: str) -> dict[str, Any]:
    inputs = rng.sample(FIELDS, rng.choice([0, 1, 2, 3]))
    outputs = rng.sample(FIELDS, rng.choice([0, 1, 1, 3]))
    return {
        "name": name,
        "title": rng.choice(["", f"The {name}"]),
        "description": rng.choice(["", "Line one.\nLine two.", "Prüft 'alles' \"genau\" 😀 \\ $x"]),
        "version": rng.choice([None, "1.0.0"]),
        "family": rng.choice(FAMILIES),
        "status": rng.choice(["active", "active", "active", "deprecated", "quarantined"]),
        "owner": rng.choice(["", "team a"]),
        "scopes": rng.choice([[], ["read:x"], ["b", "a"]]),
        "effects": rng.choice(["read", "write", "destructive"]),
        "inputs": [
            {"name": f, "type": rng.choice(TYPES), "required": rng.random() < 0.6} for f in inputs
        ],
        "outputs": [{"name": f, "type": rng.choice(TYPES)} for f in outputs],
    }


def _manifest(service: str, names: list[str], specs: dict[tuple[str, str], Any]) -> Manifest:
    return Manifest.model_validate(
        {
            "spm": 1,
            "service": {"name": service, "title": service.title(), "owner": "team"},
            "tools": [specs[service, name] for name in names],
        }
    )


def _trace(rng: random.Random, number: int, ids: list[str], takes: dict[str, list[str]]) -> Trace:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=rng.randint(0, 5000))
    return Trace.model_validate(
        {
            "trace_id": None if rng.random() < 0.2 else f"t-{number}",
            "request": f"{rng.choice(['Send it', 'Größe 住所 😀', 'MATCH (n)'])} #{number}",
            "steps": _steps(rng, ids, takes),
            "success": rng.random() < 0.8,
            "source": rng.choice(["", "log"]),
            "time": None if rng.random() < 0.2 else moment,
        }
    )


def _steps(rng: random.Random, ids: list[str], takes: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Calls, many of which are handed what earlier ones returned."""
    steps: list[dict[str, Any]] = []
    pool: list[str] = []
    for _ in range(rng.randint(1, 6)):
        step: dict[str, Any] = {"tool": rng.choice(ids), "ok": rng.random() < 0.8}
        if rng.random() < 0.7:
            step["result"] = {name: f"value {rng.random()}" for name in rng.sample(FIELDS, 3)}
        if pool and rng.random() < 0.7:
            step["arguments"] = {name: rng.choice(pool) for name in takes[step["tool"]]}
        pool += step.get("result", {}).values()
        steps.append(step)
    return steps


@contextmanager
def frozen() -> Iterator[None]:
    """Stop the clock that writes `registered`, `published` and the like."""
    places = ("store.interface", "catalog.registration", "store.migrations")
    patches = [patch(f"spm.registry.{place}.now", lambda: MOMENT) for place in places]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def fill(registry: Registry, library: Library) -> None:
    """Put a library into a store."""
    with frozen():
        for manifest in library.manifests:
            registry.register(manifest)
        registry.import_traces(library.traces)
        for tool in library.removed:
            registry.remove(tool, force=True)
        for manifest in library.later:
            registry.register(manifest)


def small_manifest(service: str, tools: int = 2, note: str = "") -> Manifest:
    """A chain of tools, each of which makes what the next one takes."""
    return Manifest.model_validate(
        {
            "spm": 1,
            "service": service,
            "tools": [
                {
                    "name": f"tool_{i}",
                    "description": note,
                    "family": "chain",
                    "inputs": [{"name": f"field_{i}"}],
                    "outputs": [{"name": f"field_{i + 1}"}],
                }
                for i in range(tools)
            ],
        }
    )


def total(store: Store, ids: list[str]) -> dict[str, dict[str, int]]:
    """The counters of tools as they stand in the store."""
    names = ("frequency", "entry_frequency", "calls", "errors")
    return {row["id"]: {n: row[n] for n in names} for row in store.read("tools/show", ids=ids)}
