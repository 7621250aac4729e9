"""The role of each tool in a menu, its required fields, and which tools produce them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from spm.registry.menus.menu import MenuItem, Role
from spm.registry.store.interface import Row


@dataclass(frozen=True)
class Contract:
    """Required fields and produced fields of a tool, under its own names."""

    needs: list[str]
    gives: list[str]

    def made(self, same: Mapping[str, str]) -> frozenset[str]:
        """What it brings about, under one name for all spellings; what it takes it only echoes."""
        if not same:  # most often
            return frozenset(self.gives).difference(self.needs)
        taken = {same.get(name, name) for name in self.needs}
        return frozenset(same.get(name, name) for name in self.gives) - taken


@dataclass(frozen=True)
class Known:
    """What is there before the first tool runs.

    Attributes:
        given: fields that the request or its state give, under one name for all spellings.
        made: fields that only tools which ran already gave, with who did; likewise.
    """

    given: frozenset[str]
    made: Mapping[str, str]


@dataclass(frozen=True)
class Places:
    """Tools in order, the first of them a route, with their contracts."""

    order: list[str]
    route: list[str]
    contracts: Mapping[str, Contract]
    known: Known
    target: str | None = None  # what resolves the request; what follows it only delivers
    # For tools of a planned route, who gives each field: "request", "ask" or a tool.
    supplies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)  # which name stands for a merged field
    # Who makes each input of a backup, by FEEDS; what is absent is made by nobody.
    feeders: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    @cached_property
    def _makers(self) -> dict[str, list[str]]:
        """Who makes each field that some tool needs, in order."""
        stands = self.same.get
        needed = {stands(name, name) for tool in self.order for name in self.contracts[tool].needs}
        found: dict[str, list[str]] = {name: [] for name in needed}
        for tool in self.order:
            for name in self.contracts[tool].made(self.same) & needed:
                found[name].append(tool)
        return found

    def needs(self, tool: str) -> dict[str, list[str]]:
        """The required fields of a tool and who can have made them by then.

        On the route only earlier tools of the route count, for backups any tool of the menu that
        feeds them. A route of similar requests also shows what meets by its name alone.
        """
        place = {one: at for at, one in enumerate(self.route)}
        fed = self.feeders.get(tool, {})
        found: dict[str, list[str]] = {}
        for name in self.contracts[tool].needs:
            who = self.supplies.get(tool, {}).get(name)
            stands = self.same.get(name, name)
            if who is not None:
                found[name] = [] if who == "ask" else [who]
            elif stands in self.known.given:
                found[name] = ["request"]
            elif stands in self.known.made:
                found[name] = [self.known.made[stands]]
            elif tool in place:
                makers = self._makers.get(stands, ())
                found[name] = [m for m in makers if place.get(m, len(place)) < place[tool]]
            else:
                found[name] = [t for t in self.order if t in fed.get(name, ())]
        return found

    def role(self, tool: str) -> Role:
        """What a tool does in the menu."""
        if tool not in self.route:
            return "backup"
        target = self.target or self.route[-1]
        if tool == target:
            return "target"
        if self.route.index(tool) > self.route.index(target):
            return "terminal"
        return "entry" if tool == self.route[0] else "bridge"

    def items(
        self,
        cards: Mapping[str, Row],
        terms: Mapping[str, Mapping[str, float]],
        order: Mapping[str, dict[str, float]] | None = None,
        signals: Mapping[str, dict[str, float]] | None = None,
    ) -> list[MenuItem]:
        """The tools as a menu shows them; a score is the sum of its terms."""
        made = []
        for rank, tool in enumerate(self.order, 1):
            card, parts = cards[tool], terms[tool]
            made.append(
                MenuItem(
                    rank=rank,
                    id=tool,
                    name=card["name"],
                    title=card["title"],
                    description=card["description"],
                    role=self.role(tool),
                    effects=card["effects"],
                    needs=self.needs(tool),
                    gives=self.contracts[tool].gives,
                    score=round(sum(parts.values()), 4),
                    terms={term: round(value, 4) for term, value in sorted(parts.items())},
                    order=(order or {}).get(tool, {}),
                    signals=(signals or {}).get(tool, {}),
                )
            )
        return made
