"""The state that every request works with: the registry behind bounds, and authentication."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.requests import HTTPConnection

from spm.registry.menus.menu import Ask
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.timing import listening
from spm.service.encoding_queue import EncodingQueue
from spm.service.limits import WorkQueue
from spm.service.metrics import Metrics
from spm.service.registry_pool import RegistryPool
from spm.service.settings import ServiceSettings
from spm.service.spans import stage_span
from spm.service.token_cache import Identities

T = TypeVar("T")
Work = Callable[[Registry], T]


class Service:
    """A worker's state: all of it can be made again, nothing is kept between requests."""

    def __init__(self, settings: ServiceSettings, stored: Settings | None = None) -> None:
        """Prepare; nothing is opened yet.

        Args:
            settings: how to serve.
            stored: the store, where it is not the one that `settings` names.
        """
        self.settings = settings
        self.holding = RegistryPool(stored or settings.stored())
        threads = 1 if self.holding.alone else settings.threads
        self.metrics = Metrics()
        self.pool = WorkQueue(threads, settings.queue, partial(self.metrics.stage, "queue"))
        self.identities = Identities(self.ask)
        # Who renews the snapshot of a server makes its missing vectors too.
        self.encoding = EncodingQueue(self, self.metrics, catch_up=self.holding.alone)
        self.stopping = False
        self._warm = False

    async def ask(self, work: Work[T]) -> T:
        """Do something that reads, in a thread.

        Raises:
            Problem: there is no room (429) or no answer in time (504).
            SpmError: what the work raises.
        """
        return await self._run(self.holding.read, work, self.settings.seconds)

    async def write(self, work: Work[T]) -> T:
        """Do something that writes, with more time; see `ask`."""
        return await self._run(self.holding.write, work, self.settings.longest_seconds)

    async def replay(self, work: Work[T]) -> T:
        """Do something that reads and takes long; see `ask`."""
        return await self._run(self.holding.read, work, self.settings.longest_seconds)

    async def wake(self) -> None:
        """See whether the store answers; the first time also load what menus need.

        The first menu takes seconds, and nobody should have to wait for it: a service is ready
        when it is over.
        """
        await (self.ask if self._warm else self.replay)(self._wake)

    def _wake(self, registry: Registry) -> None:
        registry.store.read("state/registry")
        if not self._warm:
            registry.ranker().menu(Ask("Wake up"))
            self._warm = True

    async def _run(
        self,
        hold: Callable[[Callable[[Registry], T]], T],
        work: Callable[[Registry], T],
        most: float,
    ) -> T:
        def heard() -> T:
            with listening(self._tell):
                return hold(work)

        return await self.pool.run(heard, most)

    def _tell(self, stage: str, milliseconds: float) -> None:
        self.metrics.stage(stage, milliseconds / 1000)
        stage_span(stage, milliseconds)

    def close(self) -> None:
        """Finish what has begun and let go of the store."""
        self.encoding.close()
        self.pool.close()
        self.holding.close()


def service_of(connection: HTTPConnection) -> Service:
    """The service behind an application."""
    found: Service = connection.app.state.service
    return found
