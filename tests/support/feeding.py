"""FEEDS as a store has it, and as it would be if it were made anew of everything else."""

from spm.registry.map.feeds import edges_into
from spm.registry.store.interface import Row, Store

Edges = dict[tuple[str, str], Row]


class _Reads:
    """A store as the rules of the map read it, outside of a transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def run(self, name: str, /, **params: object) -> list[Row]:
        return self._store.read(name, **params)


def edges(store: Store) -> Edges:
    """All FEEDS edges of a store, by their two ends."""
    services = [row["service"] for row in store.read("map/marks")]
    rows = [row for name in services for row in store.read("map/feeding", service=name)]
    return {(row["producer"], row["consumer"]): row for row in rows}


def made_anew(store: Store) -> Edges:
    """The edges that there should be, out of facts, decisions and traces."""
    services = [row["service"] for row in store.read("map/marks")]
    found = (edges_into(_Reads(store), name) for name in services)
    return {ends: feed.row() for part in found for ends, feed in part.items()}


def wrong_edges(store: Store) -> dict[tuple[str, str], tuple[Row | None, Row | None]]:
    """Edges that are not what they should be: as they are, and as they should be."""
    there, wanted = edges(store), made_anew(store)
    return {
        ends: (there.get(ends), wanted.get(ends))
        for ends in sorted(there.keys() | wanted.keys())
        if there.get(ends) != wanted.get(ends)
    }
