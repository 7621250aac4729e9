"""Filling an empty registry on a server with more than one transaction can hold.

Rows go in by batches, each in a transaction of its own, to nodes under labels that no query of spm
asks for: `IncomingTool` instead of `Tool`. One last transaction, which is about nodes alone, gives
them their labels. Killed before, readers see an empty registry, and the next import or
`spm doctor --repair` removes what waits; killed after, they see all of it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Protocol
from uuid import uuid4

from spm.cypher import Query, load
from spm.registry.errors import StoreError, StoreWriteFailed
from spm.registry.store.interface import Row, Transaction

Batch = tuple[str, list[Row]]
BATCHES = 5  # that make one transaction
REMOVED = 10_000  # nodes or relationships at once
LABELS = "Service Family Field Resource Tool ToolVersion Trajectory EffectsDecision".split()
KINDS = [re.sub(r"(?<!^)([A-Z])", r"_\1", label).lower() for label in LABELS]
_LABEL = re.compile(rf":({'|'.join(LABELS)})(?= \{{)")


class Server(Protocol):
    """What a store on a server can do for this."""

    def transact(self, work: Callable[[Transaction], int]) -> int:
        """Do something in one transaction that leaves no trace of itself, again if it must."""
        ...

    def run_schema(self, text: str) -> None:
        """Run a schema statement."""
        ...


class Staging:
    """One filling; who begins another takes over."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._by = uuid4().hex

    def begin(self) -> None:
        """Remove what another filling left, and make the indexes."""
        for kind in KINDS:
            self._server.run_schema(load(f"staging/index_{kind}").text)
        self._server.transact(self._claim)
        clear(self._server)

    def put(self, batches: Iterable[Batch]) -> None:
        """Write rows where nobody sees them.

        Raises:
            StoreWriteFailed: somebody else fills the registry by now.
        """
        for some in _chunks(iter(batches)):
            self._server.transact(lambda tx, some=some: self._put(tx, some))  # type: ignore[misc]

    def reveal(self, tx: Transaction) -> None:
        """Make all of it visible, with whatever else this transaction does."""
        self._hold(tx)
        for kind in KINDS:
            tx.run(f"staging/reveal_{kind}")
        tx.run("staging/end")

    def give_up(self) -> None:
        """Remove what was written, unless another filling took over or the server is away."""
        with suppress(StoreError):
            self._server.transact(self._held)
            clear(self._server)

    def _claim(self, tx: Transaction) -> int:
        tx.run("staging/claim", by=self._by)
        return 0

    def _held(self, tx: Transaction) -> int:
        self._hold(tx)
        return 0

    def _hold(self, tx: Transaction) -> None:
        if [row["by"] for row in tx.run("staging/hold")] != [self._by]:
            raise StoreWriteFailed(
                "Another import into this registry began meanwhile, and went on instead of this "
                "one. Nothing of this one was kept. Wait until the other is over."
            )

    def _put(self, tx: Transaction, batches: list[Batch]) -> int:
        self._hold(tx)
        for name, rows in batches:
            tx.run(name, rows=rows)
        return 0


def clear(server: Server) -> int:
    """Remove what waits, a bounded part at a time; returns how many nodes did."""
    _until_none(server, lambda tx: tx.run("staging/cut", count=REMOVED))
    return _until_none(server, lambda tx: tx.run("staging/clear", count=REMOVED))


def _until_none(server: Server, remove: Callable[[Transaction], list[Row]]) -> int:
    total, removed = 0, REMOVED
    while removed == REMOVED:
        removed = server.transact(lambda tx: int(remove(tx)[0]["removed"]))
        total += removed
    return total


def staged(query: Query) -> str:
    """The text of a statement that writes rows of an export, to nodes that wait."""
    return _LABEL.sub(r":Incoming\1", query.text)


def _chunks(batches: Iterator[Batch]) -> Iterator[list[Batch]]:
    while some := list(islice(batches, BATCHES)):
        yield some
