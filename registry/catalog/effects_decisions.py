"""What a person decides about the effects of tools, against their source; kept for ever.

A decision stands beside the definition: no version and no registration touches it. The tool carries
the effects that hold, so that every query and every menu sees them; `EffectsDecision` nodes carry
who decided what, when and why, also of tools that were removed.
"""

from collections.abc import Iterable
from typing import Any, get_args

from spm.registry.catalog.graph_rows import Tools, effects_reason
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tool_patterns import is_match
from spm.registry.errors import InputError, UnknownTool
from spm.registry.map import feeds
from spm.registry.models import Effects
from spm.registry.store.interface import Row, Store, Transaction, now
from spm.registry.store.reader import Reader

MAX_REASON = 1_000
DANGER = get_args(Effects)  # the safest first
OVERRIDE, RESET = "override", "reset"


def effects_of(store: Reader, pattern: str = "*") -> list[Row]:
    """The effects of the tools that a pattern matches: why, what the source says, who decided.

    Args:
        store: where.
        pattern: an id or a name; `*` stands for any characters, `/` included.

    Raises:
        UnknownTool: no tool matches.
    """
    return _matching(store.read("effects/tools"), pattern)


def override(
    store: Store, pattern: str, effects: Effects | None, *, by: str, because: str = ""
) -> list[Row]:
    """Say what tools do, whatever their source says; or take that back.

    Everything is written in one transaction, and with it the revision rises, so that menus and
    snapshots are built anew. FEEDS follows: effects say who sees a tool, and of some what they do.

    Args:
        store: where.
        pattern: see `effects_of`.
        effects: what the tools do; None: what their source says.
        by: who decides.
        because: why; shown wherever the effects are.

    Returns:
        The matching tools as they are now.

    Raises:
        UnknownTool: no tool matches; nothing was written.
        InputError: the reason is too long, or there is none, and a tool would look safer than its
            source says; nothing was written.
    """
    if len(because) > MAX_REASON:
        raise InputError(
            f"The reason has {len(because):,} characters; at most {MAX_REASON:,} are kept."
        )

    def work(tx: Transaction) -> dict[str, Any] | None:
        rows = _explained(_matching(tx.run("effects/tools"), pattern), effects, because)
        chosen = [row for row in rows if _differs(row, effects, by, because)]
        if not chosen:
            return None
        at = now()
        numbers = _numbers(tx, [row["id"] for row in chosen])
        settled = [_settled(row, effects, by, because, at) for row in chosen]
        tx.run("effects/set", rows=settled, at=at)
        decisions = [
            {
                "id": f"{row['id']}#{numbers[row['id']]:06}",
                "tool": row["id"],
                "number": numbers[row["id"]],
                "kind": RESET if effects is None else OVERRIDE,
                "before": row["effects"],
                "after": after["effects"],
                "reason": because,
                "by": by,
                "at": at,
            }
            for row, after in zip(chosen, settled, strict=True)
        ]
        tx.run("exchange/put_effects_decisions", rows=decisions)
        changed = [row["tool"] for row in decisions if row["before"] != row["after"]]
        feeds.refresh_around(tx, changed)
        return {"tools": [row["id"] for row in chosen]}

    # Refuse before a lock is taken.
    _explained(_matching(store.read("effects/tools"), pattern), effects, because)
    store.write("effects", work)
    return effects_of(store, pattern)


def decisions(store: Reader, pattern: str = "*") -> list[Row]:
    """Every decision about tools that a pattern matches, oldest first; also about removed ones."""
    return [
        row for row in store.read("effects/decisions", ids=None) if is_match(row["tool"], pattern)
    ]


def derive(tx: Transaction, tools: Tools, at: str) -> None:
    """Write what the source of unchanged tools gives now; what a person decided stays."""
    rows = [
        {"id": identity, "effects": tool.effects, "effects_reason": effects_reason(tool)}
        for identity, tool in tools.items()
    ]
    tx.run("effects/derive", rows=rows, at=at)


def reapply(tx: Transaction, ids: list[str], at: str) -> None:
    """Let decisions hold again for tools that were removed and are back."""
    last = {row["tool"]: row for row in tx.run("effects/decisions", ids=ids)}
    standing = {tool: row for tool, row in last.items() if row["kind"] == OVERRIDE}
    if not standing:
        return
    rows = [
        _settled(row, chosen["after"], chosen["by"], chosen["reason"], chosen["at"])
        for row in tx.run("effects/tools")
        if (chosen := standing.get(row["id"])) and row["effects_by"] is None
    ]
    if rows:
        tx.run("effects/set", rows=rows, at=at)


def _matching(rows: list[Row], pattern: str) -> list[Row]:
    found = [row for row in rows if is_match(row["id"], pattern)]
    if not found and not (pattern == "*" and not rows):
        raise UnknownTool(pattern, nearest(pattern, (row["id"] for row in rows)))
    return found


def _explained(rows: list[Row], effects: Effects | None, because: str) -> list[Row]:
    """The same rows; whoever makes a tool look safer than its source says has to say why."""
    if effects is None or because.strip():
        return rows
    safer = [row for row in rows if DANGER.index(effects) < DANGER.index(row["source_effects"])]
    if safer:
        first, more = safer[0], f" and {len(safer) - 1} more" if len(safer) > 1 else ""
        raise InputError(
            f"{first['id']!r} is {first['source_effects']} by its source{more}. Say why "
            f"it should count as {effects}, which is safer: --because TEXT"
        )
    return rows


def _differs(row: Row, effects: Effects | None, by: str, because: str) -> bool:
    if effects is None:
        return row["effects_by"] is not None
    known = row["effects"], row["effects_by"] is not None, row["effects_reason"]
    return known != (effects, True, because or _unsaid(by))


def _settled(row: Row, effects: str | None, by: str, because: str, at: str) -> Row:
    """The effects of a tool after a decision."""
    source = {key: row[key] for key in ("id", "source_effects", "source_effects_reason")}
    if effects is None:
        return source | {
            "effects": row["source_effects"],
            "effects_reason": row["source_effects_reason"],
            "effects_by": None,
            "effects_at": None,
        }
    reason = because or _unsaid(by)
    return source | {
        "effects": effects, "effects_reason": reason, "effects_by": by, "effects_at": at,
    }  # fmt: skip


def _unsaid(by: str) -> str:
    return f"decided by {by}"


def _numbers(tx: Transaction, ids: Iterable[str]) -> dict[str, int]:
    """The number of the next decision about each tool."""
    numbers = dict.fromkeys(ids, 1)
    for row in tx.run("effects/decisions", ids=list(numbers)):
        numbers[row["tool"]] = row["number"] + 1
    return numbers
