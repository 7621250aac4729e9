"""Importing trajectories: who was called in which order, counted once, without any value."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from spm.registry.declaration import field_rows
from spm.registry.errors import TraceError, UnknownTool
from spm.registry.fields import canonical, is_control
from spm.registry.models import OutputSpec, Trace, digest
from spm.registry.naming import nearest
from spm.registry.store import Row, Store, Transaction
from spm.registry.tools import Resolver

BATCH = 2_000
Resolved = tuple[Trace, list[str]]


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
    """Import trajectories; those already known change nothing.

    Everything is read and checked before the first is written. Writing goes in batches, each whole
    or not at all: memory grows with a batch, and an import that was stopped is finished by
    repeating it. An iterator, which can be read only once, is kept in memory.

    Raises:
        TraceError: a step names no tool and `skip_unknown` is false, or two different trajectories
            carry the same id; nothing was imported.
    """
    source = list(traces) if isinstance(traces, Iterator) else traces
    resolver = Resolver(store)
    skipped, repeated = _check(source, resolver, skip_unknown)
    imported = known = steps = 0
    seen: set[str] = set()
    for batch in _batches(source):
        resolved = []
        for trace in batch:
            tools = None if trace.identity() in seen else _resolve(trace, resolver, True)
            seen.add(trace.identity())
            if tools is not None:
                resolved.append((trace, tools))
        done = store.write("import", lambda tx, rows=resolved: _write(tx, rows))  # type: ignore[misc]
        imported += done["imported"] if done else 0
        known += done["known"] if done else len(resolved)
        steps += done["steps"] if done else 0
        if progress:
            progress(len(batch))
    return Import(imported, known + repeated, skipped, steps)


def _check(source: Iterable[Trace], resolver: Resolver, skip_unknown: bool) -> tuple[int, int]:
    """Read everything once; returns how many will be skipped and how many repeat another."""
    contents: dict[str, str] = {}
    skipped = repeated = 0
    for trace in source:
        identity, content = trace.identity(), digest(trace.model_dump(mode="json"))[:16]
        if identity in contents:
            if contents[identity] != content:
                raise TraceError(
                    f"Two different trajectories carry the id {identity!r}. "
                    "Give each its own trace_id; nothing was imported."
                )
            repeated += 1
            continue
        contents[identity] = content
        skipped += _resolve(trace, resolver, skip_unknown) is None
    return skipped, repeated


def _batches(traces: Iterable[Trace]) -> Iterator[list[Trace]]:
    iterator = iter(traces)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _resolve(trace: Trace, resolver: Resolver, skip_unknown: bool) -> list[str] | None:
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


def _write(tx: Transaction, resolved: list[Resolved]) -> dict[str, Any] | None:
    ids = [trace.identity() for trace, _ in resolved]
    known = {row["id"] for row in tx.run("traces/known", ids=ids)}
    fresh = [(trace, tools) for trace, tools in resolved if trace.identity() not in known]
    if not fresh:
        return None
    _require(tx, {tool for _, tools in fresh for tool in tools})
    steps = [row for trace, tools in fresh for row in _step_rows(trace, tools)]
    tx.run("traces/upsert", rows=[_trajectory_row(trace, tools) for trace, tools in fresh])
    tx.run("traces/steps", rows=steps)
    tx.run("traces/precedes", rows=transitions(fresh))
    tx.run("traces/before", rows=orders(fresh))
    tx.run("traces/usage", rows=usage(fresh))
    _observe(tx, fresh)
    return {"imported": len(fresh), "known": len(known), "steps": len(steps)}


def _require(tx: Transaction, tools: set[str]) -> None:
    """Names were resolved before the lock; somebody may have removed a tool since."""
    gone = tools - {row["id"] for row in tx.run("tools/hashes", ids=sorted(tools))}
    if gone:
        raise TraceError(
            f"{min(gone)!r} was removed while the traces were read. Nothing of this batch was "
            "imported; repeat the command."
        )


def _observe(tx: Transaction, fresh: list[Resolved]) -> None:
    """Fields that results were seen to carry become edges with evidence `observed`."""
    seen: Counter[tuple[str, str, str]] = Counter(
        (tool, name, kind)
        for trace, tools in fresh
        for step, tool in zip(trace.steps, tools, strict=True)
        if step.ok
        for name, kind in step.gives.items()
        if not is_control(name)
    )
    if not seen:
        return
    tools = sorted({tool for tool, _, _ in seen})
    families = {row["id"]: row["family"] for row in tx.run("tools/show", ids=tools)}
    counts: Counter[tuple[str, str]] = Counter()
    named: list[tuple[str, OutputSpec]] = []
    for (tool, spelled, kind), count in sorted(seen.items()):
        name = canonical(spelled, families[tool] or "")
        counts[tool, name] += count
        named.append((name, OutputSpec.model_validate({"name": spelled, "type": kind})))
    tx.run("tools/fields", rows=field_rows(tx.run("fields/vocabulary"), named))
    tx.run(
        "traces/observe",
        rows=[{"id": t, "field": f, "count": counts[t, f]} for t, f in sorted(counts)],
    )


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


def transitions(traces: Iterable[Resolved]) -> list[Row]:
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


def orders(traces: Iterable[Resolved]) -> list[Row]:
    """c(i≺j): in how many trajectories i comes before j, at any distance."""
    counts: Counter[tuple[str, str]] = Counter()
    for trace, tools in traces:
        path = list(dict.fromkeys(solved(trace, tools)))
        counts.update((a, b) for i, a in enumerate(path) for b in path[i + 1 :])
    return [{"first": a, "second": b, "count": counts[a, b]} for a, b in sorted(counts)]


def usage(traces: Iterable[Resolved]) -> list[Row]:
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
