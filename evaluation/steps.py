"""From the paper's constructor to ours, one deviation after the other.

Each step keeps what the steps before it changed, so that the last of them is `scratch`.
"""

from dataclasses import replace
from functools import partial

from spm.evaluation.corpus import Corpus
from spm.evaluation.learned import Constructed, trained
from spm.gnn.training.config import Config, shipped

OURS, PAPER = Config(start="chance"), shipped("paper")


def our_frontier(config: Config) -> Config:
    """Tools of similar solved requests, hybrid anchors and producers among the candidates."""
    return replace(config, design=replace(config.design, frontier=OURS.design.frontier))


def our_features(config: Config) -> Config:
    """Votes of similar solved requests, words and clauses among what both networks read."""
    return replace(config, design=replace(config.design, inputs=OURS.design.inputs))


def our_sets(config: Config) -> Config:
    """The pace of the first network and the weights of the set decoder; valid chooses."""
    return replace(
        config,
        retriever=OURS.retriever,
        retriever_losses=OURS.retriever_losses,
        sets=OURS.sets,
        keep=OURS.keep,
        patience=OURS.patience,
    )


STEPS = (our_frontier, our_features, our_sets)


def stepped(count: int) -> Config:
    """The paper with the first so many of our deviations."""
    found = PAPER
    for step in STEPS[:count]:
        found = step(found)
    return found


def _stepped(corpus: Corpus, count: int) -> Constructed:
    return Constructed(corpus.library, trained(corpus, config=stepped(count)))


FRONTIER = partial(_stepped, count=1)
FEATURES = partial(_stepped, count=2)
SETS = partial(_stepped, count=3)
