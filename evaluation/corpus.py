"""A corpus: a library with the trajectories it may learn from, and tasks whose paths are known.

Everything that builds menus for an evaluation is given a corpus and sees of a task its question
alone. Train fits, valid chooses, tasks (test) report.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from spm.evaluation.datasets import DataSet
from spm.evaluation.vector_cache import Recalling
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.from_store import load
from spm.gnn.arrays.library import Library
from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.request_vectors import Seen, read
from spm.gnn.training.examples import Row, rows_of, split
from spm.registry.catalog.tools import definitions
from spm.registry.encoding import Encoder, recorded
from spm.registry.models import ToolSpec
from spm.registry.registry import Registry
from spm.registry.request.fields import vocabulary
from spm.registry.store.interface import Store

FORMAT = 1
VECTORS = "vectors.sqlite"  # in the cache
# Of a registry's own trajectories, these shares choose and report. Whole groups, by a hash.
CHOOSE, REPORT = 0.1, 0.2
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Task:
    """A request to build a menu for, and the path that is hidden from whoever builds it."""

    id: str
    question: Question
    path: list[str]
    edges: tuple[tuple[str, str], ...] = ()  # known data flow, producer first


@dataclass(frozen=True)
class Corpus:
    """What an evaluation works on.

    Attributes:
        name: for people.
        library: tools, contracts, and the train trajectories as memory.
        documents: the text of each tool, in the library's order.
        teach: the train trajectories as questions without their own group.
        judge: questions to choose by.
        tasks: questions to report on.
        encoder: what made the vectors.
        about: everything that tells two corpora apart.
        specs: each tool as its owner describes it, in the library's order.
        documented: the same corpus with all documentation, where constructors are shown less. What
            a tool needs does not change with what is written about it: menus are measured by this.
    """

    name: str
    library: Library
    documents: list[str]
    teach: list[Row]
    judge: list[Row]
    tasks: list[Task]
    encoder: str
    about: tuple[str, ...]
    specs: Sequence[ToolSpec] = ()
    documented: "Corpus | None" = None

    @property
    def measured(self) -> tuple[Library, list[Task]]:
        """What menus are measured by: the documented tools, and the tasks as they show fields."""
        if self.documented is None:
            return self.library, self.tasks
        shown = {task.id: task.question for task in self.documented.tasks}
        return self.documented.library, [
            replace(task, question=shown[task.id]) for task in self.tasks
        ]

    @cached_property
    def digest(self) -> str:
        """Equal for equal content; caches go by it."""
        found = hashlib.sha256(json.dumps([FORMAT, self.encoder, *self.about]).encode())
        found.update(json.dumps([self.library.tools, self.library.trajectories]).encode())
        for task in self.tasks:
            found.update(json.dumps([task.id, task.question.text, task.path]).encode())
        return found.hexdigest()

    def only(self, prefix: str = "", limit: int | None = None) -> "Corpus":
        """The corpus with those tasks whose id begins so; at most so many, evenly spread."""
        kept = [task for task in self.tasks if task.id.startswith(prefix)]
        if limit is not None and limit < len(kept):
            kept = [kept[at] for at in np.linspace(0, len(kept) - 1, limit).astype(int)]
        return replace(self, tasks=kept)


def of_sets(
    sets: Sequence[DataSet],
    cache: Path,
    reported: str = "test",
    progress: Progress | None = None,
) -> Corpus:
    """Make a corpus of data sets with fixed splits, in one library.

    Args:
        sets: what was read; several are united beforehand by `folders.united`.
        cache: where registries and vectors lie that were made before.
        reported: the split whose episodes are the tasks.
        progress: hears how many texts are encoded.
    """
    key = _key(sets)
    folder = cache / "corpora" / key[:16]
    with Registry.open(str(folder / "registry")) as registry:
        encoder = Recalling(encoder_of(registry.store), cache / VECTORS)
        if not (made := folder / "complete").exists():
            _fill(registry, sets, encoder, progress)
            made.touch()
        library = load(registry.store)
        asked = [one for data in sets for one in data.episodes if one.split != "train"]
        requests = [*library.requests, *(one.request for one in asked)]
        tell = partial(_tell, progress, len(set(requests))) if progress else None
        seen = read(requests, vocabulary(registry.store), encoder.encode_clauses, tell)
        documents = texts(registry.store, library)
        specs = described(registry.store, library)
        name = recorded(registry.store) or ""
    questions = [Question.of(one.request, _with(seen[one.request], one.state)) for one in asked]
    pairs = list(zip(asked, questions, strict=True))
    return Corpus(
        name="+".join(data.name for data in sets),
        library=library,
        documents=documents,
        teach=rows_of(library, seen, library, range(len(library.trajectories)), teach=True),
        judge=[Row(library, question, one.path) for one, question in pairs if one.split == "valid"],
        tasks=[
            Task(one.id, question, one.path, one.edges)
            for one, question in pairs
            if one.split == reported
        ],
        encoder=name,
        about=(key, reported),
        specs=specs,
    )


def _fill(
    registry: Registry, sets: Sequence[DataSet], encoder: Encoder, progress: Progress | None
) -> None:
    for data in sets:
        registry.register(data.manifest)
    for data in sets:
        registry.import_traces(data.traces("train"))
    registry.encode(encoder, progress)


def of_registry(
    store: Store, progress: Progress | None = None, cache: Path | None = None
) -> Corpus:
    """Make a corpus of a registry's own trajectories: some teach, some choose, some report.

    Args:
        store: the registry's.
        progress: hears how many texts are encoded.
        cache: where vectors of clauses lie that were made before.
    """
    library, name = load(store), recorded(store) or ""
    tell = partial(_tell, progress, len(set(library.requests))) if progress else None
    encoder = encoder_of(store)
    if cache is not None:
        encoder = Recalling(encoder, cache / VECTORS)
    seen = read(library.requests, vocabulary(store), encoder.encode_clauses, tell)
    # One draw decides both, so that what reports is part of what is set aside.
    teach, aside = split(library, REPORT + CHOOSE)
    _, reported = split(library, REPORT)
    known, judge = library.without(aside), sorted({*aside} - {*reported})
    return Corpus(
        name=Path(store.location).name,
        library=known,
        documents=texts(store, library),
        teach=rows_of(library, seen, known, teach, teach=True),
        judge=rows_of(library, seen, known, judge, teach=False),
        tasks=[
            Task(library.trajectories[at], row.question, row.path)
            for at, row in zip(
                reported, rows_of(library, seen, known, reported, teach=False), strict=True
            )
        ],
        encoder=name,
        about=("registry", store.location, str(len(teach))),
        specs=described(store, library),
    )


def texts(store: Store, library: Library) -> list[str]:
    """The document of each tool, in the library's order."""
    found = {row["id"]: row["text"] for row in store.read("vectors/tool_texts")}
    return [found[tool] for tool in library.tools]


def described(store: Store, library: Library) -> list[ToolSpec]:
    """The definition of each tool, in the library's order."""
    found = definitions(store, library.tools)
    return [found[tool] for tool in library.tools]


def _key(sets: Sequence[DataSet]) -> str:
    found = hashlib.sha256(str(FORMAT).encode())
    for data in sets:
        found.update(data.name.encode() + data.manifest.fingerprint().encode())
        for one in data.episodes:
            said = [one.id, one.request, one.path, one.state, one.split]
            found.update(json.dumps(said).encode())
    return found.hexdigest()


def _tell(progress: Progress, whole: int, done: int) -> None:
    progress(done, whole)


def _with(seen: Seen, state: Sequence[str]) -> Seen:
    return replace(seen, given=seen.given | frozenset(state)) if state else seen
