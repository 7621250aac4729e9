"""Audiences: who sees a tool, and whether everybody who sees some tools sees another one too.

An edge between two tools must not tell of a third one that somebody who sees the two does not see.
So whoever compares tools compares those that are shown to everybody who sees both ends.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from spm.registry.store.interface import Row

ACCESS = ("status", "visibility", "owner", "scopes", "effects")  # what the rule of access reads


@dataclass(frozen=True)
class Audience:
    """The callers who see a tool, or all of some tools.

    Attributes:
        active: no caller sees a tool that is not.
        owners: of whose teams they are; None: of any. No owner at all leaves callers of no team.
        scopes: that they all have.
        reads: whether callers who may only read are among them.
    """

    active: bool = True
    owners: frozenset[str] | None = None
    scopes: frozenset[str] = frozenset()
    reads: bool = False

    def shared(self, other: "Audience") -> "Audience":
        """Those who see both."""
        return _shared(self, other)

    def sees(self, other: "Audience") -> bool:
        """Whether all of these see what the other audience sees."""
        return _sees(self, other)


@lru_cache(10_000)
def _shared(one: Audience, other: Audience) -> Audience:
    if not (one.active and other.active):
        return NOBODY
    owners = one.owners if other.owners is None else other.owners
    if one.owners is not None and other.owners is not None:
        owners = one.owners & other.owners
    return Audience(True, owners, one.scopes | other.scopes, one.reads and other.reads)


@lru_cache(10_000)
def _sees(callers: Audience, shown: Audience) -> bool:
    if not callers.active:
        return True  # nobody is there from whom anything could be hidden
    public = shown.owners is None
    return (
        shown.active
        and (public or (callers.owners is not None and callers.owners <= (shown.owners or set())))
        and shown.scopes <= callers.scopes
        and (shown.reads or not callers.reads)
    )


EVERYBODY = Audience(reads=True)
NOBODY = Audience(active=False)


def audience_of(row: Row) -> Audience:
    """Who sees the tool of a row that says what the rule of access reads."""
    if row["status"] != "active":
        return NOBODY
    return Audience(
        True,
        None if row["visibility"] == "public" else _team(row["owner"]),
        frozenset(row["scopes"] or ()),
        row["effects"] == "read",
    )


def _team(owner: str | None) -> frozenset[str]:
    return frozenset() if owner is None else frozenset((owner,))


class Places:
    """Counts how many better ones somebody sees, where only so many are kept.

    Args:
        most: how many are kept.
        consumer: who sees what they are kept for.
    """

    def __init__(self, most: int, consumer: Audience) -> None:
        self._most, self._consumer = most, consumer
        self._before: dict[Audience, int] = {}

    def takes(self, producer: Audience) -> bool:
        """Whether the next one, not as good as all before it, is among those that are kept."""
        both = producer.shared(self._consumer)
        better = sum(count for kind, count in self._before.items() if both.sees(kind))
        self._before[producer] = self._before.get(producer, 0) + 1
        return better < self._most

    def are_full(self, kinds: Iterable[Audience]) -> bool:
        """Whether none of these kinds can be kept any more."""
        for kind in kinds:
            both = kind.shared(self._consumer)
            if sum(n for known, n in self._before.items() if both.sees(known)) < self._most:
                return False
        return True
