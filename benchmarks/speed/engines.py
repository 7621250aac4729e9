"""Both engines: how fast they take a library in, and how fast they find a request's candidates."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.speed.ingest import Load
from benchmarks.speed.ingest import measure as take_in
from benchmarks.speed.library import VECTORS, put_vectors
from benchmarks.speed.machine import load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.report.goals import named
from benchmarks.speed.samples import Progress, Row, ratio, summed
from benchmarks.speed.warm import GOAL, WARM_UP
from benchmarks.speed.workers import Server, Tell, rounds
from spm.registry.errors import InputError
from spm.registry.registry import Registry


def measure(
    stores: Sequence[str],
    tools: int,
    traces: int,
    requests: Sequence[str],
    seconds: float = float("inf"),
    tell: Tell | None = None,
) -> Finding:
    """Load the same library into empty stores, one after the other, then ask them in turns.

    Args:
        stores: folders or addresses; the generated tools stay in them.
        tools: how many to register.
        traces: how many trajectories to import.
        requests: whose candidates each store is asked for.
        seconds: no request is asked after them.
        tell: hears how far it is.

    Raises:
        InputError: a store is not empty.
    """
    before = load()
    loads = {store: _loaded(store, tools, traces, tell) for store in stores}
    with ExitStack() as stack:
        servers = {store: stack.enter_context(Server(store)) for store in stores}
        for server in servers.values():
            server.warm(requests[-WARM_UP:])

        def everywhere(number: int) -> None:
            for server in servers.values():
                server.frontier(requests[number])
                server.menu(requests[number])

        bar: Progress | None = (lambda d, t: tell("Asking", d, t)) if tell else None
        rounds(len(requests), seconds, everywhere, bar)
    by_engine = {server.engine: server for server in servers.values()}
    figures = [one for taken in loads.values() for one in _rates(taken)]
    settings: dict[str, Any] = {"tools": tools, "trajectories": traces, "engines": list(by_engine)}
    notes = ["Loading is without encoding, one engine after the other.", VECTORS]
    rows = [row for engine, server in by_engine.items() for row in _rows(engine, server)]
    return found("load", settings, rows, figures + _compared(by_engine, tools), notes, before)


def _loaded(store: str, tools: int, traces: int, tell: Tell | None) -> Load:
    with Registry.open(store) as registry:
        if registry.status()["tools"]:
            raise InputError(f"{registry.store.location!r} is not empty. Give a new store.")
        taken = take_in(registry, tools, traces, tell)
        put_vectors(registry)
    return taken


def _rates(taken: Load) -> list[Figure]:
    return [
        Figure(f"{taken.engine}: tools/s", round(taken.tools_per_second, 1)),
        Figure(f"{taken.engine}: transitions/s", round(taken.transitions_per_second, 1)),
        Figure(f"{taken.engine}: unchanged, times faster", round(taken.again_ratio, 1)),
    ]


def _rows(engine: str, server: Server) -> list[Row]:
    return [
        summed(f"{engine}: frontier query", server.frontiers.whole),
        summed(f"{engine}: whole menu", server.menus.whole),
    ]


def _compared(servers: Mapping[str, Server], tools: int) -> list[Figure]:
    """How many times as long the other engine takes, where there are two."""
    if len(servers) < 2:
        return []
    own, other = servers["embedded"], servers["neo4j"]
    queries = ratio(other.frontiers.whole.wall, own.frontiers.whole.wall)
    menus = ratio(other.menus.whole.wall, own.menus.whole.wall)
    name = named("server_over_embedded", tools == GOAL)
    return [
        Figure(name, queries["median"], queries["minima"]),
        Figure("whole menu, neo4j / embedded", menus["median"], menus["minima"]),
    ]
