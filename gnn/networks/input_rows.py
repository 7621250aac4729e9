"""The input rows of both networks, in numpy."""

import numpy as np

from spm.gnn.decoding import Chosen
from spm.gnn.features import NODE, PAIR, Facts
from spm.gnn.networks.sizes import VECTOR
from spm.registry.frontier.frontier import Floats
from spm.registry.menus.menu import PREFIX


def widths(*, vectors: bool) -> tuple[int, int, int]:
    """Lengths of a candidate's row, of a chosen tool's row and of a pair's."""
    texts = 2 * VECTOR if vectors else 0
    # A chosen tool also carries its score, its rank, and what the retriever said of it.
    return texts + len(NODE), texts + 3 + PREFIX + len(NODE), len(PAIR)


def candidate_rows(facts: Facts, *, vectors: bool) -> Floats:
    """The retriever's input row of every candidate."""
    return np.concatenate([*_texts(facts, vectors), facts.nodes], axis=1)


def chosen_rows(facts: Facts, chosen: Chosen, said: Floats, *, vectors: bool) -> Floats:
    """The reranker's input row of every chosen tool; `said` is what the retriever said of it."""
    rank = np.arange(len(chosen.order), dtype=np.float32) / max(1, len(chosen.order) - 1)
    head = np.stack([chosen.score, rank], axis=1)
    texts = [part[chosen.order] for part in _texts(facts, vectors)]
    joined = np.concatenate([*texts, head, said, facts.nodes[chosen.order]], axis=1)
    return joined.astype(np.float32)


def _texts(facts: Facts, vectors: bool) -> list[Floats]:
    if not vectors:
        return []
    return [facts.vectors, np.broadcast_to(facts.request, facts.vectors.shape)]
