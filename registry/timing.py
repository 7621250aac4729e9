"""Times the stages of a menu for listeners such as metrics and benches.

Without a listener a stage costs well below a microsecond. With one, it hears the name and the
milliseconds of every stage of its own thread or task, an inner one before the one around it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

ENCODING = "encoding"  # the request's text becomes vectors
SEARCH = "search"  # tools and memories by meaning and by words
VECTORS = "vector search"  # the part of the search that goes by meaning
VISIBLE = "visible fields"  # what the request gives
WALK = "frontier"  # the graph around what was found
NETWORKS = "networks and order"  # features, both networks, both decoders
PLAN = "plan"  # targets and what has to run before them, where traces say too little
WORDS = "explanation"  # roles, reasons and evidence of each tool

Listener = Callable[[str, float], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class stage:
    """What runs inside belongs to a stage."""

    __slots__ = ("_name", "_start", "_tell")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._tell = _listener.get()
        if self._tell is not None:
            self._start = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._tell is not None:
            self._tell(self._name, 1000 * (time.perf_counter() - self._start))


@contextmanager
def listening(tell: Listener) -> Iterator[None]:
    """Hear the stages of what runs inside."""
    before = _listener.set(tell)
    try:
        yield
    finally:
        _listener.reset(before)
