"""Turns a manifest into rows of the graph: tools, versions, fields and their edges."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spm.registry.access.settings import Access, holding
from spm.registry.catalog.fields import canonical, is_control
from spm.registry.catalog.naming import fold, nearest
from spm.registry.catalog.search_text import search_parts
from spm.registry.errors import ManifestError, VersionConflict
from spm.registry.models import InputSpec, Manifest, OutputSpec, ToolSpec, tool_id
from spm.registry.store.interface import Row, Transaction

Tools = dict[str, ToolSpec]
STATED = "stated by its source"


def field_name(spec: OutputSpec, tool: ToolSpec) -> str:
    """The canonical name of a field of this tool; the family owns names that say nothing alone."""
    return canonical(spec.name, spec.of or tool.family)


def requires_rows(tools: Tools) -> list[Row]:
    """Edges to what tools take, without what steers a call (paging, keys, formats)."""
    needed: dict[tuple[str, str], bool] = {}
    for identity, tool in tools.items():
        for spec in tool.inputs:
            if not _steers(spec, tool):
                edge = identity, field_name(spec, tool)
                needed[edge] = needed.get(edge, False) or spec.required
    return [{"id": i, "field": f, "required": needed[i, f]} for i, f in sorted(needed)]


def _steers(spec: OutputSpec, tool: ToolSpec) -> bool:
    """Whether a field steers a call (paging, keys, formats).

    What stands in the path is what a call is about, whatever it is called: `/file_links/{link}`.
    """
    if not is_control(spec.name):
        return False
    path = str((tool.call or {}).get("path", ""))
    return not isinstance(spec, InputSpec) or f"{{{spec.name}}}" not in path


def produces_rows(tools: Tools) -> list[Row]:
    """Edges to what tools give, without what steers a call."""
    edges = {
        (identity, field_name(spec, tool))
        for identity, tool in tools.items()
        for spec in tool.outputs
        if not _steers(spec, tool)
    }
    return [{"id": identity, "field": name} for identity, name in sorted(edges)]


def field_rows(known: list[Row], named: list[tuple[str, OutputSpec]]) -> list[Row]:
    """Merge new spellings into what is known of each field; the first type stays."""
    before = {row["field"]: row for row in known}
    rows: dict[str, Row] = {}
    for name, spec in named:
        old = before.get(name, {"type": spec.type, "aliases": []})
        row = rows.setdefault(
            name, {"name": name, "type": old["type"], "aliases": list(old["aliases"] or [])}
        )
        if spec.name != name and spec.name not in row["aliases"]:
            row["aliases"].append(spec.name)
    for row in rows.values():
        row["aliases"].sort()
    return [rows[name] for name in sorted(rows)]


def named_fields(tools: Tools) -> list[tuple[str, OutputSpec]]:
    """Every field that tools declare, under its canonical name; what steers a call is none."""
    return [
        (field_name(spec, tool), spec)
        for tool in tools.values()
        for spec in (*tool.inputs, *tool.outputs)
        if not _steers(spec, tool)
    ]


@dataclass(frozen=True)
class Version:
    """Under which version a tool is published."""

    label: str
    number: int
    content_hash: str


def versions(tx: Transaction, service: str, tools: Tools) -> dict[str, Version]:
    """Decide under which version each tool is published; a published one never changes.

    Raises:
        VersionConflict: a published version came with another content.
    """
    published: dict[str, list[Row]] = {}
    for row in tx.run("tools/published", ids=list(tools)):
        published.setdefault(row["id"], []).append(row)
    found = {}
    for identity, tool in tools.items():
        earlier = published.get(identity, [])
        content = tool.content_hash(service)
        number = 1 + max((row["number"] for row in earlier), default=0)
        label = tool.version or _free(number, {row["version"] for row in earlier})
        same = [row for row in earlier if row["version"] == label]
        if same and not tool.has_content(same[0]["content_hash"], service):
            raise VersionConflict(identity, label)
        if same:  # as it was published, also when a hash of this content is another now
            number, content = same[0]["number"], same[0]["content_hash"]
        found[identity] = Version(label, number, content)
    return found


def _free(number: int, taken: set[str]) -> str:
    """The next number that no owner gave to a version by hand."""
    while str(number) in taken:
        number += 1
    return str(number)


def version_row(identity: str, tool: ToolSpec, version: Version) -> Row:
    """A version as it is kept for ever."""

    def names(specs: tuple[InputSpec, ...] | tuple[OutputSpec, ...]) -> list[str]:
        return sorted({field_name(spec, tool) for spec in specs})

    return {
        "id": f"{identity}@{version.label}",
        "tool_id": identity,
        "name": tool.name,
        "version": version.label,
        "number": version.number,
        "content_hash": version.content_hash,
        "definition": json.dumps(tool.definition(), sort_keys=True, ensure_ascii=False),
        "requires": names(tuple(s for s in tool.inputs if s.required)),
        "produces": names(tool.outputs),
    }


def effects_reason(tool: ToolSpec) -> str:
    """Why a tool has the effects that its source gives it."""
    return tool.effects_reason or STATED


def declared_access(manifest: Manifest) -> dict[str, Access]:
    """Who may see each tool as its source says it: it names its owner, else its service does."""
    service = manifest.service
    return {
        tool_id(service.name, tool.name): holding(
            tool.owner or service.owner, tool.visibility, tool.scopes
        )
        for tool in manifest.tools
    }


def tool_rows(
    manifest: Manifest,
    tools: Tools,
    published: dict[str, Version],
    standing: dict[str, dict[str, Any]],
) -> list[Row]:
    """The properties of tools; `standing` says status, successor and access of each."""
    service = manifest.service
    return [
        {
            "id": identity,
            "name": tool.name,
            "key": fold(tool.name),
            "title": tool.title or tool.name,
            "description": tool.description,
            "search_parts": search_parts(tool),
            "version": published[identity].label,
            "content_hash": published[identity].content_hash,
            "service": service.name,
            "family": tool.family,
            "status": standing[identity]["status"],
            "successor": standing[identity]["successor"],
            "owner": standing[identity]["owner"],
            "visibility": standing[identity]["visibility"],
            "scopes": standing[identity]["scopes"],
            "effects": tool.effects,
            "effects_reason": effects_reason(tool),
        }
        for identity, tool in tools.items()
    ]


def reworded(read: Callable[..., list[Row]], manifest: Manifest) -> list[Row]:
    """The parts of known tools whose text is another by today's rules, though they are the same."""
    tools = {tool_id(manifest.service.name, tool.name): tool for tool in manifest.tools}
    known = read("tools/search_parts", ids=list(tools))
    made = {row["id"]: search_parts(tools[row["id"]]) for row in known}
    return [
        {"id": row["id"], "search_parts": made[row["id"]]}
        for row in known
        if row["search_parts"] != made[row["id"]]
    ]


def successors(tx: Transaction, manifest: Manifest, tools: Tools) -> dict[str, str]:
    """Find the tools that others name as their successors.

    Raises:
        ManifestError: a successor names no tool.
    """
    wanted = {i: t.successor for i, t in tools.items() if t.successor}
    named = {t.name: tool_id(manifest.service.name, t.name) for t in manifest.tools}
    here = {fold(name): identity for name, identity in named.items()}
    keys = sorted({fold(name.rpartition("/")[2]) for name in wanted.values()})
    known = tx.run("tools/keys", keys=keys) if keys else []
    found = {}
    for identity, name in wanted.items():
        exact = [row["id"] for row in known if name in (row["id"], row["name"])]
        own = name.removeprefix(f"{manifest.service.name}/")
        target = named.get(own) or here.get(fold(own)) or next(iter(exact), None)
        if target is None:
            hint = nearest(name, here.values())
            raise ManifestError(
                f"{identity!r} names the successor {name!r}, which is no tool of this manifest or "
                f"of the registry.{f' Nearest: {hint[0]!r}.' if hint else ''}"
            )
        found[identity] = target
    return found
