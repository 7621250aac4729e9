"""A whole registry as a `HeteroData` of PyTorch Geometric, as a caller sees it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor
from torch_geometric.data import HeteroData

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.store.interface import Row, Store

Pair = tuple[str, str]
Walks = Mapping[str, Sequence[str]]  # the tools of each trajectory, as they ran


@dataclass(frozen=True)
class Links:
    """The edges of one type, by the names of their ends, with what they carry."""

    source: str
    name: str
    target: str
    pairs: Sequence[Pair]
    carried: Mapping[str, Sequence[float] | Sequence[str]] = field(default_factory=dict)


def registry_graph(store: Store, caller: Caller = EVERYTHING) -> HeteroData:
    """Read tools, fields, resources and trajectories, and the relationships among them.

    Tools are those that the caller sees, fields and resources those of these tools, trajectories
    the successful ones of which it sees every step. What a restricted caller is told of order and
    use is counted in these trajectories alone. Of every kind, `id` says which node stands in which
    row, and `x` are the vectors of tools and trajectories.
    """
    seen = {row["id"] for row in store.read("access/tools", **caller.params())}
    tools = [row for row in store.read("library/tools") if row["id"] in seen]
    walks = _walks(store, caller)
    links = [
        *_contracts(store, seen),
        *_resources(store, seen),
        _feeds(store, seen),
        *(_counted(walks) if caller.restricted else _observed(store, seen)),
        _steps(walks),
    ]
    links += _identifies(store, links, caller)
    nodes = _nodes(links, [row["id"] for row in tools], walks)
    found = HeteroData()
    for kind, ids in nodes.items():
        found[kind].id, found[kind].num_nodes = ids, len(ids)
    found["tool"].x = torch.from_numpy(store.vectors("tool", nodes["tool"]))
    found["trajectory"].x = torch.from_numpy(store.vectors("trajectory", nodes["trajectory"]))
    for name, values in _use(tools, walks, caller).items():
        found["tool"][name] = torch.tensor(values, dtype=torch.float32)
    _join(found, links, nodes)
    return found


def _nodes(links: Iterable[Links], tools: list[str], walks: Walks) -> dict[str, list[str]]:
    """The ids of every kind, sorted; a field or resource is there because of its edges."""
    ends: dict[str, set[str]] = {"field": set(), "resource": set()}
    for one in links:
        for kind, column in ((one.source, 0), (one.target, 1)):
            if kind in ends:
                ends[kind] |= {pair[column] for pair in one.pairs}
    return {"tool": tools, **{k: sorted(v) for k, v in ends.items()}, "trajectory": sorted(walks)}


def _join(found: HeteroData, links: Iterable[Links], nodes: Mapping[str, Sequence[str]]) -> None:
    rows = {kind: {name: at for at, name in enumerate(ids)} for kind, ids in nodes.items()}
    for one in links:
        source, target = rows[one.source], rows[one.target]
        ends = [[source[first] for first, _ in one.pairs], [target[last] for _, last in one.pairs]]
        edges = found[one.source, one.name, one.target]
        edges.edge_index = torch.tensor(ends, dtype=torch.long).view(2, -1)
        for name, values in one.carried.items():
            edges[name] = _column(values)


def _column(values: Sequence[float] | Sequence[str]) -> Tensor | list[str]:
    """Numbers as a tensor, names as they are."""
    if any(isinstance(value, str) for value in values):
        return [str(value) for value in values]
    return torch.tensor(values, dtype=torch.float32)


def _contracts(store: Store, seen: set[str]) -> Iterator[Links]:
    """What tools require, accept and produce."""
    inputs = [row for row in store.read("insight/inputs") if row["id"] in seen]
    for name, required in (("REQUIRES", True), ("ACCEPTS", False)):
        pairs = [(row["id"], row["field"]) for row in inputs if row["required"] == required]
        yield Links("tool", name, "field", pairs)
    outputs = [r for r in store.read("insight/outputs") if r["id"] in seen]
    yield Links("tool", "PRODUCES", "field", [(row["id"], row["field"]) for row in outputs])


def _resources(store: Store, seen: set[str]) -> Iterator[Links]:
    """What tools act on, and which things stand in their answers."""
    acts = [row for row in store.read("library/purposes") if row["id"] in seen]
    gives = [row for row in store.read("library/gives") if row["id"] in seen]
    for name, carried, rows in (("ACTS_ON", "verb", acts), ("GIVES", "role", gives)):
        pairs = [(row["id"], row["resource"]) for row in rows]
        yield Links("tool", name, "resource", pairs, {carried: [row[carried] for row in rows]})


def _identifies(store: Store, links: Sequence[Links], caller: Caller) -> list[Links]:
    """Which resources the fields identify; a restricted caller hears of no others than it has."""
    fields = {pair[1] for one in links if one.target == "field" for pair in one.pairs}
    known = {pair[1] for one in links if one.target == "resource" for pair in one.pairs}
    pairs = [
        (row["field"], row["resource"])
        for row in store.read("library/identifies")
        if row["field"] in fields and (row["resource"] in known or not caller.restricted)
    ]
    return [Links("field", "IDENTIFIES", "resource", pairs)]


def _feeds(store: Store, seen: set[str]) -> Links:
    rows = [
        row
        for row in store.read("library/feeds")
        if row["producer"] in seen and row["consumer"] in seen
    ]
    pairs = [(row["producer"], row["consumer"]) for row in rows]
    return Links("tool", "FEEDS", "tool", pairs, {"weight": [row["weight"] for row in rows]})


def _observed(store: Store, seen: set[str]) -> Iterator[Links]:
    """Who ran before whom, as the graph has counted it."""
    for name in ("PRECEDES", "BEFORE"):
        rows = [
            row
            for row in store.read(f"library/{name.lower()}")
            if row["first"] in seen and row["second"] in seen
        ]
        pairs = [(row["first"], row["second"]) for row in rows]
        yield Links("tool", name, "tool", pairs, {"count": [row["count"] for row in rows]})


def _counted(walks: Walks) -> Iterator[Links]:
    """The same counted anew: edges of the graph also count what a restricted caller cannot see."""
    right, later = Counter[Pair](), Counter[Pair]()
    for walk in walks.values():
        right.update(pairwise(walk))
        distinct = list(dict.fromkeys(walk))
        later.update((a, b) for at, a in enumerate(distinct) for b in distinct[at + 1 :])
    for name, counts in (("PRECEDES", right), ("BEFORE", later)):
        pairs = sorted(counts)
        yield Links("tool", name, "tool", pairs, {"count": [counts[pair] for pair in pairs]})


def _walks(store: Store, caller: Caller) -> Walks:
    """The steps that did their work, of trajectories of which the caller sees them all."""
    found: dict[str, list[str]] = {}
    whole = {row["id"] for row in store.read("access/trajectories", **caller.params())}
    for row in store.read("library/steps"):
        if row["trajectory"] in whole:
            found.setdefault(row["trajectory"], []).append(row["tool"])
    return found


def _steps(walks: Walks) -> Links:
    rows = [(walk, at, tool) for walk in sorted(walks) for at, tool in enumerate(walks[walk])]
    pairs = [(walk, tool) for walk, _, tool in rows]
    return Links("trajectory", "STEP", "tool", pairs, {"idx": [at for _, at, _ in rows]})


def _use(tools: Sequence[Row], walks: Walks, caller: Caller) -> dict[str, list[float]]:
    """How many trajectories used each tool, and how many began with it."""
    names = ("frequency", "entry_frequency")
    if not caller.restricted:
        return {name: [float(row[name]) for row in tools] for name in names}
    used = Counter(tool for walk in walks.values() for tool in {*walk})
    begun = Counter(walk[0] for walk in walks.values())
    counts = zip(names, (used, begun), strict=True)
    return {name: [float(count[row["id"]]) for row in tools] for name, count in counts}
