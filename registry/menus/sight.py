"""Whether a caller sees a tool, and what stands in the way when not."""

from collections.abc import Iterable
from dataclasses import replace

from spm.registry.access import Caller
from spm.registry.errors import UnknownTool
from spm.registry.ranking import Ask
from spm.registry.store import Row, Store


def hindrances(card: Row, caller: Caller) -> list[tuple[str, str]]:
    """Why a caller does not see a tool, each reason with what would change it.

    Args:
        card: a row of `tools/show`.
        caller: who asks.
    """
    found = []
    if card["status"] != "active":
        successor = card["successor"]
        remedy = (
            f"spm tools approve {card['id']}"
            if card["status"] == "quarantined"
            else f"its successor {successor}"
            if successor
            else "registering it as active again"
        )
        found.append((f"It is {card['status']}.", remedy))
    if caller.team is not None and card["visibility"] != "public" and card["owner"] != caller.team:
        owner = card["owner"] or "nobody"
        reason = f"It is visible to {owner} only, not to {caller.team}."
        found.append((reason, f"--as {owner}" if card["owner"] else "an owner in its manifest"))
    missing = sorted(set(card["scopes"] or ()) - set(caller.scopes or ()))
    if caller.scopes is not None and missing:
        found.append(
            (f"It needs the scopes {', '.join(missing)}.", f"--scopes {','.join(missing)}")
        )
    if caller.read_only and card["effects"] != "read":
        found.append((f"Its effects are {card['effects']}.", "leaving out --read-only"))
    return found


def obstacles(store: Store, ask: Ask, tool: str) -> tuple[Row, list[tuple[str, str]]]:
    """A tool's card, and what keeps it out of a menu before anything is scored.

    Raises:
        UnknownTool: there is no such tool.
    """
    cards = store.read("tools/show", ids=[tool])
    if not cards:
        raise UnknownTool(tool, [])
    found = hindrances(cards[0], ask.caller)
    if tool in ask.done:
        found.append(("It ran already.", "leaving out --done for it"))
    return cards[0], found


def lifted(card: Row, ask: Ask) -> Ask:
    """The same question without what the caller's rights and `done` put in the tool's way."""
    caller = ask.caller
    team = caller.team
    if team is not None and card["visibility"] != "public":
        team = card["owner"] or None
    scopes = caller.scopes
    if scopes is not None:
        scopes = tuple(sorted({*scopes, *(card["scopes"] or ())}))
    read_only = caller.read_only and card["effects"] == "read"
    done = tuple(tool for tool in ask.done if tool != card["id"])
    return replace(ask, caller=Caller(team, scopes, read_only), done=done)


def sees(card: Row, caller: Caller) -> bool:
    """Whether a caller sees an active tool."""
    return not hindrances(card, caller)


def visible(store: Store, tools: Iterable[str], caller: Caller) -> dict[str, Row]:
    """The cards of those tools that a caller sees."""
    rows = store.read("tools/show", ids=sorted(set(tools)))
    return {row["id"]: row for row in rows if sees(row, caller)}
