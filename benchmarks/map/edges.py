"""Edges that vendors' guides describe: how many of them the graph has, and through which input."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.map.specs import apis, document, find, labels, read, tools_by_operation
from spm.registry.catalog.fields import folded
from spm.registry.catalog.graph_rows import field_name
from spm.registry.catalog.naming import words
from spm.registry.importers.source import Source
from spm.registry.map.feeds import Feed, feeds
from spm.registry.map.map_rows import readings_of
from spm.registry.map.resources import Reading
from spm.registry.map.tool_nodes import Node, Takes
from spm.registry.models import tool_id


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
        derived = {(f.producer, f.consumer): f for f in edges_of(source, api)}
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
    derived: dict[tuple[str, str], Feed],
) -> None:
    score.known += 1
    feed = derived.get((find(tools, row["from"]) or "", find(tools, row["to"]) or ""))
    if feed is None:
        score.missed.append(row)
        return
    score.found += 1
    wanted = folded(row["param"].rpartition(".")[2]) or [""]
    score.through += any(wanted[-1] in folded(name) for name in feed.fields)


def edges_of(source: Source, api: str) -> list[Feed]:
    """The edges between the tools of one source, without a store."""
    nodes = []
    readings = readings_of(source.manifest, source.readings)
    for tool in source.manifest.tools:
        reading = readings.get(tool.name, Reading())
        takes = tuple(
            Takes(field_name(spec, tool), reading.takes.get(spec.name), spec.required)
            for spec in tool.inputs
        )
        taken = {t.field for t in takes}
        made = frozenset(field_name(spec, tool) for spec in tool.outputs) - taken
        nodes.append(
            Node(
                tool_id(api, tool.name),
                reading.verb,
                reading.resource,
                takes,
                reading.gives,
                made,
                frozenset(words(tool.name)),
            )
        )
    return feeds(nodes)
