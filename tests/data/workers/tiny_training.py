"""A library small enough to train on in seconds, and its training by several processes.

Run by torchrun: the arguments are a folder for the run, and a file that every process writes what
it ended with to, with its number at the end.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spm.gnn.arrays.from_store import groups
from spm.gnn.arrays.library import Counts, Feeders, Library, Rows, orders, transitions
from spm.gnn.request_vectors import Seen
from spm.registry.search.bm25 import Index, request_gains, tool_gains, tool_grams

TOOLS, ROWS, ROUTES, LONG = 12, 28, 18, 64
NAMES = [first + second for first in ("red", "blue", "green") for second in "kmnp"]
FIELDS = [f"{name}ness" for name in ("calm", "glad", "kind", "dark", "cold", "soft")]


def routes() -> list[list[int]]:
    """A few ways that every trajectory takes one of."""
    rng = np.random.default_rng(1)
    return [rng.permutation(TOOLS)[: rng.integers(2, 5)].tolist() for _ in range(ROUTES)]


def library(rows: int = ROWS, changed: Mapping[int, list[int]] | None = None) -> Library:
    """Tools with random texts; requests that resemble the texts of the tools they need.

    Args:
        rows: how many trajectories.
        changed: other paths for some of them, whose requests and groups stay the same.
    """
    rng = np.random.default_rng(0)
    vectors = _unit(rng.normal(size=(TOOLS, LONG)))
    taken = [rng.permutation(len(FIELDS))[: rng.integers(0, 3)].tolist() for _ in range(TOOLS)]
    given = [rng.permutation(len(FIELDS))[: rng.integers(0, 3)].tolist() for _ in range(TOOLS)]
    ways, drawn = routes(), rng.integers(0, ROUTES, rows)
    paths = [ways[way] for way in drawn]
    # A repeated call now and then: paths are kept as they ran.
    paths = [[*path, path[0]] if at % 7 == 0 else path for at, path in enumerate(paths)]
    noise = rng.normal(size=(rows, LONG)) * 0.5
    requests = [_request(path, str(rng.choice(FIELDS))) for path in paths]
    asked = _unit(np.stack([vectors[path].sum(0) for path in paths]) + noise * 0.2)
    paths = [(changed or {}).get(at, path) for at, path in enumerate(paths)]
    shelf = Library(
        tools=[f"tiny/{name}" for name in NAMES],
        family=np.arange(TOOLS) % 5 - 1,
        service=np.arange(TOOLS) % 3,
        words=[frozenset((name[:-1], name)) for name in NAMES],
        fields=FIELDS,
        takes=Rows.of([sorted(part) for part in taken]),
        gives=Rows.of([sorted(part) for part in given]),
        vectors=vectors,
        texts=Index([tool_gains(f"{name} does {name} things") for name in NAMES]),
        grams=Rows.of([tool_grams(name) for name in NAMES]),
        trajectories=[f"row{at:03}" for at in range(rows)],
        requests=requests,
        request_vectors=asked,
        request_texts=Index(map(request_gains, requests)),
        paths=Rows.of(paths),
        groups=groups([sorted({*path}) for path in (ways[way] for way in drawn)], asked),
        feeders=_fed(taken, given),
        **_counted([]),
    )
    return replace(shelf, **_counted(paths))


def _fed(taken: Sequence[Sequence[int]], given: Sequence[Sequence[int]]) -> Feeders:
    """Who makes a field that another takes feeds it, unless it only echoes it."""
    carried = {
        (maker, taker): sorted(({*given[maker]} - {*taken[maker]}) & {*taken[taker]})
        for maker in range(TOOLS)
        for taker in range(TOOLS)
        if maker != taker
    }
    rows = [
        {
            "producer": NAMES[maker],
            "consumer": NAMES[taker],
            "fields": [FIELDS[at] for at in fields],
            "weight": 0.8,
        }
        for (maker, taker), fields in carried.items()
        if fields
    ]
    return Feeders.of(rows, {name: at for at, name in enumerate(NAMES)})


def only(whole: Library, kept: Sequence[int]) -> Library:
    """The library that these rows alone would make, counted from nothing."""
    requests = [whole.requests[row] for row in kept]
    paths = [whole.paths[row].tolist() for row in kept]
    return replace(
        whole,
        trajectories=[whole.trajectories[row] for row in kept],
        requests=requests,
        request_vectors=whole.request_vectors[list(kept)],
        request_texts=Index(map(request_gains, requests)),
        paths=Rows.of(paths),
        groups=whole.groups[list(kept)],
        **_counted(paths),
    )


def _counted(paths: Sequence[Sequence[int]]) -> dict[str, Any]:
    distinct = [list(dict.fromkeys(path)) for path in paths]
    used = Counter(chain.from_iterable(distinct))
    begun = Counter(path[0] for path in paths)
    ran = Counter(chain.from_iterable(transitions(list(path)) for path in paths))
    later = Counter(chain.from_iterable(map(orders, distinct)))
    return {
        "frequency": np.array([used[tool] for tool in range(TOOLS)], dtype=np.float32),
        "entries": np.array([begun[tool] for tool in range(TOOLS)], dtype=np.float32),
        "followers": Counts.of(ran, TOOLS),
        "later": Counts.of(later, TOOLS),
    }


def _request(path: Sequence[int], field: str) -> str:
    return f"please do {' '.join(NAMES[tool] for tool in path)} with {field}"


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def visible(text: str) -> frozenset[str]:
    """The fields that a request shows."""
    return frozenset(text.split()) & frozenset(FIELDS)


def seen(whole: Library) -> dict[str, Seen]:
    """What every request shows; each is one clause."""
    rows = zip(whole.requests, whole.request_vectors, strict=True)
    return {text: Seen(visible(text), vector, vector[None, :]) for text, vector in rows}


def first_losses(count: int = 2) -> list[float]:
    """What the first batches of the first network cost, in this process's share of them."""
    import torch

    from spm.gnn.constructor import place_of
    from spm.gnn.features import derive
    from spm.gnn.networks.input_rows import widths
    from spm.gnn.networks.request_graphs import frontier_graph
    from spm.gnn.networks.retriever import Retriever
    from spm.gnn.networks.sizes import Sizes
    from spm.gnn.training.config import Schedule
    from spm.gnn.training.examples import divide
    from spm.gnn.training.loop import Fit, retriever_step

    teach, _ = divide(library(), seen(library()), 0.2)
    graphs = []
    for one in (row.example() for row in teach[: 8 * count]):
        place = place_of(one.frontier, one.path)
        graphs.append(frontier_graph(derive(one.frontier), place))
    torch.manual_seed(4)
    network = Retriever(widths()[0], Sizes(dropout=0.0))  # each process would drop others
    fit = Fit(network, graphs, retriever_step, Schedule(8e-4, 1, 3))
    means: list[float] = []
    fit.run(lambda done, total, mean: means.append(mean))
    sums = [mean * (at + 1) for at, mean in enumerate(means)]
    return [after - before for before, after in pairwise([0.0, *sums])]


def main() -> None:
    import torch

    from spm.gnn.checkpoint import save
    from spm.gnn.model import Provenance
    from spm.gnn.training import distributed
    from spm.gnn.training.config import Config, Schedule
    from spm.gnn.training.examples import divide
    from spm.gnn.training.recipe import Training
    from spm.gnn.training.run_folder import Run, plain

    torch.set_num_threads(1)
    folder, report = Path(sys.argv[1]), Path(sys.argv[2])
    with distributed.joined() as leads:
        rank, size = distributed.world()
        losses = first_losses()
        config = Config(Schedule(8e-4, 1, 1), Schedule(4e-4, 1, 2), development=0.2, folds=2)
        teach, judge = divide(library(), seen(library()), config.development)
        run = Run(folder)
        if leads:
            run.begin(plain(config))
        model = Training(teach, judge, config, run).model(Provenance("tiny", "none", 1, ROWS))
        if leads:
            save(model, run.model)
        own = save(model, report.with_name(f"{report.name}{rank}.model"))
        found = {"rank": rank, "size": size, "leads": leads, "digest": own.digest}
        report.with_name(f"{report.name}{rank}").write_text(json.dumps({**found, "losses": losses}))


if __name__ == "__main__":
    main()
