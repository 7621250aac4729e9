"""The explanation of a construction: roles, needs, score terms, signals, edges."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from spm.gnn.constructor import Construction
from spm.gnn.features import NODE
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.menus.menu import Ask, Edge, MenuItem
from spm.registry.menus.roles import Contract, Known, Places
from spm.registry.routes.closure import Plan
from spm.registry.routes.tool_map import ToolMap
from spm.registry.store.interface import Row

ALIKE = 0.3  # cosine from which an observed request counts as similar
SIGNALS = (
    "similarity", "words", "vote", "entry_vote", "nearest", "tool_frequency", "from_votes",
    "flow_in", "flow_out", "ready", "missing",
)  # fmt: skip
_COLUMNS = [NODE.index(name) for name in SIGNALS]
# A last step that changes something after a better answer to the request only delivers it.
MARGIN = 0.05


OwnContracts = Callable[[Sequence[str]], Mapping[str, Contract]]


@dataclass(frozen=True)
class Names:
    """How fields are named: candidates are compared under one name for all spellings of a field.

    Attributes:
        same: which name stands for each field that a person merged with others.
        contracts: reads what tools need and give under their own names; asked where `same` is not
            empty, because no tool may seem to take an input that it does not declare.
    """

    same: Mapping[str, str] = field(default_factory=dict)
    contracts: OwnContracts = lambda tools: {}


def similar(frontier: Frontier) -> int:
    """How many of the remembered requests resemble this one."""
    return int((frontier.memory.similarity >= ALIKE).sum())


class Explained:
    """One menu, with everything behind it.

    Args:
        built: what the constructor decided.
        cards: what is known of the candidates, by id.
        ask: what was asked.
        given: the fields that the request and the caller gave.
        plans: of the route, where the graph planned it.
        names: how tools name the fields that were merged.
        tool_map: who feeds the tools of the menu.
    """

    def __init__(
        self,
        built: Construction,
        cards: Mapping[str, Row],
        ask: Ask,
        given: list[str],
        plans: Sequence[Plan] = (),
        names: Names | None = None,
        tool_map: ToolMap | None = None,
    ) -> None:
        self._names = names or Names()
        self._map = tool_map
        self._supplies = {tool: made for plan in plans for tool, made in plan.supplies.items()}
        self._built = built
        self._frontier = built.frontier
        self._cards = cards
        self._ask = ask
        self._given = given
        self.order = [self._frontier.tools[at] for at in built.sequence]
        self.route = [self._frontier.tools[at] for at in built.route]
        self._number = {tool: at for at, tool in enumerate(self._frontier.tools)}

    def items(self) -> list[MenuItem]:
        """The tools as a menu shows them."""
        contracts, stands = self._contracts, self._names.same.get
        given = frozenset(stands(name, name) for name in self._given)
        made = {
            stands(name, name): tool
            for tool in self._ask.done
            for name in contracts[tool].gives
            if stands(name, name) not in given
        }
        places = Places(
            self.order,
            self.route,
            contracts,
            Known(given, made),
            self._target(),
            self._supplies,
            self._names.same,
            self._feeders,
        )
        return places.items(
            self._cards,
            {tool: self.terms(tool) for tool in self.order},
            {tool: self._order_terms.get(tool, {}) for tool in self.order},
            self._signals(),
        )

    def terms(self, tool: str) -> dict[str, float]:
        """What the tool's score in the set decoder is the sum of."""
        return self._set_terms[tool]

    def trust(self) -> float:
        """How much of the route similar requests speak for: 0 without traces, 1 when all do."""
        if not self._built.route or not len(self._frontier.memory.similarity):
            return 0.0
        best = float(self._frontier.memory.similarity.max())
        voice = min(1.0, max(0.0, (best - 0.15) / 0.3))
        support = np.minimum(1.0, self._built.facts.votes.soft[self._built.route])
        return round(float(support.mean()) * voice, 4)

    def edges(self) -> list[Edge]:
        """What leads to and from the route: who feeds whom, and transitions that were seen."""
        rows = np.array(self._built.sequence, dtype=np.int64)
        seen = self._frontier.precedes[np.ix_(rows, rows)].astype(np.int64)
        meet, front, same = self._meeting(), {*self.route}, self._names.same
        given = {same.get(name, name) for name in self._given}
        known = {*self._given, *(name for name, one in same.items() if one in given)}
        found = []
        for a, first in enumerate(self.order):
            for b, second in enumerate(self.order[a + 1 :], a + 1):
                if first not in front and second not in front:
                    continue
                fields = sorted(meet.get((first, second), frozenset()) - known)
                found += [Edge(first, second, "declared", name, 0) for name in fields]
                if count := int(seen[a, b]):
                    found.append(Edge(first, second, "observed", "", count))
        return found

    def _meeting(self) -> dict[tuple[str, str], frozenset[str]]:
        """The inputs of each tool that another makes: as planned, by name on a route, by FEEDS."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for tool in self.order:
            if tool in self._supplies:
                makers = {name: {who} for name, who in self._supplies[tool].items()}
            elif tool in self.route:
                makers = {name: self._makers_by_name(name) for name in self._contracts[tool].needs}
            else:
                makers = {name: set(who) for name, who in self._feeders.get(tool, {}).items()}
            for name, who in makers.items():
                for maker in who - {tool}:
                    found[maker, tool].add(name)
        return {pair: frozenset(names) for pair, names in found.items()}

    def _makers_by_name(self, name: str) -> set[str]:
        """The tools of the menu that make a field of this name."""
        stands = self._names.same.get(name, name)
        return {t for t in self.order if stands in self._contracts[t].made(self._names.same)}

    @cached_property
    def _feeders(self) -> dict[str, dict[str, frozenset[str]]]:
        """By FEEDS, who makes the inputs of each backup."""
        if self._map is None:
            return {}
        backups = [tool for tool in self.order if tool not in self.route]
        found: dict[str, dict[str, frozenset[str]]] = {tool: {} for tool in backups}
        for tool, card in self._map.cards(backups).items():
            for feeder in card.feeders:
                for name in feeder.fields:
                    found[tool][name] = found[tool].get(name, frozenset()) | {feeder.producer}
        return found

    def unreached(self, tool: str) -> str:
        """Why a tool did not come into the frontier by itself."""
        at = self._number[tool]
        return (
            f"Neither text (cosine {self._frontier.similarity[at]:.2f}), nor similar requests, nor "
            "observed neighbours, nor missing fields led to it."
        )

    @cached_property
    def _set_terms(self) -> dict[str, dict[str, float]]:
        chosen, sets = self._built.chosen, self._built.sets
        weights = {"slot": sets.slot, "field": sets.field, "alike": -sets.alike}
        found = {}
        for place, at in enumerate(chosen.order.tolist()):
            parts = {name: weights[name] * float(v[place]) for name, v in chosen.terms.items()}
            added = {name: value for name, value in parts.items() if value}
            found[self._frontier.tools[at]] = {"belongs": float(self._built.member[at]), **added}
        for at in self._built.sequence:  # a plan also takes what the set decoder left out
            belongs = {"belongs": float(self._built.member[at])}
            found.setdefault(self._frontier.tools[at], belongs)
        return found

    @cached_property
    def _order_terms(self) -> dict[str, dict[str, float]]:
        arranged = self._built.arranged
        if not arranged.terms:
            return {}
        rows = _rounded(np.stack(list(arranged.terms.values()), axis=1))
        return {
            self._frontier.tools[self._built.head[at]]: dict(zip(arranged.terms, row, strict=True))
            for at, row in zip(arranged.order.tolist(), rows, strict=True)
        }

    def _signals(self) -> dict[str, dict[str, float]]:
        rows = _rounded(self._built.facts.nodes[np.ix_(self._built.sequence, _COLUMNS)])
        return {
            tool: dict(zip(SIGNALS, row, strict=True))
            for tool, row in zip(self.order, rows, strict=True)
        }

    @cached_property
    def _contracts(self) -> Mapping[str, Contract]:
        """What the tools of the menu and those that ran need and give, under their own names."""
        tools = sorted({*self.order, *self._ask.done})
        if self._names.same:
            return self._names.contracts(tools)
        return {tool: self._contract(tool) for tool in tools}

    def _contract(self, tool: str) -> Contract:
        at, names = self._number[tool], self._frontier.fields
        takes, gives = self._frontier.takes[at].nonzero()[0], self._frontier.gives[at].nonzero()[0]
        return Contract([names[i] for i in takes.tolist()], [names[i] for i in gives.tolist()])

    def _target(self) -> str | None:
        """The tool that resolves the request: the last, or the one before a mere delivery."""
        if len(self.route) < 3:
            return self.route[-1] if self.route else None
        before, last = self.route[-2], self.route[-1]
        fits = [float(self._frontier.similarity[self._number[tool]]) for tool in (before, last)]
        delivers = self._cards[last]["effects"] != "read" and fits[0] > fits[1] + MARGIN
        return before if delivers else last


def _rounded(values: Floats) -> list[list[float]]:
    """Rows of numbers as a menu shows them."""
    found: list[list[float]] = np.round(values.astype(np.float64), 4).tolist()
    return found
