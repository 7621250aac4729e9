"""Registers a manifest in one transaction: new, changed and unchanged tools."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from spm.registry.access.settings import AS_SOURCE, Access, kept, of_row, require_owner
from spm.registry.catalog import effects_decisions as effects
from spm.registry.catalog import graph_rows, quarantine
from spm.registry.catalog.graph_rows import Tools
from spm.registry.catalog.lifecycle import Change, compare_definitions
from spm.registry.catalog.source_links import Link, fingerprint, relink, relinking
from spm.registry.errors import NotOwned
from spm.registry.map import map_rows
from spm.registry.map.map_rows import Readings, readings_of
from spm.registry.models import Manifest, tool_id
from spm.registry.store.interface import Row, Store, Transaction, now

__all__ = ["Link", "Registration", "changes", "namespaced", "preview", "register"]

Read = Callable[..., list[Row]]
ANY_PLACE = ":*"  # ends the origin of a file whose service somebody named: its folder is no matter


@dataclass(frozen=True)
class Registration:
    """What a registration did, or would do."""

    service: str
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    # Unchanged tools that explicit links of the source now make give other fields.
    relinked: list[str] = field(default_factory=list)
    # Unchanged tools that now have another owner, visibility or scopes.
    reowned: list[str] = field(default_factory=list)
    # Unchanged tools whose effects, or the reason for them, their source or better rules now give.
    reassessed: list[str] = field(default_factory=list)
    # What a known service says otherwise about itself: title, description, owner.
    described: list[str] = field(default_factory=list)
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
    readings: Readings | None = None,
    pin: bool = False,
    access: Access = AS_SOURCE,
    etag: str = "",
    team: str | None = None,
) -> Registration:
    """Write a manifest in one transaction; tools with an unchanged content cost nothing.

    Args:
        store: where to.
        manifest: what.
        operation: the id under which a lost answer can be repeated.
        origin: where the tools come from; another origin gets a service name of its own.
        links: explicit edges of the source.
        readings: what its importer read of its tools; without it, what their names say.
        pin: quarantine what is not as it was approved, and what is new beside approved tools.
        access: who may see the tools of the service, whatever the source says; it stays until
            somebody sets it anew.
        etag: address and version of the document, when it was fetched.
        team: who registers; a service with tools of others is refused. None: the operator.

    Raises:
        VersionConflict: a published version came with another content.
        ManifestError: a successor names no tool.
        NotOwned: the service has tools of another owner than `team`.
        InputError: a tool would be visible to nobody.
    """
    require_own(store.read, manifest, team)
    manifest = namespaced(store, manifest, origin)
    plan = preview(store, manifest, links, pin=pin, access=access)
    read = readings_of(manifest, readings)
    facts = _Facts(links, read, access, etag, readings is not None)
    settled = _settled(plan, _origin(store.read, manifest), facts)
    settled = settled and not graph_rows.reworded(store.read, manifest)
    if settled and operation is None:  # a repeated operation gets the answer it got before
        return plan

    def work(tx: Transaction) -> dict[str, Any] | None:
        # Compared again under the lock: somebody may have registered the same a moment ago.
        require_own(tx.run, manifest, team)
        current = _plan(tx.run, manifest, links, pin, access)
        reworded = graph_rows.reworded(tx.run, manifest)
        if _settled(current, _origin(tx.run, manifest), facts) and not reworded:
            return None
        if reworded:
            tx.run("tools/reword", rows=reworded)
        _write(tx, manifest, current, origin, facts, pin)
        return {k: v for k, v in asdict(current).items() if k not in ("service", "revision")}

    result = store.write("register", work, operation)
    return Registration(manifest.service.name, **result) if result else plan


def _origin(read: Read, manifest: Manifest) -> Row | None:
    return next(iter(read("tools/origin", service=manifest.service.name)), None)


@dataclass(frozen=True)
class _Facts:
    """What belongs to a source and to no version of a tool: links, readings, who may see it."""

    links: Sequence[Link]
    readings: Readings
    access: Access
    etag: str
    by_importer: bool  # whether the readings say more than the names of the tools

    @cached_property
    def digests(self) -> dict[str, str]:
        read = self.readings if self.by_importer else None
        return {"links": fingerprint(self.links), "map": map_rows.mark(read)}


def _settled(plan: Registration, service: Row | None, facts: _Facts) -> bool:
    """Whether nothing is to be written: of no tool, of its standing, of the service, of facts."""
    same = service is not None and all((service[k] or "") == v for k, v in facts.digests.items())
    told = plan.described or plan.reowned or plan.reassessed
    before = kept(service["access"]) if service else AS_SOURCE
    same = same and facts.access.over(before) == before
    same = same and (service is None or (service["etag"] or "") == facts.etag)
    return same and not (told or plan.added or plan.changed or plan.quarantined)


def require_own(read: Read, manifest: Manifest, team: str | None) -> None:
    """Refuse to touch a service that has tools of others.

    Raises:
        NotOwned: it has.
    """
    rows = read("tools/of_service", service=manifest.service.name) if team is not None else []
    if team is not None and any((row["owner"] or "") != team for row in rows):
        raise NotOwned(manifest.service.name, team)


def namespaced(store: Store, manifest: Manifest, origin: str) -> Manifest:
    """Give a source its own service name when another source has taken the one it asks for."""
    wanted, number = manifest.service.name, 1
    name = wanted
    while found := store.read("tools/origin", service=name):
        if _same_source(found[0]["source"] or "", origin):
            break
        number += 1
        name = f"{wanted}-{number}"
    if name == wanted:
        return manifest
    return manifest.model_copy(
        update={"service": manifest.service.model_copy(update={"name": name})}
    )


def _same_source(known: str, origin: str) -> bool:
    """Whether both are one source; a chosen name goes on with a list from any folder, no API."""
    listed = known.startswith(origin[:-1]) and "://" not in known
    return known == origin or (origin.endswith(ANY_PLACE) and listed)


def preview(
    store: Store,
    manifest: Manifest,
    links: Sequence[Link] = (),
    *,
    pin: bool = False,
    access: Access = AS_SOURCE,
) -> Registration:
    """What a registration would do."""
    return _plan(store.read, manifest, links, pin, access)


def _plan(
    read: Read, manifest: Manifest, links: Sequence[Link], pin: bool, access: Access
) -> Registration:
    ids, service = _ids(manifest), _origin(read, manifest)
    if service and service["digest"] == manifest.fingerprint():
        plan = Registration(manifest.service.name, unchanged=ids)
    else:
        plan = compare(read("tools/hashes", ids=ids), manifest)
    there = {row["id"]: row for row in read("tools/of_service", service=manifest.service.name)}
    plan.missing.extend(sorted(there.keys() - set(ids)))
    plan.relinked.extend(_relinked(read, manifest, links, plan, service))
    plan.described.extend(_described(manifest, service))
    holds = _holding(manifest, service, there, access)
    as_before = [i for i in (*plan.unchanged, *plan.missing) if i in there]
    plan.reowned.extend(i for i in as_before if of_row(there[i]) != holds[i])
    same = [i for i in plan.unchanged if i in there]
    plan.reassessed.extend(sorted(_reassessed(manifest, same, there)))
    standing = quarantine.statuses(manifest, {*plan.added, *plan.changed}, there, pin=pin)
    waiting = [identity for identity, status in standing.items() if status == "quarantined"]
    if pin:
        waiting += quarantine.drifted(there[i] for i in plan.unchanged if i in there)
    plan.quarantined.extend(sorted(waiting))
    return plan


def _holding(
    manifest: Manifest, service: Row | None, there: dict[str, Row], given: Access
) -> dict[str, Access]:
    """Who may see each tool: as set on it, as given or set on its service, as the source says.

    Of a tool that the source no longer has only what is given now can change.

    Raises:
        InputError: what is given would make a tool visible to nobody.
    """
    whole = given.over(kept(service["access"]) if service else AS_SOURCE)
    said = graph_rows.declared_access(manifest)
    holds = {}
    for identity in {**said, **there}:
        row = there.get(identity)
        own = kept(row["access"]) if row else AS_SOURCE
        if identity in said:
            holds[identity] = own.over(whole).over(said[identity])
        elif row:
            holds[identity] = own.over(given).over(of_row(row))
        require_owner(identity, given, holds[identity])
    return holds


def _reassessed(manifest: Manifest, same: list[str], there: dict[str, Row]) -> Iterator[str]:
    """Unchanged tools of which the source now gives other effects, or another reason."""
    tools = {tool_id(manifest.service.name, tool.name): tool for tool in manifest.tools}
    for identity in same:
        row, tool = there[identity], tools[identity]
        known = row["source_effects"], row["source_effects_reason"]
        if known != (tool.effects, graph_rows.effects_reason(tool)):
            yield identity


def _described(manifest: Manifest, service: Row | None) -> list[str]:
    said = manifest.service.model_dump(exclude={"name"})
    return [key for key in said if service and (service[key] or "") != said[key]]


def _relinked(
    read: Read,
    manifest: Manifest,
    links: Sequence[Link],
    plan: Registration,
    service: Row | None,
) -> list[str]:
    """Unchanged tools whose links changed, or lead to a field that has another name now."""
    before = (service["links"] or "") if service else ""
    changed = bool(plan.added or plan.changed)
    if fingerprint(links) == before and not (links and changed):
        return []
    return sorted(relinking(read, manifest, links).tools() & set(plan.unchanged))


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
        elif not tool.has_content(row["content_hash"], manifest.service.name) or (
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
    facts: _Facts,
    pin: bool,
) -> None:
    """Write the chosen tools, the service, its links and map, and who has to wait."""
    service, at, links = manifest.service, now(), facts.links
    there = {row["id"]: row for row in tx.run("tools/of_service", service=service.name)}
    known = tx.run("tools/origin", service=service.name)
    tools = {tool_id(service.name, t.name): t for t in manifest.tools}
    tools = {identity: tools[identity] for identity in sorted({*plan.added, *plan.changed})}
    before = known[0] if known else None
    holds = _holding(manifest, before, there, facts.access)
    access = facts.access.over(kept(before["access"]) if before else AS_SOURCE).text()
    said = {"source": origin, "digest": manifest.fingerprint(), **facts.digests}
    tx.run(
        "tools/services",
        rows=[{**service.model_dump(), **said, "access": access, "etag": facts.etag}],
    )
    if tools:
        named = graph_rows.successors(tx, manifest, tools)
        statuses = quarantine.statuses(manifest, set(tools), there, pin=pin)
        standing = {
            identity: {
                "status": status,
                "successor": named.get(identity, there.get(identity, {}).get("successor")),
                **holds[identity].row(),
            }
            for identity, status in statuses.items()
        }
        _write_tools(tx, manifest, tools, standing, there, at)
    if links or (known and known[0]["links"]):
        relink(tx, relinking(tx.run, manifest, links))
    if plan.reowned:
        rows = [{**there[i], **holds[i].row()} for i in plan.reowned]
        tx.run("tools/set_access", rows=rows, at=at)
    if plan.reassessed:
        every = {tool_id(service.name, t.name): t for t in manifest.tools}
        effects.derive(tx, {identity: every[identity] for identity in plan.reassessed}, at)
    if drifted := [there[i] for i in plan.quarantined if i not in tools]:
        rows = [{**row, "status": "quarantined"} for row in drifted]
        tx.run("tools/set_status", rows=rows, at=at)
    tx.run("tools/prune_fields")
    tx.run("tools/prune_families")
    map_rows.write_map(tx, manifest, facts.readings, frozenset(plan.added))


def _write_tools(
    tx: Transaction,
    manifest: Manifest,
    tools: Tools,
    standing: dict[str, dict[str, Any]],
    there: Mapping[str, Row],
    at: str,
) -> None:
    service = manifest.service.name
    published = graph_rows.versions(tx, service, tools)
    tx.run("tools/upsert", rows=graph_rows.tool_rows(manifest, tools, published, standing), at=at)
    effects.reapply(tx, list(tools), at)
    if known_before := [identity for identity in tools if identity in there]:
        tx.run("tools/unlink", ids=known_before)
    tx.run("tools/provided_by", rows=[{"id": i, "service": service} for i in tools])
    tx.run(
        "tools/in_family",
        rows=[{"id": i, "family": t.family} for i, t in tools.items() if t.family],
    )
    known = tx.run("fields/vocabulary")
    tx.run("tools/fields", rows=graph_rows.field_rows(known, graph_rows.named_fields(tools)))
    tx.run("tools/requires", rows=graph_rows.requires_rows(tools))
    tx.run("tools/produces", rows=graph_rows.produces_rows(tools))
    rows = [graph_rows.version_row(i, t, published[i]) for i, t in tools.items()]
    tx.run("tools/publish", rows=rows, at=at)
