"""Statistics over all traces; pruning and decay of old ones."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from spm.registry.store.interface import Row, Store, Transaction

BATCH = 1_000


@dataclass(frozen=True)
class Statistics:
    """Figures over all trajectories."""

    trajectories: int
    successful: int
    first: str | None
    last: str | None
    sources: list[Row] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    errors: list[Row] = field(default_factory=list)
    travelled: list[Row] = field(default_factory=list)


def statistics(store: Store, *, top: int = 10) -> Statistics:
    """Count trajectories, unused tools, error rates and the most travelled transitions."""
    summary = store.read("traces/summary")[0]
    tools = store.read("traces/tools")
    failing = [
        {**row, "rate": round(row["errors"] / row["calls"], 4)} for row in tools if row["errors"]
    ]
    failing.sort(key=lambda row: (-row["rate"], -row["errors"], row["id"]))
    ages = sorted(store.read("traces/ages"), key=lambda r: (-r["count"], r["first"], r["second"]))
    return Statistics(
        trajectories=summary["trajectories"],
        successful=summary["successful"] or 0,
        first=summary["first"],
        last=summary["last"],
        sources=store.read("traces/sources"),
        unused=[row["id"] for row in tools if not row["calls"]],
        errors=failing[:top],
        travelled=ages[:top],
    )


def prune(store: Store, before: datetime) -> int:
    """Drop trajectories from before a moment; counts on tools and transitions stay.

    Returns how many were dropped. Batches are operations of their own: stopping half way leaves a
    registry that can be pruned further.
    """
    moment = before.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    dropped = 0
    while ids := [r["id"] for r in store.read("traces/old", before=moment, count=BATCH)]:
        store.write("prune", lambda tx, ids=ids: _drop(tx, ids))  # type: ignore[misc]
        dropped += len(ids)
    return dropped


def _drop(tx: Transaction, ids: list[str]) -> dict[str, Any]:
    tx.run("traces/prune_steps", ids=ids)
    tx.run("traces/prune", ids=ids)
    return {"pruned": len(ids)}


def decay(store: Store, half_life: timedelta, at: datetime) -> int:
    """Weigh transitions and flows by age: half as much after each half-life since last seen.

    The count stays; the weight is made anew from count and age, so decaying twice changes nothing.
    Returns how many transitions were weighed.
    """
    done = store.write("decay", lambda tx: _weigh(tx, half_life, at))
    return int(done["weighed"]) if done else 0


def _age(last_seen: str | None, at: datetime) -> timedelta:
    if not last_seen:
        return timedelta(0)  # undated evidence cannot fade
    seen = datetime.fromisoformat(last_seen)
    return max(timedelta(0), at - seen)


def _weigh(tx: Transaction, half_life: timedelta, at: datetime) -> dict[str, Any] | None:
    def weighed(row: Row) -> Row:
        weight = row["count"] * 0.5 ** (_age(row["last_seen"], at) / half_life)
        return {**row, "weight": round(weight, 6)}

    # Read under the lock: what an import adds meanwhile must not be weighed away.
    transitions = [weighed(row) for row in tx.run("traces/ages")]
    flows = [weighed(row) for row in tx.run("traces/flow_ages")]
    if not transitions and not flows:
        return None
    tx.run("traces/weigh", rows=transitions)
    if flows:
        tx.run("traces/weigh_flows", rows=flows)
    return {"weighed": len(transitions)}
