"""The encoder interface, and keeping the vectors of a store up to date."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple, Protocol

from spm.registry.errors import EncoderMismatch
from spm.registry.request.clauses import clauses
from spm.registry.search import bm25
from spm.registry.store.interface import Kind, Row, Store, Vector

KINDS: tuple[Kind, ...] = ("tool", "trajectory")
BATCH = 1_000
TOGETHER = 32  # requests whose clauses are encoded at once
PAGE = 20_000  # texts that are held at once: a registry may have millions


class Encoder(Protocol):
    """Turns texts into rows of unit length, so that a dot product is the cosine."""

    @property
    def name(self) -> str:
        """Which weights made a vector; vectors of two names must never be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a row."""
        ...

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Vector:
        """Encode tool documents; `progress` hears the number of texts done so far."""
        ...

    def encode_requests(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Vector:
        """Encode requests, with the model's query instruction where it has one."""
        ...


class ClauseEncoder(Encoder, Protocol):
    """An encoder that also reads requests clause by clause, as menus need it."""

    def encode_clauses(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Vector]:
        """Encode requests: of each a row for the whole, and one for each of its clauses."""
        ...


def clause_by_clause(
    encode: Callable[[Sequence[str]], Vector],
    texts: Sequence[str],
    progress: Callable[[int], None] | None = None,
) -> list[Vector]:
    """Clauses for encoders that only know whole texts: each is encoded as a text of its own."""
    found: list[Vector] = []
    for start in range(0, len(texts), TOGETHER):
        asked: list[list[str]] = []
        for text in texts[start : start + TOGETHER]:
            parts = clauses(text)
            asked.append([text, *(text[begin:end] for begin, end in parts if len(parts) > 1)])
        rows = encode([part for one in asked for part in one])
        for one in asked:
            own, rows = rows[: len(one)], rows[len(one) :]
            found.append(own if len(one) > 1 else own[[0, 0]])
            if progress is not None:
                progress(len(found))
    return found


class NodeText(NamedTuple):
    """What a node is found by."""

    id: str
    text: str  # its words are searched
    head: str  # its vector is made of this part of it
    digest: str


def node_texts(store: Store, kind: Kind) -> list[NodeText]:
    """The texts of all nodes."""
    return _texts(store.read(f"vectors/{kind}_texts"))


def _texts(rows: list[Row]) -> list[NodeText]:
    return [NodeText(r["id"], r["text"], r["head"], digest(r["text"], r["head"])) for r in rows]


def waiting(store: Store, kind: Kind) -> Iterator[NodeText]:
    """Nodes whose vector is missing or was made of another text, by id; a page is held at once."""
    last = ""
    while rows := store.read(f"vectors/{kind}_page", after=last, count=PAGE):
        yield from _missing(store, kind, rows)
        if len(rows) < PAGE:
            return
        last = rows[-1]["id"]


def pending(store: Store, kind: Kind, ids: Sequence[str] | None = None) -> list[NodeText]:
    """All that are `waiting`; only of `ids`, where given."""
    if ids is None:
        return list(waiting(store, kind))
    return _missing(store, kind, store.read(f"vectors/{kind}_texts_of", ids=sorted(set(ids))))


def count_waiting(store: Store) -> int:
    """How many texts have no vector yet."""
    return sum(1 for kind in KINDS for _ in waiting(store, kind))


def _missing(store: Store, kind: Kind, rows: list[Row]) -> list[NodeText]:
    encoded = store.encoded(kind, [row["id"] for row in rows])
    return [one for one in _texts(rows) if encoded.get(one.id) != one.digest]


def encode(
    store: Store, encoder: Encoder, progress: Callable[[int, int], None] | None = None
) -> int:
    """Encode what has no fitting vector yet; returns how many texts were encoded.

    Raises:
        EncoderMismatch: the store's vectors were made by another encoder; see `switch`.
    """
    require(store, encoder)
    for kind in KINDS:
        store.drop_stale(kind, encoder.name)
    total = count_waiting(store) if progress else 0
    done = 0
    for kind in KINDS:
        rows = waiting(store, kind)
        while batch := list(islice(rows, BATCH)):
            report = partial(_report, progress, done, total) if progress else None
            keep(store, encoder, kind, batch, vectors_of(encoder, kind, batch, report))
            done += len(batch)
    return done


def encode_only(store: Store, encoder: Encoder, kind: Kind, ids: Sequence[str]) -> int:
    """Encode of these nodes what has no fitting vector, whatever else is missing; returns how many.

    Raises:
        EncoderMismatch: see `encode`.
    """
    require(store, encoder)
    rows = pending(store, kind, ids)
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        keep(store, encoder, kind, batch, vectors_of(encoder, kind, batch))
    return len(rows)


def vectors_of(
    encoder: Encoder,
    kind: Kind,
    rows: Sequence[NodeText],
    progress: Callable[[int], None] | None = None,
) -> Vector:
    """Encode the heads of texts; asks no store, so that it may run beside one."""
    run = encoder.encode_documents if kind == "tool" else encoder.encode_requests
    return run([row.head for row in rows], progress)


def keep(
    store: Store, encoder: Encoder, kind: Kind, rows: Sequence[NodeText], vectors: Vector
) -> None:
    """Keep the vectors of texts; whose text changed meanwhile still counts as not encoded.

    Raises:
        EncoderMismatch: the store's vectors are those of another encoder by now.
    """
    ids, texts, _, digests = zip(*rows, strict=True)
    store.put_vectors(kind, ids, texts, digests, vectors, encoder.name)


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def require(store: Store, encoder: Encoder) -> None:
    """Refuse to mix the vectors of two encoders.

    Raises:
        EncoderMismatch: names both and what to do.
    """
    made_by = recorded(store)
    if made_by and made_by != encoder.name:
        raise EncoderMismatch(made_by, encoder.name)


def recorded(store: Store) -> str | None:
    """The name of the encoder that made the vectors; None while there are none."""
    found = store.read("state/registry")
    return (found[0]["encoder"] or None) if found else None


def switch(store: Store, encoder: Encoder) -> str | None:
    """Make room for the vectors of `encoder`; returns the name of the one it replaces, if any.

    The vectors of another encoder are forgotten and the new one is written down before the first
    text is encoded. Whenever that is interrupted, there are never vectors of two encoders, and
    `encode` goes on where it ended.
    """
    made_by = recorded(store)
    if made_by != encoder.name:
        store.forget_vectors(encoder.name)
    return made_by if made_by != encoder.name else None


def complete(store: Store) -> bool:
    """Whether every tool and request has the vector of its text."""
    return not any(True for kind in KINDS for _ in waiting(store, kind))


def digest(text: str, head: str | None = None) -> str:
    """Names a text, as `Store.encoded` does; a head that is not all of it is part of the name."""
    said = text if head is None or head == text else f"{head}\n{text}"
    # With the version of the terms, which are kept with the vectors and must be renewed like them.
    return hashlib.sha256(f"{bm25.VERSION} {said}".encode()).hexdigest()[:16]
