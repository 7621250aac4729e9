"""`spm serve` under a steady load: what it answers, how late, and whether its memory stays."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

from benchmarks.speed import generator
from benchmarks.speed.arrivals import Client, Heard, arrive
from benchmarks.speed.machine import load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.report.goals import named
from benchmarks.speed.samples import Progress, Row, Sample, summed
from benchmarks.speed.service_process import held
from spm.registry.errors import InputError

GOAL_TOOLS, GOAL_SECONDS = 16_000, 60  # what the goals are about
WARM_UP, SINGLE = 20, 40  # requests before the load, one at a time; only the latter are timed
PAUSE = 0.5  # seconds between two looks at the memory
ALONE, LOADED = "one at a time", "under load"


class Memory:
    """What a service holds while it works, in MB, look by look; nothing where it runs elsewhere."""

    def __init__(self, process: int | None) -> None:
        self._process = process
        self._over = threading.Event()
        self.looks: list[float] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look again and again until the end of the block."""
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        yield
        self._over.set()
        thread.join()

    def _watch(self) -> None:
        while self._process is not None:
            if mb := held(self._process):
                self.looks.append(mb)
            if self._over.wait(PAUSE):
                return

    def quarters(self) -> tuple[float, float]:
        """The median of the first quarter of all looks, and of the last."""
        size = max(1, len(self.looks) // 4)
        return median(self.looks[:size]), median(self.looks[-size:])


def measure(
    client: Client,
    rate: float,
    seconds: float,
    settings: dict[str, Any],
    process: int | None = None,
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> Finding:
    """Ask distinct requests: some one after the other, then `rate` a second.

    Args:
        client: of the service.
        rate: requests a second.
        seconds: how long.
        settings: what a reader should know of the service, as `tools`.
        process: of the service, where it runs on this machine.
        progress: hears the requests.
        notes: what else a reader should know.

    Raises:
        InputError: the service cannot be asked.
    """
    before, count = load(), max(1, round(rate * seconds))
    texts = _distinct(WARM_UP + SINGLE + count)
    for text in texts[:WARM_UP]:
        _require(client, text)
    alone = [client.menu(text) for text in texts[WARM_UP : WARM_UP + SINGLE]]
    memory = Memory(process)
    with memory.watched():
        heard = arrive(client, texts[WARM_UP + SINGLE :], rate, progress)
    asked = {"rate": rate, "seconds": seconds, **settings, "statuses": _statuses(heard)}
    goal = settings.get("tools") == GOAL_TOOLS and seconds >= GOAL_SECONDS
    figures = _figures(alone, heard, memory, goal)
    return found("serve", asked, _rows(alone, heard, memory), figures, list(notes), before)


def _distinct(count: int) -> list[str]:
    """Requests of which no two are equal: what was encoded once may be kept."""
    texts: dict[str, None] = {}
    for text in generator.requests(2 * count):
        texts.setdefault(text)
        if len(texts) == count:
            break
    return list(texts)


def _require(client: Client, text: str) -> None:
    heard = client.menu(text)
    if heard.status != 200:
        status, said = client.send("GET", "/readyz")
        raise InputError(
            f"{client.url} answered {heard.status or 'nothing'} to a request for a menu; /readyz: "
            f"{status or 'nothing'} {said[:200].decode(errors='replace')}. Is it running, and does "
            "SPM_TOKEN hold a token for it?"
        )


def _statuses(heard: Sequence[Heard]) -> dict[str, int]:
    return {str(status): n for status, n in sorted(Counter(h.status for h in heard).items())}


def _rows(alone: Sequence[Heard], heard: Sequence[Heard], memory: Memory) -> list[Row]:
    held_now = {"pss": round(memory.quarters()[1], 1)} if memory.looks else {}
    return [
        summed(ALONE, Sample([one.ms for one in alone])),
        summed(LOADED, Sample([one.ms for one in heard]), **held_now),
    ]


def _figures(
    alone: Sequence[Heard], heard: Sequence[Heard], memory: Memory, goal: bool
) -> list[Figure]:
    single, loaded = _rows(alone, heard, memory)
    good = [one for one in heard if one.status == 200]
    first = min(one.end - one.ms / 1000 for one in heard)
    spent = max(one.end for one in heard) - first
    figures = [
        Figure(named("served_per_second", goal), round(len(good) / spent, 2)),
        Figure(named("served_p95_over_single", goal), round(loaded.p95 / single.p50, 2)),
        Figure(named("served_errors", goal), len(heard) - len(good)),
    ]
    if memory.looks:
        begin, end = memory.quarters()
        said = f"{begin:.0f} to {end:.0f} MB"
        figures.append(Figure(named("served_growth", goal), round(end / begin, 3), said=said))
    return figures
