"""A process that is warm: a whole menu beside plain semantic retrieval, and where its time goes."""

from collections.abc import Sequence

from benchmarks.speed.machine import load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.report.goals import named
from benchmarks.speed.samples import Progress, Row, Sample, ratio, summed
from benchmarks.speed.workers import Server, Taken, rounds

GOAL = 16_000  # tools that the goals are about
WARM_UP = 5
WHOLE, NEAREST = "whole menu", "semantic top 32"


def measure(
    store: str,
    requests: Sequence[str],
    seconds: float = float("inf"),
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> Finding:
    """Build a menu and find the nearest tools for every request, in turns, in a new process.

    Args:
        store: where the registry is.
        requests: each is asked once; a few of them also before, which does not count.
        seconds: no request is asked after them.
        progress: hears the requests.
        notes: what else a reader should know.
    """
    before = load()
    with Server(store) as first:
        first.warm(requests[:1])  # what is written at first use is no part of serving
    with Server(store) as server:
        memory = server.warm(requests[-WARM_UP:])

        def both(number: int) -> None:
            # Who comes first finds the other's data in the processor's caches: they change places.
            for ask in (server.top, server.menu)[:: 1 if number % 2 else -1]:
                ask(requests[number])

        asked = rounds(len(requests), seconds, both, progress)
        settings = {"engine": server.engine, "tools": server.tools, "requests": asked}
    menus, nearest = server.menus, server.semantic
    rows = [
        summed(NEAREST, nearest.whole),
        summed(WHOLE, menus.whole, **memory),
        *staged(menus),
    ]
    figures = _figures(menus, nearest, memory, server.tools == GOAL)
    return found("warm", settings, rows, figures, [*notes], before)


def staged(menus: Taken) -> list[Row]:
    """A row for each stage; an inner one stands before the one around it."""
    return [summed(f"· {name}", Sample(times)) for name, times in menus.stages.items()]


def _figures(menus: Taken, nearest: Taken, memory: dict[str, float], asked: bool) -> list[Figure]:
    wall = ratio(menus.whole.wall, nearest.whole.wall)
    cpu = ratio(menus.whole.cpu, nearest.whole.cpu)
    per_second = 1000 * len(menus.whole.cpu) / sum(menus.whole.cpu)
    figures = [
        Figure(named("menu_over_semantic", asked), wall["median"], wall["minima"]),
        Figure("the same by CPU time", cpu["median"], cpu["minima"]),
        Figure(named("menus_per_cpu_second", asked), round(per_second, 1)),
    ]
    if memory:
        figures.append(Figure(named("serving_memory", asked), memory["rss"]))
    return figures
