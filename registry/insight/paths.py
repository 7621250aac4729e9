"""Paths between tools, and plans: the tools that must run before another can."""

import heapq
from dataclasses import dataclass, field

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import InputError, UnknownField
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

MAX_HOPS = 8
# What no tool makes, only a user can say: asking costs a few tools. Asking for what a tool could
# make, such as the number of a quote, is always possible and worse than any chain one would run.
SAY = 10
ASK = 1_000


@dataclass(frozen=True)
class Hop:
    """From one tool to the next: through a field, or as observed so many times."""

    source: str
    target: str
    field: str | None = None
    count: int | None = None


@dataclass(frozen=True)
class Path:
    """A way between two tools."""

    kind: str
    hops: list[Hop]


@dataclass(frozen=True)
class Plan:
    """Tools in an order in which each can run; `ask` are fields that a user has to say."""

    target: str
    have: list[str]
    steps: list[str]
    ask: list[str]
    supplies: dict[str, dict[str, str]] = field(default_factory=dict)


def find_paths(store: Reader, source: str, target: str) -> list[Path]:
    """The shortest way through fields and the shortest observed way, as far as there are any.

    Raises:
        UnknownTool: one of the names is unknown.
    """
    resolver = Resolver(store)
    first, last = resolver.resolve(source), resolver.resolve(target)
    if first == last:
        raise InputError(f"{source!r} and {target!r} are the same tool.")
    found = [
        ("fields", _through_fields(store, first, last)),
        ("observed", _observed(store, first, last)),
    ]
    return [Path(kind, hops) for kind, hops in found if hops]


def _through_fields(store: Reader, first: str, last: str) -> list[Hop]:
    came: dict[str, Hop] = {}
    frontier = [first]
    for _ in range(MAX_HOPS):
        produced: dict[str, str] = {}
        for row in store.read("tools/outputs", ids=sorted(frontier)):
            produced.setdefault(row["field"], row["id"])
        frontier = []
        for row in store.read("fields/consumers", fields=sorted(produced)):
            tool = row["id"]
            if row["required"] and tool != first and tool not in came:
                came[tool] = Hop(produced[row["field"]], tool, field=row["field"])
                frontier.append(tool)
        if last in came or not frontier:
            break
    return _walk_back(came, first, last)


def _observed(store: Reader, first: str, last: str) -> list[Hop]:
    came: dict[str, Hop] = {}
    strength = {first: 0}
    frontier = [first]
    for _ in range(MAX_HOPS):
        best: dict[str, tuple[int, Hop]] = {}
        for row in store.read("insight/followers", ids=sorted(frontier)):
            tool = row["next"]
            if tool == first or tool in came:
                continue
            total = strength[row["id"]] + row["count"]
            if tool not in best or total > best[tool][0]:
                best[tool] = (total, Hop(row["id"], tool, count=row["count"]))
        for tool, (total, hop) in best.items():
            strength[tool], came[tool] = total, hop
        frontier = list(best)
        if last in came or not frontier:
            break
    return _walk_back(came, first, last)


def _walk_back(came: dict[str, Hop], first: str, last: str) -> list[Hop]:
    hops: list[Hop] = []
    while last != first:
        if last not in came:
            return []
        hops.append(came[last])
        last = came[last].source
    return hops[::-1]


def plan(store: Reader, have: list[str], target: str) -> Plan:
    """Which tools, in which order, make `target` runnable from the fields at hand.

    Raises:
        UnknownTool, UnknownField: a name is unknown.
    """
    goal = Resolver(store).resolve(target)
    known = _known_fields(store, have)
    needs, makers = _neighbourhood(store, goal, known)
    cost, maker = _cheapest(needs, makers, known)
    steps: list[str] = []
    supplies: dict[str, dict[str, str]] = {}
    ask: set[str] = set()
    _collect(goal, needs, cost, maker, known, (steps, supplies, ask))
    return Plan(goal, sorted(canonical(f) for f in have), steps, sorted(ask), supplies)


def _known_fields(store: Reader, have: list[str]) -> set[str]:
    vocabulary = {row["field"] for row in store.read("fields/vocabulary")}
    names = sorted({canonical(name) for name in have})
    for name in names:
        if name not in vocabulary:
            raise UnknownField(name, nearest(name, sorted(vocabulary)))
    same = {row["same"] for row in store.read("fields/same", fields=names)}
    return set(names) | same


def _neighbourhood(
    store: Reader, goal: str, known: set[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Everything that could matter: required fields of tools, producers of fields, backwards."""
    needs: dict[str, list[str]] = {}
    makers: dict[str, list[str]] = {}
    frontier = [goal]
    while frontier:
        for tool in frontier:
            needs[tool] = []
        for row in store.read("tools/inputs", ids=sorted(frontier)):
            if row["required"]:
                needs[row["id"]].append(row["field"])
        wanted = {f for tool in frontier for f in needs[tool]} - known - makers.keys()
        makers.update({f: [] for f in wanted})
        for row in store.read("fields/producers", fields=sorted(wanted)):
            makers[row["field"]].append(row["id"])
        frontier = sorted({t for f in wanted for t in makers[f]} - needs.keys())
    return needs, makers


def _cheapest(
    needs: dict[str, list[str]], makers: dict[str, list[str]], known: set[str]
) -> tuple[dict[str, int], dict[str, str | None]]:
    """Knuth's generalisation of Dijkstra: the cheapest derivation of every field."""
    uses: dict[str, list[str]] = {}
    for name, tools in makers.items():
        for tool in tools:
            uses.setdefault(tool, []).append(name)
    waits = {tool: {f for f in fields if f not in known} for tool, fields in needs.items()}
    cost: dict[str, int] = dict.fromkeys(known, 0)
    maker: dict[str, str | None] = {}
    queue: list[tuple[int, str, str]] = [
        (ASK if tools else SAY, f, "") for f, tools in makers.items()
    ]
    for tool, missing in waits.items():
        if not missing:
            queue += [(1, f, tool) for f in uses.get(tool, [])]
    heapq.heapify(queue)
    while queue:
        price, name, tool = heapq.heappop(queue)
        if name in cost:
            continue
        cost[name], maker[name] = price, tool or None
        for other, missing in waits.items():
            if name in missing:
                missing.discard(name)
                if not missing:
                    total = 1 + sum(cost[f] for f in needs[other])
                    for made in uses.get(other, []):
                        heapq.heappush(queue, (total, made, other))
    return cost, maker


def _collect(
    goal: str,
    needs: dict[str, list[str]],
    cost: dict[str, int],
    maker: dict[str, str | None],
    known: set[str],
    found: tuple[list[str], dict[str, dict[str, str]], set[str]],
) -> None:
    """Depth first, cheapest input first: every tool comes after the tools it needs."""
    steps, supplies, ask = found
    if goal in supplies:
        return
    supplies[goal] = {}
    for name in sorted(needs[goal], key=lambda f: (cost.get(f, ASK), f)):
        source = maker.get(name)
        if name in known:
            supplies[goal][name] = "given"
        elif source is None:
            supplies[goal][name] = "ask"
            ask.add(name)
        else:
            supplies[goal][name] = source
            _collect(source, needs, cost, maker, known, found)
    steps.append(goal)


def required(rows: list[Row]) -> dict[str, list[str]]:
    """Group rows of `tools/inputs` into the required fields of each tool."""
    grouped: dict[str, list[str]] = {}
    for row in rows:
        if row["required"]:
            grouped.setdefault(row["id"], []).append(row["field"])
    return grouped
