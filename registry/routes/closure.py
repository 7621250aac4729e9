"""What has to run before a tool: closed backwards over FEEDS at the least cost.

Every needed input of a tool is given, or made by one producer, or asked for. A tool that changes
something is never a mere predecessor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from spm.registry.routes.tool_map import MapCard, Need, ToolMap

DEPTH = 4  # tools in a row before the target
MOST = 400  # tools that are looked at
STEP = 1.0
# Asking a person for what a tool could find is worse than any chain that one would run.
ASK = 6.0
SAY = 1.5  # what no tool makes, for a tool that is not asked for itself
RELEVANT = 1.5  # what the request speaks of costs less
_NEEDS_ITSELF = frozenset(("get", "update", "delete", "act"))
_ROUNDS = DEPTH + 2


@dataclass(frozen=True)
class Known:
    """What is there before the first tool runs: fields by name, and resources by value."""

    fields: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()

    def has(self, need: Need) -> bool:
        """Whether an input is given."""
        return need.field in self.fields or (not need.role and need.resource in self.resources)


@dataclass(frozen=True)
class Supplier:
    """A tool that makes an input, and how much worse that is than the best way."""

    producer: str
    cost: float


@dataclass(frozen=True)
class Plan:
    """Tools in an order in which each can run, the target last.

    Attributes:
        target: what was asked for.
        steps: the tools.
        supplies: for each tool, its inputs with who gives each: "request", "ask" or a tool.
        cost: of all of it; lower is better.
    """

    target: str
    steps: list[str]
    supplies: dict[str, dict[str, str]]
    cost: float

    @property
    def ask(self) -> list[str]:
        """The inputs that a person has to say."""
        found = {n for made in self.supplies.values() for n, who in made.items() if who == "ask"}
        return sorted(found)


@dataclass
class Neighbourhood:
    """The tools that could matter, with their open needs and who could supply them."""

    needs: dict[str, list[Need]] = field(default_factory=dict)
    suppliers: dict[tuple[str, str], list[Supplier]] = field(default_factory=dict)
    fit: Mapping[str, float] = field(default_factory=dict)  # 0 to 1: how far a request means a tool

    @classmethod
    def around(
        cls,
        tool_map: ToolMap,
        targets: Iterable[str],
        known: Known,
        *,
        fit: Mapping[str, float] | None = None,
        allow_writes: bool = False,
    ) -> "Neighbourhood":
        """Read backwards from the targets what is not given."""
        found = cls(fit=fit or {})
        frontier = sorted(set(targets))
        for _ in range(DEPTH):
            if not frontier or len(found.needs) > MOST:
                break
            cards = tool_map.cards(frontier)
            for tool in frontier:
                found._add(tool, cards.get(tool), known, allow_writes)
            reached = {s.producer for suppliers in found.suppliers.values() for s in suppliers}
            frontier = sorted(reached - found.needs.keys())
        for tool in frontier:  # too far away: it would have to be asked for
            found.needs.setdefault(tool, [])
        return found

    def price(self, feeder: Supplier, cost: Mapping[str, float]) -> float:
        """What it costs to let a producer make an input."""
        whole = feeder.cost + cost.get(feeder.producer, STEP)
        return max(whole - RELEVANT * self.fit.get(feeder.producer, 0.0), 0.1)

    @cached_property
    def costs(self) -> dict[str, float]:
        """What each tool costs with all that it needs; a few rounds settle it."""
        cost = dict.fromkeys(self.needs, STEP)
        for _ in range(_ROUNDS):
            settled = True
            for tool, needs in self.needs.items():
                total = STEP + sum(self._price(cost, tool, need) for need in needs)
                settled &= abs(total - cost[tool]) < 1e-9
                cost[tool] = total
            if settled:
                break
        return cost

    def _price(self, cost: Mapping[str, float], tool: str, need: Need) -> float:
        feeders = self.suppliers.get((tool, need.field), ())
        return min(min((self.price(f, cost) for f in feeders), default=SAY), ASK)

    def producers(self, tool: str, most: int) -> list[str]:
        """The best producers of each input that a tool lacks."""
        found: dict[str, None] = {}
        for need in self.needs.get(tool, ()):
            feeders = self.suppliers.get((tool, need.field), ())
            ranked = sorted(feeders, key=lambda f: (self.price(f, self.costs), f.producer))
            found |= dict.fromkeys(feeder.producer for feeder in ranked[:most])
        return list(found)

    def _add(self, tool: str, card: MapCard | None, known: Known, allow_writes: bool) -> None:
        self.needs[tool] = list(_open_needs(card, known)) if card else []
        wanted = {need.field for need in self.needs[tool]}
        for feeder in card.feeders if card else ():
            if feeder.effects == "read" or allow_writes:
                for name in wanted.intersection(feeder.fields):
                    supplier = Supplier(feeder.producer, STEP + (1.0 - feeder.weight))
                    self.suppliers.setdefault((tool, name), []).append(supplier)


def _open_needs(card: MapCard, known: Known) -> Iterable[Need]:
    """Required inputs that are not given, and the id of its own resource, declared or not."""
    own = [need for need in card.needs if need.resource and need.resource == card.resource]
    itself = card.verb in _NEEDS_ITSELF and not any(need.required for need in own)
    main = next((need for need in own if itself and not need.role), None)
    for need in card.needs:
        if (need.required or need is main) and not known.has(need):
            yield need


def close(around: Neighbourhood, target: str) -> Plan:
    """The cheapest way to run a target."""
    cost = around.costs
    steps: list[str] = []
    supplies: dict[str, dict[str, str]] = {}
    _collect(target, around, cost, frozenset(), steps, supplies)
    return Plan(target, steps, supplies, cost.get(target, STEP))


def _collect(
    tool: str,
    around: Neighbourhood,
    cost: Mapping[str, float],
    waiting: frozenset[str],
    steps: list[str],
    supplies: dict[str, dict[str, str]],
) -> None:
    """Depth first: every tool comes after what makes its inputs."""
    if tool in supplies:
        return
    supplies[tool] = {}
    for need in around.needs.get(tool, ()):
        feeders = sorted(
            (around.price(feeder, cost), feeder.producer)
            for feeder in around.suppliers.get((tool, need.field), ())
            if feeder.producer not in waiting and feeder.producer != tool
        )
        ran = next((p for _, p in feeders if p in steps), None)
        if ran is not None:
            supplies[tool][need.field] = ran
        elif feeders and feeders[0][0] < ASK and len(waiting) < DEPTH:
            supplies[tool][need.field] = feeders[0][1]
            _collect(feeders[0][1], around, cost, waiting | {tool}, steps, supplies)
        else:
            supplies[tool][need.field] = "ask"
    steps.append(tool)
