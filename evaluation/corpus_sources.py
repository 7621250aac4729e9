"""Where a corpus comes from: folders in the data format, or a registry with trajectories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spm.evaluation.corpus import Corpus, Progress, Task, of_registry, of_sets
from spm.evaluation.datasets import linked, read, united
from spm.evaluation.variants import corrupted, documented
from spm.registry.errors import InputError
from spm.registry.registry import Registry


@dataclass(frozen=True)
class Reading:
    """How much of data sets is read.

    Attributes:
        only: the beginning of the ids of episodes that teach and are reported on.
        graph: whether a set's own graph of tools is registered.
        documents: how much of the documentation, see `variants.documented`.
        corrupt: the share of train trajectories with one wrong step.
    """

    only: str = ""
    graph: bool = False
    documents: str = "all"
    corrupt: float = 0.0


WHOLE = Reading()


def from_folders(
    folders: Sequence[Path],
    cache: Path,
    split: str,
    progress: Progress | None = None,
    how: Reading = WHOLE,
) -> tuple[Corpus, int]:
    """One library of one or several folders, and how many episodes had to be left out.

    Raises:
        InputError: a folder is not in the data format, or has no graph.
    """
    whole = [read(folder, how.only) for folder in folders]
    dropped = sum(data.dropped for data in whole)

    def made(documents: str) -> Corpus:
        sets = [documented(data, documents) for data in whole]
        if how.graph:
            sets = [linked(data, folder) for data, folder in zip(sets, folders, strict=True)]
        return of_sets(united(sets) if len(sets) > 1 else sets, cache, split, progress)

    corpus = made(how.documents)
    if how.documents != "all":
        corpus = replace(corpus, documented=made("all"))
    return corrupted(corpus, how.corrupt) if how.corrupt else corpus, dropped


def from_registry(
    registry: Registry, cache: Path, split: str, progress: Progress | None = None
) -> Corpus:
    """A registry's own trajectories: most teach, some choose (valid), some report (test).

    Raises:
        InputError: there are none.
    """
    corpus = of_registry(registry.store, progress, cache)
    if not (corpus.teach or corpus.judge or corpus.tasks):
        raise InputError(
            f"The registry {registry.store.location!r} has no solved trajectory with a request, "
            "and without one nothing can be measured. Import some with: spm traces import FILE. "
            "Or name a data set: spm eval FOLDER"
        )
    if split != "valid":
        return corpus
    tasks = [
        Task(f"valid-{number}", row.question, row.path) for number, row in enumerate(corpus.judge)
    ]
    return replace(corpus, tasks=tasks, about=(*corpus.about, split))


def narrowed(corpus: Corpus, prefix: str, limit: int | None) -> Corpus:
    """Only some tasks.

    Raises:
        InputError: none is left.
    """
    found = corpus.only(prefix, limit)
    if found.tasks:
        return found
    if corpus.tasks:
        said = f"ids begin like {corpus.tasks[0].id!r}"
        raise InputError(
            f"No request of {corpus.name!r} has an id beginning with {prefix!r}; {said}."
        )
    learned = len(corpus.teach)
    raise InputError(
        f"{corpus.name!r} has no request to report on: all {learned} trajectories teach. A part of "
        "the groups of alike trajectories is set aside for reporting, and some dozens are needed. "
        "Import more with: spm traces import FILE"
    )
