"""The interface of both engines, and what every write has in common."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import EncoderMismatch
from spm.registry.search.results import Look, Probes
from spm.registry.search.top import top

Row = dict[str, Any]
Kind = Literal["tool", "trajectory"]
Vector = NDArray[np.float32]


class Transaction(Protocol):
    """Runs query files; all of it is kept, or nothing."""

    def run(self, name: str, /, **params: object) -> list[Row]:
        """Run the query file `name` and return its rows."""
        ...


# What a write does; returning None means: nothing to do, leave no trace of me.
Work = Callable[[Transaction], dict[str, Any] | None]


@dataclass(frozen=True)
class Answer:
    """Rows of an ad-hoc query, with the columns in the order asked for.

    Attributes:
        truncated: whether there were more rows.
        warnings: sentences about names in the query that the graph does not have.
    """

    columns: list[str]
    rows: list[Row]
    truncated: bool = False
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finding:
    """One thing that the doctor looked at."""

    name: str
    ok: bool
    detail: str


class Store(Protocol):
    """A graph that speaks Cypher and keeps vectors."""

    engine: str
    location: str
    prepare: "Preparation | None"

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file."""
        ...

    def stamp(self) -> str | None:
        """A name for the state that the store is in now, cheap to ask; None: it cannot be told.

        No two states have the same. What was derived of a state answers for it under this name.
        """
        ...

    def query(
        self, text: str, params: Mapping[str, object], *, limit: int, timeout: float
    ) -> Answer:
        """Run a query that passed `read_only_check`; nothing it does is ever kept."""
        ...

    def explain(
        self, text: str, params: Mapping[str, object], *, profile: bool, timeout: float
    ) -> Answer:
        """How the engine would run a query that passed `read_only_check`; profiled: how it did."""
        ...

    def write(self, kind: str, work: Work, operation: str | None = None) -> dict[str, Any] | None:
        """Do `work` in one transaction, once for each operation id."""
        ...

    def fill(
        self,
        kind: str,
        check: Callable[[Transaction], None],
        batches: Iterable[tuple[str, list[Row]]],
        last: Work,
    ) -> dict[str, Any] | None:
        """Write many rows by the statements named with them; readers see none of it, or all.

        Args:
            kind: of the write.
            check: raises where the store must not be filled; in the transaction that shows it all.
            batches: rows with the name of the statement that writes them. What they raise is
                raised, and nothing is kept.
            last: the rest of that transaction.
        """
        ...

    def encoded(self, kind: Kind, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Which text (as a digest) the vector of each node was made of; of all, or of these."""
        ...

    def put_vectors(
        self,
        kind: Kind,
        ids: Sequence[str],
        texts: Sequence[str],
        digests: Sequence[str],
        vectors: Vector,
        encoder: str,
    ) -> None:
        """Keep vectors, and the terms of the texts they were made of; write down by which encoder.

        Raises:
            EncoderMismatch: those that are there were made by another encoder.
        """
        ...

    def drop_stale(self, kind: Kind, encoder: str) -> None:
        """Drop the vectors of texts that are gone: removed tools, pruned trajectories."""
        ...

    def forget_vectors(self, encoder: str) -> None:
        """Drop all vectors and write down whose come next; interrupted, it can be repeated."""
        ...

    def nearest(
        self, kind: Kind, vector: Vector, count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes nearest to `vector` by cosine that the caller may see, best first, ties by id.

        Of several rows of vectors the nearest counts. What the caller may not see changes nothing
        of the answer. Seen are active tools of the caller's reach, and successful trajectories of
        which all successful steps go to these.
        """
        ...

    def matching(
        self, kind: Kind, terms: Sequence[str], count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes whose text holds any of the terms (`search.bm25.terms`), by BM25, ties by id.

        Seen by a caller is the same as in `nearest`.
        """
        ...

    def look(
        self, probes: Probes, tools: int, trajectories: int, caller: Caller = EVERYTHING
    ) -> Look:
        """Look a request up, for up to so many tools and trajectories of each ranking.

        Rankings are those of `nearest` and `matching`; of several clauses the best counts.
        """
        ...

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The vectors of these nodes in this order; rows of zeros where there is none."""
        ...

    def refresh(self) -> None:
        """Take notice of what other processes wrote; for those who hold a store open."""
        ...

    def release(self) -> None:
        """Let other processes write from now on, until the next write; see `refresh`."""
        ...

    def migrate(self) -> list[str]:
        """Bring the schema up to date; returns what was applied."""
        ...

    def check(self) -> list[Finding]:
        """Look at everything that can be wrong, without changing it."""
        ...

    def repair(self, *, accept_loss: bool) -> list[str]:
        """Mend what `check` found; returns what was done."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def new_operation() -> str:
    """A fresh operation id; keep it to repeat a write whose answer was lost."""
    return uuid4().hex


def now() -> str:
    """This moment as UTC in ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Repeated(Exception):
    """The operation was done before; carries the answer it gave then."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__("this operation was done before")
        self.result = result


class NothingToDo(Exception):
    """The work found nothing to change: roll back, so that not even the revision moves."""


# What the layer above does to a store before it is written to for the first time: it knows rules
# that a store does not. It writes itself, so that it is taken away before it is done.
Preparation = Callable[[Store], None]


def prepare_once(store: Store, kind: str) -> None:
    """Do what is to be done before the first write; if that fails, before the next one."""
    waiting = store.prepare
    if waiting is None or kind in BESIDE:
        return
    store.prepare = None
    try:
        waiting(store)
    except BaseException:
        store.prepare = waiting
        raise


# Who may ask and what was offered: no tool, trace or vector changes, so that what was derived of
# them still holds. The revision stays, and so does the stamp of a server.
BESIDE = frozenset({"token", "freeze", "unfreeze", "approve-call", "spend-approval"})


def perform(tx: Transaction, kind: str, work: Work, operation: str) -> dict[str, Any]:
    """Do one write inside an open transaction: lock, look for a repeat, work, record.

    Raises:
        Repeated: the id was seen before; the transaction must be rolled back.
        NothingToDo: likewise.
    """
    beside = kind in BESIDE
    revision = tx.run("state/hold" if beside else "state/lock")[0]["revision"]
    if done := tx.run("state/operation", operation=operation):
        raise Repeated(json.loads(done[0]["result"]))
    result = work(tx)
    if result is None:
        raise NothingToDo
    result = {**result, "revision": revision}
    tx.run(
        "state/note" if beside else "state/record",
        operation=operation,
        kind=kind,
        revision=revision,
        at=now(),
        result=json.dumps(result, sort_keys=True),
    )
    return result


def claim(tx: Transaction, encoder: str) -> dict[str, Any]:
    """Write down which encoder makes the vectors, inside the write that puts them there.

    Raises:
        EncoderMismatch: those that are there were made by another encoder.
    """
    made_by = tx.run("state/registry")[0]["encoder"]
    if made_by not in (None, encoder):
        raise EncoderMismatch(made_by, encoder)
    return appoint(tx, encoder)


def appoint(tx: Transaction, encoder: str) -> dict[str, Any]:
    """Write down whose vectors come next, where there are none."""
    tx.run("state/encoder", encoder=encoder)
    return {"encoder": encoder}


def rank(
    ids: Sequence[str], vectors: NDArray[Any], vector: Vector, count: int
) -> list[tuple[str, float]]:
    """Order ids by cosine to `vector`, or to the nearest of several, best first.

    Row by row in double precision and rounded, so that the score of a node depends neither on
    the engine nor on which other nodes were scored beside it.
    """
    if not len(ids):
        return []
    exact = vectors.astype(np.float64)
    rows = np.atleast_2d(vector).astype(np.float64)
    scores = np.max([np.round(np.einsum("ij,j->i", exact, row), 6) for row in rows], axis=0)
    return [(ids[place], float(scores[place])) for place in top(scores, count, ids=ids)]
