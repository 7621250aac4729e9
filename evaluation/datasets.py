"""Data sets as folders: tools and episodes with fixed splits, in the project's data format.

`tools.jsonl.gz` holds name, description, family, inputs and outputs; `episodes.jsonl.gz` holds id,
request, state, path and split. What such a folder says is brought into the registry's own models,
so that nothing below knows about data sets.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from spm.registry.catalog.naming import fold, visible_text
from spm.registry.errors import InputError
from spm.registry.models import InputSpec, Manifest, OutputSpec, ToolSpec, Trace

SPLITS = ("train", "valid", "test")
GRAPHS = ("graph.jsonl.gz", "links.jsonl.gz")
_TYPES = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number",
    "bool": "boolean", "list": "array", "dict": "object",
}  # fmt: skip
_KNOWN = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True)
class Episode:
    """One request with the path that solved it."""

    id: str
    request: str
    path: list[str]
    state: list[str]
    split: str
    edges: tuple[tuple[str, str], ...] = ()  # known data flow, producer first


@dataclass(frozen=True)
class DataSet:
    """A folder that was read."""

    name: str
    manifest: Manifest
    episodes: list[Episode]
    dropped: int  # episodes through a tool that the folder does not document

    def part(self, split: str) -> list[Episode]:
        """The episodes of one split."""
        return [episode for episode in self.episodes if episode.split == split]

    def traces(self, split: str) -> Iterator[Trace]:
        """The episodes of one split as trajectories."""
        for episode in self.part(split):
            yield Trace.model_validate(
                {"trace_id": episode.id, "request": episode.request, "steps": episode.path}
            )


def read(folder: Path, prefix: str = "") -> DataSet:
    """Read a data set; `prefix` keeps only the episodes whose id begins with it.

    Raises:
        InputError: the folder is not in the data format; says what is wrong.
    """
    name = fold(folder.resolve().name)
    tools = list({row["name"]: row for row in rows(folder / "tools.jsonl.gz")}.values())
    try:
        manifest = Manifest.model_validate(
            {"spm": 1, "service": name, "tools": [_tool(row) for row in tools]}
        )
    except (ValidationError, KeyError) as error:
        raise InputError(f"{str(folder)!r}: tools.jsonl.gz cannot be used: {error}") from error
    known = {
        row["name"]: f"{name}/{tool.name}" for row, tool in zip(tools, manifest.tools, strict=True)
    }
    found = [
        Episode(
            row["id"],
            visible_text(row["request"])[:20_000],
            [known.get(tool, "") for tool in row["path"]],
            list(row.get("state") or []),
            row["split"],
            _edges(row, known),
        )
        for row in rows(folder / "episodes.jsonl.gz")
        if row["id"].startswith(prefix)
    ]
    kept = [episode for episode in found if episode.path and all(episode.path)]
    return DataSet(name, manifest, kept, len(found) - len(kept))


def linked(data: DataSet, folder: Path) -> DataSet:
    """The data set with its own graph of tools registered: who has to run before whom.

    A link says nothing of fields, so each tool that others wait for gives a field of its own, and
    those that wait require it.

    Raises:
        InputError: the folder has no graph.
    """
    file = next((f for name in GRAPHS if (f := folder / name).exists()), None)
    if file is None:
        raise InputError(f"{str(folder)!r} has no graph: neither {' nor '.join(GRAPHS)}.")
    names = {tool.name for tool in data.manifest.tools}
    waits: dict[str, set[str]] = {}
    for row in rows(file):
        first, second = (visible_text(str(row[end])).strip() for end in ("from", "to"))
        if first != second and {first, second} <= names:
            waits.setdefault(second, set()).add(first)
    asked = set().union(*waits.values())
    tools = [_linked(tool, waits.get(tool.name, set()), asked) for tool in data.manifest.tools]
    return replace(data, manifest=data.manifest.model_copy(update={"tools": tuple(tools)}))


def _linked(tool: ToolSpec, waits: set[str], asked: set[str]) -> ToolSpec:
    done = {name: f"{name} done"[-256:] for name in {*waits, tool.name}}
    inputs = tuple(InputSpec(name=done[name]) for name in sorted(waits))
    outputs = (OutputSpec(name=done[tool.name]),) if tool.name in asked else ()
    return tool.model_copy(
        update={"inputs": (*tool.inputs, *inputs), "outputs": (*tool.outputs, *outputs)}
    )


def united(sets: Sequence[DataSet]) -> list[DataSet]:
    """Several data sets as one library: equal tools and equal requests once, in the first.

    Two tools are equal when name and description are; the paths of later sets go through the first.
    """
    tools: dict[tuple[str, str], str] = {}
    requests: set[str] = set()
    found = []
    for data in sets:
        stands = {
            f"{data.name}/{tool.name}": tools.setdefault(
                (tool.name, tool.description), f"{data.name}/{tool.name}"
            )
            for tool in data.manifest.tools
        }
        kept = [t for t in data.manifest.tools if stands[(i := f"{data.name}/{t.name}")] == i]
        new = [one for one in data.episodes if one.request not in requests]
        requests |= {one.request for one in data.episodes}
        found.append(
            DataSet(
                data.name,
                data.manifest.model_copy(update={"tools": tuple(kept)}),
                [_through(one, stands) for one in new],
                data.dropped,
            )
        )
    return found


def _through(episode: Episode, stands: dict[str, str]) -> Episode:
    return replace(
        episode,
        path=[stands[tool] for tool in episode.path],
        edges=tuple((stands[a], stands[b]) for a, b in episode.edges),
    )


def _edges(row: dict[str, Any], known: dict[str, str]) -> tuple[tuple[str, str], ...]:
    pairs = (tuple(known.get(tool, "") for tool in edge[:2]) for edge in row.get("edges") or [])
    return tuple((first, second) for first, second in pairs if first and second)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a compressed file of JSON lines.

    Raises:
        InputError: the file cannot be read to its end.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"Cannot read {str(path)!r}: {error}.") from error


def _tool(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": visible_text(row["name"]).strip(),
        "description": visible_text(row["description"] or "")[:20_000],
        "family": visible_text(row["family"] or ""),
        "inputs": list(_fields(row["inputs"], inputs=True)),
        "outputs": list(_fields(row["outputs"], inputs=False)),
    }


def _fields(specs: Iterable[dict[str, Any]], *, inputs: bool) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for spec in specs:
        name = visible_text(str(spec["name"])).strip()[:256]
        if not fold(name) or fold(name) in seen:
            continue
        seen.add(fold(name))
        kind = str(spec.get("type") or "string").lower()
        kind = _TYPES.get(kind, kind)
        found = {"name": name, "type": kind if kind in _KNOWN else "string"}
        yield {**found, "required": bool(spec.get("required"))} if inputs else found
