"""What has to run before a tool: closed backwards over FEEDS at the least cost.

Every needed input of a tool is given, or made by one producer, or asked for. A tool that changes
something is a mere predecessor only where whoever asks allows it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from spm.registry.routes.tool_map import Feeder, MapCard, Need, ToolMap

DEPTH = 4  # tools in a row before the target
MOST = 60  # tools that are looked at: 120 and 400 changed no route of 136 and 378, for more time
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


class Supplier(NamedTuple):
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


class _Way(NamedTuple):
    """One way to an input, with the part of its price that other prices do not move.

    Attributes:
        supplier: who makes the input.
        price: of the producer's own step, and of how well it fits.
        shared: the producer's inputs that the consumer needs too: they are there by then.
    """

    supplier: Supplier
    price: float
    shared: tuple[tuple[str, str], ...]


@dataclass
class Neighbourhood:
    """The tools that could matter, with their open needs and who could supply them."""

    needs: dict[str, list[Need]] = field(default_factory=dict)
    given: dict[str, list[str]] = field(default_factory=dict)  # needed inputs that are there
    suppliers: dict[tuple[str, str], list[Supplier]] = field(default_factory=dict)
    fit: Mapping[str, float] = field(default_factory=dict)  # 0 to 1: how far a request means a tool
    named: dict[str, frozenset[str]] = field(default_factory=dict)  # inputs to be looked up by name
    lists: dict[str, str] = field(default_factory=dict)  # what tools list or search
    _keys: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)  # of open needs
    _prices: dict[tuple[str, str], float] = field(default_factory=dict)  # of inputs, in `costs`
    _ranked: dict[tuple[str, str], list[tuple[float, str]]] = field(default_factory=dict)

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
        for level in range(depth):
            room = max(0, MOST - len(found.needs)) if level else len(frontier)
            read, unread = frontier[:room], frontier[room:]
            if not read:
                break
            cards = tool_map.cards(read)
            makers: set[str] = set()
            for tool in read:
                makers |= found._add(tool, cards.get(tool), known, may_make)
            frontier = sorted((makers | {*unread}) - found.needs.keys())
        for tool in frontier:  # too far away: it would have to be asked for
            found.needs.setdefault(tool, [])
        return found

    @cached_property
    def costs(self) -> dict[str, float]:
        """What each tool costs with all that it needs; a few rounds settle it.

        A tool is priced again only when one of its producers has another price.
        """
        cost = dict.fromkeys(self.needs, STEP)
        consumers: dict[str, set[str]] = defaultdict(set)
        for (tool, _), ways in self._ways.items():
            for way in ways:
                consumers[way.supplier.producer].add(tool)
        stale = {tool for tool, needs in self.needs.items() if needs}
        for _ in range(_ROUNDS):
            for tool, needs in self.needs.items():
                if tool not in stale:
                    continue
                stale.discard(tool)
                moved = False
                for need in needs:
                    at = tool, need.field
                    price = self._cheapest(at, cost)
                    moved |= self._prices.get(at) != price
                    self._prices[at] = price
                if moved:
                    cost[tool] = STEP + sum(self._prices[tool, need.field] for need in needs)
                    stale |= consumers[tool]
            if not stale:
                break
        return cost

    def _cheapest(self, at: tuple[str, str], cost: Mapping[str, float]) -> float:
        """The price of an input: of its best producer, and never above asking."""
        ways = self._ways.get(at)
        return min(ASK, *(self._price(way, cost) for way in ways)) if ways else SAY

    def _price(self, way: _Way, cost: Mapping[str, float]) -> float:
        """What it costs to let a producer make an input of a tool.

        What the tool needs itself is there by then, so a producer that works in the same place
        (the same repository, the same customer) costs little.
        """
        price = way.price + cost[way.supplier.producer]
        for at in way.shared:
            price -= self._prices.get(at, 0.0)
        return max(price, 0.1)

    @cached_property
    def _ways(self) -> dict[tuple[str, str], list[_Way]]:
        """Who could make each input, with what of each price stands from the beginning."""
        found: dict[tuple[str, str], list[_Way]] = {}
        shared: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
        for tool, needs in self.needs.items():
            for need in needs:
                if not (suppliers := self.suppliers.get((tool, need.field))):
                    continue
                listed = bool(need.resource) and any(
                    self.lists.get(one.producer) == need.resource for one in suppliers
                )
                ways = found[tool, need.field] = []
                for one in suppliers:
                    pair = tool, one.producer
                    if pair not in shared:
                        shared[pair] = self._shared(*pair)
                    against = self._against(tool, need, one.producer) if listed else 0.0
                    fit = self.fit.get(one.producer, 0.0)
                    ways.append(_Way(one, one.cost + against - RELEVANT * fit, shared[pair]))
        return found

    def _shared(self, tool: str, producer: str) -> tuple[tuple[str, str], ...]:
        """The open inputs of a producer that a tool needs too."""
        theirs = self._keys.get(producer)
        if not theirs:
            return ()
        own = self._keys[tool].values()
        return tuple((producer, name) for name, key in theirs.items() if key in own)

    def _against(self, tool: str, need: Need, producer: str) -> float:
        """What speaks against a producer that only mentions a thing which another lists."""
        if self.lists.get(producer) == need.resource:
            return 0.0
        if need.field in self.named.get(tool, ()):
            return UNNAMED
        return INDIRECT if self.fit.get(producer, 0.0) > 0 else UNMEANT

    def best_producers(self, most: int) -> list[str]:
        """So many of the tools that could make an input, those that fit one best."""
        least: dict[str, float] = {}
        for suppliers in self.suppliers.values():
            for one in suppliers:
                least[one.producer] = min(one.cost, least.get(one.producer, one.cost))
        return sorted(least, key=lambda tool: (least[tool], tool))[:most]

    def ranked(self, tool: str, need: Need) -> list[tuple[float, str]]:
        """Who could make an input of a tool, each with its price, the best first.

        Of equal ones what changes nothing, then the plainest: `list` before `list-starred`.
        """
        at = tool, need.field
        if at not in self._ranked:
            cost = self.costs
            priced = [(self._price(way, cost), way.supplier) for way in self._ways.get(at, ())]
            priced.sort(key=lambda one: (round(one[0], 3), not one[1].reads, *_plainest(one[1])))
            self._ranked[at] = [(price, supplier.producer) for price, supplier in priced]
        return self._ranked[at]

    def producers(self, tool: str, most: int) -> list[str]:
        """The best producers of each input that a tool lacks."""
        found: dict[str, None] = {}
        for need in self.needs.get(tool, ()):
            ranked = self.ranked(tool, need)
            found |= dict.fromkeys(producer for _, producer in ranked[:most])
        return list(found)

    def _add(self, tool: str, card: MapCard | None, known: Known, may_make: MayMake) -> set[str]:
        """Take in a tool; returns who could make what it lacks."""
        self.named[tool] = known.named.get(tool, frozenset())
        if card is None:
            self.given[tool], self.needs[tool] = [], []
            return set()
        if card.verb in ("list", "search"):
            self.lists[tool] = card.resource
        given, lacking = self.given[tool], self.needs[tool] = [], []
        for need in needed_inputs(card, self.named[tool]):
            if known.has(tool, need):
                given.append(need.field)
            else:
                lacking.append(need)
        self._keys[tool] = {need.field: _key(need) for need in lacking}
        # What to search for is said by who asks, not made by another tool.
        said = card.verb == "search"
        wanted = {need.field for need in lacking if need.resource or not said}
        makers = set()
        for feeder in card.feeders if wanted else ():
            names = wanted.intersection(feeder.fields)
            if names and may_make(feeder):
                cost = STEP + (1.0 - feeder.weight)
                supplier = Supplier(feeder.producer, cost, only_reading(feeder))
                makers.add(feeder.producer)
                for name in names:
                    self.suppliers.setdefault((tool, name), []).append(supplier)
        return makers


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
