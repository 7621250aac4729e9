"""Registering a manifest: what is new, what changed, what stays; all of it or nothing."""

import json
from dataclasses import dataclass, field
from typing import Any

from spm.registry.errors import ManifestError, VersionConflict
from spm.registry.models import InputSpec, Manifest, OutputSpec, ToolSpec, tool_id
from spm.registry.naming import fold, nearest
from spm.registry.store import Row, Store, Transaction, now


@dataclass(frozen=True)
class Registration:
    """What a registration did, or would do."""

    service: str
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    revision: int | None = None


def register(store: Store, manifest: Manifest, operation: str | None = None) -> Registration:
    """Write a manifest in one transaction; tools with an unchanged content cost nothing.

    Raises:
        VersionConflict: a published version came with another content.
        ManifestError: a successor names no tool.
    """
    plan = compare(store.read("tools/hashes", ids=_ids(manifest)), manifest)
    if not plan.added and not plan.changed:
        return plan

    def work(tx: Transaction) -> dict[str, Any] | None:
        # Compared again under the lock: somebody may have registered the same a moment ago.
        current = compare(tx.run("tools/hashes", ids=_ids(manifest)), manifest)
        if not current.added and not current.changed:
            return None
        _write(tx, manifest, set(current.added) | set(current.changed))
        return {"added": current.added, "changed": current.changed, "unchanged": current.unchanged}

    result = store.write("register", work, operation)
    return Registration(manifest.service.name, **result) if result else plan


def compare(known: list[Row], manifest: Manifest) -> Registration:
    """Sort the tools of a manifest into added, changed and unchanged."""
    plan = Registration(manifest.service.name)
    before = {row["id"]: row for row in known}
    for tool in manifest.tools:
        identity = tool_id(manifest.service.name, tool.name)
        row = before.get(identity)
        if row is None:
            plan.added.append(identity)
        elif row["content_hash"] != tool.content_hash(manifest.service.name) or (
            tool.version is not None and row["version"] != tool.version
        ):
            plan.changed.append(identity)
        else:
            plan.unchanged.append(identity)
    return plan


def _ids(manifest: Manifest) -> list[str]:
    return [tool_id(manifest.service.name, tool.name) for tool in manifest.tools]


def _write(tx: Transaction, manifest: Manifest, chosen: set[str]) -> None:
    service = manifest.service
    tools = {tool_id(service.name, t.name): t for t in manifest.tools}
    tools = {identity: tools[identity] for identity in sorted(chosen)}
    versions = _versions(tx, service.name, tools)
    at = now()
    tx.run("tools/services", rows=[service.model_dump()])
    tx.run("tools/upsert", rows=_tool_rows(tx, manifest, tools, versions), at=at)
    tx.run("tools/unlink", ids=list(tools))
    tx.run("tools/provided_by", rows=[{"id": i, "service": service.name} for i in tools])
    tx.run(
        "tools/in_family",
        rows=[{"id": i, "family": t.family} for i, t in tools.items() if t.family],
    )
    tx.run("tools/fields", rows=_field_rows(tx, tools))
    tx.run(
        "tools/requires",
        rows=[
            {"id": i, "field": fold(spec.name), "required": spec.required}
            for i, tool in tools.items()
            for spec in tool.inputs
        ],
    )
    tx.run(
        "tools/produces",
        rows=[
            {"id": i, "field": fold(spec.name)}
            for i, tool in tools.items()
            for spec in tool.outputs
        ],
    )
    tx.run("tools/publish", rows=[_version_row(i, t, versions[i]) for i, t in tools.items()], at=at)
    tx.run("tools/prune_fields")
    tx.run("tools/prune_families")


@dataclass(frozen=True)
class _Version:
    label: str
    number: int
    content_hash: str


def _versions(tx: Transaction, service: str, tools: dict[str, ToolSpec]) -> dict[str, _Version]:
    """Decide under which version each tool is published; a published one never changes."""
    published: dict[str, list[Row]] = {}
    for row in tx.run("tools/published", ids=list(tools)):
        published.setdefault(row["id"], []).append(row)
    versions = {}
    for identity, tool in tools.items():
        earlier = published.get(identity, [])
        content = tool.content_hash(service)
        number = 1 + max((row["number"] for row in earlier), default=0)
        label = tool.version or _free(number, {row["version"] for row in earlier})
        same = [row for row in earlier if row["version"] == label]
        if same and same[0]["content_hash"] != content:
            raise VersionConflict(identity, label)
        versions[identity] = _Version(label, same[0]["number"] if same else number, content)
    return versions


def _free(number: int, taken: set[str]) -> str:
    """The next number that no owner gave to a version by hand."""
    while str(number) in taken:
        number += 1
    return str(number)


def _tool_rows(
    tx: Transaction, manifest: Manifest, tools: dict[str, ToolSpec], versions: dict[str, _Version]
) -> list[Row]:
    service = manifest.service
    successors = _successors(tx, manifest, tools)
    return [
        {
            "id": identity,
            "name": tool.name,
            "key": fold(tool.name),
            "title": tool.title or tool.name,
            "description": tool.description,
            "document": document(tool),
            "version": versions[identity].label,
            "content_hash": versions[identity].content_hash,
            "service": service.name,
            "family": tool.family,
            "status": tool.status,
            "successor": successors.get(identity),
            "owner": tool.owner or service.owner,
            "visibility": tool.visibility,
            "scopes": list(tool.scopes),
            "effects": tool.effects,
        }
        for identity, tool in tools.items()
    ]


def document(tool: ToolSpec) -> str:
    """The text that stands for a tool in searches: name, description and field names."""
    name = " ".join(fold(tool.name).split("_"))
    fields = sorted({fold(s.name).replace("_", " ") for s in (*tool.inputs, *tool.outputs)})
    parts = [tool.title or name, name if tool.title else "", tool.description, ", ".join(fields)]
    return ". ".join(part.rstrip(".") for part in parts if part)


def _successors(tx: Transaction, manifest: Manifest, tools: dict[str, ToolSpec]) -> dict[str, str]:
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


def _field_rows(tx: Transaction, tools: dict[str, ToolSpec]) -> list[Row]:
    """Merge new spellings into what is known of each field; the first type stays."""
    known = {row["field"]: row for row in tx.run("fields/vocabulary")}
    rows: dict[str, Row] = {}
    for tool in tools.values():
        for spec in (*tool.inputs, *tool.outputs):
            name = fold(spec.name)
            before = known.get(name, {"type": spec.type, "aliases": []})
            row = rows.setdefault(
                name,
                {"name": name, "type": before["type"], "aliases": list(before["aliases"] or [])},
            )
            if spec.name != name and spec.name not in row["aliases"]:
                row["aliases"].append(spec.name)
    for row in rows.values():
        row["aliases"].sort()
    return [rows[name] for name in sorted(rows)]


def _version_row(identity: str, tool: ToolSpec, version: _Version) -> Row:
    def names(specs: tuple[InputSpec, ...] | tuple[OutputSpec, ...]) -> list[str]:
        return sorted(fold(spec.name) for spec in specs)

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
