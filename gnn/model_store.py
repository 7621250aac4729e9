"""Which model serves which registry: its own when one was trained, else the shipped prior."""

import hashlib
import os
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from spm.gnn.checkpoint import load
from spm.gnn.model import Model
from spm.registry.encoding import recorded
from spm.registry.errors import ModelError
from spm.registry.store.interface import Store

if TYPE_CHECKING:
    from spm.gnn.snapshot.snapshot import Snapshot

_PRIOR = "prior.safetensors"


def prior() -> Model:
    """The generic prior: trained on public libraries, knows no tool by name."""
    with as_file(files("spm.gnn") / _PRIOR) as path:
        return load(path)


def place(store: Store, environment: Mapping[str, str] = os.environ) -> Path:
    """Where the model of a registry lies: SPM_MODEL, in its folder, or in the user's data.

    A server keeps no files for its clients, so its models lie with the user who trained them.
    """
    if chosen := environment.get("SPM_MODEL"):
        return Path(chosen).expanduser()
    if store.engine == "embedded":
        return Path(store.location) / "model.safetensors"
    from platformdirs import user_data_path

    key = hashlib.sha256(store.location.encode()).hexdigest()[:16]
    return user_data_path("spm") / "models" / f"{key}.safetensors"


def model_of(
    store: Store, environment: Mapping[str, str] = os.environ, known: "Snapshot | None" = None
) -> Model:
    """The model that builds a registry's menus.

    Args:
        store: the registry's.
        environment: where SPM_MODEL may be.
        known: the registry's snapshot, which saves asking the store.

    Raises:
        ModelError: its own model cannot be used; says why.
    """
    path = place(store, environment)
    if not path.exists():
        if environment.get("SPM_MODEL"):
            raise ModelError(f"SPM_MODEL names {str(path)!r}, but there is no such file.")
        return prior()
    if known is None:
        encoder, found = recorded(store), store.read("state/registry")
        now = int(found[0]["revision"]) if found else 0
    else:
        encoder, now = known.encoder, known.revision
    model = load(path, encoder)
    if model.provenance.revision > now:
        raise ModelError(
            f"The model {str(path)!r} was trained at revision {model.provenance.revision}, but "
            f"this registry is at {now}: it belongs to another one. Train again with: spm train"
        )
    return model
