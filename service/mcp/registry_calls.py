"""Where MCP handlers ask: the registry behind one door, away from the event loop."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from spm.registry.registry import Registry

T = TypeVar("T")


class RegistryCalls(Protocol):
    """Runs work on a registry in a thread, in bounds; `spm.service.state.Service` is one."""

    async def ask(self, work: Callable[[Registry], T]) -> T:
        """Do something that reads."""
        ...

    async def write(self, work: Callable[[Registry], T]) -> T:
        """Do something that writes."""
        ...
