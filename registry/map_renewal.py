"""Makes the map of services that were registered by an earlier spm, or by earlier rules.

Migrations of the schema are Cypher, in the store's layer. This needs the rules of reading, so it
stands above both stores: whoever opens one says that it is to be done before the first write.

Every service is read first, and connected when all are read, because the tools of one may be fed by
those of another. Each step is one transaction that looks at the mark of its service again: killed
in between, or done by two at once, it goes on where it was.
"""

import json
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import ValidationError

from spm.registry.map.feeds import refresh_consumers
from spm.registry.map.map_rows import (
    RULES,
    Readings,
    mark_of,
    read_from_document,
    rules_of,
    write_facts,
)
from spm.registry.map.name_resources import read_names
from spm.registry.models import ToolSpec
from spm.registry.store.interface import Row, Store, Transaction
from spm.registry.store.reader import Reader

log = logging.getLogger("spm")
QUIET_SECONDS = 5.0  # after which a person is told, and told again


def services_behind(store: Reader) -> list[str]:
    """The services whose map was made by earlier rules, or not at all; one read."""
    return [row["service"] for row in store.read("map/marks") if rules_of(row["map"]) < RULES]


def renew_map(store: Store) -> list[str]:
    """Make the map of every service that is behind; returns which.

    Decisions of people (effects, IS_A, SAME_AS) and what traces showed stay as they are.
    """
    store.prepare = None  # which would do this again, at the first of these writes
    waiting = services_behind(store)
    steps: list[tuple[str, Callable[[Transaction], dict[str, Any] | None]]] = [
        (name, partial(step, service=name)) for step in (_read, _connect) for name in waiting
    ]
    told = time.monotonic()
    for done, (name, work) in enumerate(steps):
        if time.monotonic() - told > QUIET_SECONDS:
            told = time.monotonic()
            log.warning(
                "Making the map of the registry, once after an upgrade: %d of %d steps done, "
                "next is %s.", done, len(steps), name,
            )  # fmt: skip
        store.write("map", work)
    return waiting


def _read(tx: Transaction, service: str) -> dict[str, Any] | None:
    """Write what the definitions of a service say; what a whole document said is kept."""
    found = _behind(tx, service)
    if found is None or read_from_document(found["map"]):
        return None
    tools = _tools(tx, service)
    readings, mark = _readings(tools)
    write_facts(tx, service, tools, readings)
    tx.run("map/mark", service=service, map=mark)
    return {"read": service}


def _connect(tx: Transaction, service: str) -> dict[str, Any] | None:
    """Write the edges into the tools of a service that was read, and mark it as done."""
    found = _behind(tx, service)
    if found is None or not found["map"]:
        return None
    refresh_consumers(tx, {service})
    tx.run("map/mark", service=service, map=f"{RULES} {found['map'].partition(' ')[2]}")
    return {"connected": service}


def _behind(tx: Transaction, service: str) -> Row | None:
    """The service as it is under the lock; None: somebody removed it, or was faster."""
    for row in tx.run("tools/origin", service=service):
        if rules_of(row["map"]) < RULES:
            return row
    return None


def _tools(tx: Transaction, service: str) -> list[ToolSpec]:
    """The tools of a service as their source stated them, which a person's decision leaves alone.

    A definition that this spm cannot read gives nothing, so that it keeps nobody from writing.
    """
    tools = []
    for row in tx.run("map/definitions", service=service):
        said = json.loads(row["definition"])
        if row["source_effects"]:
            said["effects"] = row["source_effects"]
        try:
            tools.append(ToolSpec.model_validate(said))
        except ValidationError:
            log.warning("The definition of %s cannot be read; its map stays empty.", row["id"])
    return tools


def _readings(tools: list[ToolSpec]) -> tuple[Readings, str]:
    """What definitions say, and the mark of a service that is read and not yet connected."""
    if not any((tool.call or {}).get("format") == "openapi" for tool in tools):
        return read_names(tools), mark_of("names", rules=0)
    from spm.registry.importers.definition_resources import read_definitions

    found = read_definitions(tools)
    others = read_names(tools) if len(found) < len(tools) else {}
    return {**others, **found}, mark_of("definitions", rules=0)
