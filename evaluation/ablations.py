"""Ablations: the learned constructor without one of its parts.

Each is trained anew from chance without that part, so that the rest may make up for it.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from spm.evaluation.corpus import Corpus
from spm.evaluation.learned import Constructed, trained
from spm.gnn.constructor import Construction
from spm.gnn.training.config import Config, RerankerLosses
from spm.gnn.training.examples import Change
from spm.registry.frontier.frontier import Frontier, Memory


def without_fields(frontier: Frontier) -> Frontier:
    """No contracts: neither who can run (chi) nor who feeds whom (kappa)."""
    return replace(
        frontier,
        takes=np.zeros_like(frontier.takes),
        gives=np.zeros_like(frontier.gives),
        given=np.zeros_like(frontier.given),
    )


def without_order(frontier: Frontier) -> Frontier:
    """No observed transitions and precedence (rho)."""
    return replace(
        frontier,
        precedes=np.zeros_like(frontier.precedes),
        before=np.zeros_like(frontier.before),
    )


def without_memory(frontier: Frontier) -> Frontier:
    """No request memory: candidates that it brought stay, but nothing speaks for them."""
    nothing = np.zeros(0, dtype=np.float32)
    return replace(frontier, memory=Memory([], nothing, nothing, np.zeros((0, 4), dtype=np.int64)))


def without_words(frontier: Frontier) -> Frontier:
    """Meaning alone: no BM25."""
    return replace(
        frontier,
        lexical=np.zeros_like(frontier.lexical),
        clause_lexical=np.zeros_like(frontier.clause_lexical),
    )


def without_clauses(frontier: Frontier) -> Frontier:
    """The whole request alone."""
    return replace(
        frontier,
        clauses=frontier.similarity[:, None],
        clause_lexical=frontier.lexical[:, None],
    )


def _changed(corpus: Corpus, change: Change) -> Constructed:
    return Constructed(corpus.library, trained(corpus, change=change), change)


def _losing(corpus: Corpus, loss: str) -> Constructed:
    """Trained without one of the second network's losses."""
    less = replace(RerankerLosses(), **{loss: 0.0})
    return Constructed(corpus.library, trained(corpus, config=Config(reranker_losses=less)))


NO_FIELDS = partial(_changed, change=without_fields)
NO_ORDER = partial(_changed, change=without_order)
NO_MEMORY = partial(_changed, change=without_memory)
NO_WORDS = partial(_changed, change=without_words)
NO_CLAUSES = partial(_changed, change=without_clauses)
NO_ENTRY_LOSS = partial(_losing, loss="entry")
NO_SLOT_LOSS = partial(_losing, loss="slot")
NO_PRECEDENCE_LOSS = partial(_losing, loss="precedence")
NO_MEMBER_LOSS = partial(_losing, loss="member")
NO_PATH_LOSS = partial(_losing, loss="path")


class Unordered(Constructed):
    """The first network's own order: the set, best first, without the second network."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus.library, trained(corpus))

    def listed(self, built: Construction) -> list[str]:
        """By the score that the set was chosen with."""
        return [built.frontier.tools[at] for at in built.chosen.order]
