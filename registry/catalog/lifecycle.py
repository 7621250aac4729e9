"""The life of a tool after it was registered: history, differences, deprecation, approval."""

import difflib
import json
from dataclasses import dataclass, field
from typing import Any

from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, InputError, UnknownTool
from spm.registry.map import feeds
from spm.registry.store.interface import Row, Store, Transaction, now


@dataclass(frozen=True)
class Change:
    """One difference between two versions of a tool; breaking when callers may fail."""

    what: str
    before: str
    after: str
    breaking: bool = False


@dataclass(frozen=True)
class Difference:
    """What changed from one version of a tool to another."""

    tool: str
    before: str
    after: str
    changes: list[Change] = field(default_factory=list)

    @property
    def breaking(self) -> bool:
        """Whether a caller of the earlier version may fail with the later one."""
        return any(change.breaking for change in self.changes)


def history(store: Store, name: str) -> list[Row]:
    """Every published version of a tool, oldest first; also of one that was removed.

    Raises:
        UnknownTool: nothing of that name was ever published.
    """
    published = store.read("tools/published", ids=[name])
    if published:
        return published
    try:
        return store.read("tools/published", ids=[Resolver(store).resolve(name)])
    except UnknownTool:
        gone = sorted({row["id"] for row in store.read("tools/published_as", name=name)})
        if len(gone) > 1:
            raise AmbiguousTool(name, gone) from None
        if not gone:
            raise
        return store.read("tools/published", ids=gone)


def difference(
    store: Store, name: str, before: str | None = None, after: str | None = None
) -> Difference:
    """Compare two versions of a tool; by default the last two.

    Raises:
        UnknownTool: there is none of that name.
        InputError: a version does not exist, or there is only one.
    """
    published = history(store, name)
    labels = [row["version"] for row in published]
    identity = published[0]["id"]
    for label in (before, after):
        if label is not None and label not in labels:
            raise InputError(f"{identity!r} has no version {label!r}. It has: {', '.join(labels)}")
    if len(labels) < 2 and not (before and after):
        raise InputError(f"{identity!r} has only version {labels[0]!r}; nothing to compare.")
    newer = after or labels[-1]
    older = before or labels[max(0, labels.index(newer) - 1)]
    return Difference(
        identity,
        older,
        newer,
        compare_definitions(
            _definition(store, identity, older), _definition(store, identity, newer)
        ),
    )


def _definition(store: Store, identity: str, version: str) -> dict[str, Any]:
    found = store.read("tools/definition", id=identity, version=version)
    definition: dict[str, Any] = json.loads(found[0]["definition"])
    return definition


def compare_definitions(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """List what differs between two definitions, fields first."""
    changes = [
        *_field_changes("input", before.get("inputs", []), after.get("inputs", [])),
        *_field_changes("output", before.get("outputs", []), after.get("outputs", [])),
    ]
    for key in sorted((before.keys() | after.keys()) - {"inputs", "outputs", "name"}):
        old, new = before.get(key), after.get(key)
        if old != new:
            changes.append(Change(key, _shown(old), _shown(new), breaking=_breaks(key, old, new)))
    return changes


_WIDER = {"effects": ("read", "write", "destructive"), "visibility": ("public", "team", "private")}


def _breaks(key: str, old: Any, new: Any) -> bool:
    """More effects, fewer who may see it, or a scope more: who could call it may be refused."""
    if key in _WIDER:
        order = _WIDER[key]
        return order.index(new or order[0]) > order.index(old or order[0])
    return key == "scopes" and not set(new or ()) <= set(old or ())


def _field_changes(
    kind: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[Change]:
    old, new = ({spec["name"]: spec for spec in specs} for specs in (before, after))
    changes = []
    for name in sorted(old.keys() | new.keys()):
        was, now_ = old.get(name), new.get(name)
        label = f"{kind} {name}"
        if was is None and now_ is not None:
            needed = kind == "input" and now_.get("required", True)
            changes.append(Change(label, "", "required" if needed else "added", breaking=needed))
        elif now_ is None and was is not None:
            changes.append(Change(label, "there", "", breaking=kind == "output"))
        elif was and now_ and was != now_:
            changes += _spec_changes(label, kind, was, now_)
    return changes


def _spec_changes(label: str, kind: str, was: dict[str, Any], now_: dict[str, Any]) -> list[Change]:
    changes = []
    for key, default in (("type", "string"), ("required", True), ("description", ""), ("of", "")):
        old, new = was.get(key, default), now_.get(key, default)
        if old != new:
            breaking = key == "type" or (key == "required" and new and kind == "input")
            changes.append(
                Change(f"{label}: {key}", _shown(old), _shown(new), breaking=bool(breaking))
            )
    return changes


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_difference(change: Change) -> list[str]:
    """A long text change as lines of a unified diff."""
    lines = difflib.unified_diff(
        change.before.split(". "), change.after.split(". "), n=0, lineterm=""
    )
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def deprecate(store: Store, name: str, successor: str | None = None) -> Row:
    """Take a tool out of menus, naming what to use instead.

    Raises:
        UnknownTool: a name is unknown.
        InputError: a tool cannot succeed itself, or waits in quarantine: whoever deprecated it
            could bring it back unapproved.
    """
    resolver = Resolver(store)
    identity = resolver.resolve(name)
    target = resolver.resolve(successor) if successor else None
    if target == identity:
        raise InputError(f"{identity!r} cannot be its own successor.")
    row = {"id": identity, "status": "deprecated", "successor": target}

    def work(tx: Transaction) -> dict[str, Any]:
        if any(r["status"] == "quarantined" for r in tx.run("tools/states", ids=[identity])):
            raise InputError(
                f"{identity!r} waits in quarantine and is in no menu. First approve it (spm tools "
                "approve) or remove it (spm tools remove)."
            )
        tx.run("tools/set_status", rows=[row], at=now())
        feeds.refresh_around(tx, [identity])
        return row

    store.write("deprecate", work)
    return row


def approve(store: Store, names: list[str], by: str) -> list[str]:
    """Approve tools as they are now; quarantined ones return to menus.

    Raises:
        UnknownTool: a name is unknown; nothing was approved.
    """
    resolver = Resolver(store)
    ids = sorted({resolver.resolve(name) for name in names})

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("tools/approve", ids=ids, by=by, at=now())
        feeds.refresh_around(tx, ids)
        return {"approved": ids}

    if ids:
        store.write("approve", work)
    return ids
