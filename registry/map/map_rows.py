"""Writes what was read of a service's tools (verbs, resources, roles), and refreshes FEEDS."""

from collections.abc import Mapping
from dataclasses import asdict

from spm.registry.catalog.graph_rows import field_name
from spm.registry.map.feeds import refresh
from spm.registry.map.name_resources import read_names
from spm.registry.map.resources import Reading
from spm.registry.models import Manifest, digest, tool_id
from spm.registry.store.interface import Row, Transaction

Readings = Mapping[str, Reading]
# Raised when the rules of reading change what is read of the same source.
RULES = 2


def readings_of(manifest: Manifest, given: Readings | None = None) -> Readings:
    """What an importer read of a source, else what the names of its tools say."""
    return given if given is not None else read_names(manifest.tools)


def fingerprint(readings: Readings) -> str:
    """A digest of what was read; it changes with the rules of reading, not with versions."""
    return digest([RULES, {name: asdict(reading) for name, reading in sorted(readings.items())}])


def write_map(tx: Transaction, manifest: Manifest, readings: Readings) -> None:
    """Replace what the graph says about the resources of a service, and refresh its edges."""
    service = manifest.service.name
    ids = [tool_id(service, tool.name) for tool in manifest.tools]
    tx.run("map/unlink", ids=ids)
    tx.run("map/forget_identities", ids=ids)
    tx.run("map/unlink_identities", service=service)
    acts: list[Row] = []
    gives: list[Row] = []
    takes: list[Row] = []
    for tool in manifest.tools:
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
    refresh(tx, service)


def _resource(service: str, identity: str) -> Row:
    return {"id": identity, "name": identity.removeprefix(f"{service}/"), "service": service}
