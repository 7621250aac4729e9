"""The graph as one caller sees it: what is hidden takes up no room and leaves no trace."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from spm.registry.access import Caller
from spm.registry.menus.sight import visible
from spm.registry.state import Spoken, vocabulary
from spm.registry.store import Kind, Row, Store, Vector

Near = list[tuple[str, float]]


class View:
    """Reads that answer as if the hidden tools, and what was done with them, did not exist."""

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store = store
        self._caller = caller
        # What a read-only caller may not do can still teach it what to read.
        self._witness = replace(caller, read_only=False)

    def cards(self, tools: Iterable[str]) -> dict[str, Row]:
        """The tools that may be offered, with everything that is kept on them."""
        return visible(self._store, tools, self._caller)

    def nearest_tools(self, vector: Vector, count: int) -> Near:
        """Tools by cosine, best first."""
        return self._nearest("tool", vector, count, self.cards)

    def nearest_ways(self, vector: Vector, count: int) -> list[tuple[float, list[str]]]:
        """The steps of the nearest trajectories that succeeded, with their cosine."""
        near = self._nearest("trajectory", vector, count, self.ways)
        found = self.ways([node for node, _ in near])
        return [(score, found[node]) for node, score in near if node in found]

    def ways(self, trajectories: Iterable[str]) -> dict[str, list[str]]:
        """The steps of successful trajectories; those with a step out of sight are left out."""
        found: dict[str, list[str]] = {}
        for row in self._store.read("menu/memory", ids=list(trajectories)):
            found.setdefault(row["trajectory"], []).append(row["tool"])
        if not self._witness.restricted:
            return found
        steps = {tool for way in found.values() for tool in way}
        seen = visible(self._store, steps, self._witness).keys()
        return {node: way for node, way in found.items() if seen >= set(way)}

    def neighbours(self, tools: list[str]) -> list[Row]:
        """Rows of `menu/neighbours`."""
        return self._in_sight(self._store.read("menu/neighbours", ids=tools), "neighbour")

    def producers(self, fields: Iterable[str]) -> list[Row]:
        """Rows of `fields/producers`."""
        return self._in_sight(self._store.read("fields/producers", fields=sorted(fields)), "id")

    def vocabulary(self) -> Spoken:
        """The fields that the caller may know of.

        Types and spellings of a field come from all tools that have it, also hidden ones, so that
        a restricted caller gets names alone.
        """
        if not self._caller.restricted:
            return vocabulary(self._store)
        rows = self._store.read("access/fields", **self._caller.params())
        return [row["field"] for row in rows]

    def _in_sight(self, rows: list[Row], column: str) -> list[Row]:
        if not self._caller.restricted:
            return rows
        seen = self.cards({row[column] for row in rows})
        return [row for row in rows if row[column] in seen]

    def _nearest(
        self,
        kind: Kind,
        vector: Vector,
        count: int,
        seen: Callable[[list[str]], dict[str, Row]] | Callable[[list[str]], dict[str, list[str]]],
    ) -> Near:
        """The nearest in sight: asks for more until there are enough, or no more."""
        if not self._caller.restricted:
            return self._store.nearest(kind, vector, count)
        asked = 2 * count
        while True:
            near = self._store.nearest(kind, vector, asked)
            there = seen([node for node, _ in near])
            kept = [(node, score) for node, score in near if node in there][:count]
            if len(kept) == count or len(near) < asked:
                return kept
            asked *= 4
