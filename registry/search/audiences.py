"""Audiences: how many of the tools that a caller sees hold a term, counted by every write on Neo4j.

An audience is one combination of what the condition `visible(tool)` reads. A tool counts in one
audience with the terms that stand on its node, and `Tool.audience` says in which. The embedded
engine counts in memory and needs no counters.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from spm.registry.store.interface import Row, Store, Transaction

BATCH = 500
# Writes after which a tool may belong to another audience, and before which it leaves its own.
CHANGING = frozenset(
    ("effects/derive", "effects/set", "exchange/put_tools", "tools/approve", "tools/set_access",
     "tools/set_status", "tools/upsert")
)  # fmt: skip
REMOVING = frozenset(("tools/remove",))


def audience_of(tool: Row) -> str | None:
    """The audience that a tool counts in; None: nobody finds it by words."""
    if tool["status"] != "active" or tool["terms"] is None:
        return None
    return hashlib.sha256(json.dumps(_seen_by(tool)).encode()).hexdigest()[:16]


def _seen_by(tool: Row) -> list[object]:
    public = tool["visibility"] == "public"
    owner = None if public else tool["owner"]  # whose a public tool is hides it from nobody
    return [public, owner, sorted(tool["scopes"] or ()), tool["effects"] == "read"]


def recount(tx: Transaction, ids: Iterable[str]) -> None:
    """Count tools where they belong now."""
    rows = tx.run("search/counted", ids=sorted(ids))
    _move(tx, [(row, audience_of(row)) for row in rows])


def uncount(tx: Transaction, ids: Iterable[str]) -> None:
    """Count tools nowhere: they are removed, or get other terms."""
    _move(tx, [(row, None) for row in tx.run("search/counted", ids=sorted(ids))])


def count_waiting(store: Store) -> None:
    """Count the tools of a store that an earlier spm wrote; one read where none is left."""

    def work(tx: Transaction) -> dict[str, Any] | None:
        waiting = [row["id"] for row in tx.run("search/uncounted", limit=BATCH)]
        recount(tx, waiting)
        return {"counted": len(waiting)} if waiting else None

    while store.read("search/uncounted", limit=1):
        store.write("count", work)


def _move(tx: Transaction, moves: Sequence[tuple[Row, str | None]]) -> None:
    moves = [(tool, to) for tool, to in moves if tool["audience"] != to]
    if not moves:
        return
    held: Counter[tuple[str, str]] = Counter()
    totals: dict[str, Row] = {}
    for tool, to in moves:
        terms = {*tool["terms"].split()}  # an earlier spm kept repeats
        for audience, sign in ((tool["audience"], -1), (to, 1)):
            if audience is None:
                continue
            total = totals.setdefault(audience, _blank(audience, tool))
            total["tools"] += sign
            for term in terms:
                held[audience, term] += sign
    tx.run("search/add_audiences", rows=[totals[name] for name in sorted(totals)])
    counts = [
        {"audience": audience, "term": term, "tools": count}
        for (audience, term), count in sorted(held.items())
        if count
    ]
    tx.run("search/add_terms", rows=counts)
    tx.run("search/set_audiences", rows=[{"id": t["id"], "audience": to} for t, to in moves])


def _blank(audience: str, tool: Row) -> Row:
    """An audience that a tool belongs to, as the condition reads it.

    One that the tool leaves is there already, so that what is said of it here is not written.
    """
    public, owner, scopes, reads = _seen_by(tool)
    return {
        "id": audience,
        "visibility": "public" if public else "team",
        "owner": owner,
        "scopes": scopes,
        "effects": "read" if reads else "write",
        "tools": 0,
    }
