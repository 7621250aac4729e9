"""What every request works with: the registry behind bounds, and who may ask."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.requests import HTTPConnection

from spm.registry import Registry
from spm.registry.settings import Settings
from spm.service.holding import Holding
from spm.service.limits import Pool
from spm.service.settings import ServiceSettings

T = TypeVar("T")


class Service:
    """A worker's state: all of it can be made again, nothing is kept between requests."""

    def __init__(self, settings: ServiceSettings, stored: Settings | None = None) -> None:
        """Prepare; nothing is opened yet.

        Args:
            settings: how to serve.
            stored: the store, where it is not the one that `settings` names.
        """
        self.settings = settings
        self.holding = Holding(stored or settings.stored())
        threads = 1 if self.holding.alone else settings.threads
        self.pool = Pool(threads, settings.queue)
        self.stopping = False

    async def ask(self, work: Callable[[Registry], T]) -> T:
        """Do something that reads, in a thread.

        Raises:
            Problem: there is no room (429) or no answer in time (504).
            SpmError: what the work raises.
        """
        return await self.pool.run(partial(self.holding.read, work), self.settings.seconds)

    async def write(self, work: Callable[[Registry], T]) -> T:
        """Do something that writes, with more time; see `ask`."""
        longest = self.settings.longest_seconds
        return await self.pool.run(partial(self.holding.write, work), longest)

    async def replay(self, work: Callable[[Registry], T]) -> T:
        """Do something that reads and takes long; see `ask`."""
        longest = self.settings.longest_seconds
        return await self.pool.run(partial(self.holding.read, work), longest)

    def close(self) -> None:
        """Finish what has begun and let go of the store."""
        self.pool.close()
        self.holding.close()


def service_of(connection: HTTPConnection) -> Service:
    """The service behind an application."""
    found: Service = connection.app.state.service
    return found
