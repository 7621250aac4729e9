"""What has to run before a tool: closed backwards over FEEDS at the least cost.

Every needed input of a tool is given, or made by one producer, or asked for. A tool that changes
something is a mere predecessor only where whoever asks allows it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from spm.registry.routes.tool_map import Feeder, MapCard, Need, ToolMap

DEPTH = 4  # tools in a row before the target
MOST = 400  # tools that are looked at
STEP = 1.0
# Asking a person for what a tool could find is worse than any chain that one would run.
ASK = 6.0
SAY = 1.5  # what no tool makes, for a tool that is not asked for itself
INDIRECT = 1.0  # a producer that does not list the thing, but tells of it
UNMEANT = 3.0  # and nothing that is said speaks of it: whoever is on call is not just any user
UNNAMED = 2.0  # where the thing has to be found by its name
AGAIN = 1.0  # how much worse a producer may be that runs anyway
RELEVANT = 2.5  # what the request speaks of costs less
_NEEDS_ITSELF = frozenset(("get", "update", "delete", "act"))
_ROUNDS = DEPTH + 2

MayMake = Callable[[Feeder], bool]  # whether a tool may run only to make an input of another


def only_reading(feeder: Feeder) -> bool:
    """Only tools that change nothing make inputs."""
    return feeder.effects == "read"


def every_tool(feeder: Feeder) -> bool:
    """Any tool makes inputs, whatever it changes."""
    return True


@dataclass(frozen=True)
class Known:
    """What is there before the first tool runs: fields by name, and resources by value."""

    fields: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    by_tool: Mapping[str, frozenset[str]] = field(default_factory=dict)  # fields of one tool alone
    denied: frozenset[str] = frozenset()  # fields that the request does not give, as was said
    # Fields of a tool that are named and have to be looked up, also optional ones.
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def has(self, tool: str, need: Need) -> bool:
        """Whether an input of a tool is given."""
        if need.field in self.named.get(tool, ()):
            return False
        if need.field in self.fields or need.field in self.by_tool.get(tool, ()):
            return True
        return bool(need.resource) and not need.role and need.resource in self.resources


@dataclass(frozen=True)
class Supplier:
    """A tool that makes an input, and how much worse that is than the best way."""

    producer: str
    cost: float
    reads: bool = True


@dataclass(frozen=True)
class Plan:
    """Tools in an order in which each can run, the target last.

    Attributes:
        target: what was asked for.
        steps: the tools.
        supplies: for each tool, the inputs that it needs with who gives each: "request", "ask" or
            a tool.
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
    given: dict[str, list[str]] = field(default_factory=dict)  # needed inputs that are there
    suppliers: dict[tuple[str, str], list[Supplier]] = field(default_factory=dict)
    fit: Mapping[str, float] = field(default_factory=dict)  # 0 to 1: how far a request means a tool
    named: dict[str, frozenset[str]] = field(default_factory=dict)  # inputs to be looked up by name
    lists: dict[str, str] = field(default_factory=dict)  # what tools list or search
    _prices: dict[tuple[str, str], float] = field(default_factory=dict)  # of inputs, in `costs`

    @classmethod
    def around(
        cls,
        tool_map: ToolMap,
        targets: Iterable[str],
        known: Known,
        *,
        fit: Mapping[str, float] | None = None,
        depth: int = DEPTH,
        may_make: MayMake = only_reading,
    ) -> "Neighbourhood":
        """Read backwards from the targets what is not given."""
        found = cls(fit=fit or {})
        frontier = sorted(set(targets))
        for _ in range(depth):
            if not frontier or len(found.needs) > MOST:
                break
            cards = tool_map.cards(frontier)
            for tool in frontier:
                found._add(tool, cards.get(tool), known, may_make)
            frontier = sorted(found.producers_of_all() - found.needs.keys())
        for tool in frontier:  # too far away: it would have to be asked for
            found.needs.setdefault(tool, [])
        return found

    def price(self, tool: str, need: Need, supplier: Supplier, cost: Mapping[str, float]) -> float:
        """What it costs to let a producer make an input of a tool.

        What the tool needs itself is there by then, so a producer that works in the same place
        (the same repository, the same customer) costs little. What lists the thing itself is a
        surer way to it than what only mentions one.
        """
        producer = supplier.producer
        own = {_key(need) for need in self.needs.get(tool, ())}
        shared = (need for need in self.needs.get(producer, ()) if _key(need) in own)
        saved = sum(self._prices.get((producer, need.field), 0.0) for need in shared)
        whole = supplier.cost + cost.get(producer, STEP) - saved
        if self._indirect(tool, need, producer):
            meant = self.fit.get(producer, 0.0) > 0
            named = need.field in self.named.get(tool, ())
            whole += UNNAMED if named else INDIRECT if meant else UNMEANT
        return max(whole - RELEVANT * self.fit.get(producer, 0.0), 0.1)

    def _indirect(self, tool: str, need: Need, producer: str) -> bool:
        """Whether a producer only mentions the thing, and another lists it."""
        if not need.resource or self.lists.get(producer) == need.resource:
            return False
        others = self.suppliers.get((tool, need.field), ())
        return any(self.lists.get(one.producer) == need.resource for one in others)

    @cached_property
    def costs(self) -> dict[str, float]:
        """What each tool costs with all that it needs; a few rounds settle it."""
        cost = dict.fromkeys(self.needs, STEP)
        for _ in range(_ROUNDS):
            settled = True
            for tool, needs in self.needs.items():
                for need in needs:
                    self._prices[tool, need.field] = self._price(cost, tool, need)
                total = STEP + sum(self._prices[tool, need.field] for need in needs)
                settled &= abs(total - cost[tool]) < 1e-9
                cost[tool] = total
            if settled:
                break
        return cost

    def _price(self, cost: Mapping[str, float], tool: str, need: Need) -> float:
        suppliers = self.suppliers.get((tool, need.field), ())
        return min(min((self.price(tool, need, s, cost) for s in suppliers), default=SAY), ASK)

    def producers_of_all(self) -> set[str]:
        """Every tool that could make an input."""
        return {s.producer for suppliers in self.suppliers.values() for s in suppliers}

    def ranked(self, tool: str, need: Need) -> list[tuple[float, str]]:
        """Who could make an input of a tool, each with its price, the best first.

        Of equal ones what changes nothing, then the plainest: `list` before `list-starred`.
        """
        cost = self.costs
        suppliers = self.suppliers.get((tool, need.field), ())
        priced = [(self.price(tool, need, s, cost), s) for s in suppliers]
        priced.sort(key=lambda one: (round(one[0], 3), not one[1].reads, *_plainest(one[1])))
        return [(price, supplier.producer) for price, supplier in priced]

    def producers(self, tool: str, most: int) -> list[str]:
        """The best producers of each input that a tool lacks."""
        found: dict[str, None] = {}
        for need in self.needs.get(tool, ()):
            ranked = self.ranked(tool, need)
            found |= dict.fromkeys(producer for _, producer in ranked[:most])
        return list(found)

    def _add(self, tool: str, card: MapCard | None, known: Known, may_make: MayMake) -> None:
        self.named[tool] = known.named.get(tool, frozenset())
        if card and card.verb in ("list", "search"):
            self.lists[tool] = card.resource
        needed = list(needed_inputs(card, self.named[tool])) if card else []
        self.given[tool] = [need.field for need in needed if known.has(tool, need)]
        self.needs[tool] = [need for need in needed if not known.has(tool, need)]
        # What to search for is said by who asks, not made by another tool.
        said = card is not None and card.verb == "search"
        wanted = {need.field for need in self.needs[tool] if need.resource or not said}
        for feeder in card.feeders if card else ():
            if may_make(feeder):
                cost = STEP + (1.0 - feeder.weight)
                supplier = Supplier(feeder.producer, cost, only_reading(feeder))
                for name in wanted.intersection(feeder.fields):
                    self.suppliers.setdefault((tool, name), []).append(supplier)


