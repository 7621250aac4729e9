"""Writes what was read of a service's tools (verbs, resources, roles), and refreshes FEEDS.

A service is marked with the rules that its map was made by, and with what was read: a mark of
earlier rules says that the map is to be renewed.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict
from typing import Literal

from spm.registry.catalog.graph_rows import field_name
from spm.registry.map.feeds import refresh
from spm.registry.map.name_resources import read_names
from spm.registry.map.resources import Reading
from spm.registry.models import Manifest, ToolSpec, digest, tool_id
from spm.registry.store.interface import Row, Transaction

Readings = Mapping[str, Reading]
# Raised when better rules read or connect the same tools otherwise. The next write to a store then
# renews its map, without new versions of tools.
RULES = 4
# What the map of a service was read out of: the whole document of its source, the definitions that
# the store keeps of its operations, or the names of its tools.
ReadFrom = Literal["document", "definitions", "names"]


def readings_of(manifest: Manifest, given: Readings | None = None) -> Readings:
    """What an importer read of a source, else what the names of its tools say."""
    return given if given is not None else read_names(manifest.tools)


def mark(given: Readings | None) -> str:
    """The mark of a service by what its importer read, if it did; no version changes it."""
    if given is None:
        return mark_of("names")
    return mark_of("document", digest({name: asdict(one) for name, one in sorted(given.items())}))


def mark_of(read_from: ReadFrom, content: str = "", rules: int | None = None) -> str:
    """The mark of a service whose map was made like this; by the rules of today, unless given."""
    return f"{RULES if rules is None else rules} {read_from} {content}".rstrip()


def rules_of(found: str | None) -> int:
    """The rules that a mark names; 0 for a service without one."""
    number = (found or "").partition(" ")[0]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def read_from_document(found: str | None) -> bool:
    """Whether a mark says that a whole document was read, which the store does not keep."""
    return (found or "").split(" ")[1:2] == ["document"]


def write_map(
    tx: Transaction, manifest: Manifest, readings: Readings, new: Container[str] = ()
) -> None:
    """Replace what the graph says about the resources of a service, and refresh its edges."""
    write_facts(tx, manifest.service.name, manifest.tools, readings, new)
    refresh(tx, manifest.service.name)


def write_facts(
    tx: Transaction,
    service: str,
    tools: Sequence[ToolSpec],
    readings: Readings,
    new: Container[str] = (),
) -> None:
    """Replace what the graph says about the resources of a service; its edges stay as they are.

    Of new tools it says nothing yet.
    """
    ids = [tool_id(service, tool.name) for tool in tools]
    if before := [identity for identity in ids if identity not in new]:
        tx.run("map/unlink", ids=before)
        tx.run("map/forget_identities", ids=before)
    tx.run("map/unlink_identities", service=service)
    acts: list[Row] = []
    gives: list[Row] = []
    takes: list[Row] = []
    for tool in tools:
        reading = readings.get(tool.name, Reading())
        identity = tool_id(service, tool.name)
        if reading.resource:
            resource = f"{service}/{reading.resource}"
            acts.append({"id": identity, "resource": resource, "verb": reading.verb})
        for given in reading.gives:
            row = {"id": identity, **asdict(given)}
            gives.append({**row, "resource": f"{service}/{given.resource}"})
        for spec in tool.inputs:
            if found := reading.takes.get(spec.name):
                row = {"id": identity, "field": field_name(spec, tool), "role": found.role}
                takes.append({**row, "resource": f"{service}/{found.resource}"})
    named = {row["resource"] for rows in (acts, gives, takes) for row in rows}
    tx.run("exchange/put_resources", rows=[_resource(service, name) for name in sorted(named)])
    tx.run("exchange/put_acts_on", rows=acts)
    tx.run("exchange/put_gives", rows=gives)
    tx.run("map/put_identities", rows=takes)
    tx.run("map/put_identifies", service=service)
    tx.run("map/prune_resources")


def _resource(service: str, identity: str) -> Row:
    return {"id": identity, "name": identity.removeprefix(f"{service}/"), "service": service}
