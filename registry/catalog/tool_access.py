"""Sets who may see tools, after they were registered."""

import json
from typing import Any

from spm.registry.access.settings import Access, holding, kept, of_row, require_owner
from spm.registry.catalog.tool_patterns import tools_matching, whole_services
from spm.registry.errors import InputError
from spm.registry.map import feeds
from spm.registry.store.interface import Row, Store, Transaction, now


def show_access(store: Store, pattern: str = "*") -> list[Row]:
    """Owner, visibility and scopes of tools by id; `set` names those that people set.

    Raises:
        UnknownTool: no tool fits the pattern.
    """
    services = {row["name"]: kept(row["access"]) for row in store.read("tools/service_access")}
    rows = store.read("tools/access", ids=tools_matching(store, pattern))
    return [
        {
            "id": row["id"],
            **of_row(row).row(),
            "set": sorted(_said(kept(row["access"]).over(services.get(row["service"], Access())))),
        }
        for row in rows
    ]


def set_access(store: Store, pattern: str, given: Access) -> list[str]:
    """Set what is given for the tools that fit a pattern, all or none; returns which changed.

    A pattern of whole services (`orders/*`) holds for tools that they get later, too.

    Raises:
        UnknownTool: no tool fits the pattern.
        InputError: nothing is given, or a tool would be visible to nobody.
    """
    if not given:
        raise InputError("Say what to set: an owner, a visibility or scopes.")

    def work(tx: Transaction) -> dict[str, Any] | None:
        return _write(tx, _chosen(tx, pattern), given)

    return _ids(store.write("access", work))


def reset_access(store: Store, pattern: str) -> list[str]:
    """Take back what people set for tools; what their source says holds again. See `set_access`."""

    def work(tx: Transaction) -> dict[str, Any] | None:
        return _reset(tx, _chosen(tx, pattern))

    return _ids(store.write("access", work))


def _ids(result: dict[str, Any] | None) -> list[str]:
    return list(result["tools"]) if result else []


class _Chosen:
    """What a pattern means: tools, and services of which it means all."""

    def __init__(self, rows: list[Row], services: dict[str, Access], whole: list[str]) -> None:
        self.rows, self.services, self.whole = rows, services, set(whole)


def _chosen(tx: Transaction, pattern: str) -> _Chosen:
    services = {row["name"]: kept(row["access"]) for row in tx.run("tools/service_access")}
    ids = tools_matching(_Reads(tx), pattern)
    return _Chosen(
        tx.run("tools/access", ids=ids), services, whole_services(pattern, sorted(services))
    )


class _Reads:
    """A transaction as something to read from."""

    def __init__(self, tx: Transaction) -> None:
        self.read = tx.run


def _write(tx: Transaction, chosen: _Chosen, given: Access) -> dict[str, Any] | None:
    rows = []
    for row in chosen.rows:
        own, before = kept(row["access"]), of_row(row)
        holds = given.over(before)
        require_owner(row["id"], given, holds)
        # What is said of the whole service is said there, and a tool of it no longer differs.
        own = own.without(given) if row["service"] in chosen.whole else given.over(own)
        if holds != before or own != kept(row["access"]):
            rows.append({"id": row["id"], **holds.row(), "access": own.text()})
    said = {name: given.over(chosen.services[name]) for name in chosen.whole}
    return _kept(tx, rows, {n: a for n, a in said.items() if a != chosen.services[n]})


def _reset(tx: Transaction, chosen: _Chosen) -> dict[str, Any] | None:
    rows = []
    ids = [row["id"] for row in chosen.rows]
    source = {row["id"]: row["definition"] for row in tx.run("tools/definitions", ids=ids)}
    owners: dict[str, str] = {}
    for row in chosen.rows:
        service = row["service"]
        if service not in owners:
            owners[service] = tx.run("tools/origin", service=service)[0]["owner"] or ""
        above = Access() if service in chosen.whole else chosen.services[service]
        holds = above.over(declared(json.loads(source[row["id"]]), owners[service]))
        if holds != of_row(row) or kept(row["access"]):
            rows.append({"id": row["id"], **holds.row(), "access": ""})
    gone = {name: Access() for name in chosen.whole if chosen.services[name]}
    return _kept(tx, rows, gone)


def declared(definition: dict[str, Any], owner: str) -> Access:
    """What the source says: in the definition of a tool, and of the owner of its service."""
    said = [definition.get(name) for name in ("visibility", "scopes")]
    return holding(definition.get("owner") or owner, *said)


def _kept(tx: Transaction, rows: list[Row], services: dict[str, Access]) -> dict[str, Any] | None:
    if not rows and not services:
        return None
    if services:
        said = [{"name": name, "access": one.text()} for name, one in sorted(services.items())]
        tx.run("tools/set_service_access", rows=said)
    if rows:
        tx.run("tools/set_access", rows=rows, at=now())
        feeds.refresh_around(tx, (row["id"] for row in rows))
    return {"tools": [row["id"] for row in rows]}


def _said(found: Access) -> list[str]:
    return [name for name in ("owner", "visibility", "scopes") if getattr(found, name) is not None]
