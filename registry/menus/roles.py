"""Tools in their places: what each needs and from whom, and why one stands before another."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from spm.registry.ranking import Edge, MenuItem, Role
from spm.registry.route import Contract
from spm.registry.store import Row


@dataclass(frozen=True)
class Known:
    """What is there before the first tool runs.

    Attributes:
        given: fields that the request or its state give.
        made: fields that only tools which ran already gave, with who did.
    """

    given: frozenset[str]
    made: Mapping[str, str]

    @property
    def fields(self) -> set[str]:
        """All fields that are there."""
        return {*self.given, *self.made}


@dataclass(frozen=True)
class Places:
    """Tools in order, the first of them a route, with their contracts."""

    order: list[str]
    route: list[str]
    contracts: dict[str, Contract]
    known: Known
    target: str | None = None  # what resolves the request; what follows it only delivers

    @cached_property
    def _place(self) -> dict[str, int]:
        return {tool: at for at, tool in enumerate(self.order)}

    @cached_property
    def _makers(self) -> dict[str, list[str]]:
        """Who makes each field, in order."""
        found: dict[str, list[str]] = {}
        for tool in self.order:
            contract = self.contracts[tool]
            for name in dict.fromkeys(contract.gives):
                if contract.makes(name):
                    found.setdefault(name, []).append(tool)
        return found

    def needs(self, tool: str) -> dict[str, list[str]]:
        """The required fields of a tool and who can have made them by then.

        On the route only earlier tools count, for backups anybody.
        """
        place = self._place
        found: dict[str, list[str]] = {}
        for name in self.contracts[tool].needs:
            if name in self.known.given:
                found[name] = ["request"]
            elif name in self.known.made:
                found[name] = [self.known.made[name]]
            else:
                makers = [t for t in self._makers.get(name, ()) if t != tool]
                on_route = tool in self.route
                found[name] = [m for m in makers if not on_route or place[m] < place[tool]]
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


def edges(items: list[MenuItem], route: list[str], transitions: Iterable[Row]) -> list[Edge]:
    """What leads to or from the route, always from a tool to a later one.

    Args:
        items: the menu.
        route: its front.
        transitions: rows of id, next and count.
    """
    place = {item.id: item.rank for item in items}

    def leads(source: str, target: str) -> bool:
        there = source in place and target in place and place[source] < place[target]
        return there and (source in route or target in route)

    found = [
        Edge(source, item.id, "declared", name, 0)
        for item in items
        for name, sources in item.needs.items()
        for source in sources
        if leads(source, item.id)
    ]
    found += [
        Edge(row["id"], row["next"], "observed", "", row["count"])
        for row in transitions
        if leads(row["id"], row["next"])
    ]
    return sorted(found, key=lambda e: (place[e.target], place[e.source], e.kind, e.field))
