"""Registering a manifest: what is new, what changed, what stays; all of it or nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spm.registry import declaration
from spm.registry.declaration import Tools
from spm.registry.fields import canonical
from spm.registry.lifecycle import Change, compare_definitions
from spm.registry.models import Manifest, tool_id
from spm.registry.store import Row, Store, Transaction, now


@dataclass(frozen=True)
class Link:
    """An explicit edge: a field that one tool returns is an input of another."""

    producer: str
    output: str
    consumer: str
    input: str


@dataclass(frozen=True)
class Registration:
    """What a registration did, or would do."""

    service: str
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    # Tools of the same service that the source no longer has; they are left as they are.
    missing: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    revision: int | None = None


def register(
    store: Store,
    manifest: Manifest,
    operation: str | None = None,
    *,
    origin: str = "",
    links: Sequence[Link] = (),
    pin: bool = False,
) -> Registration:
    """Write a manifest in one transaction; tools with an unchanged content cost nothing.

    Args:
        store: where to.
        manifest: what.
        operation: the id under which a lost answer can be repeated.
        origin: where the tools come from; another origin gets a service name of its own.
        links: explicit edges of the source.
        pin: quarantine what changed since it was approved, and what is new beside approved tools.

    Raises:
        VersionConflict: a published version came with another content.
        ManifestError: a successor names no tool.
    """
    manifest = namespaced(store, manifest, origin)
    plan = preview(store, manifest)
    settled = _settled(plan, store.read("tools/origin", service=plan.service), manifest)
    if settled and operation is None:  # a repeated operation gets the answer it got before
        return plan

    def work(tx: Transaction) -> dict[str, Any] | None:
        # Compared again under the lock: somebody may have registered the same a moment ago.
        current = compare(tx.run("tools/hashes", ids=_ids(manifest)), manifest)
        if _settled(current, tx.run("tools/origin", service=plan.service), manifest):
            return None
        quarantined = _write(tx, manifest, current, origin, links, pin)
        return {
            "added": current.added,
            "changed": current.changed,
            "unchanged": current.unchanged,
            "missing": plan.missing,
            "quarantined": quarantined,
        }

    result = store.write("register", work, operation)
    return Registration(manifest.service.name, **result) if result else plan


def _settled(plan: Registration, service: list[Row], manifest: Manifest) -> bool:
    """Whether nothing is to be written: no tool is new or changed, nor what the service says."""
    said = manifest.service.model_dump(exclude={"name"})
    same = bool(service) and all(service[0][key] == value for key, value in said.items())
    return same and not plan.added and not plan.changed


def namespaced(store: Store, manifest: Manifest, origin: str) -> Manifest:
    """Give a source its own service name when another source has taken the one it asks for."""
    wanted, number = manifest.service.name, 1
    name = wanted
    while found := store.read("tools/origin", service=name):
        if (found[0]["source"] or "") == origin:
            break
        number += 1
        name = f"{wanted}-{number}"
    if name == wanted:
        return manifest
    return manifest.model_copy(
        update={"service": manifest.service.model_copy(update={"name": name})}
    )


def preview(store: Store, manifest: Manifest) -> Registration:
    """What a registration would do."""
    ids = _ids(manifest)
    known = store.read("tools/origin", service=manifest.service.name)
    if known and known[0]["digest"] == manifest.fingerprint():
        plan = Registration(manifest.service.name, unchanged=ids)
    else:
        plan = compare(store.read("tools/hashes", ids=ids), manifest)
    here = set(ids)
    there = store.read("tools/of_service", service=manifest.service.name)
    plan.missing.extend(row["id"] for row in there if row["id"] not in here)
    return plan


def changes(store: Store, manifest: Manifest, changed: list[str]) -> dict[str, list[Change]]:
    """What would change in each of these tools."""
    old = {
        row["id"]: json.loads(row["definition"])
        for row in store.read("tools/definitions", ids=changed)
    }
    tools = {tool_id(manifest.service.name, t.name): t for t in manifest.tools}
    return {i: compare_definitions(old.get(i, {}), tools[i].definition()) for i in changed}


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


def _write(
    tx: Transaction,
    manifest: Manifest,
    plan: Registration,
    origin: str,
    links: Sequence[Link],
    pin: bool,
) -> list[str]:
    """Write the chosen tools; returns those that were quarantined."""
    service = manifest.service
    chosen = {*plan.added, *plan.changed}
    tools = {tool_id(service.name, t.name): t for t in manifest.tools}
    tools = {identity: tools[identity] for identity in sorted(chosen)}
    published = declaration.versions(tx, service.name, tools)
    standing = _standing(tx, manifest, tools, published, pin)
    at = now()
    said = {"source": origin, "digest": manifest.fingerprint()}
    tx.run("tools/services", rows=[{**service.model_dump(), **said}])
    tx.run("tools/upsert", rows=declaration.tool_rows(manifest, tools, published, standing), at=at)
    tx.run("tools/unlink", ids=list(tools))
    tx.run("tools/provided_by", rows=[{"id": i, "service": service.name} for i in tools])
    tx.run(
        "tools/in_family",
        rows=[{"id": i, "family": t.family} for i, t in tools.items() if t.family],
    )
    known = tx.run("fields/vocabulary")
    tx.run("tools/fields", rows=declaration.field_rows(known, declaration.named_fields(tools)))
    tx.run("tools/requires", rows=declaration.requires_rows(tools))
    tx.run(
        "tools/produces", rows=declaration.produces_rows(tools) + _linked(manifest, tools, links)
    )
    rows = [declaration.version_row(i, t, published[i]) for i, t in tools.items()]
    tx.run("tools/publish", rows=rows, at=at)
    tx.run("tools/prune_fields")
    tx.run("tools/prune_families")
    return sorted(i for i in tools if standing[i]["status"] == "quarantined")


def _linked(manifest: Manifest, tools: Tools, links: Sequence[Link]) -> list[Row]:
    """An explicit link makes the producer give the very field that the consumer takes."""
    every = {tool.name: tool for tool in manifest.tools}
    rows = []
    for link in links:
        producer = tool_id(manifest.service.name, link.producer)
        consumer = every.get(link.consumer)
        # Also when only the consumer changed: its input may have another name now.
        if link.producer not in every or consumer is None:
            continue
        if not {producer, tool_id(manifest.service.name, link.consumer)} & tools.keys():
            continue
        owner = next((s.of for s in consumer.inputs if s.name == link.input), "")
        rows.append({"id": producer, "field": canonical(link.input, owner or consumer.family)})
    return rows


def _standing(
    tx: Transaction,
    manifest: Manifest,
    tools: Tools,
    published: dict[str, declaration.Version],
    pin: bool,
) -> dict[str, dict[str, Any]]:
    """Status and successor of each tool: what people decided stands until people change it."""
    before = {row["id"]: row for row in tx.run("tools/states", ids=list(tools))}
    named = declaration.successors(tx, manifest, tools)
    service = tx.run("tools/of_service", service=manifest.service.name)
    baseline = any(row["approved_hash"] for row in service)
    standing = {}
    for identity, tool in tools.items():
        old = before.get(identity)
        approved = old["approved_hash"] if old else None
        content = published[identity].content_hash
        status = tool.status
        if "status" not in tool.model_fields_set and old and old["status"] != "quarantined":
            status = old["status"]
        if old and old["status"] == "quarantined":
            # Out of quarantine only by a person, or by going back to what a person approved.
            status = status if approved == content else "quarantined"
        elif (
            pin
            and status == "active"  # what is deprecated is out of menus and stays so
            and (approved != content if approved else baseline and old is None)
        ):
            status = "quarantined"
        kept = old["successor"] if old else None
        standing[identity] = {"status": status, "successor": named.get(identity, kept)}
    return standing
