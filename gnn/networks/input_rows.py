"""The input rows of both networks, in numpy: text vectors, then the features that a model names."""

from functools import lru_cache

import numpy as np

from spm.gnn.decoding import Chosen
from spm.gnn.features import NODE, SAID, SHIPPED, Facts, Inputs
from spm.registry.frontier.frontier import Floats


def widths(inputs: Inputs = SHIPPED) -> tuple[int, int, int]:
    """Lengths of a candidate's row, of a chosen tool's row and of a pair's."""
    texts = 2 * inputs.dimensions if inputs.vectors else 0
    return texts + len(inputs.candidate), texts + len(inputs.chosen), len(inputs.pair)


def candidate_names(inputs: Inputs = SHIPPED) -> list[str]:
    """What stands in each column of a candidate's row."""
    texts = ("vector", "request") if inputs.vectors else ()
    parts = [f"{text}_{part}" for text in texts for part in range(inputs.dimensions)]
    return [*parts, *inputs.candidate]


def candidate_rows(facts: Facts, inputs: Inputs = SHIPPED) -> Floats:
    """The retriever's input row of every candidate."""
    nodes = _named(facts.nodes, NODE, inputs.candidate)
    return np.concatenate([*_texts(facts, inputs.vectors), nodes], axis=1)


def chosen_rows(facts: Facts, chosen: Chosen, said: Floats, inputs: Inputs = SHIPPED) -> Floats:
    """The reranker's input row of every chosen tool; `said` is what the retriever said of it."""
    rank = np.arange(len(chosen.order), dtype=np.float32) / max(1, len(chosen.order) - 1)
    nodes = facts.nodes[chosen.order]
    head = np.stack([chosen.score, rank], axis=1)
    unready = 1.0 - nodes[:, [NODE.index("ready")]]
    known = np.concatenate([head, said, unready, nodes], axis=1)
    texts = [part[chosen.order] for part in _texts(facts, inputs.vectors)]
    joined = np.concatenate([*texts, _named(known, (*SAID, *NODE), inputs.chosen)], axis=1)
    return joined.astype(np.float32)


def _named(values: Floats, known: tuple[str, ...], wanted: tuple[str, ...]) -> Floats:
    """Some columns by their names."""
    return values if wanted == known else values.take(_places(known, wanted), axis=1)


@lru_cache(maxsize=16)
def _places(known: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    return [known.index(name) for name in wanted]


def _texts(facts: Facts, vectors: bool) -> list[Floats]:
    if not vectors:
        return []
    return [facts.vectors, np.broadcast_to(facts.request, facts.vectors.shape)]
