"""The generic prior: one model from several public libraries, for registries without traces.

It sees no text vector, only numbers that mean the same in any library. Each library is shown with
none, some and all of its trajectories, so that the model learns to lean on declared fields and
text where nothing was observed, and on what was observed where it was. Only the train splits of
sources whose licence allows it; the valid splits judge.

    python -m benchmarks prior FOLDER… --stores FOLDER --out prior.safetensors
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from spm.evaluation.datasets import DataSet, read
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.from_store import load
from spm.gnn.arrays.library import Library
from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.features import Inputs
from spm.gnn.model import Design, Model, Provenance
from spm.gnn.request_vectors import read as read_requests
from spm.gnn.training.config import Config, Schedule
from spm.gnn.training.examples import Row, rows_of
from spm.gnn.training.recipe import Training
from spm.gnn.training.run_folder import Run
from spm.registry.registry import Registry
from spm.registry.request.fields import vocabulary

SHARES = (0.0, 0.05, 0.3, 1.0)
TEACH, JUDGE = 400, 60  # rows of each library and share, at most


def registry_of(data: DataSet, folder: Path) -> Registry:
    """A registry with the data set's tools and train split; made once for each folder."""
    registry = Registry.open(str(folder))
    registry.register(data.manifest)
    registry.import_traces(data.traces("train"))
    registry.encode(encoder_of(registry.store))
    return registry


def rows(data: DataSet, folder: Path, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Rows that teach (train) and that judge (valid), at every share of traces."""
    with registry_of(data, folder) as registry:
        library, words = load(registry.store), vocabulary(registry.store)
        judged = _some(range(len(data.part("valid"))), JUDGE, seed)
        episodes = [data.part("valid")[at] for at in judged]
        asked = [*library.requests, *(episode.request for episode in episodes)]
        seen = read_requests(asked, words, encoder_of(registry.store).encode_clauses)
    teach: list[Row] = []
    judge: list[Row] = []
    for number, share in enumerate(SHARES):
        known = thinned(library, share, seed + number)
        members = _some(range(len(library.trajectories)), TEACH, seed + number)
        teach += rows_of(library, seen, known, members, teach=True)
        judge += [
            Row(known, Question.of(one.request, seen[one.request]), one.path) for one in episodes
        ]
    return teach, judge


def thinned(library: Library, share: float, seed: int) -> Library:
    """The library with only a share of its trajectories."""
    drawn = np.random.default_rng(seed).random(len(library.trajectories))
    return library.without(np.flatnonzero(drawn >= share).tolist())


def _some(items: range, count: int, seed: int) -> list[int]:
    chosen = np.random.default_rng(seed).permutation(len(items))[:count]
    return sorted(int(at) for at in chosen)


def train(
    folders: Sequence[Path], stores: Path, run: Path, epochs: tuple[int, int] = (3, 4)
) -> Model:
    """Train the prior on several data sets."""
    teach: list[Row] = []
    judge: list[Row] = []
    for folder in folders:
        data = read(folder)
        more, others = rows(data, stores / data.name)
        teach += more
        judge += others
    config = Config(
        retriever=Schedule(8e-4, epochs[0], 20260525),
        reranker=Schedule(4e-4, epochs[1], 17),
        design=Design(inputs=Inputs(vectors=False)),
    )
    kept = Run(run)
    kept.begin({"sources": [folder.name for folder in folders]})
    return Training(teach, judge, config, kept).model(Provenance("prior", "", 0, len(teach)))


def halved(model: Model) -> Model:
    """The same model with weights in half precision, as it is shipped."""
    retriever = {name: value.astype(np.float16) for name, value in model.retriever.items()}
    reranker = {name: value.astype(np.float16) for name, value in model.reranker.items()}
    return replace(model, retriever=retriever, reranker=reranker)
