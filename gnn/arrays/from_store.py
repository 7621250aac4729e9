"""A registry's graph read into a library: a handful of queries, then arrays."""

from collections.abc import Iterable, Sequence

import numpy as np

from spm.gnn.arrays.library import Counts, Feeders, Ints, Library, Rows
from spm.registry.catalog.naming import words
from spm.registry.frontier.frontier import Floats, representatives
from spm.registry.search.bm25 import Index, request_gains, tool_gains, tool_grams
from spm.registry.store.interface import Row, Store

# Requests with a cosine above this say the same; what one of them used gives the other away.
TWINS = 0.95
BLOCK = 1_000


def load(store: Store) -> Library:
    """Read all active tools and all successful trajectories with a request."""
    tools = store.read("library/tools")
    ids = [row["id"] for row in tools]
    number = {tool: at for at, tool in enumerate(ids)}
    same = representatives((r["field"], r["same"]) for r in store.read("insight/same"))
    takes = [r for r in store.read("insight/inputs") if r["required"] and r["id"] in number]
    gives = [r for r in store.read("insight/outputs") if r["id"] in number]
    fields = sorted({same.get(row["field"], row["field"]) for row in (*takes, *gives)})
    code = {name: at for at, name in enumerate(fields)}
    paths = paths_of(store.read("library/steps"), number)
    texts = {row["id"]: row["text"] for row in store.read("vectors/trajectory_texts")}
    documents = {row["id"]: row["text"] for row in store.read("vectors/tool_texts")}
    trajectories = sorted(paths.keys() & texts.keys())
    distinct = [sorted({*paths[name]}) for name in trajectories]
    requests = [texts[name] for name in trajectories]
    vectors = store.vectors("trajectory", trajectories)
    return Library(
        tools=ids,
        family=codes_of([row["family"] for row in tools]),
        service=codes_of([row["service"] for row in tools]),
        words=[frozenset(words(row["name"])) for row in tools],
        fields=fields,
        takes=incidence(takes, number, code, same),
        gives=incidence(gives, number, code, same),
        vectors=store.vectors("tool", ids),
        texts=Index(tool_gains(documents[tool]) for tool in ids),
        grams=Rows.of(tool_grams(documents[tool]) for tool in ids),
        trajectories=trajectories,
        requests=requests,
        request_vectors=vectors,
        request_texts=Index(map(request_gains, requests)),
        paths=Rows.of([paths[name] for name in trajectories]),
        groups=groups(distinct, vectors),
        frequency=np.array([row["frequency"] for row in tools], dtype=np.float32),
        entries=np.array([row["entry_frequency"] for row in tools], dtype=np.float32),
        followers=counts_of(store.read("library/precedes"), number),
        later=counts_of(store.read("library/before"), number),
        feeders=Feeders.of(store.read("library/feeds"), number),
        same=same,
    )


def groups(paths: Sequence[Sequence[int]], vectors: Floats) -> Ints:
    """Number trajectories so that those of the same tools or the same request share a number.

    Args:
        paths: the distinct tools of each, sorted.
        vectors: their requests.
    """
    known: dict[tuple[int, ...], int] = {}
    leader = [known.setdefault(tuple(path), at) for at, path in enumerate(paths)]

    def find(row: int) -> int:
        while leader[row] != row:
            leader[row] = leader[leader[row]]
            row = leader[row]
        return row

    for start in range(0, len(vectors), BLOCK):
        alike = vectors[start : start + BLOCK] @ vectors.T >= TWINS
        for first, second in np.argwhere(alike).tolist():
            a, b = find(start + first), find(second)
            leader[max(a, b)] = min(a, b)
    return np.array([find(row) for row in range(len(paths))], dtype=np.int64)


def paths_of(rows: Iterable[Row], number: dict[str, int]) -> dict[str, list[int]]:
    """Every trajectory as it ran; one through a tool that is not active any more is left out."""
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["trajectory"], []).append(number.get(row["tool"], -1))
    return {name: path for name, path in found.items() if min(path) >= 0}


def counts_of(rows: Iterable[Row], number: dict[str, int]) -> Counts:
    """Counts of ordered pairs of tools; those with a tool that is not active are left out."""
    pairs = {
        (number[row["first"]], number[row["second"]]): float(row["count"])
        for row in rows
        if row["first"] in number and row["second"] in number
    }
    return Counts.of(pairs, len(number))


def incidence(
    rows: Iterable[Row], number: dict[str, int], code: dict[str, int], same: dict[str, str]
) -> Rows:
    """The numbers of each tool's fields, those that are the same under one name."""
    found: list[set[int]] = [set() for _ in number]
    for row in rows:
        name: str = row["field"]
        found[number[row["id"]]].add(code[same.get(name, name)])
    return Rows.of([sorted(fields) for fields in found])


def codes_of(names: Sequence[str | None]) -> Ints:
    """Numbers for names in the order in which they first appear; -1 for none."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(n, len(known)) if n else -1 for n in names], dtype=np.int64)
