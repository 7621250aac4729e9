"""The vectors of a server's nodes, kept by the process that compares requests with them.

The server's index walks a graph and keeps a heap of all nodes to compare them all: 45 to 80 ms a
vector among 16,000. One product of matrices takes two. Each state of the graph asks only for the
vectors of new texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.registry.search.top import kth, top
from spm.registry.store.interface import Kind, Store, Vector

BATCH = 4_000  # vectors of one read: 6 MB
# How far a product in single precision may be off; whatever is so near to the last is scored again.
BLUR = 1e-4

State = tuple[int, str | None]  # the revision, and who made the vectors


@dataclass(frozen=True)
class Kept:
    """The vectors of one state, in the order of their ids.

    Attributes:
        state: which.
        ids: of the nodes.
        digests: of the texts that the vectors were made of.
        matrix: a row for each; zeros where there is none of this width.
        there: the places of the others.
    """

    state: State
    ids: list[str]
    digests: list[str | None]
    matrix: Vector
    there: NDArray[np.intp]

    def nearest(
        self, asked: Vector, count: int, seen: NDArray[np.bool_] | None = None
    ) -> list[str]:
        """The nearest to any of some vectors, best first, equal ones by id; of those seen.

        The last ones are scored row by row in double precision, so that neither other rows nor
        their number can move a bit of a score.
        """
        there = self.there if seen is None else self.there[seen[self.there]]
        if not len(there):
            return []
        rough = (self.matrix @ asked.T).max(axis=1)[there]
        near = there[rough >= kth(rough, min(count, len(rough))) - BLUR]
        exact, rows = self.matrix[near].astype(np.float64), asked.astype(np.float64)
        scores = np.max([np.round(np.einsum("ij,j->i", exact, row), 6) for row in rows], axis=0)
        return [self.ids[near[place]] for place in top(scores, count)]


class VectorMemory:
    """Keeps the vectors of one kind of node up to date.

    Args:
        store: a server's.
        kind: of node.
    """

    def __init__(self, store: Store, kind: Kind) -> None:
        self._store = store
        self._kind = kind
        self._kept: Kept | None = None

    def of(self, state: State, width: int) -> Kept:
        """The vectors of a state; what is known of an earlier one is not read again."""
        kept = self._kept
        if kept is None or kept.state != state or kept.matrix.shape[1] != width:
            # A new object, so that whoever compares in another thread keeps a whole one.
            kept = self._kept = self._read(state, width, kept)
        return kept

    def _read(self, state: State, width: int, before: Kept | None) -> Kept:
        rows = self._store.read(f"vectors/{self._kind}_encoded")
        said = sorted((row["id"], row["digest"]) for row in rows)
        ids, digests = [node for node, _ in said], [digest for _, digest in said]
        matrix = np.zeros((len(ids), width), dtype=np.float32)
        new = list(range(len(ids)))
        if before and before.state[1] == state[1] and before.matrix.shape[1] == width:
            new = _copied(matrix, ids, digests, before)
        for begin in range(0, len(new), BATCH):
            places = {ids[at]: at for at in new[begin : begin + BATCH]}
            for row in self._store.read(f"vectors/{self._kind}_vectors", ids=list(places)):
                vector = np.frombuffer(row["vector"] or b"", dtype="<f4")
                if len(vector) == width:
                    matrix[places[row["id"]]] = vector
        return Kept(state, ids, digests, matrix, np.flatnonzero(matrix.any(axis=1)))


def _copied(
    matrix: Vector, ids: Sequence[str], digests: Sequence[str | None], before: Kept
) -> list[int]:
    """Copy the rows of texts that have not changed; returns the places of the others."""
    known = {
        node: (digest, at)
        for at, (node, digest) in enumerate(zip(before.ids, before.digests, strict=True))
    }
    new, same, source = [], [], []
    for at, (node, digest) in enumerate(zip(ids, digests, strict=True)):
        old, place = known.get(node, (None, 0))
        if digest is None or old != digest:  # an earlier spm did not say of which text
            new.append(at)
        else:
            same.append(at)
            source.append(place)
    matrix[same] = before.matrix[source]
    return new
