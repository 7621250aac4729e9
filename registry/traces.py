"""Importing trajectories: who was called in which order, counted once, without any value."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from spm.registry.errors import TraceError, UnknownTool
from spm.registry.models import Trace
from spm.registry.naming import nearest
from spm.registry.store import Row, Store, Transaction
from spm.registry.tools import Resolver

BATCH = 2_000


@dataclass(frozen=True)
class Import:
    """What an import did."""

    imported: int
    known: int
    skipped: int
    steps: int


def import_traces(
    store: Store,
    traces: Iterable[Trace],
    *,
    skip_unknown: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Import:
    """Import trajectories in one transaction; those already known change nothing.

    Raises:
        UnknownTool: a step names no tool and `skip_unknown` is false; nothing was imported.
        TraceError: two different trajectories carry the same id.
    """
    resolver = Resolver(store)
    resolved: list[tuple[Trace, list[str]]] = []
    seen: dict[str, Trace] = {}
    skipped = repeated = 0
    for batch in _batches(traces):
        for trace in batch:
            if trace.identity() in seen:
                _refuse_other(seen[trace.identity()], trace)
                repeated += 1
                continue
            seen[trace.identity()] = trace
            tools = _resolve(trace, resolver, skip_unknown)
            if tools is None:
                skipped += 1
            else:
                resolved.append((trace, tools))
        if progress:
            progress(len(batch))
    result = store.write("import", lambda tx: _write(tx, resolved)) if resolved else None
    done = result or {"imported": 0, "known": len(resolved), "steps": 0}
    return Import(done["imported"], done["known"] + repeated, skipped, done["steps"])


def _batches(traces: Iterable[Trace]) -> Iterator[list[Trace]]:
    iterator = iter(traces)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _refuse_other(first: Trace, second: Trace) -> None:
    if first != second:
        raise TraceError(
            f"Two different trajectories carry the id {first.identity()!r}. "
            "Give each its own trace_id; nothing was imported."
        )


def _resolve(trace: Trace, resolver: "Resolver", skip_unknown: bool) -> list[str] | None:
    try:
        return [resolver.resolve(step.tool) for step in trace.steps]
    except UnknownTool as error:
        if skip_unknown:
            return None
        hint = nearest(error.name, resolver.ids())
        raise TraceError(
            f"Trajectory {trace.identity()!r} calls {error.name!r}, which is not registered."
            f"{f' Nearest: {hint[0]!r}.' if hint else ''} Register it first, or leave such "
            "trajectories out with --skip-unknown. Nothing was imported."
        ) from error


def _write(tx: Transaction, resolved: list[tuple[Trace, list[str]]]) -> dict[str, Any] | None:
    ids = [trace.identity() for trace, _ in resolved]
    known = {row["id"] for row in tx.run("traces/known", ids=ids)}
    fresh = [(trace, tools) for trace, tools in resolved if trace.identity() not in known]
    if not fresh:
        return None
    steps = [row for trace, tools in fresh for row in _step_rows(trace, tools)]
    tx.run("traces/upsert", rows=[_trajectory_row(trace, tools) for trace, tools in fresh])
    tx.run("traces/steps", rows=steps)
    tx.run("traces/precedes", rows=transitions(fresh))
    tx.run("traces/before", rows=orders(fresh))
    tx.run("traces/usage", rows=usage(fresh))
    return {"imported": len(fresh), "known": len(known), "steps": len(steps)}


def _trajectory_row(trace: Trace, tools: Sequence[str]) -> Row:
    return {
        "id": trace.identity(),
        "request": trace.request,
        "source": trace.source,
        "success": trace.success,
        "time": trace.moment(),
        "path": list(tools),
    }


def _step_rows(trace: Trace, tools: Sequence[str]) -> list[Row]:
    return [
        {"trajectory": trace.identity(), "tool": tool, "idx": i, "ok": step.ok}
        for i, (step, tool) in enumerate(zip(trace.steps, tools, strict=True))
    ]


def solved(trace: Trace, tools: Sequence[str]) -> list[str]:
    """The path that counts for precedence: successful calls of a successful trajectory."""
    if not trace.success:
        return []
    return [tool for step, tool in zip(trace.steps, tools, strict=True) if step.ok]


def transitions(traces: Iterable[tuple[Trace, list[str]]]) -> list[Row]:
    """Adjacent pairs with counts, summed here because not every engine sums duplicates."""
    counts: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str], str] = {}
    for trace, tools in traces:
        path = solved(trace, tools)
        for pair in pairwise(path):
            counts[pair] += 1
            seen[pair] = max(seen.get(pair, ""), trace.moment() or "")
    return [
        {"first": a, "second": b, "count": counts[a, b], "last_seen": seen[a, b]}
        for a, b in sorted(counts)
    ]


def orders(traces: Iterable[tuple[Trace, list[str]]]) -> list[Row]:
    """c(i≺j): in how many trajectories i comes before j, at any distance."""
    counts: Counter[tuple[str, str]] = Counter()
    for trace, tools in traces:
        path = list(dict.fromkeys(solved(trace, tools)))
        counts.update((a, b) for i, a in enumerate(path) for b in path[i + 1 :])
    return [{"first": a, "second": b, "count": counts[a, b]} for a, b in sorted(counts)]


def usage(traces: Iterable[tuple[Trace, list[str]]]) -> list[Row]:
    """Counters of each tool: trajectories, entries, calls, errors."""
    rows: dict[str, Counter[str]] = {}
    for trace, tools in traces:
        path = solved(trace, tools)
        for tool in set(path):
            rows.setdefault(tool, Counter())["frequency"] += 1
        if path:
            rows[path[0]]["entry_frequency"] += 1
        for step, tool in zip(trace.steps, tools, strict=True):
            rows.setdefault(tool, Counter())["calls"] += 1
            rows[tool]["errors"] += not step.ok
    names = ("frequency", "entry_frequency", "calls", "errors")
    return [{"id": tool, **{n: rows[tool][n] for n in names}} for tool in sorted(rows)]
