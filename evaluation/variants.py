"""Corpora with errors put in, to see how a constructor copes."""

from collections import Counter
from dataclasses import replace

import numpy as np

from spm.evaluation.corpus import Corpus
from spm.evaluation.datasets import DataSet
from spm.gnn.arrays.library import Counts, Library, Rows, orders, transitions
from spm.registry.errors import InputError

DOCUMENTED = ("names", "fields", "all")


def documented(data: DataSet, how: str) -> DataSet:
    """A data set with less documentation: names alone, names and fields, or all of it.

    Raises:
        InputError: there is no such amount.
    """
    if how not in DOCUMENTED:
        raise InputError(f"No documentation is called {how!r}. Choose {', '.join(DOCUMENTED)}.")
    less: dict[str, object] = {} if how == "all" else {"description": ""}
    if how == "names":
        less |= {"inputs": (), "outputs": ()}
    tools = tuple(tool.model_copy(update=less) for tool in data.manifest.tools)
    return replace(data, manifest=data.manifest.model_copy(update={"tools": tools}))


def corrupted(corpus: Corpus, share: float, seed: int = 0) -> Corpus:
    """The corpus with one step of a share of its train trajectories replaced by another tool.

    What teaches is corrupted alike: nobody would know which of their traces are wrong. What judges
    and what is asked for stays right.
    """
    if not 0 <= share <= 1:
        raise InputError(f"{share!r} is no share. Write a number from 0 to 1.")
    library, rng = corpus.library, np.random.default_rng(seed)
    paths = [library.paths[row].tolist() for row in range(len(library.paths))]
    for row in rng.permutation(len(paths))[: round(share * len(paths))].tolist():
        at, other = int(rng.integers(len(paths[row]))), int(rng.integers(len(library.tools)))
        paths[row] = [*paths[row][:at], other, *paths[row][at + 1 :]]
    known = rewalked(library, paths)
    teach = [
        replace(row, library=known, path=[library.tools[tool] for tool in known.path(at)])
        for at, row in enumerate(corpus.teach)
    ]
    return replace(
        corpus,
        library=known,
        teach=teach,
        judge=[replace(row, library=known) for row in corpus.judge],
        about=(*corpus.about, f"corrupted {share:g} seed {seed}"),
    )


def rewalked(library: Library, paths: list[list[int]]) -> Library:
    """The library as if its trajectories had taken these paths."""
    size = len(library.tools)
    ways = [list(dict.fromkeys(path)) for path in paths]
    frequency = np.bincount(np.concatenate([[], *ways]).astype(np.int64), minlength=size)
    entries = np.bincount([path[0] for path in paths], minlength=size)
    return replace(
        library,
        paths=Rows.of(paths),
        frequency=frequency.astype(np.float32),
        entries=entries.astype(np.float32),
        followers=Counts.of(Counter(p for path in paths for p in transitions(path)), size),
        later=Counts.of(Counter(p for way in ways for p in orders(way)), size),
    )
