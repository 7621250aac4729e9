"""A snapshot opened: the library of its registry, over the mapped arrays."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.coarse import MANY, Coarse
from spm.gnn.library import Counts, Ints, Library, Rows
from spm.gnn.snapshot.columns import Sorted, Texts
from spm.gnn.snapshot.container import Container
from spm.gnn.snapshot.indexing import index
from spm.registry.store import Row

KEPT = 4_000  # cards; about 4 MB
NOBODY: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Rights:
    """What decides who sees a tool, in columns; all of these tools are active."""

    public: NDArray[np.bool_]
    owner: Ints  # numbers into owners, -1: nobody
    owners: Sorted
    needs: Rows  # numbers into scopes
    scopes: Sorted
    reads: NDArray[np.bool_]


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
            self._read[tool] = json.loads(self._cards[at])
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
        library: tools, fields and trajectories.
        cards: what a menu shows of each tool.
    """

    def __init__(self, container: Container) -> None:
        self.container = container
        said = container.said
        self.revision: int = said["revision"]
        self.encoder: str | None = said["encoder"]
        self.ids = Sorted(*self._pair("tool.ids", "data"))
        self.cards = Cards(self.ids, self._texts("cards"))
        self.library = self._library()

    @property
    def width(self) -> int:
        """The length of the vectors; 0 while there are none."""
        return int(max(self.library.vectors.shape[1], self.library.request_vectors.shape[1]))

    @cached_property
    def rights(self) -> Rights:
        """Who sees which tool."""
        found = self.container.arrays
        return Rights(
            found["public"],
            found["owner"],
            Sorted(*self._pair("owners", "data")),
            self._rows("needs"),
            Sorted(*self._pair("scopes", "data")),
            found["reads"],
        )

    @cached_property
    def mentions(self) -> Rows:
        """Every field of each tool, numbers into the vocabulary."""
        return self._rows("mentions")

    @cached_property
    def vocabulary(self) -> Sequence[Row]:
        """All fields with types and spellings, and the names that a person merged."""
        same: dict[str, list[str]] = defaultdict(list)
        for first, second in self.container.said["pairs"]:
            same[first].append(second)
            same[second].append(first)
        rows = map(json.loads, self._texts("vocabulary"))
        return [{**row, "same": same[row["field"]]} for row in rows]

    def _library(self) -> Library:
        found = self.container.arrays
        made = Library(
            tools=self.ids,
            family=found["family"],
            service=found["service"],
            words=(),
            fields=self._texts("fields"),
            takes=self._rows("takes"),
            gives=self._rows("gives"),
            vectors=found["tool.vectors"],
            texts=index(self.container.part("tool.index.")),
            trajectories=self._texts("trajectory.ids"),
            requests=(),
            request_vectors=found["trajectory.vectors"],
            request_texts=index(self.container.part("trajectory.index.")),
            paths=self._rows("paths"),
            groups=NOBODY,
            frequency=found["frequency"],
            entries=found["entries"],
            followers=self._counts("followers"),
            later=self._counts("later"),
            same=self.container.said["same"],
        )
        # What a library derives when it is first asked for stands in the file.
        vars(made).update(
            ways=self._rows("ways"),
            spelled=self._rows("words"),
            leaders=self._counts("leaders"),
            makers=self._rows("makers"),
            coarse=self._coarse("tool"),
            request_coarse=self._coarse("trajectory"),
        )
        return made

    def _coarse(self, kind: str) -> Coarse | None:
        found = self.container.part(f"{kind}.coarse.")
        return Coarse(found) if len(found["step"]) > MANY else None

    def _pair(self, name: str, other: str) -> tuple[Any, Any]:
        return self.container.arrays[f"{name}.starts"], self.container.arrays[f"{name}.{other}"]

    def _texts(self, name: str) -> Texts:
        return Texts(*self._pair(name, "data"))

    def _rows(self, name: str) -> Rows:
        return Rows(*self._pair(name, "values"))

    def _counts(self, name: str) -> Counts:
        return Counts(*self._pair(name, "others"), self.container.arrays[f"{name}.counts"])
