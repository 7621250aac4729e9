"""The graph model as data: labels, relationship types, constraints and indexes."""

import re
from dataclasses import dataclass

from spm.cypher import load, names
from spm.registry.store.reader import Reader
from spm.registry.store.schema import LABELS, MEANINGS, RELATIONSHIPS

_INDEX = re.compile(
    r"CREATE (CONSTRAINT|(?:\w+ )?INDEX) (\w+) .*?FOR \(\w+:(\w+)\) "
    r"(?:REQUIRE|ON EACH|ON) [(\[]?\w+\.(\w+)",
    re.S,
)


@dataclass(frozen=True)
class Label:
    """A label of nodes; `count` is null unless it was asked for."""

    name: str
    meaning: str
    properties: list[str]
    count: int | None = None


@dataclass(frozen=True)
class Type:
    """A type of relationships between nodes of two labels."""

    name: str
    source: str
    target: str
    meaning: str
    properties: list[str]
    count: int | None = None


@dataclass(frozen=True)
class Index:
    """A constraint or an index, with the engines that have it."""

    name: str
    kind: str
    label: str
    property: str
    meaning: str
    engines: list[str]


@dataclass(frozen=True)
class Model:
    """All of it."""

    labels: list[Label]
    relationships: list[Type]
    indexes: list[Index]


def read_model(store: Reader | None = None) -> Model:
    """The model; with a store, with how much of everything is in it."""
    nodes, edges = _counts(store) if store else ({}, {})
    none = 0 if store else None  # what is not counted is not zero
    return Model(
        [
            Label(name, MEANINGS[name], list(known), nodes.get(name, none))
            for name, known in LABELS.items()
        ],
        [
            Type(name, source, target, MEANINGS[name], list(known), edges.get(name, none))
            for name, (source, target, known) in RELATIONSHIPS.items()
        ],
        _indexes(),
    )


def _counts(store: Reader) -> tuple[dict[str, int], dict[str, int]]:
    nodes = {row["label"]: row["count"] for row in store.read("state/node_counts")}
    edges = {row["type"]: row["count"] for row in store.read("state/edge_counts")}
    return nodes, edges


def _indexes() -> list[Index]:
    found = []
    for query in map(load, names("schema")):
        if made := _INDEX.search(query.text):
            kind, name, label, key = made.groups()
            engines = list(query.engines)
            found.append(Index(name, kind.lower(), label, key, query.doc, engines))
    return found
