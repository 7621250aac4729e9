"""Bounds on work: threads, queue length and seconds. What exceeds them is refused."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from spm.service.problems import AGAIN, BUSY, TOO_SLOW, Problem

T = TypeVar("T")


class WorkQueue:
    """Threads for work that blocks, with a bounded number of questions before them.

    Args:
        threads: how many work at once.
        queue: how many may wait besides.
        waited: hears for how many seconds each of them waited.
    """

    def __init__(
        self, threads: int, queue: int, waited: Callable[[float], None] = lambda seconds: None
    ) -> None:
        self.threads, self.queue = threads, queue
        self._room = threading.BoundedSemaphore(threads + queue)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="spm")
        self._count = threading.Lock()
        self._inside = 0
        self._waited = waited

    @property
    def inside(self) -> int:
        """Questions that wait or are worked on."""
        return self._inside

    async def run(self, work: Callable[[], T], seconds: float) -> T:
        """Do `work` in a thread.

        What has begun cannot be stopped: after a timeout it goes on, and keeps its place until it
        ends, so that there are never more threads than promised.

        Raises:
            Problem: too many wait (429), or it took too long (504).
        """
        if not self._room.acquire(blocking=False):
            raise Problem(BUSY, "Too many questions wait already.", AGAIN, {"Retry-After": "1"})
        self._add(1)
        context, asked = copy_context(), time.perf_counter()

        def begin() -> T:
            self._waited(time.perf_counter() - asked)
            return work()

        future = self._executor.submit(context.run, begin)
        future.add_done_callback(self._left)
        running = asyncio.wrap_future(future)
        running.add_done_callback(_heard)
        try:
            return await asyncio.wait_for(asyncio.shield(running), seconds)
        except TimeoutError as error:
            future.cancel()  # if it still waits, it need not begin
            raise Problem(
                TOO_SLOW,
                f"No answer within {seconds:g} seconds.",
                "Ask for less, or repeat it when the service is less busy.",
            ) from error

    def close(self) -> None:
        """Wait for what has begun."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _left(self, future: Future[Any]) -> None:
        del future
        self._add(-1)
        self._room.release()

    def _add(self, number: int) -> None:
        with self._count:
            self._inside += number


def _heard(future: "asyncio.Future[Any]") -> None:
    """Look at the error of work that nobody waits for any more, or asyncio complains."""
    if not future.cancelled():
        future.exception()
