"""Importing trajectories: who was called in which order, counted once, without any value."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver, resolver_for
from spm.registry.errors import TraceError, UnknownStep, UnknownTool
from spm.registry.models import Trace, digest
from spm.registry.store.interface import Row, Store, Transaction
from spm.registry.traces.counts import orders, transitions, usage
from spm.registry.traces.field_evidence import Output, Resolved, observe
from spm.registry.traces.trace_origin import declared_source

BATCH = 2_000


@dataclass(frozen=True)
class Import:
    """What an import did."""

    imported: int
    known: int
    skipped: int
    steps: int
    # Of the known ones: those that came with another request, path, outcome, time or source; who
    # delivered them is no difference.
    differing: int = 0
    # Outputs that were seen and not added, because their tool has as many as traces may add.
    dropped: int = 0


def import_traces(
    store: Store,
    traces: Iterable[Trace],
    *,
    skip_unknown: bool = False,
    progress: Callable[[int], None] | None = None,
    caller: Caller = EVERYTHING,
) -> Import:
    """Import trajectories; those already known change nothing.

    Tools that the caller does not see are unknown to it.

    Everything is read and checked before the first is written. Writing goes in batches, each whole
    or not at all: memory grows with a batch, and an import that was stopped is finished by
    repeating it. An iterator, which can be read only once, is kept in memory.

    Raises:
        TraceError: a step names no tool and `skip_unknown` is false, or two different trajectories
            carry the same id; nothing was imported.
    """
    source = list(traces) if isinstance(traces, Iterator) else traces
    resolver = resolver_for(store, caller)
    skipped, repeated = _check(source, resolver, skip_unknown)
    total: Counter[str] = Counter()
    seen: set[str] = set()
    dropped: set[Output] = set()
    for batch in _batches(source):
        resolved = []
        for trace in batch:
            tools = None if trace.identity() in seen else _resolve(trace, resolver, True)
            seen.add(trace.identity())
            if tools is not None:
                resolved.append((trace, tools))
        total.update(_put(store, resolved, dropped))
        if progress:
            progress(len(batch))
    return Import(
        imported=total["imported"],
        known=total["known"] + repeated,
        skipped=skipped,
        steps=total["steps"],
        differing=total["differing"],
        dropped=len(dropped),
    )


def _put(store: Store, resolved: list[Resolved], dropped: set[Output]) -> dict[str, int]:
    """Write a batch; returns what became of it, also when there was nothing to write.

    Outputs that were not added are put into `dropped`: several batches may see the same one.
    """
    found: dict[str, int] = {}

    def work(tx: Transaction) -> dict[str, Any] | None:
        found.update(_write(tx, resolved, dropped))
        return dict(found) if found["imported"] else None

    store.write("import", work)
    return found


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
        near = nearest(error.name, resolver.ids())
        raise UnknownStep(trace.identity(), error.name, near) from error


def _write(tx: Transaction, resolved: list[Resolved], dropped: set[Output]) -> dict[str, int]:
    ids = [trace.identity() for trace, _ in resolved]
    known = {row["id"]: row for row in tx.run("traces/known", ids=ids)}
    fresh = [(trace, tools) for trace, tools in resolved if trace.identity() not in known]
    steps = [row for trace, tools in fresh for row in _step_rows(trace, tools)]
    if fresh:
        _require(tx, {tool for _, tools in fresh for tool in tools})
        tx.run("traces/upsert", rows=[_trajectory_row(trace, tools) for trace, tools in fresh])
        tx.run("traces/steps", rows=steps)
        tx.run("traces/precedes", rows=transitions(fresh))
        tx.run("traces/before", rows=orders(fresh))
        tx.run("traces/usage", rows=usage(fresh))
        dropped |= observe(tx, fresh)
    told = [_trajectory_row(t, tools) for t, tools in resolved if t.identity() in known]
    return {
        "imported": len(fresh),
        "known": len(known),
        "steps": len(steps),
        "differing": sum(_differs(row, known[row["id"]]) for row in told),
    }


def _differs(row: Row, kept: Row) -> bool:
    """Whether a trajectory is another one under a known id; a pruned one can no longer tell."""
    kept = {
        **kept,
        "id": row["id"],
        "source": declared_source(kept["source"]),
    }  # it may have had another id
    row = {**row, "source": declared_source(row["source"])}
    return not kept["pruned"] and any(row[key] != kept[key] for key in row)


def _require(tx: Transaction, tools: set[str]) -> None:
    """Names were resolved before the lock; somebody may have removed a tool since."""
    gone = tools - {row["id"] for row in tx.run("tools/hashes", ids=sorted(tools))}
    if gone:
        raise TraceError(
            f"{min(gone)!r} was removed while the traces were read. Nothing of this batch was "
            "imported; repeat the command."
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
