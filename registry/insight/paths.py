"""Paths between tools along FEEDS, and plans: the tools that must run before another can.

The same edges answer in Cypher; plans are closed over them as those of menus are.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.catalog.fields import canonical
from spm.registry.catalog.graph_rows import field_name
from spm.registry.catalog.naming import fold, nearest
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import InputError, UnknownField
from spm.registry.map.resources import KEYS
from spm.registry.models import ToolSpec
from spm.registry.routes.closure import (
    Known,
    Neighbourhood,
    close,
    every_tool,
    makers_left_out,
    only_reading,
)
from spm.registry.routes.tool_map import CypherMap, MapCard
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

MAX_HOPS = 8


@dataclass(frozen=True)
class Hop:
    """From one tool to the next: through fields that the first makes, or as observed."""

    source: str
    target: str
    fields: list[str] = field(default_factory=list)
    count: int | None = None


@dataclass(frozen=True)
class Path:
    """A way between two tools: of the kind `feeds` or `observed`."""

    kind: str
    hops: list[Hop]


@dataclass(frozen=True)
class Plan:
    """Tools in an order in which each can run.

    Attributes:
        target: the tool to run.
        have: the fields at hand, under their canonical names.
        steps: the tools, the target last.
        ask: fields that a person has to say.
        supplies: for each tool, its inputs with who gives each: "given", "ask" or a tool.
        writers: for fields of `ask`, tools that would make them but change something.
    """

    target: str
    have: list[str]
    steps: list[str]
    ask: list[str]
    supplies: dict[str, dict[str, str]] = field(default_factory=dict)
    writers: dict[str, list[str]] = field(default_factory=dict)


# -- ways --------------------------------------------------------------------------------------


def find_paths(store: Reader, source: str, target: str, caller: Caller = EVERYTHING) -> list[Path]:
    """The shortest way along FEEDS and the shortest observed way, as far as there are any.

    Raises:
        UnknownTool: one of the names is unknown.
    """
    seen = filtered(store, caller)
    resolver = Resolver(seen)
    first, last = resolver.resolve(source), resolver.resolve(target)
    if first == last:
        raise InputError(f"{source!r} and {target!r} are the same tool.")
    found = [
        ("feeds", _shortest(seen, "insight/fed", _fed, first, last)),
        ("observed", _shortest(seen, "insight/followers", _followed, first, last)),
    ]
    return [Path(kind, hops) for kind, hops in found if hops]


def _fed(row: Row) -> tuple[float, Hop]:
    return row["weight"], Hop(row["id"], row["next"], fields=row["fields"])


def _followed(row: Row) -> tuple[float, Hop]:
    return row["count"], Hop(row["id"], row["next"], count=row["count"])


def _shortest(
    store: Reader,
    query: str,
    read: Callable[[Row], tuple[float, Hop]],
    first: str,
    last: str,
) -> list[Hop]:
    """The way of the fewest hops; of several, the one whose edges are strongest together."""
    came: dict[str, Hop] = {}
    strength = {first: 0.0}
    frontier = [first]
    for _ in range(MAX_HOPS):
        best: dict[str, tuple[float, Hop]] = {}
        for row in store.read(query, ids=sorted(frontier)):
            weight, hop = read(row)
            if hop.target in strength:
                continue
            total = strength[hop.source] + weight
            if hop.target not in best or total > best[hop.target][0]:
                best[hop.target] = (total, hop)
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


# -- plans -------------------------------------------------------------------------------------


def plan(
    store: Reader,
    have: list[str],
    target: str,
    caller: Caller = EVERYTHING,
    *,
    allow_writes: bool = False,
) -> Plan:
    """Which tools, in which order, make `target` runnable from the fields at hand.

    Args:
        store: where the tools are.
        have: fields at hand: canonical names, or the names of inputs of the tools in question.
        target: the tool to run.
        caller: who asks.
        allow_writes: let tools that change something run only to make an input.

    Raises:
        UnknownTool, UnknownField: a name is unknown.
    """
    seen = filtered(store, caller)
    goal = Resolver(seen).resolve(target)
    tool_map = CypherMap(store, caller)
    known, may_make = Known(), every_tool if allow_writes else only_reading
    if have:
        around = Neighbourhood.around(tool_map, [goal], known, may_make=may_make)
        known = _known(seen, tool_map.cards(list(around.needs)), goal, have)
    around = Neighbourhood.around(tool_map, [goal], known, may_make=may_make)
    closed = close(around, goal)
    cards = tool_map.cards(closed.steps)
    supplies = {tool: _supplies(closed.supplies[tool]) for tool in closed.steps}
    writers = {} if allow_writes else makers_left_out(cards, closed, every_tool)
    return Plan(goal, sorted(known.fields), closed.steps, closed.ask, supplies, writers)


def _supplies(made: Mapping[str, str]) -> dict[str, str]:
    """Who gives each input; what a menu has from its request is given here."""
    return {name: "given" if who == "request" else who for name, who in made.items()}


def _known(store: Reader, cards: Mapping[str, MapCard], goal: str, have: Iterable[str]) -> Known:
    """Fields by their canonical names, or as the tools in question spell their inputs.

    A bare key (`id`) is the target's own, if it takes one. Who has the plain id of a resource has
    it for every tool that takes it under another name.

    Raises:
        UnknownField: no field and no input is called so.
    """
    vocabulary = {row["field"] for row in store.read("fields/vocabulary")}
    spelled = _spellings(store, sorted(cards))
    found: set[str] = set()
    for name in have:
        own = spelled.get((goal, fold(name)), set()) if fold(name) in KEYS else set()
        fields = own or {f for tool in cards for f in spelled.get((tool, fold(name)), ())}
        fields |= {canonical(name)} & vocabulary
        if not fields:
            raise UnknownField(canonical(name), nearest(canonical(name), sorted(vocabulary)))
        found |= fields
    found |= {row["same"] for row in store.read("fields/same", fields=sorted(found))}
    needs = [need for card in cards.values() for need in card.needs]
    plain = {n.resource for n in needs if n.field in found and n.resource and not n.role}
    return Known(frozenset(found), frozenset(plain))


def _spellings(store: Reader, tools: list[str]) -> dict[tuple[str, str], set[str]]:
    """The canonical names of inputs, by tool and by the name that the tool itself gives them."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in store.read("tools/definitions", ids=tools):
        tool: Any = ToolSpec.model_validate_json(row["definition"])
        for spec in tool.inputs:
            found[row["id"], fold(spec.name)].add(field_name(spec, tool))
    return found


def required(rows: list[Row]) -> dict[str, list[str]]:
    """Group rows of `tools/inputs` into the required fields of each tool."""
    grouped: dict[str, list[str]] = {}
    for row in rows:
        if row["required"]:
            grouped.setdefault(row["id"], []).append(row["field"])
    return grouped
