"""Importing trajectories: who was called in which order, counted once, without any value."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver, resolver_for
from spm.registry.errors import TraceError, UnknownStep, UnknownTool
from spm.registry.models import Trace
from spm.registry.store.interface import Row, Store, Transaction
from spm.registry.traces.counts import orders, transitions, usage
from spm.registry.traces.field_evidence import Output, Resolved, observe
from spm.registry.traces.repeats import Repeats, of
from spm.registry.traces.trace_origin import declared_source

# A batch is one transaction: so many trajectories, and so many pairs of steps that they order.
# Pairs that many trajectories share are written once for each batch, so it should be large.
BATCH, PAIRS = 5_000, 100_000


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
    or not at all: memory is that of a batch and 32 bytes for each trajectory, and an import that
    was stopped is finished by repeating it. An iterator, which can be read only once, is
    kept in memory.

    Raises:
        TraceError: a step names no tool and `skip_unknown` is false, or two different trajectories
            carry the same id; nothing was imported.
    """
    source = list(traces) if isinstance(traces, Iterator) else traces
    resolver = resolver_for(store, caller)
    found = _checked(source, resolver, skip_unknown)
    total: Counter[str] = Counter()
    seen: set[bytes] = set()
    dropped: set[Output] = set()
    for batch in _batches(source):
        resolved = []
        for trace in batch:
            if found.again and (identity := of(trace)) in found.again:
                if identity in seen:
                    continue
                seen.add(identity)
            if tools := _resolve(trace, resolver, True):
                resolved.append((trace, tools))
        total.update(_put(store, resolved, dropped))
        if progress:
            progress(len(batch))
    return Import(
        imported=total["imported"],
        known=total["known"] + found.repeated,
        skipped=found.skipped,
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


def _checked(source: Iterable[Trace], resolver: Resolver, skip_unknown: bool) -> Repeats:
    """Read everything once, before anything is written."""
    found = Repeats((t, _resolve(t, resolver, skip_unknown) is not None) for t in source)
    if found.conflict:
        identity = next(t.identity() for t in source if of(t) == found.conflict)
        raise TraceError(
            f"Two different trajectories carry the id {identity!r}. "
            "Give each its own trace_id; nothing was imported."
        )
    return found


def _batches(traces: Iterable[Trace]) -> Iterator[list[Trace]]:
    batch: list[Trace] = []
    pairs = 0
    for trace in traces:
        more = len(trace.steps) * (len(trace.steps) - 1) // 2
        if batch and (len(batch) == BATCH or pairs + more > PAIRS):
            yield batch
            batch, pairs = [], 0
        batch.append(trace)
        pairs += more
    if batch:
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
    if fresh:
        ids = sorted({tool for _, tools in fresh for tool in tools})
        _require(tx, ids)
        at = {tool: place for place, tool in enumerate(ids)}
        tx.run("traces/upsert", ids=ids, rows=[_fresh_row(t, tools, at) for t, tools in fresh])
        tx.run("traces/precedes", ids=ids, pairs=_pairs(transitions(fresh), at, "last_seen"))
        tx.run("traces/before", ids=ids, pairs=_pairs(orders(fresh), at))
        tx.run("traces/usage", rows=usage(fresh))
        dropped |= observe(tx, fresh)
    told = [_trajectory_row(t, tools) for t, tools in resolved if t.identity() in known]
    return {
        "imported": len(fresh),
        "known": len(known),
        "steps": sum(len(tools) for _, tools in fresh),
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


def _require(tx: Transaction, tools: Sequence[str]) -> None:
    """Names were resolved before the lock; somebody may have removed a tool since."""
    if gone := tx.run("tools/absent", ids=tools):
        raise TraceError(
            f"{gone[0]['id']!r} was removed while the traces were read. Nothing of this batch was "
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


def _fresh_row(trace: Trace, tools: Sequence[str], at: Mapping[str, int]) -> Row:
    """A new trajectory with its steps; these name tools by their places."""
    steps = [
        [at[tool], number, step.ok]
        for number, (step, tool) in enumerate(zip(trace.steps, tools, strict=True))
    ]
    return {**_trajectory_row(trace, tools), "steps": steps}


def _pairs(rows: Iterable[Row], at: Mapping[str, int], *more: str) -> list[list[object]]:
    """Counts of two tools as short lists: names would be most of what is sent to a server."""
    return [
        [at[row["first"]], at[row["second"]], row["count"], *(row[key] for key in more)]
        for row in rows
    ]
