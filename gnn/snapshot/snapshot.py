"""A snapshot opened: the library of its registry, over the mapped arrays."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spm.gnn.arrays.library import Counts, Derived, Feeders, Ints, Library, Rows
from spm.gnn.arrays.merged_fields import MergedFields, merge_fields
from spm.gnn.arrays.nearest_vectors import Mask
from spm.gnn.snapshot.bm25_index import index
from spm.gnn.snapshot.container import Container
from spm.gnn.snapshot.map_cards import MapCards
from spm.gnn.snapshot.strings import Sorted, Texts
from spm.registry.access.caller import Caller
from spm.registry.access.rules import sees
from spm.registry.store.interface import Row

KEPT = 4_000  # cards; about 4 MB
NOBODY: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class AccessClasses:
    """The tools of a snapshot, grouped by the properties that decide who sees them.

    Attributes:
        cards: one for each distinct combination of status, visibility, owner, scopes and effects.
        numbers: which of the cards each tool has.
    """

    cards: Sequence[Row]
    numbers: Ints

    @classmethod
    def of(cls, tools: Sequence[Row]) -> "AccessClasses":
        """Group active tools."""
        known: dict[str, int] = {}
        keys = [json.dumps(_access_card(row), sort_keys=True) for row in tools]
        numbers = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
        return cls([json.loads(key) for key in known], numbers)

    def visible(self, caller: Caller) -> Mask:
        """Return the mask of the tools that a caller sees, by one call of the rule per class."""
        seen = np.array([sees(card, caller) for card in self.cards], dtype=bool)
        return seen.take(self.numbers)


def _access_card(row: Row) -> Row:
    """What the rule reads of an active tool."""
    scopes = sorted(set(row["scopes"] or ()))
    kept = {column: row[column] for column in ("visibility", "owner", "effects")}
    return {**kept, "status": "active", "scopes": scopes}


class Cards(Mapping[str, Row]):
    """What a menu shows of tools, read when it is asked for."""

    def __init__(self, ids: Sorted, cards: Texts) -> None:
        self._ids = ids
        self._cards = cards
        self._read: dict[str, Row] = {}  # menus show the same few hundred tools again and again

    def __getitem__(self, tool: str) -> Row:
        if tool not in self._read:
            if (at := self._ids.get(tool)) is None:
                raise KeyError(tool)
            if len(self._read) >= KEPT:
                self._read = {}
            self._read[tool] = json.loads(self._cards.once(at))
        return self._read[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class Snapshot:
    """One state of a registry.

    Attributes:
        revision: the registry's.
        encoder: who made the vectors; None while there are none.
        ids, trajectory_ids: of tools and of trajectories with a request.
        map_cards: what the map says of each tool.
        inputs: of each tool, with what its schema says.
        kinds_asked: what kinds of acts the requests of trajectories ask for, as bits.
        library: tools, fields and trajectories.
        cards: what a menu shows of each tool.
    """

    def __init__(self, container: Container) -> None:
        self.container = container
        said = container.said
        self.revision: int = said["revision"]
        self.encoder: str | None = said["encoder"]
        self.ids = Sorted(*self._pair("tool.ids", "data"))
        self.trajectory_ids = Sorted(*self._pair("trajectory.ids", "data"))
        self.map_cards = MapCards(self.ids, self._effects, self._texts("map"))
        self.inputs = self._texts("inputs")
        self.kinds_asked = container.arrays["trajectory.kinds"]
        self.cards = Cards(self.ids, self._texts("cards"))
        self.library = self._library()

    @property
    def width(self) -> int:
        """The length of the vectors; 0 while there are none."""
        return int(max(self.library.vectors.shape[1], self.library.request_vectors.shape[1]))

    @cached_property
    def access_classes(self) -> AccessClasses:
        """Who sees which tool."""
        cards = self.container.said["access_cards"]
        return AccessClasses(cards, self.container.arrays["access.numbers"])

    @cached_property
    def mentions(self) -> Rows:
        """Every field of each tool, numbers into the vocabulary."""
        return self._rows("mentions")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The fields that a person declared to be the same."""
        return [(first, second) for first, second in self.container.said["pairs"]]

    def merged(self, pairs: Iterable[tuple[str, str]]) -> MergedFields:
        """The contracts of all tools, with only these pairs of fields taken as one."""
        names = [row["field"] for row in self.vocabulary]
        takes, gives = self._rows("declared.takes"), self._rows("declared.gives")
        return merge_fields(names, takes, gives, pairs)

    @cached_property
    def vocabulary(self) -> Sequence[Row]:
        """All fields with types and spellings, and the names that a person merged."""
        same: dict[str, list[str]] = defaultdict(list)
        for first, second in self.pairs:
            same[first].append(second)
            same[second].append(first)
        rows = map(json.loads, self._texts("vocabulary"))
        return [{**row, "same": same[row["field"]]} for row in rows]

    def _effects(self, tool: int) -> str:
        classes = self.access_classes
        return str(classes.cards[classes.numbers.item(tool)]["effects"])

    def _library(self) -> Library:
        found = self.container.arrays
        return Library(
            tools=self.ids,
            family=found["family"],
            service=found["service"],
            words=(),
            fields=self._texts("fields"),
            takes=self._rows("takes"),
            gives=self._rows("gives"),
            vectors=found["tool.vectors"],
            texts=index(self.container.part("tool.index.")),
            grams=self._rows("grams"),
            trajectories=self.trajectory_ids,
            requests=(),
            request_vectors=found["trajectory.vectors"],
            request_texts=index(self.container.part("trajectory.index.")),
            paths=self._rows("paths"),
            groups=NOBODY,
            frequency=found["frequency"],
            entries=found["entries"],
            followers=self._counts("followers"),
            later=self._counts("later"),
            feeders=Feeders(
                found["feeds.starts"],
                found["feeds.producers"],
                found["feeds.weights"],
                self._rows("feeds.carried"),
                self._texts("feeds.fields"),
            ),
            same=self.container.said["same"],
            derived=Derived(
                ways=self._rows("ways"),
                spelled=self._rows("words"),
                leaders=self._counts("leaders"),
            ),
        )

    def _pair(self, name: str, other: str) -> tuple[Any, Any]:
        return self.container.arrays[f"{name}.starts"], self.container.arrays[f"{name}.{other}"]

    def _texts(self, name: str) -> Texts:
        return Texts(*self._pair(name, "data"))

    def _rows(self, name: str) -> Rows:
        return Rows(*self._pair(name, "values"))

    def _counts(self, name: str) -> Counts:
        return Counts(*self._pair(name, "others"), self.container.arrays[f"{name}.counts"])
