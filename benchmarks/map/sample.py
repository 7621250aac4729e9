"""Edges drawn by chance, as their two definitions alone, for eyes to judge."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.map.edges import edges_of
from benchmarks.map.specs import document, read
from spm.registry.catalog.search_text import plain
from spm.registry.models import ToolSpec, tool_id
from spm.registry.store.interface import Row

TEXT, NOTE, MOST = 180, 40, 12  # characters of a text and of a field's text, fields of a list


@dataclass(frozen=True)
class Pair:
    """An edge, with the definitions of both ends."""

    producer: ToolSpec
    consumer: ToolSpec
    inputs: list[str]  # of the consumer, which the edge carries

    def lines(self) -> list[str]:
        """What a judge sees: nothing of weights, resources or roles."""
        return [
            *_condensed("A", self.producer),
            *_condensed("B", self.consumer),
            f"  would A be run to get for B: {', '.join(self.inputs)}?",
        ]


def draw(folder: Path, apis: Iterable[str], seed: int, count: int, scratch: Path) -> list[Pair]:
    """Pairs drawn from all edges of these specifications; the same for the same seed."""
    found: list[tuple[Row, dict[str, ToolSpec]]] = []
    for api in apis:
        path = document(folder, api, scratch)
        if path is not None:
            source = read(path, api)
            tools = {tool_id(api, tool.name): tool for tool in source.manifest.tools}
            found += [(feed, tools) for feed in edges_of(path, api)]
    drawn = random.Random(seed).sample(found, min(count, len(found)))
    return [
        Pair(tools[feed["producer"]], tools[feed["consumer"]], sorted(feed["fields"]))
        for feed, tools in drawn
    ]


def _condensed(letter: str, tool: ToolSpec) -> list[str]:
    call = tool.call or {}
    needs = [_noted(spec.name, spec.description) for spec in tool.inputs if spec.required]
    takes = [spec.name for spec in tool.inputs if not spec.required]
    answers = [spec.name for spec in tool.outputs]
    rows = [
        f"{letter} {call.get('method', '').upper()} {call.get('path', '')} ({tool.name})",
        f"  {plain(f'{tool.title}. {tool.description}').lstrip('. ')[:TEXT]}",
        f"  needs: {_some(needs)}",
        f"  takes: {_some(takes)}",
        f"  answers: {_some(answers)}",
    ]
    return [row for row in rows if not row.endswith(": ")]


def _noted(name: str, description: str) -> str:
    note = plain(description)[:NOTE]
    return f"{name} ({note})" if note else name


def _some(names: list[str]) -> str:
    rest = f", {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + rest
