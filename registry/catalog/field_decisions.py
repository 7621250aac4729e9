"""What a person decides about fields: two spellings of one, or one that is another in a role.

Every decision brings FEEDS up to date in its own transaction, and taking it back restores the graph
to what it was. No decision changes what a tool takes or gives.
"""

from collections.abc import Iterable
from typing import Any

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.errors import InputError, UnknownField
from spm.registry.map import feeds
from spm.registry.store.interface import Row, Store, Transaction, now


def merge(store: Store, first: str, second: str, by: str) -> Row:
    """Declare two fields to be the same, as reviewed by a person.

    Raises:
        UnknownField: one of them does not exist.
        InputError: they are one field.
    """
    a, b = sorted(_known(store, first, second))
    row = {"field": a, "same": b, "reviewed_by": by}

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/merge", first=a, second=b, by=by, at=now())
        _refresh(tx, (a, b))
        return row

    store.write("merge", work)
    return row


def split(store: Store, first: str, second: str) -> Row:
    """Take back that two fields are the same.

    Raises:
        UnknownField: one of them does not exist.
        InputError: they were not declared to be the same.
    """
    a, b = sorted(_known(store, first, second))
    if {"field": a, "same": b} not in store.read("fields/same", fields=[a]):
        raise InputError(f"{a!r} and {b!r} were never merged. See: spm fields list")

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/split", first=a, second=b)
        _refresh(tx, (a, b))
        return {"field": a, "same": b}

    store.write("split", work)
    return {"field": a, "same": b}


def declare(store: Store, field: str, kind: str, by: str) -> Row:
    """Say that the values of a field are those of another: an `assignee_id` is a `user_id`.

    Raises:
        UnknownField: one of them does not exist.
        InputError: they are one field, or the opposite was said before.
    """
    name, other = _known(store, field, kind)
    if (other, name) in _directed(store):
        raise InputError(
            f"{other!r} is a {name!r} already. If both name one thing, take that back "
            f"(spm fields is --undo {other} {name}) and say: spm fields merge {name} {other}"
        )
    row = {"field": name, "kind": other, "reviewed_by": by}

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/declare", field=name, kind=other, by=by, at=now())
        _refresh(tx, (name,))
        return row

    store.write("declare", work)
    return row


def retract(store: Store, field: str, kind: str) -> Row:
    """Take back that the values of a field are those of another.

    Raises:
        UnknownField: one of them does not exist.
        InputError: nobody said so.
    """
    name, other = _known(store, field, kind)
    if (name, other) not in _directed(store):
        raise InputError(f"Nobody said that {name!r} is a {other!r}. See: spm fields list")

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/retract", field=name, kind=other)
        _refresh(tx, (name,))
        return {"field": name, "kind": other}

    store.write("retract", work)
    return {"field": name, "kind": other}


def _directed(store: Store) -> set[tuple[str, str]]:
    return {(row["field"], row["kind"]) for row in store.read("fields/directed")}


def _refresh(tx: Transaction, fields: Iterable[str]) -> None:
    """Only who takes a field can be fed by other tools than before."""
    services = [row["service"] for row in tx.run("fields/taking", fields=sorted(fields))]
    feeds.refresh_consumers(tx, services)


def _known(store: Store, first: str, second: str) -> tuple[str, str]:
    vocabulary = {row["field"] for row in store.read("fields/vocabulary")}
    names = canonical(first), canonical(second)
    for name in names:
        if name not in vocabulary:
            raise UnknownField(name, nearest(name, sorted(vocabulary)))
    if names[0] == names[1]:
        raise InputError(f"{first!r} and {second!r} are one field already.")
    return names
