"""Small random registries for the tests of the frontier, and how two frontiers are compared."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st

from spm.registry.catalog.fields import canonical
from spm.registry.encoding import clause_by_clause
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.search.bm25 import terms
from spm.registry.traces import statistics

# So small that a dozen tools reach every limit.
SMALL = {
    "LOOKUP": 5, "MEMORIES": 3, "ANCHORS": 2, "REMEMBERED": 3, "NEIGHBOURS": 2, "PRODUCERS": 1,
    "SOURCES": 4, "PER_SOURCE": 2, "SIZE": 9,
}  # fmt: skip
# The paper's rule, as small: what is written small is of the rule alone.
PUBLISHED = {**SMALL, "memories": 0, "remembered": 0, "producers": 0, "words": False}
RULES: tuple[dict[str, int], ...] = ({}, SMALL, PUBLISHED)
WORDS = ("order", "mail", "customer", "invoice", "größe", "注文", "ship", "refund")
FIELDS = ("order_number", "mail_address", "customer_name", "tax", "größe", "parcel")


@contextmanager
def limits(**values: int) -> Iterator[None]:
    """Other limits for both implementations of the rule."""
    changed: dict[str, Any] = {"SIZE": rule.SIZE} | values
    known = {part.name for part in dataclasses.fields(rule.Rule)}
    product = {name.lower(): value for name, value in changed.items() if name.lower() in known}
    constants = {name: value for name, value in changed.items() if name.isupper()}
    with patch.multiple(rule, **constants), patch.object(rule, "PRODUCT", rule.Rule(**product)):
        yield


class Worded:
    """An encoder that adds up a vector for each word; texts without words get the same one."""

    name, dimensions = "worded", 6

    def encode_documents(self, texts: Sequence[str], progress: Any = None) -> Floats:
        return np.stack([self.vector(text) for text in texts])

    encode_requests = encode_documents

    def encode_clauses(self, texts: Sequence[str], progress: Any = None) -> list[Floats]:
        return clause_by_clause(self.encode_requests, texts, progress)

    def vector(self, text: str) -> Floats:
        found = np.full(self.dimensions, 0.1)
        for term in terms(text):
            seed = zlib.crc32(term.encode())
            found += np.random.default_rng(seed).normal(size=self.dimensions)
        unit: Floats = (found / np.linalg.norm(found)).astype(np.float32)
        return unit


def differing(first: object, second: object) -> list[str]:
    """The attributes in which two frontiers are not the same to the last byte."""
    assert isinstance(first, Frontier | rule.Memory)
    found = []
    for part in dataclasses.fields(first):
        a, b = getattr(first, part.name), getattr(second, part.name)
        if isinstance(a, np.ndarray):
            if (a.dtype, a.shape, a.tobytes()) != (b.dtype, b.shape, b.tobytes()):
                found.append(part.name)
        elif isinstance(a, rule.Memory):
            found += [f"memory.{name}" for name in differing(a, b)]
        elif a != b:
            found.append(part.name)
    return found


@dataclass
class World:
    """What happens to a registry, in order."""

    tools: list[dict[str, Any]]
    traces: list[dict[str, Any]] = field(default_factory=list)
    same: list[tuple[str, str]] = field(default_factory=list)
    faded: bool = False

    def fill(self, registry: Registry) -> None:
        """Put it into a store, with vectors."""
        for service in sorted({tool["service"] for tool in self.tools}):
            specs = [
                {key: value for key, value in tool.items() if key != "service"}
                for tool in self.tools
                if tool["service"] == service
            ]
            registry.register(
                Manifest.model_validate({"spm": 1, "service": service, "tools": specs})
            )
        registry.import_traces([Trace.model_validate(trace) for trace in self.traces])
        for first, second in self.same:
            registry.store.write(
                "merge",
                lambda tx, a=first, b=second: {  # type: ignore[misc]
                    "rows": tx.run("fields/merge", first=a, second=b, by="x", at="")
                },
            )
        if self.faded:
            statistics.decay(registry.store, timedelta(days=9), datetime(2026, 3, 1, tzinfo=UTC))
        registry.encode(Worded())


@st.composite
def worlds(draw: st.DrawFn, *, status: bool = True, faded: bool = True) -> World:
    """Tools of all kinds and traces through them."""
    tools = [_tool(draw, f"t{at}", status) for at in range(draw(st.integers(1, 12)))]
    names = [f"{tool['service']}/{tool['name']}" for tool in tools]
    traces = [_trace(draw, f"j{at}", names) for at in range(draw(st.integers(0, 10)))]
    used = {canonical(part["name"]) for tool in tools for part in tool["inputs"] + tool["outputs"]}
    known = sorted(used & set(FIELDS))
    pair = st.tuples(st.sampled_from(known), st.sampled_from(known)) if known else st.nothing()
    same = draw(st.lists(pair.filter(lambda two: two[0] < two[1]), max_size=2)) if known[1:] else []
    return World(tools, traces, same, faded and draw(st.booleans()))


def _tool(draw: st.DrawFn, name: str, status: bool) -> dict[str, Any]:
    inputs = draw(st.dictionaries(st.sampled_from(FIELDS), st.booleans(), max_size=3))
    outputs = draw(st.lists(st.sampled_from(FIELDS), max_size=3, unique=True))
    return {
        "service": draw(st.sampled_from(["shop", "mail"])),
        "name": name,
        "description": sentence(draw),
        "family": draw(st.sampled_from(["", "order", "mail"])),
        "status": draw(st.sampled_from(["active"] * 4 + ["deprecated", "quarantined"] * status)),
        "inputs": [{"name": part, "required": needed} for part, needed in inputs.items()],
        "outputs": [{"name": part} for part in outputs],
    }


def _trace(draw: st.DrawFn, name: str, tools: list[str]) -> dict[str, Any]:
    step = st.builds(
        lambda tool, ok: {"tool": tool, "ok": ok},
        st.sampled_from(tools),
        st.sampled_from([True] * 4 + [False]),
    )
    return {
        "trace_id": name,
        "request": sentence(draw),
        "steps": draw(st.lists(step, min_size=1, max_size=5)),
        "success": draw(st.sampled_from([True] * 5 + [False])),
        "time": draw(st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", None])),
    }


def sentence(draw: st.DrawFn) -> str:
    """A few words, also none."""
    return " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=3)))
