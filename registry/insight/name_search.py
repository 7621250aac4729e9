"""Names by their beginnings, while somebody types: visible tools, fields and families."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.insight.browse import Ground
from spm.registry.search.bm25 import terms
from spm.registry.store.interface import Store

Kind = Literal["tool", "field", "family"]
KINDS: tuple[Kind, ...] = ("tool", "field", "family")


@dataclass(frozen=True)
class Match:
    """A name that fits what was typed; `note` tells it from others of its name."""

    kind: Kind
    id: str
    name: str
    note: str


@dataclass(frozen=True)
class Names:
    """Everything that can be named; made once for each caller and state of the graph."""

    matches: dict[Kind, list[Match]]

    def fitting(self, text: str, kinds: Iterable[Kind], limit: int) -> list[Match]:
        """The best first: names that begin so, then with a word that does, then others."""
        wanted = _folded(text)
        found: list[tuple[int, str, Match]] = []
        for kind in kinds:
            for match in self.matches[kind]:
                place = _place(_folded(match.name), wanted)
                if place is None and "/" in text and text.lower() in match.id.lower():
                    place = 0
                if place is not None:
                    found.append((place, match.name, match))
        found.sort(key=lambda row: (row[0], len(row[1]), row[1], row[2].id))
        return [match for _, _, match in found[:limit]]


def read_names(store: Store, caller: Caller, ground: Ground) -> Names:
    """Read all names that a caller may know."""
    seen = filtered(store, caller)
    tools = [
        Match("tool", row["id"], row["name"], row["id"].partition("/")[0])
        for row in seen.read("tools/names")
    ]
    fields = [
        Match("field", name, name, _traffic(ground, name))
        for name in (row["field"] for row in seen.read("fields/vocabulary"))
    ]
    families = [
        Match("family", row["family"], row["family"], f"{row['tools']} tools")
        for row in ground.families
        if row["family"]
    ]
    return Names({"tool": tools, "field": fields, "family": families})


def described(store: Store, caller: Caller, names: Names, text: str, limit: int) -> list[Match]:
    """Tools whose descriptions hold the words, for who does not know the name."""
    by_id = {match.id: match for match in names.matches["tool"]}
    best = store.matching("tool", terms(text), limit, caller)
    return [by_id[tool] for tool, _ in best if tool in by_id]


def _folded(text: str) -> str:
    return "_".join(text.lower().replace("-", " ").replace("_", " ").split())


def _traffic(ground: Ground, name: str) -> str:
    return f"made by {ground.makers(name)}, needed by {ground.takers(name)}"


def _place(name: str, wanted: str) -> int | None:
    """How well a name fits: 0 best; None not at all."""
    if name.startswith(wanted):
        return 0
    if f"_{wanted}" in name:
        return 1
    words = name.split("_")
    if all(any(word.startswith(part) for word in words) for part in wanted.split("_")):
        return 2
    return 3 if wanted in name else None
