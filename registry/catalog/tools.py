"""Finding, showing and removing tools."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spm.registry.access.caller import Caller
from spm.registry.access.filtered_store import filtered
from spm.registry.catalog.naming import fold, nearest
from spm.registry.errors import AmbiguousTool, ToolInUse, UnknownTool
from spm.registry.map import feeds
from spm.registry.store.interface import Row, Store, Transaction
from spm.registry.store.reader import Reader

if TYPE_CHECKING:
    from spm.registry.models import ToolSpec


class Resolver:
    """Turns what people type into tool ids: an id, a name, or a name in another spelling."""

    def __init__(self, store: Reader) -> None:
        self._rows = store.read("tools/names")
        self._ids = {row["id"] for row in self._rows}
        self._by_name: dict[str, list[str]] = {}
        self._by_fold: dict[str, list[str]] = {}
        for row in self._rows:
            self._by_name.setdefault(row["name"], []).append(row["id"])
            self._by_fold.setdefault(fold(row["name"]), []).append(row["id"])

    def ids(self) -> list[str]:
        """All tool ids."""
        return [row["id"] for row in self._rows]

    def resolve(self, name: str) -> str:
        """The one tool that `name` stands for.

        Raises:
            UnknownTool: there is none.
            AmbiguousTool: there are several.
        """
        if name in self._ids:
            return name
        found = self._by_name.get(name) or self._by_fold.get(fold(name)) or []
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousTool(name, found)
        raise UnknownTool(name, nearest(name, self.ids()))


def resolver_for(store: Reader, caller: Caller, *, mentioned: bool = False) -> Resolver:
    """Return the resolver of the names that a caller writes, on every interface alike.

    A name stands for one of the tools that the caller sees; any other name is unknown, so that an
    error tells nothing about hidden tools. The exception is a tool that is only mentioned: `done`
    says what ran, and `why_not` asks why it is absent. There a caller that may only read may name
    tools that write, which it could see without that limit. `Caller()`, the operator at the command
    line, names any tool; `--as`, `--scopes` and `--read-only` then say whose menu it is.

    Args:
        store: the whole store.
        caller: who writes the names.
        mentioned: the tools will not be run or shown, only mentioned.
    """
    who = replace(caller, read_only=False) if mentioned else caller
    return Resolver(filtered(store, who))


@dataclass(frozen=True)
class ToolView:
    """A tool with its fields, versions and neighbours.

    Attributes:
        producers: who makes an input for it.
        consumers: whom it feeds, by the inputs of theirs that it makes: the `user_id` of its answer
            may be somebody's `requester_id`.
    """

    tool: Row
    inputs: list[Row]
    outputs: list[Row]
    versions: list[Row]
    definition: dict[str, Any]
    producers: dict[str, list[str]]
    consumers: dict[str, list[str]]


def show(store: Reader, name: str) -> ToolView:
    """Everything about one tool.

    Raises:
        UnknownTool: there is none of that name.
    """
    identity = Resolver(store).resolve(name)
    tool = store.read("tools/show", ids=[identity])[0]
    inputs = store.read("tools/inputs", ids=[identity])
    outputs = store.read("tools/outputs", ids=[identity])
    definition = store.read("tools/definition", id=identity, version=tool["version"])
    return ToolView(
        tool=tool,
        inputs=inputs,
        outputs=outputs,
        versions=store.read("tools/published", ids=[identity]),
        definition=json.loads(definition[0]["definition"]) if definition else {},
        producers=_grouped(store.read("insight/edges_into", ids=[identity]), "producer"),
        consumers=_grouped(store.read("insight/fed", ids=[identity]), "next"),
    )


def _grouped(edges: list[Row], end: str) -> dict[str, list[str]]:
    """The tools at one end of FEEDS, by the fields that the edges are about."""
    grouped: dict[str, list[str]] = {}
    for row in edges:
        for name in row["fields"]:
            grouped.setdefault(name, []).append(row[end])
    return {name: grouped[name] for name in sorted(grouped)}


def definitions(store: Store, ids: Iterable[str] | None = None) -> dict[str, ToolSpec]:
    """The current definitions of these tools, or of every tool, with the effects that hold now."""
    from spm.registry.models import ToolSpec

    ids = [row["id"] for row in store.read("tools/names")] if ids is None else list(ids)
    return {
        row["id"]: ToolSpec.model_validate(
            {**json.loads(row["definition"]), "effects": row["effects"]}
        )
        for row in store.read("tools/definitions", ids=ids)
    }


def remove(store: Store, name: str, *, force: bool = False) -> str:
    """Remove a tool; its published versions stay. Returns its id.

    Raises:
        UnknownTool: there is none of that name.
        ToolInUse: trajectories use it and `force` is false.
    """
    identity = Resolver(store).resolve(name)

    def work(tx: Transaction) -> dict[str, Any]:
        used = tx.run("tools/trajectories", id=identity)[0]["trajectories"]
        if used and not force:
            raise ToolInUse(identity, used)
        service = tx.run("tools/show", ids=[identity])[0]["service"]
        fed = feeds.touched(tx, service)  # before nothing tells any more whom the tool fed
        tx.run("tools/touch_service", id=identity)
        tx.run("tools/remove", id=identity)
        tx.run("tools/prune_fields")
        tx.run("tools/prune_families")
        tx.run("tools/prune_services")
        feeds.refresh_consumers(tx, {service, *fed})
        return {"removed": identity, "trajectories": used}

    store.write("remove", work)
    return identity
