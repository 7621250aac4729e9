"""Why today's menu is not the locked one: which tools, which traces, which model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spm.registry.menus.lockfile import Lock
from spm.registry.menus.menu import WhyNot
from spm.registry.store.interface import Row, Store


@dataclass(frozen=True)
class Move:
    """A tool that stands elsewhere, or does something else there."""

    tool: str
    was: int
    now: int
    was_role: str
    role: str


@dataclass(frozen=True)
class Cause:
    """Something that is not as it was.

    Attributes:
        kind: of a tool `changed`, `added`, `removed`, `status`, `displaced` or `promoted`; of the
            registry `traces`, `tools`, `encoder` or `revision`; `ranker`, `model`, or `order`.
        tool: which tool; empty when it concerns all.
        text: what happened, in a sentence.
    """

    kind: str
    tool: str
    text: str


@dataclass(frozen=True)
class Difference:
    """What differs between a lock and now, and why. What does not touch the menu is no difference.

    Attributes:
        same: the agent would see the same tools, the same definitions, in the same order.
    """

    same: bool
    entered: list[str]
    left: list[str]
    changed: list[str]
    moved: list[Move]
    causes: list[Cause]


def compare(store: Store, old: Lock, new: Lock, why_not: Callable[[str], WhyNot]) -> Difference:
    """Compare a lock with the menu of today.

    Args:
        store: where the tools are.
        old: what was locked.
        new: the same question, locked now.
        why_not: says why a tool is absent today.
    """
    was, now = ({item.id: item for item in lock.items} for lock in (old, new))
    entered = [tool for tool in now if tool not in was]
    left = [tool for tool in was if tool not in now]
    stayed = [tool for tool in was if tool in now]
    changed = [t for t in stayed if was[t].content_hash != now[t].content_hash]
    moved = [
        Move(t, was[t].rank, now[t].rank, was[t].role, now[t].role)
        for t in stayed
        if (was[t].rank, was[t].role) != (now[t].rank, now[t].role)
    ]
    cards = {row["id"]: row for row in store.read("tools/show", ids=[*entered, *left])}
    causes = [_changed(t, was[t].version, now[t].version) for t in changed]
    causes += [_left(t, cards.get(t), old, why_not) for t in left]
    causes += [_entered(cards[t], old, new) for t in entered]
    if moved and not (entered or left):
        causes.append(Cause("order", "", "The same tools stand in another order."))
    causes += _surroundings(old, new)
    same = not (entered or left or changed or moved)
    return Difference(same, entered, left, changed, moved, causes)


def _changed(tool: str, was: str, now: str) -> Cause:
    return Cause("changed", tool, f"Its definition changed: version {was} → {now}.")


def _left(tool: str, card: Row | None, old: Lock, why_not: Callable[[str], WhyNot]) -> Cause:
    if card is None:
        return Cause("removed", tool, "It was removed from the registry.")
    if card["status"] != "active":
        instead = f" Its successor is {card['successor']}." if card["successor"] else ""
        return Cause("status", tool, f"It is {card['status']} now.{instead}")
    locked = next(item for item in old.items if item.id == tool)
    found = why_not(tool)
    why = " ".join(found.reasons) or "It no longer fits into the token budget."
    if locked.content_hash != card["content_hash"]:
        changed = _changed(tool, locked.version, card["version"])
        return Cause("changed", tool, f"{changed.text} {why}")
    return Cause("displaced", tool, why)


def _entered(card: Row, old: Lock, new: Lock) -> Cause:
    newest = old.registry.newest or ""
    grown = new.registry.tools > old.registry.tools
    # Times have seconds: in the last known second only the number of tools tells.
    if card["registered"] > newest or (card["registered"] == newest and grown):
        return Cause("added", card["id"], "It is new in the registry.")
    if card["updated"] > newest:
        return Cause("changed", card["id"], "It was changed or made active since.")
    return Cause("promoted", card["id"], "It was there before, behind the menu.")


def _surroundings(old: Lock, new: Lock) -> Iterator[Cause]:
    if old.ranker != new.ranker:
        yield Cause("ranker", "", f"Another ranker: {old.ranker} → {new.ranker}.")
    if old.model != new.model:
        shown = (f"{lock.model[:12] or 'none'}" for lock in (old, new))
        yield Cause("model", "", f"Another model: {' → '.join(shown)}.")
    was, now = old.registry, new.registry
    if was.encoder != now.encoder:
        yield Cause("encoder", "", f"Another encoder: {was.encoder} → {now.encoder}.")
    if (was.trajectories, was.transitions) != (now.trajectories, now.transitions):
        yield Cause(
            "traces",
            "",
            f"Trajectories {was.trajectories} → {now.trajectories}, transitions "
            f"{was.transitions} → {now.transitions}; similar to this request "
            f"{old.traces} → {new.traces}.",
        )
    if was.tools != now.tools:
        yield Cause("tools", "", f"Tools in the registry {was.tools} → {now.tools}.")
    if was.revision != now.revision:
        yield Cause("revision", "", f"Revision of the registry {was.revision} → {now.revision}.")
