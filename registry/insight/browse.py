"""The graph in pieces that can be looked at: families first, then one family, field or tool.

Every piece is what one caller sees. Pieces are bounded: what did not fit is counted, not sent. Who
makes an input of a tool is what FEEDS says; around a field stand those who answer with it and those
who take it, and families lead to each other by such fields.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import UnknownField, UnknownTool
from spm.registry.store.interface import Row, Store

# Families that are joined by edges, and edges between them: more is no picture any more.
JOINED, JOINS = 18, 26
# Fields that an edge between families names, and tools at one side of a field of a tool.
NAMED, AROUND = 3, 6


@dataclass(frozen=True)
class Node:
    """A family, a tool or a field; `more` stands for those of a field that are left out."""

    id: str
    kind: Literal["family", "tool", "field", "more"]
    name: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Edge:
    """From what makes to what takes.

    Attributes:
        kind: `leads` between families; `produces`, `requires` and `optional` between tools and
            fields; `precedes` between tools that were seen one after the other.
        count: how often agents went this way.
        fields: examples of what flows, between families.
        meets: how many fields flow, between families.
    """

    source: str
    target: str
    kind: str
    count: int = 0
    fields: list[str] = field(default_factory=list)
    meets: int = 0


@dataclass(frozen=True)
class Piece:
    """A part of the graph; `next` asks for the tools of a family that did not fit."""

    view: Literal["families", "family", "field", "tool"]
    name: str
    nodes: list[Node]
    edges: list[Edge]
    left_out: int = 0
    next: str | None = None


@dataclass(frozen=True)
class Ground:
    """What is known of all families; made once for each caller and state of the graph."""

    families: list[Row]
    gives: dict[str, dict[str, int]]  # field -> family -> tools
    needs: dict[str, dict[str, int]]
    travelled: dict[tuple[str, str], int]

    def makers(self, name: str) -> int:
        """How many visible tools make a field."""
        return sum(self.gives.get(name, {}).values())

    def takers(self, name: str) -> int:
        """How many visible tools cannot run without a field."""
        return sum(self.needs.get(name, {}).values())

    def families_first(self) -> Piece:
        """All families, the largest first, and how the largest lead to each other."""
        ranked = sorted(self.families, key=lambda r: (-r["tools"], -r["frequency"], r["family"]))
        nodes = [
            Node(_family(r["family"]), "family", r["family"],
                 {"tools": r["tools"], "frequency": r["frequency"]})
            for r in ranked
        ]  # fmt: skip
        edges = self._joins({row["family"] for row in ranked[:JOINED]})
        return Piece("families", "", nodes, edges)

    def _joins(self, joined: set[str]) -> list[Edge]:
        meets: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for name, makers in self.gives.items():
            takers = self.needs.get(name, {})
            for first in makers.keys() & joined:
                for second in takers.keys() & joined:
                    if first != second:
                        meets[first, second][name] = makers[first] * takers[second]
        edges = [
            Edge(_family(a), _family(b), "leads", self.travelled.get((a, b), 0),
                 [name for name, _ in found.most_common(NAMED)], len(found))
            for (a, b), found in meets.items()
        ]  # fmt: skip
        edges.sort(key=lambda edge: (-edge.count, -edge.meets, edge.source, edge.target))
        return edges[:JOINS]


def survey_ground(store: Store, caller: Caller) -> Ground:
    """Read what all pieces stand on, in four queries."""
    params = caller.params()
    seen = filtered(store, caller)  # counts are also made of ways through hidden tools
    travelled = seen.read("insight/travelled", **params)
    return Ground(
        families=seen.read("insight/families", **params),
        gives=_by_field(store.read("insight/gives", **params)),
        needs=_by_field(store.read("insight/needs", **params)),
        travelled={(row["first"], row["second"]): row["count"] for row in travelled},
    )


def _by_field(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        found[row["field"]][row["family"]] = row["tools"]
    return dict(found)


class Browser:
    """Looks at the graph for one caller."""

    def __init__(self, store: Store, caller: Caller, ground: Ground) -> None:
        self._store = store
        self._caller = caller
        self._ground = ground
        self._seen = filtered(store, caller)
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}

    def family(self, name: str, limit: int, after: str = "") -> Piece:
        """The tools of a family, most used first, with what they take and give."""
        rows = self._seen.read("tools/list", service=None, family=name or None, status="active")
        rows = [row for row in rows if (row["family"] or "") == name]
        rows.sort(key=lambda row: (-row["frequency"], row["id"]))
        places = {row["id"]: at + 1 for at, row in enumerate(rows)}
        begin = places.get(after, 0)
        shown = rows[begin : begin + limit]
        left = len(rows) - begin - len(shown)
        self._tools(shown)
        self._contracts([row["id"] for row in shown])
        return self._piece("family", name, left, shown[-1]["id"] if left else None)

    def field(self, name: str, limit: int) -> Piece:
        """Who makes a field and who takes it.

        Raises:
            UnknownField: no visible tool has it.
        """
        known = canonical(name)
        makers = {
            row["id"]: "produces" for row in self._seen.read("fields/producers", fields=[known])
        }
        takers = {
            row["id"]: "requires" if row["required"] else "optional"
            for row in self._seen.read("fields/consumers", fields=[known])
        }
        if not makers and not takers:
            there = {row["field"] for row in self._seen.read("fields/vocabulary")}
            raise UnknownField(name, nearest(known, sorted(there)))
        middle = self._field(known)
        left = self._fan(makers, middle, limit, inward=True)
        left += self._fan(takers, middle, limit, inward=False)
        return self._piece("field", known, left)

    def tool(self, name: str) -> Piece:
        """A tool with its fields, who makes and takes them, and what was seen around it.

        Raises:
            UnknownTool: the caller sees no such tool.
        """
        own = Resolver(self._seen).resolve(name)
        cards = self._cards([own])
        if not cards:
            raise UnknownTool(name, [])
        self._tools([cards[own]])
        self._contracts([own])
        left = 0
        for name, makers in self._makers(own).items():
            left += self._fan(makers, self._field(name), AROUND, inward=True)
        for name, takers in self._takers(own).items():
            self._link(own, self._field(name), "produces")  # also under the name of a role
            left += self._fan(takers, self._field(name), AROUND, inward=False)
        self._travelled(own)
        return self._piece("tool", own, left)

    def _makers(self, own: str) -> dict[str, dict[str, str]]:
        """Who makes each input of a tool."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for row in self._seen.read("insight/edges_into", ids=[own]):
            for name in row["fields"]:
                found[name][row["producer"]] = "produces"
        return found

    def _takers(self, own: str) -> dict[str, dict[str, str]]:
        """Who cannot run without what a tool makes for it."""
        edges = self._seen.read("insight/fed", ids=[own])
        inputs = self._seen.read("tools/inputs", ids=sorted(row["next"] for row in edges))
        needs = {(row["id"], row["field"]) for row in inputs if row["required"]}
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for row in edges:
            for name in row["fields"]:
                if (row["next"], name) in needs:
                    found[name][row["next"]] = "requires"
        return found

    def _fan(self, kinds: dict[str, str], middle: str, limit: int, *, inward: bool) -> int:
        """Join the most used tools at one side of a field; returns how many are left out."""
        cards = self._seen.read("tools/show", ids=sorted(kinds))
        cards.sort(key=lambda row: (-row["frequency"], row["id"]))
        self._tools(cards[:limit])
        for row in cards[:limit]:
            self._join(row["id"], middle, kinds[row["id"]], inward=inward)
        left = max(0, len(cards) - limit)
        if left:
            side = "makers" if inward else "takers"
            more = Node(f"more {side} {middle}", "more", f"{left} more", {"of": middle})
            self._nodes[more.id] = more
            self._join(more.id, middle, "more", inward=inward)
        return left

    def _join(self, tool: str, middle: str, kind: str, *, inward: bool) -> None:
        source, target = (tool, middle) if inward else (middle, tool)
        self._link(source, target, kind)

    def _travelled(self, own: str) -> None:
        rows = self._seen.read("insight/transitions", ids=[own])
        others = {end for row in rows for end in (row["first"], row["second"])} - {own}
        cards = self._cards(others)
        for side in ("first", "second"):
            ways = [row for row in rows if row[side] in cards][:AROUND]
            self._tools([cards[row[side]] for row in ways])
            for row in ways:
                self._link(row["first"], row["second"], "precedes", row["count"])

    def _cards(self, ids: Iterable[str]) -> dict[str, Row]:
        rows = self._seen.read("tools/show", ids=sorted(ids))
        return {row["id"]: row for row in rows if row["status"] == "active"}

    def _contracts(self, ids: list[str]) -> None:
        inputs = self._seen.read("tools/inputs", ids=ids)
        outputs = self._seen.read("tools/outputs", ids=ids)
        for row in inputs:
            kind = "requires" if row["required"] else "optional"
            self._link(self._field(row["field"]), row["id"], kind)
        for row in outputs:
            self._link(row["id"], self._field(row["field"]), "produces", row["count"] or 0)

    def _tools(self, rows: Iterable[Row]) -> None:
        for row in rows:
            kept = ("service", "family", "effects", "frequency", "description")
            facts = {key: row[key] for key in kept}
            self._nodes.setdefault(row["id"], Node(row["id"], "tool", row["name"], facts))

    def _field(self, name: str) -> str:
        known = self._ground
        facts = {"makers": known.makers(name), "takers": known.takers(name)}
        node = Node(f"field {name}", "field", name, facts)
        self._nodes.setdefault(node.id, node)
        return node.id

    def _link(self, source: str, target: str, kind: str, count: int = 0) -> None:
        self._edges.setdefault((source, target, kind), Edge(source, target, kind, count))

    def _piece(self, view: Any, name: str, left: int = 0, after: str | None = None) -> Piece:
        return Piece(
            view, name, list(self._nodes.values()), list(self._edges.values()), left, after
        )


def _family(name: str) -> str:
    return f"family {name}"
