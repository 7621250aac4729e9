"""A generated library on a Neo4j of our own, which runs as a server that serves would."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from benchmarks.speed.library import put_vectors
from benchmarks.speed.snapshots import Place
from benchmarks.speed.workers import Tell
from spm.gnn.snapshot.lifecycle import snapshots_of
from spm.registry.errors import InputError
from spm.registry.exchange import export_registry, import_registry
from spm.registry.registry import Registry

PASSWORD = "spm-bench-password"
LAUNCHER = Path(__file__).resolve().parents[2] / "docker" / "server.py"


@contextmanager
def started(library: Path, tell: Tell) -> Iterator[Place]:
    """Start a server with the same tools and trajectories as an embedded registry.

    Its data lie beside that registry, so that they are imported once.

    Raises:
        InputError: this machine cannot run a Neo4j.
    """
    launcher = _launcher()
    home = library.with_name(f"neo4j-{library.name}")
    login = {"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": PASSWORD}
    tell("Starting Neo4j", 0, 0)
    try:
        with (
            launcher.LocalServer(home, PASSWORD, serving=True) as server,
            patch.dict(os.environ, login),
        ):
            _fill(server.uri, library, home, tell)
            yield Place(server.uri, server.pid)
    except (launcher.ServerUnavailable, launcher.ServerFailed) as error:
        raise InputError(f"No Neo4j can be started here: {error}") from error


def _fill(address: str, library: Path, home: Path, tell: Tell) -> None:
    """Import the library, once, and write its snapshot; what was stopped in between goes on."""
    whole = home / "whole"
    if not whole.exists():
        _import(address, library, home, tell)
        whole.touch()
    with Registry.open(address) as registry:
        known = snapshots_of(registry)
        if known.current() is None:
            tell("Writing the snapshot", 0, 0)
            known.write()


def _import(address: str, library: Path, home: Path, tell: Tell) -> None:
    export = home / "library.jsonl"
    with Registry.open(str(library)) as source:
        export_registry(source.store, export)
    with Registry.open(address) as registry:
        if not registry.status()["tools"]:
            tell("Importing into Neo4j", 0, 0)
            import_registry(registry.store, export)
        tell("Making vectors", 0, 0)
        put_vectors(registry)
    export.unlink()


def _launcher() -> ModuleType:
    # By path: docker/ is no package, and its name belongs to the Docker client library.
    spec = importlib.util.spec_from_file_location("spm_neo4j_launcher", LAUNCHER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
