"""Edges that vendors' guides describe: how many of them the graph has, and through which input."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spm
from benchmarks.map.specs import apis, document, find, labels, read, tools_by_operation
from spm.registry.catalog.fields import folded
from spm.registry.store.interface import Row


@dataclass
class Score:
    """What was found of the edges of one part."""

    tools: int = 0
    edges: int = 0
    known: int = 0
    found: int = 0  # the edge is there
    through: int = 0  # and carries the input of the label
    missed: list[dict[str, Any]] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The figures."""
        return {
            "edges of guides": self.known,
            "found": self.found,
            "through the input": self.through,
            "recall": round(self.found / max(self.known, 1), 3),
            "edges a tool": round(self.edges / max(self.tools, 1), 2),
        }


def compare(folder: Path, part: str, scratch: Path, say: Callable[[str], None]) -> Score:
    """Derive the edges of each specification and look for those of the labels."""
    rows, score = labels("edges", part), Score()
    for api in apis(rows):
        path = document(folder, api, scratch)
        if path is None:
            continue
        source = read(path, api)
        tools = tools_by_operation(source, api)
        derived = {(f["producer"], f["consumer"]): f for f in edges_of(path, api)}
        score.tools += len(tools)
        score.edges += len(derived)
        for row in rows:
            if row["api"] == api:
                _count(score, row, tools, derived)
        say(f"{api}: {len(tools)} tools, {len(derived)} edges")
    return score


def _count(
    score: Score,
    row: dict[str, Any],
    tools: dict[str, str],
    derived: dict[tuple[str, str], Row],
) -> None:
    score.known += 1
    feed = derived.get((find(tools, row["from"]) or "", find(tools, row["to"]) or ""))
    if feed is None:
        score.missed.append(row)
        return
    score.found += 1
    wanted = folded(row["param"].rpartition(".")[2]) or [""]
    score.through += any(wanted[-1] in folded(name) for name in feed["fields"])


def edges_of(path: Path, api: str) -> list[Row]:
    """The edges between the tools of a specification that is alone in a registry."""
    with tempfile.TemporaryDirectory() as store, spm.open(store) as registry:
        registry.register(path, service=api)
        return registry.core.store.read("library/feeds")
