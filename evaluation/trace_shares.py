"""A corpus with a share of its traces, to see what few traces are worth."""

from dataclasses import replace

import numpy as np

from spm.evaluation.corpus import Corpus
from spm.registry.errors import InputError


def thinned(corpus: Corpus, share: float, seed: int = 0) -> Corpus:
    """The corpus with a share of its train trajectories; a smaller share is part of a larger one.

    What judges and what is asked stay as they are, but see the thinned library alone.
    """
    count = len(corpus.library.trajectories)
    if len(corpus.teach) != count:
        raise ValueError(
            f"expected a row for each of {count} trajectories (got {len(corpus.teach)})"
        )
    if share >= 1:
        return corpus
    order = np.random.default_rng(seed).permutation(count)
    kept, gone = order[: round(share * count)], order[round(share * count) :]
    library = corpus.library.without(sorted(gone.tolist()))
    return replace(
        corpus,
        library=library,
        teach=[replace(corpus.teach[at], library=library) for at in sorted(kept.tolist())],
        judge=[replace(row, library=library) for row in corpus.judge],
        about=(*corpus.about, f"share {share:g} seed {seed}"),
    )


def shares_of(text: str) -> tuple[float, ...]:
    """Shares as they are written on a command line: 0,0.25,1 or 0,25%,100%.

    Raises:
        InputError: one of them is no share.
    """
    found = [_share(part.strip()) for part in text.split(",") if part.strip()]
    if not found:
        raise InputError(f"{text!r} names no share. Write them like 0,0.25,1.")
    return tuple(sorted({*found}))


def _share(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InputError(f"{text!r} is no share. Write numbers from 0 to 1, like 0,0.25,1.")
    return value
