"""Libraries of several sizes: what grows with them, and what does not."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from spm.evaluation.speed.findings import Figure, Finding, found
from spm.evaluation.speed.generated import VECTORS as MADE
from spm.evaluation.speed.machine import load
from spm.evaluation.speed.sampling import Progress, Row, Sample, ratio, summed
from spm.evaluation.speed.warm import WARM_UP
from spm.evaluation.speed.workers import Server, Taken, rounds
from spm.registry.stages import ENCODING, VECTORS

REST = "constructor without vector search"


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
    before, rows, rest = load(), [], {}
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
        rest[size] = Sample(without(server.menus))
        rows += _rows(size, server, rest[size], memory[size])
    settings = {"tools": sorted(stores), "requests": asked}
    return found("scale", settings, rows, _figures(servers, rest), [MADE], before)


def without(menus: Taken) -> list[float]:
    """Each menu's time without the encoder and the search by vectors, whose cost is arithmetic."""
    stages = zip(menus.stages[ENCODING], menus.stages[VECTORS], strict=True)
    return [
        whole - encoding - search
        for whole, (encoding, search) in zip(menus.whole.wall, stages, strict=True)
    ]


def _rows(size: int, server: Server, rest: Sample, memory: Mapping[str, float]) -> list[Row]:
    return [
        summed(f"{size:,}: semantic top 32", server.semantic.whole),
        summed(f"{size:,}: whole menu", server.menus.whole, **memory),
        summed(f"{size:,}: {VECTORS}", Sample(server.menus.stages[VECTORS])),
        summed(f"{size:,}: {REST}", rest),
    ]


def _figures(servers: Mapping[int, Server], rest: Mapping[int, Sample]) -> list[Figure]:
    small, large = min(servers), max(servers)
    grown = ratio(rest[large].wall, rest[small].wall)
    whole = ratio(servers[large].menus.whole.wall, servers[small].menus.whole.wall)
    # The goal is about 100,000 against 1,000; between other sizes it is another figure.
    asked = (small, large) == (1_000, 100_000)
    sizes = f"{large:,} / {small:,} tools"
    grows = "large_over_small" if asked else f"{REST}, {sizes}"
    return [
        Figure(grows, grown["median"], grown["minima"]),
        Figure(f"whole menu, {sizes}", whole["median"], whole["minima"]),
    ]
