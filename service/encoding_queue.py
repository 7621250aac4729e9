"""The vectors of what requests bring: made in one place of a process, in bounded batches.

Whoever brings texts is answered when they are stored. What was left by others (an import without
its vectors, a worker that was killed) waits behind, so that no request pays for it: on the embedded
engine it is caught up here; a server's is by `snapshot_renewal`, in a process of its own.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Protocol

from spm.gnn.encoders.by_name import encoder_of
from spm.registry import encoding
from spm.registry.encoding import Encoder, NodeText
from spm.registry.errors import SpmError
from spm.registry.registry import Registry
from spm.registry.store.interface import Kind, Vector
from spm.service.mcp.registry_calls import RegistryCalls
from spm.service.problems import Problem

log = logging.getLogger("spm.encoding")
FEW = 32  # so many texts are encoded within half a second or so, and their request waits for that
BATCH = 64
MOST = 100_000  # ids that are remembered; the store still has the texts of others
AGAIN, RARELY = 2.0, 60.0  # seconds after a failure; twice as long after each further one


class EncodingMetrics(Protocol):
    """Who hears how encoding goes; `service.metrics.Metrics` is one."""

    def encoding(self, waiting: int, texts: int = 0, seconds: float = 0.0) -> None:
        """So many texts wait; so many more are encoded, which took so long."""
        ...


class _Brought:
    """Nodes of one request, or of nobody's, that may need vectors."""

    def __init__(self, kind: Kind, ids: Iterable[str]) -> None:
        self.kind = kind
        self.ids = deque(dict.fromkeys(ids))
        self.over = asyncio.Event()

    def next(self) -> list[str]:
        """The first ids, up to a batch."""
        return [self.ids.popleft() for _ in range(min(BATCH, len(self.ids)))]


class EncodingQueue:
    """Nodes that wait for vectors; used by the event loop of one worker alone.

    Args:
        desk: where the store is asked.
        metrics: hears how it goes.
        catch_up: whether to look, once, for texts that others left without vectors.
    """

    def __init__(self, desk: RegistryCalls, metrics: EncodingMetrics, *, catch_up: bool) -> None:
        self._desk, self._metrics = desk, metrics
        self._catch_up = self._behind = catch_up
        self._brought: deque[_Brought] = deque()
        self._left: deque[_Brought] = deque()
        self._in_hand = 0
        self._news = asyncio.Event()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="spm-encoder")

    def __len__(self) -> int:
        """How many texts wait, or are worked on."""
        return self._in_hand + sum(len(one.ids) for one in (*self._brought, *self._left))

    async def bring(self, kind: Kind, ids: Sequence[str]) -> None:
        """Have vectors made of these nodes: few of them now, where nothing else is to be done."""
        if not ids:
            return
        idle = not len(self)
        if len(self) + len(ids) > MOST:
            self._behind = self._catch_up
            log.warning("%d texts wait for vectors. Make those missing with: spm encode", len(self))
            return
        one = _Brought(kind, ids)
        self._brought.append(one)
        self._report()
        self._news.set()
        if idle and len(one.ids) <= FEW:
            await one.over.wait()

    async def keep(self) -> None:
        """Encode what waits, until it is cancelled."""
        pause = AGAIN
        while True:
            try:
                if self._behind:
                    await self._look()
                if not (self._brought or self._left):
                    await self._news.wait()
                    self._news.clear()
                    continue
                await self._next()
                pause = AGAIN
            except (SpmError, Problem) as error:  # away or busy
                log.warning("%d texts have no vectors yet: %s", len(self), error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, RARELY)

    async def _next(self) -> None:
        """Encode a batch; what cannot be done now waits on, but nobody waits for it any more."""
        line = self._brought or self._left
        one = line[0]
        ids = one.next()
        self._in_hand = len(ids)
        try:
            await self._encode(one.kind, ids)
        except (SpmError, Problem):
            one.ids.extendleft(reversed(ids))
            one.over.set()
            raise
        except Exception:  # of an encoder: one text that it chokes on must not stop all others
            log.exception("%d texts could not be encoded", len(ids))
        finally:
            self._in_hand = 0
            self._report()
        if not one.ids:
            line.popleft()
            one.over.set()

    async def _look(self) -> None:
        """Look, once, for what others left."""
        self._left.extend(await self._desk.ask(_left))
        self._behind = False
        self._report()

    def close(self) -> None:
        """Finish what is worked on; the rest is found by the next who looks."""
        for one in self._brought:
            one.over.set()
        self._executor.shutdown(wait=True, cancel_futures=True)

    async def _encode(self, kind: Kind, ids: list[str]) -> None:
        """Three steps, so that nobody who asks the store waits for the encoder."""
        began = time.perf_counter()
        encoder, rows = await self._desk.ask(lambda registry: _waiting(registry, kind, ids))
        if not rows:
            return
        loop = asyncio.get_running_loop()
        vectors = await loop.run_in_executor(
            self._executor, encoding.vectors_of, encoder, kind, rows
        )
        await self._desk.write(lambda registry: _keep(registry, encoder, kind, rows, vectors))
        self._metrics.encoding(len(self), len(rows), time.perf_counter() - began)

    def _report(self) -> None:
        self._metrics.encoding(len(self))


def _left(registry: Registry) -> list[_Brought]:
    found = [
        (kind, [row.id for row in islice(encoding.waiting(registry.store, kind), MOST)])
        for kind in encoding.KINDS
    ]
    return [_Brought(kind, ids) for kind, ids in found if ids]


def _waiting(registry: Registry, kind: Kind, ids: list[str]) -> tuple[Encoder, list[NodeText]]:
    return encoder_of(registry.store), encoding.pending(registry.store, kind, ids)


def _keep(
    registry: Registry, encoder: Encoder, kind: Kind, rows: list[NodeText], vectors: Vector
) -> None:
    encoding.keep(registry.store, encoder, kind, rows, vectors)