def needed_inputs(card: MapCard, named: frozenset[str] = frozenset()) -> Iterable[Need]:
    """Required inputs, what the request names, and the id of a tool's own resource."""
    own = [need for need in card.needs if need.resource and need.resource == card.resource]
    itself = card.verb in _NEEDS_ITSELF and not any(need.required for need in own)
    main = next((need for need in own if itself and not need.role), None)
    for need in card.needs:
        if need.required or need is main or need.field in named:
            yield need


def _key(need: Need) -> tuple[str, str]:
    """What makes two needs one: the thing in its role, or else the field."""
    return (need.resource, need.role) if need.resource else (need.field, "")


def _plainest(supplier: Supplier) -> tuple[int, str]:
    return len(supplier.producer), supplier.producer


def makers_left_out(
    cards: Mapping[str, MapCard], plan: Plan, may_make: MayMake
) -> dict[str, list[str]]:
    """Tools that change something and would make what a plan asks for, by field.

    Args:
        cards: of the plan's steps.
        plan: closed over tools that read.
        may_make: which of them would run if whoever asks allowed it.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for tool in plan.steps:
        for feeder in cards[tool].feeders if tool in cards else ():
            if only_reading(feeder) or not may_make(feeder) or feeder.producer in plan.steps:
                continue
            for name in feeder.fields:
                if plan.supplies[tool].get(name) == "ask":
                    found[name].add(feeder.producer)
    return {name: sorted(found[name]) for name in sorted(found)}


def close(around: Neighbourhood, target: str) -> Plan:
    """The cheapest way to run a target."""
    steps: list[str] = []
    supplies: dict[str, dict[str, str]] = {}
    _collect(target, around, frozenset(), steps, supplies)
    return Plan(target, steps, supplies, around.costs.get(target, STEP))


def _collect(
    tool: str,
    around: Neighbourhood,
    waiting: frozenset[str],
    steps: list[str],
    supplies: dict[str, dict[str, str]],
) -> None:
    """Depth first: every tool comes after what makes its inputs."""
    if tool in supplies:
        return
    supplies[tool] = dict.fromkeys(around.given.get(tool, ()), "request")
    for need in around.needs.get(tool, ()):
        ranked = around.ranked(tool, need)
        free = [(price, p) for price, p in ranked if p not in waiting and p != tool]
        ran = next(((price, p) for price, p in free if p in steps), None)
        if ran is not None and ran[0] <= free[0][0] + AGAIN:
            supplies[tool][need.field] = ran[1]
        elif free and free[0][0] < ASK and len(waiting) < DEPTH:
            supplies[tool][need.field] = free[0][1]
            _collect(free[0][1], around, waiting | {tool}, steps, supplies)
        else:
            supplies[tool][need.field] = "ask"
    steps.append(tool)
