"""Rows of the data format, and what their makers share: merging, order, repeated calls."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Edge = tuple[str, str]


@dataclass
class Made:
    """What a converter made of its source.

    Attributes:
        tools: rows of `tools.jsonl.gz`.
        episodes: rows of `episodes.jsonl.gz`, without their split.
        extras: further files by name, such as `flows`.
        dropped: why episodes were left out, and how many.
        merged: repeated listings of a tool that became one.
        notes: what a person should know about this copy of the source.
    """

    tools: list[Row] = field(default_factory=list)
    episodes: list[Row] = field(default_factory=list)
    extras: dict[str, list[Row]] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    merged: int = 0
    notes: list[str] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def keep(self, known: Container[str], episode: Row) -> bool:
        """Add an episode whose tools are all known; count one that cannot be used."""
        if not episode["path"]:
            self.dropped["the path is empty"] += 1
        elif not all(step in known for step in episode["path"]):
            self.dropped["a tool of the path is not documented"] += 1
        elif episode["id"] in self._ids:
            self.dropped["another episode has the same id"] += 1
        else:
            self._ids.add(episode["id"])
            self.episodes.append(episode)
            return True
        return False


def left_out(what: str) -> str:
    """A note about a part of the source that no figure is reported on."""
    return f"{what} was left out: no figure is reported on it. --full takes it along."


def tool(
    name: str,
    description: str,
    family: str = "",
    inputs: Sequence[Row] = (),
    outputs: Sequence[Row] = (),
) -> Row:
    """A row of a tool."""
    return {
        "name": name,
        "description": description,
        "family": family,
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def taken(name: str, type_: str, required: bool, description: str) -> Row:
    """An input of a tool."""
    return {"name": name, "type": type_, "required": required, "description": description}


def given(name: str, type_: str, description: str) -> Row:
    """An output of a tool."""
    return {"name": name, "type": type_, "description": description}


def episode(id_: str, request: str, path: Sequence[str], edges: Iterable[Edge] = ()) -> Row:
    """A row of an episode; no source names fields that are known beforehand."""
    return {
        "id": id_,
        "request": request.strip(),
        "state": [],
        "path": list(path),
        "edges": [list(edge) for edge in dict.fromkeys(edges)],
    }


def collapsed(path: Iterable[str]) -> list[str]:
    """A path in which calls of one tool in a row are one step."""
    found: list[str] = []
    for step in path:
        if not found or found[-1] != step:
            found.append(step)
    return found


def ordered(nodes: Sequence[str], edges: Iterable[Edge]) -> list[str] | None:
    """The nodes with every edge's first before its second; of several that may come, the earliest.

    None when the edges form a circle.
    """
    waits: dict[str, set[str]] = {node: set() for node in nodes}
    for first, second in edges:
        waits[second].add(first)
    found: list[str] = []
    while len(found) < len(waits):
        free = next((n for n in waits if n not in found and waits[n] <= set(found)), None)
        if free is None:
            return None
        found.append(free)
    return found
