"""A registry's own model, end to end: read the graph, train, keep it where menus look."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from spm.gnn.arrays.from_store import load
from spm.gnn.arrays.library import Library
from spm.gnn.checkpoint import save
from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.model import Provenance
from spm.gnn.model_store import place, prior
from spm.gnn.request_vectors import read
from spm.gnn.training.config import Config
from spm.gnn.training.examples import divide
from spm.gnn.training.recipe import Progress, Training
from spm.gnn.training.run_folder import Run, plain
from spm.registry.encoding import recorded
from spm.registry.request.fields import vocabulary
from spm.registry.store.interface import Store


def learn(
    store: Store,
    folder: Path,
    name: str,
    config: Config,
    *,
    scratch: bool = False,
    leads: bool = True,
    tell: Progress | None = None,
) -> dict[str, Any]:
    """Train on a registry's trajectories.

    Args:
        store: the registry.
        folder: of the run; an unfinished one is gone on with.
        name: of the model.
        config: sizes, rates, seeds.
        scratch: begin with chance, also where the configuration begins with the prior.
        leads: whether this process writes; the others of a parallel training only compute.
        tell: hears how far it is.
    """
    found = store.read("state/registry")
    revision = int(found[0]["revision"]) if found else 0
    library = load(store)
    encode = encoder_of(store).encode_clauses
    seen = read(library.requests, vocabulary(store), encode, _telling(library, tell))
    teach, judge = divide(library, seen, config.development)
    run = Run(folder)
    asked = {"name": name, "revision": revision, "scratch": scratch, **plain(config)}
    provenance = Provenance(name, recorded(store) or "", revision, len(teach) + len(judge))
    start = None if scratch or config.start == "chance" else prior()
    training = Training(teach, judge, config, run, start, tell)
    if leads:
        run.begin(asked)
    model = training.model(provenance)
    if not leads:
        return {}
    model = save(model, run.model)
    save(model, place(store))
    summary = {
        "name": name,
        "digest": model.digest,
        "trajectories": len(teach) + len(judge),
        "taught": len(teach),
        "judged": len(judge),
        "measures": model.provenance.measures,
        "run": str(folder),
        "model": str(place(store)),
    }
    run.finish(summary)
    return summary


def _telling(library: Library, tell: Progress | None) -> Callable[[int], None] | None:
    if tell is None:
        return None
    whole = len(set(library.requests))
    return lambda done: tell("requests", done, whole, 0.0, None)
