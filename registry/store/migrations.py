"""Applies schema statements in order, and checks them when a store is opened."""

import re

from spm.cypher import Query, load, names
from spm.registry.errors import SchemaIncomplete, SchemaTooNew
from spm.registry.store.interface import Row, Store, Transaction, now

_CONSTRAINT = re.compile(r"CREATE CONSTRAINT (\w+)")


def known(engine: str) -> list[tuple[int, Query]]:
    """The schema files for an engine, numbered."""
    queries = [load(name) for name in names("schema")]
    return [(number(q), q) for q in queries if engine in q.engines]


def number(query: Query) -> int:
    """The number of a schema file: `schema/004_tool_id` is 4."""
    return int(query.name.removeprefix("schema/").partition("_")[0])


def latest() -> int:
    """The schema that this spm writes."""
    return max(number(load(name)) for name in names("schema"))


def pending(store: Store) -> list[tuple[int, Query]]:
    """Schema files that the store has not seen.

    Raises:
        SchemaTooNew: the store has seen files that this spm does not know.
    """
    current = schema_of(store.read("state/registry"))
    return [(n, query) for n, query in known(store.engine) if n > current]


def schema_of(found: list[Row]) -> int:
    """The schema that the rows of `state/registry` name.

    Raises:
        SchemaTooNew: this spm does not know it.
    """
    current = int(found[0]["schema"] or 0) if found else 0
    if current > latest():
        raise SchemaTooNew(current, latest())
    return current


def require_constraints(store: Store) -> None:
    """Refuse a store that lost constraints; a store without any schema is only new.

    Raises:
        SchemaIncomplete: names what is missing.
        SchemaTooNew: see `pending`.
    """
    waiting = {n for n, _ in pending(store)}
    expected = {
        found[1]
        for n, query in known(store.engine)
        if n not in waiting and (found := _CONSTRAINT.search(query.text))
    }
    if not expected:
        return
    there = {row["name"] for row in store.read("state/constraints")}
    if missing := sorted(expected - there):
        raise SchemaIncomplete(missing)


def apply(tx: Transaction, waiting: list[tuple[int, Query]]) -> dict[str, object]:
    """Run schema files and enter them into the ledger, inside one transaction."""
    for position, query in waiting:
        tx.run(query.name)
        enter(tx, position, query)
    return {"applied": [query.name for _, query in waiting]}


def enter(tx: Transaction, position: int, query: Query) -> dict[str, object]:
    """Enter one applied schema file into the ledger."""
    tx.run("state/migrated", number=position, name=query.name, at=now())
    return {"applied": [query.name]}
