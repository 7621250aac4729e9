"""The rule that decides whether a caller sees a tool.

The rule exists once in each language: here, and in Cypher as the fragment `visible(tool)` of
`cypher/access.cypher`. Snapshots evaluate this one. A property test compares both.
"""

from collections.abc import Iterable
from typing import NamedTuple

from spm.registry.access.caller import Caller
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader


class Reason(NamedTuple):
    """A reason why a caller does not see a tool, and the change that would remove it."""

    text: str
    remedy: str


def reasons_hidden(card: Row, caller: Caller) -> list[Reason]:
    """List the reasons why a caller does not see a tool; an empty list means that it does.

    Args:
        card: a row of `tools/show`. Of an active tool only `status`, `visibility`, `owner`,
            `scopes` and `effects` are read.
        caller: who asks.
    """
    reasons = []
    if card["status"] != "active":
        reasons.append(Reason(f"It is {card['status']}.", _activation(card)))
    if caller.team is not None and card["visibility"] != "public" and card["owner"] != caller.team:
        owner = card["owner"] or "nobody"
        remedy = f"--as {owner}" if card["owner"] else "an owner in its manifest"
        reasons.append(Reason(f"It is visible to {owner} only, not to {caller.team}.", remedy))
    missing = sorted(set(card["scopes"] or ()) - set(caller.scopes or ()))
    if caller.scopes is not None and missing:
        remedy = f"--scopes {','.join(missing)}"
        reasons.append(Reason(f"It needs the scopes {', '.join(missing)}.", remedy))
    if caller.read_only and card["effects"] != "read":
        reasons.append(Reason(f"Its effects are {card['effects']}.", "leaving out --read-only"))
    return reasons


def _activation(card: Row) -> str:
    if card["status"] == "quarantined":
        return f"spm tools approve {card['id']}"
    successor = card["successor"]
    return f"its successor {successor}" if successor else "registering it as active again"


def sees(card: Row, caller: Caller) -> bool:
    """Return whether a caller sees a tool."""
    return not reasons_hidden(card, caller)


def none_visible(store: Reader, caller: Caller) -> str:
    """Say why a caller sees no tool, for the operator: it tells how many are hidden, and why."""
    tools = store.read("tools/names")
    if not tools:
        return "The registry is empty. Load the demo with: spm demo"
    cards = store.read("tools/show", ids=[row["id"] for row in tools])
    active = [card for card in cards if card["status"] == "active"]
    count = f"{len(cards)} tool{'s' if len(cards) > 1 else ''}"
    if not active:
        return f"{count}, none active. See why: spm tools list"
    others = sum(not sees(card, Caller(caller.team)) for card in active)
    of_others = f" ({others} of other teams)" if others else ""
    return f"{count}, none visible {_whom(caller)}{of_others}. See whose: spm tools access"


def _whom(caller: Caller) -> str:
    whom = f"to {caller.team}" if caller.team is not None else "to this caller"
    if caller.scopes is not None:
        granted = ", ".join(sorted(caller.scopes))
        whom += f" with the scopes {granted}" if granted else " without any scope"
    return f"{whom}, read only" if caller.read_only else whom


def visible_tools(store: Reader, ids: Iterable[str], caller: Caller) -> dict[str, Row]:
    """Return the cards of those of some tools that a caller sees, by id."""
    rows = store.read("tools/show", ids=sorted(set(ids)))
    return {row["id"]: row for row in rows if sees(row, caller)}
