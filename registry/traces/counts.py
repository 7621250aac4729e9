"""Turns traces into counts: transitions, order at any distance, and use of tools."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from spm.registry.models import Trace
from spm.registry.store.interface import Row
from spm.registry.traces.field_evidence import Resolved


def successful_path(trace: Trace, tools: Sequence[str]) -> list[str]:
    """The path that counts for precedence: successful calls of a successful trajectory."""
    if not trace.success:
        return []
    return [tool for step, tool in zip(trace.steps, tools, strict=True) if step.ok]


def transitions(traces: Iterable[Resolved]) -> list[Row]:
    """Adjacent pairs with counts, summed here because not every engine sums duplicates."""
    counts: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str], str] = {}
    for trace, tools in traces:
        path = successful_path(trace, tools)
        for pair in pairwise(path):
            counts[pair] += 1
            seen[pair] = max(seen.get(pair, ""), trace.moment() or "")
    return [
        {"first": a, "second": b, "count": counts[a, b], "last_seen": seen[a, b]}
        for a, b in sorted(counts)
    ]


def orders(traces: Iterable[Resolved]) -> list[Row]:
    """c(i≺j): in how many trajectories i comes before j, at any distance."""
    counts: Counter[tuple[str, str]] = Counter()
    for trace, tools in traces:
        path = list(dict.fromkeys(successful_path(trace, tools)))
        counts.update((a, b) for i, a in enumerate(path) for b in path[i + 1 :])
    return [{"first": a, "second": b, "count": counts[a, b]} for a, b in sorted(counts)]


def usage(traces: Iterable[Resolved]) -> list[Row]:
    """Counters of each tool: trajectories, entries, calls, errors."""
    rows: dict[str, Counter[str]] = {}
    for trace, tools in traces:
        path = successful_path(trace, tools)
        for tool in set(path):
            rows.setdefault(tool, Counter())["frequency"] += 1
        if path:
            rows[path[0]]["entry_frequency"] += 1
        for step, tool in zip(trace.steps, tools, strict=True):
            rows.setdefault(tool, Counter())["calls"] += 1
            rows[tool]["errors"] += not step.ok
    names = ("frequency", "entry_frequency", "calls", "errors")
    return [{"id": tool, **{n: rows[tool][n] for n in names}} for tool in sorted(rows)]
