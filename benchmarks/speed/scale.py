"""Libraries of several sizes: what grows with them, and what does not."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.speed.library import VECTORS as MADE
from benchmarks.speed.machine import load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.samples import Progress, Row, Sample, ratio, summed
from benchmarks.speed.warm import WARM_UP
from benchmarks.speed.workers import Server, Taken, rounds
from spm.registry.timing import ENCODING, SEARCH, VECTORS

REST = "constructor without vector search"
LESS = "constructor without any search"


def measure(
    stores: Mapping[int, Path],
    requests: Sequence[str],
    seconds: float = float("inf"),
    progress: Progress | None = None,
) -> Finding:
    """Build the same menus on libraries of several sizes, each in a process of its own, in turns.

    Args:
        stores: generated registries by the number of their tools.
        requests: each is asked of every library.
        seconds: no request is asked after them.
        progress: hears the requests.
    """
    before, rows = load(), []
    for store in stores.values():
        with Server(str(store)) as first:
            first.warm(requests[:1])  # as in `warm`
    with ExitStack() as stack:
        servers = {size: stack.enter_context(Server(str(stores[size]))) for size in sorted(stores)}
        memory = {size: server.warm(requests[-WARM_UP:]) for size, server in servers.items()}

        def everywhere(number: int) -> None:
            for server in servers.values():
                server.top(requests[number])
                server.menu(requests[number])

        asked = rounds(len(requests), seconds, everywhere, progress)
    for size, server in servers.items():
        rows += _rows(size, server, memory[size])
    settings = {"tools": sorted(stores), "requests": asked}
    return found("scale", settings, rows, _figures(servers), [MADE], before)


def without(menus: Taken, search: str) -> list[float]:
    """Each menu's time without the encoder and a search: by vectors, or also by words."""
    stages = zip(menus.stages[ENCODING], menus.stages[search], strict=True)
    return [
        whole - encoding - found
        for whole, (encoding, found) in zip(menus.whole.wall, stages, strict=True)
    ]


def _rows(size: int, server: Server, memory: Mapping[str, float]) -> list[Row]:
    menus = server.menus
    return [
        summed(f"{size:,}: semantic top 32", server.semantic.whole),
        summed(f"{size:,}: whole menu", menus.whole, **memory),
        summed(f"{size:,}: {VECTORS}", Sample(menus.stages[VECTORS])),
        summed(f"{size:,}: {SEARCH}, by vectors and words", Sample(menus.stages[SEARCH])),
        summed(f"{size:,}: {REST}", Sample(without(menus, VECTORS))),
        summed(f"{size:,}: {LESS}", Sample(without(menus, SEARCH))),
    ]


def _figures(servers: Mapping[int, Server]) -> list[Figure]:
    small, large = min(servers), max(servers)
    few, many = servers[small].menus, servers[large].menus
    grown = ratio(without(many, VECTORS), without(few, VECTORS))
    less = ratio(without(many, SEARCH), without(few, SEARCH))
    whole = ratio(many.whole.wall, few.whole.wall)
    # The goal is about 100,000 against 1,000; between other sizes it is another figure.
    asked = (small, large) == (1_000, 100_000)
    sizes = f"{large:,} / {small:,} tools"
    grows = "large_over_small" if asked else f"{REST}, {sizes}"
    return [
        Figure(grows, grown["median"], grown["minima"]),
        Figure(f"{LESS}, {sizes}", less["median"], less["minima"]),
        Figure(f"whole menu, {sizes}", whole["median"], whole["minima"]),
    ]
