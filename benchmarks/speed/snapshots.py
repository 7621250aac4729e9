"""Menus from a snapshot beside menus from the store's own queries, in turns, on either engine.

A server writes nothing while this runs, so that its processor time is that of the menus.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from benchmarks.speed.library import VECTORS
from benchmarks.speed.machine import load, processor_time
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.report.goals import named
from benchmarks.speed.samples import Progress, Row, Sample, ratio, summed
from benchmarks.speed.warm import GOAL, WARM_UP, staged
from benchmarks.speed.workers import Server, rounds

LARGE, SMALL = 100_000, 1_000  # tools that the goal about growth compares


@dataclass(frozen=True)
class Place:
    """A store that is measured.

    Attributes:
        address: of the store.
        pid: of its server, where that runs here; None: nobody counts its processor time.
    """

    address: str
    pid: int | None = None


@dataclass
class _Pair:
    """Two processes on one store: one has its snapshot, the other has none."""

    place: Place
    whole: Server
    bare: Server
    spent: dict[str, list[float]] = field(default_factory=lambda: {"whole": [], "bare": []})

    def ask(self, text: str, turn: int) -> None:
        """Build the same menu with and without the snapshot; they change places every turn."""
        for name in ("whole", "bare")[:: 1 if turn % 2 else -1]:
            before = self._server_time()
            getattr(self, name).menu(text)
            self.spent[name].append(1000 * (self._server_time() - before))

    def _server_time(self) -> float:
        return processor_time(self.place.pid) if self.place.pid else 0.0


def measure(
    places: Sequence[Place],
    requests: Sequence[str],
    seconds: float = float("inf"),
    progress: Progress | None = None,
) -> Finding:
    """Build every menu twice on each store.

    Args:
        places: generated registries.
        requests: each is asked of every store, with a snapshot and without.
        seconds: no request is asked after them.
        progress: hears the requests.
    """
    before = load()
    with ExitStack() as stack:
        pairs = []
        for place in places:
            whole = stack.enter_context(Server(place.address))
            bare = stack.enter_context(Server(place.address, queries=True))
            for server in (whole, bare):
                server.warm(requests[-WARM_UP:])
            pairs.append(_Pair(place, whole, bare))

        def everywhere(number: int) -> None:
            for pair in pairs:
                pair.ask(requests[number], number)

        asked = rounds(len(requests), seconds, everywhere, progress)
    settings: dict[str, Any] = {"requests": asked}
    settings["stores"] = [f"{one.whole.engine}, {one.whole.tools:,} tools" for one in pairs]
    rows = [row for pair in pairs for row in _rows(pair)]
    return found("snapshots", settings, rows, _figures(pairs), [VECTORS], before)


def _rows(pair: _Pair) -> list[Row]:
    title = f"{pair.whole.engine}, {pair.whole.tools:,}"
    rows = []
    for name, said in (("whole", "with a snapshot"), ("bare", "without")):
        server: Server = getattr(pair, name)
        rows.append(summed(f"{title}: menu {said}", server.menus.whole))
        if pair.place.pid:
            rows.append(summed(f"{title}: CPU of the server, {said}", Sample(pair.spent[name])))
    return [*rows, *staged(pair.bare.menus)]


def _figures(pairs: Sequence[_Pair]) -> list[Figure]:
    figures = []
    for pair in pairs:
        engine, tools = pair.whole.engine, pair.whole.tools
        wall = ratio(pair.bare.menus.whole.wall, pair.whole.menus.whole.wall)
        name = named(f"{engine}_queries_over_snapshot", tools == GOAL)
        more = "" if tools == GOAL else f", {tools:,} tools"
        figures.append(Figure(name + more, wall["median"], wall["minima"]))
        menus = {"with": pair.whole.menus, "without": pair.bare.menus}
        for said, taken in menus.items():
            cpu = sum(taken.whole.cpu) / len(taken.whole.cpu)
            title = f"{engine}, {tools:,}: CPU-ms of the client {said} a snapshot, mean"
            figures.append(Figure(title, round(cpu, 1)))
        for said, spent in zip(menus, pair.spent.values(), strict=True):
            if pair.place.pid:
                title = f"{engine}, {tools:,}: CPU-ms of the server {said} a snapshot, mean"
                figures.append(Figure(title, round(sum(spent) / len(spent), 1)))
    return figures + _grown({pair.whole.tools: pair for pair in pairs if pair.place.pid})


def _grown(pairs: Mapping[int, _Pair]) -> list[Figure]:
    """How many times as long the largest registry on a server takes, without a snapshot."""
    if len(pairs) < 2:
        return []
    small, large = min(pairs), max(pairs)
    grown = ratio(pairs[large].bare.menus.whole.wall, pairs[small].bare.menus.whole.wall)
    name = named("queries_large_over_small", (small, large) == (SMALL, LARGE))
    return [Figure(name, grown["median"], grown["minima"])]
