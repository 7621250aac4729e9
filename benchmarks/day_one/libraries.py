"""Libraries without a single trace, and requests to them whose tools are known."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.map.menus import tasks
from benchmarks.map.specs import apis, document, labels, read, registry, tools_by_operation
from spm.evaluation.datasets import DataSet
from spm.evaluation.datasets import read as read_set
from spm.evaluation.vector_cache import Recalling
from spm.gnn.encoders.by_name import encoder_of
from spm.registry.registry import Registry

SPECIFICATIONS = "specs"
PARTS = ("dev", "dev2")  # of the labels of specifications; the others only report
# Their licences forbid to teach what is shipped, so they are measured and teach nothing.
MEASURED_ONLY = frozenset(("toolbench_g3", "toolbench_rel", "toolbench_traj", "toolhop"))
# Sets of one provider are left out together.
FAMILIES = {
    "toolbench_g3": "toolbench",
    "toolbench_rel": "toolbench",
    "toolbench_traj": "toolbench",
}
DIVIDED = {"traject_bench": {"seq": "seq-", "par": "par/"}}  # sets of two kinds of requests


@dataclass(frozen=True)
class Request:
    """A request with its tools, each of which may have others that serve as well.

    Attributes:
        library: what figures are reported for.
        family: libraries that are left out together.
        split: train teaches, valid chooses, test reports.
        text: what is asked.
        gold: the tools, in their order.
    """

    library: str
    family: str
    split: str
    text: str
    gold: tuple[frozenset[str], ...]

    @property
    def teaches(self) -> bool:
        """Whether what is shipped may learn from it."""
        return self.split == "train" and self.library not in MEASURED_ONLY


@contextmanager
def opened(
    name: str, data: Path, stores: Path, most: int, say: Callable[[str], None]
) -> Iterator[tuple[Registry, list[Request]]]:
    """A registry of a set's tools alone, encoded, and its requests: at most so many of a split."""
    if name == SPECIFICATIONS:
        yield from _specifications(data / name, stores)
        return
    found = read_set(data / name)
    with Registry.open(str(stores / name)) as made:
        if not made.status()["tools"]:
            say(f"{name}: encoding {len(found.manifest.tools):,} tools")
            made.register(found.manifest)
        made.encode(Recalling(encoder_of(made.store), stores / "vectors.sqlite"))
        yield made, list(_requests(name, found, most))


def _requests(name: str, found: DataSet, most: int) -> Iterator[Request]:
    draw = np.random.default_rng(0)
    for library, prefix in DIVIDED.get(name, {name: ""}).items():
        for split in ("train", "valid", "test"):
            episodes = [one for one in found.part(split) if one.id.startswith(prefix)]
            for at in np.sort(draw.permutation(len(episodes))[:most]).tolist():
                path = tuple(frozenset([tool]) for tool in dict.fromkeys(episodes[at].path))
                family = FAMILIES.get(name, name)
                yield Request(library, family, split, episodes[at].request, path)


def _specifications(folder: Path, stores: Path) -> Iterator[tuple[Registry, list[Request]]]:
    rows = [row for part in PARTS for row in labels("requests", part)]
    sources = {
        api: read(path, api)
        for api in apis(rows)
        if (path := document(folder, api, stores / "documents"))
    }
    wanted = tasks(rows, {api: tools_by_operation(s, api) for api, s in sources.items()})
    with registry(folder, sources, stores / SPECIFICATIONS) as made:
        made.encode()
        yield (
            made.core,
            [Request(task.api, task.api, "train", task.request, task.gold) for task in wanted],
        )


def names(data: Path) -> list[str]:
    """What a folder of data sets has."""
    return sorted(path.parent.name for path in data.glob("*/tools.jsonl.gz")) + (
        [SPECIFICATIONS] if (data / SPECIFICATIONS).is_dir() else []
    )
