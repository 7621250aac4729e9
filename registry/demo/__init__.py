"""The bundled demo library: a small shop with nine services and its observed trajectories."""

from collections.abc import Iterator
from importlib.resources import as_file, files

from spm.registry.importers.documents import read_manifest, read_traces
from spm.registry.models import Manifest, Trace

REQUEST = "Email the customer the receipt for order 4821"


def manifests() -> list[Manifest]:
    """The manifests of the demo, by file name."""
    with as_file(files("spm.registry.demo")) as folder:
        return [read_manifest(path) for path in sorted(folder.glob("*.yaml"))]


def trajectories() -> Iterator[Trace]:
    """The trajectories of the demo."""
    with as_file(files("spm.registry.demo").joinpath("trajectories.jsonl")) as path:
        yield from read_traces(path)
