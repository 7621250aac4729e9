"""What the map says of tools: their purpose, what they need and who feeds them.

A store answers in Cypher, a snapshot from its arrays; plans ask either.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from spm.registry.access.caller import Caller
from spm.registry.map.verbs import VerbKind, request_verbs
from spm.registry.request.input_nouns import Input
from spm.registry.request.tool_inputs import parse_inputs
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader


class Need(NamedTuple):
    """An input of a tool, and what it identifies."""

    field: str
    required: bool
    resource: str = ""
    role: str = ""


class Feeder(NamedTuple):
    """A tool that makes inputs of another."""

    producer: str
    fields: tuple[str, ...]
    weight: float
    effects: str


class Feeders(Sequence[Feeder]):
    """Who feeds a tool, made when somebody looks: of most candidates nobody ever asks.

    Args:
        make: makes them.
    """

    def __init__(self, make: Callable[[], tuple[Feeder, ...]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Feeder, ...]:
        return self._make()

    def __iter__(self) -> Iterator[Feeder]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, at: Any) -> Any:
        return self._made[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made)


@dataclass(frozen=True)
class MapCard:
    """A tool on the map; resources carry their service in front."""

    verb: VerbKind
    resource: str
    service: str
    effects: str
    needs: tuple[Need, ...] = ()
    feeders: Sequence[Feeder] = ()

    def inputs(self, tool: str, definition: str) -> tuple[Input, ...]:
        """The inputs of the tool, read out of its definition."""
        taken = tuple((n.field, n.resource, n.role) for n in self.needs if n.resource)
        return parse_inputs(definition, taken, self.resource, tool)

    @classmethod
    def of(cls, row: Row) -> "MapCard":
        """A card out of a row of `map/cards`; its feeders as rows, or made already."""
        feeders = row["feeders"]
        return cls(
            row["verb"] or ("get" if row["effects"] == "read" else "act"),
            row["resource"] or "",
            row["service"],
            row["effects"],
            tuple(Need(n[0], bool(n[1]), n[2] or "", n[3] or "") for n in row["needs"]),
            feeders
            if isinstance(feeders, Feeders)
            else tuple(Feeder(f[0], tuple(f[1]), float(f[2]), f[3]) for f in feeders),
        )


class ToolMap(Protocol):
    """Answers for one caller: tools that it does not see feed nothing."""

    def cards(self, tools: Sequence[str]) -> Mapping[str, MapCard]:
        """The cards of tools that are known."""
        ...

    def inputs(self, tools: Sequence[str]) -> Mapping[str, Sequence[Input]]:
        """The inputs of tools with what their schemas say."""
        ...

    def asked(self, trajectories: Sequence[str]) -> list[frozenset[VerbKind]]:
        """What kinds of acts the requests of trajectories ask for."""
        ...


class CypherMap:
    """Asks a store."""

    def __init__(self, store: Reader, caller: Caller) -> None:
        self._store = store
        self._caller = caller
        self._cards: dict[str, MapCard] = {}  # one menu asks for the same tools several times

    def cards(self, tools: Sequence[str]) -> Mapping[str, MapCard]:
        """The cards of tools that are known."""
        if new := [tool for tool in tools if tool not in self._cards]:
            rows = self._store.read("map/cards", ids=new, **self._caller.params())
            self._cards |= {row["id"]: MapCard.of(row) for row in rows}
        return {tool: self._cards[tool] for tool in tools if tool in self._cards}

    def inputs(self, tools: Sequence[str]) -> Mapping[str, Sequence[Input]]:
        """The inputs of tools with what their schemas say."""
        cards = self.cards(tools)
        rows = self._store.read("tools/definitions", ids=list(tools))
        return {r["id"]: cards[r["id"]].inputs(r["id"], r["definition"]) for r in rows}

    def asked(self, trajectories: Sequence[str]) -> list[frozenset[VerbKind]]:
        """What kinds of acts the requests of trajectories ask for."""
        rows = self._store.read("menu/asked", ids=list(trajectories))
        return [kinds_of(row["request"]) for row in rows]


def kinds_of(request: str) -> frozenset[VerbKind]:
    """What kinds of acts a request asks for."""
    return frozenset(verb.kind for verb in request_verbs(request))
