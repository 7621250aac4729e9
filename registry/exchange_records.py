"""The record types of an export, and their validation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from spm.registry.store.interface import Row

_TEXT, _MAYBE, _NUMBER, _WEIGHT = "text", "text or null", "number", "weight or null"
_FLAG, _MARK, _LIST = "true or false", "true, false or null", "list"
_FITS: dict[str, Callable[[Any], bool]] = {
    _TEXT: lambda v: isinstance(v, str),
    _MAYBE: lambda v: v is None or isinstance(v, str),
    _NUMBER: lambda v: type(v) is int and v >= 0,
    _WEIGHT: lambda v: v is None or (type(v) in (int, float) and isfinite(v)),
    _FLAG: lambda v: isinstance(v, bool),
    _MARK: lambda v: v is None or isinstance(v, bool),
    _LIST: lambda v: v is None or (isinstance(v, list) and all(isinstance(x, str) for x in v)),
}


@dataclass(frozen=True)
class Section:
    """One kind of record: its columns, what makes it unique, and what it points to."""

    columns: dict[str, str]
    key: tuple[str, ...]
    # Read in batches of the ids of these; "" means all at once.
    by: str = ""
    points: dict[str, str] = field(default_factory=dict)


def _edge(columns: dict[str, str], by: str = "tools", **points: str) -> Section:
    return Section({**dict.fromkeys(points, _TEXT), **columns}, tuple(points), by, points)


_TOOL = dict.fromkeys(
    "id name key title description version content_hash service family status".split(), _TEXT
)
_TOOL |= {"search_parts": _LIST}
_TOOL |= {"successor": _MAYBE, "owner": _MAYBE, "visibility": _TEXT, "scopes": _LIST}
_TOOL |= {"effects": _TEXT, "frequency": _NUMBER, "entry_frequency": _NUMBER, "calls": _NUMBER}
_TOOL |= {"errors": _NUMBER, "registered": _TEXT, "updated": _TEXT, "approved_hash": _MAYBE}
_TOOL |= {"approved_by": _MAYBE, "approved_at": _MAYBE, "effects_reason": _MAYBE}
_TOOL |= {"effects_by": _MAYBE, "effects_at": _MAYBE, "source_effects": _MAYBE}
_TOOL |= {"source_effects_reason": _MAYBE, "access": _MAYBE}
_VERSION = dict.fromkeys("id tool_id name version content_hash definition published".split(), _TEXT)
_VERSION |= {"number": _NUMBER, "requires": _LIST, "produces": _LIST}

# In this order in the file: what is pointed to comes before what points.
SECTIONS: dict[str, Section] = {
    "services": Section(
        {"name": _TEXT, "title": _MAYBE, "description": _MAYBE, "owner": _MAYBE,
         "source": _MAYBE, "digest": _MAYBE, "links": _MAYBE, "map": _MAYBE,
         "access": _MAYBE, "etag": _MAYBE}, ("name",),
    ),
    "families": Section({"name": _TEXT}, ("name",)),
    "fields": Section({"name": _TEXT, "type": _MAYBE, "aliases": _LIST}, ("name",)),
    "same_as": _edge(
        {"reviewed_by": _MAYBE, "at": _MAYBE}, by="", first="fields", second="fields"
    ),
    "is_a": _edge({"reviewed_by": _MAYBE, "at": _MAYBE}, by="", field="fields", kind="fields"),
    "flows": _edge(
        {"count": _NUMBER, "last_seen": _MAYBE, "weight": _WEIGHT},
        by="", output="fields", input="fields",
    ),
    "resources": Section({"id": _TEXT, "name": _TEXT, "service": _TEXT}, ("id",)),
    "identifies": Section(
        {"field": _TEXT, "resource": _TEXT, "role": _TEXT}, ("field", "resource", "role"),
        points={"field": "fields", "resource": "resources"},
    ),
    "tools": Section(_TOOL, ("id",), "tools"),
    "versions": Section(_VERSION, ("tool_id", "id"), "published"),
    "provided_by": _edge({}, id="tools", service="services"),
    "in_family": _edge({}, id="tools", family="families"),
    "requires": _edge(
        {"required": _FLAG, "resource": _MAYBE, "role": _MAYBE}, id="tools", field="fields"
    ),
    "produces": _edge({"evidence": _TEXT, "count": _NUMBER}, id="tools", field="fields"),
    "acts_on": _edge({"verb": _TEXT}, id="tools", resource="resources"),
    "gives": Section(
        {"id": _TEXT, "resource": _TEXT, "role": _TEXT, "many": _FLAG, "evidence": _TEXT},
        ("id", "resource", "role"), "tools", {"id": "tools", "resource": "resources"},
    ),
    "feeds": _edge(
        {"fields": _LIST, "evidence": _TEXT, "weight": _WEIGHT}, producer="tools", consumer="tools"
    ),
    "hands": Section(
        {"producer": _TEXT, "consumer": _TEXT, "output": _TEXT, "input": _TEXT, "count": _NUMBER,
         "last_seen": _MAYBE}, ("producer", "consumer", "output", "input"), "tools",
        {"producer": "tools", "consumer": "tools"},
    ),
    "has_version": _edge({}, id="tools", version="versions"),
    "precedes": _edge(
        {"count": _NUMBER, "last_seen": _MAYBE, "weight": _WEIGHT}, first="tools", second="tools"
    ),
    "before": _edge({"count": _NUMBER}, first="tools", second="tools"),
    "trajectories": Section(
        {"id": _TEXT, "request": _TEXT, "source": _MAYBE, "success": _FLAG, "time": _MAYBE,
         "path": _LIST, "pruned": _MARK}, ("id",), "trajectories",
    ),
    "steps": Section(
        {"trajectory": _TEXT, "idx": _NUMBER, "tool": _TEXT, "ok": _FLAG},
        ("trajectory", "idx", "tool"), "trajectories",
        {"trajectory": "trajectories", "tool": "tools"},
    ),
    # Points to no tool: a decision stays when its tool is removed, and holds when it is back.
    "effects_decisions": Section(
        {"id": _TEXT, "tool": _TEXT, "number": _NUMBER, "kind": _TEXT, "before": _TEXT,
         "after": _TEXT, "reason": _TEXT, "by": _TEXT, "at": _TEXT}, ("id",),
    ),
}  # fmt: skip


_PLACES = {name: place for place, name in enumerate(SECTIONS)}


def current(name: str, row: Row) -> Row:
    """A record of an earlier export as it is written today: one text of a tool is a single part."""
    if name != "tools" or "document" not in row or "search_parts" in row:
        return row
    return {**{k: v for k, v in row.items() if k != "document"}, "search_parts": [row["document"]]}


class Census:
    """Looks at records as they pass: shape, order, what they point to. The same both ways.

    An export that could not be imported must fail while the registry is still there.
    """

    def __init__(self) -> None:
        self.counts = dict.fromkeys(SECTIONS, 0)
        self._named: dict[str, set[str]] = {name: set() for name in SECTIONS}
        self._at = 0
        self._last: tuple[Any, ...] | None = None

    def take(self, name: str, row: Row) -> None:
        """Count a record.

        Raises:
            ValueError: it does not fit; says why.
        """
        section = SECTIONS.get(name)
        if section is None or _PLACES[name] < self._at:
            raise ValueError(f"a record of {name!r} does not belong here")
        if row.keys() != section.columns.keys():
            raise ValueError(f"{name}: expected the keys {', '.join(section.columns)}")
        for column, kind in section.columns.items():
            if not _FITS[kind](row[column]):
                raise ValueError(f"{name}: {column} must be {kind}")
        self._follow(name, section, row)
        self.counts[name] += 1

    def _follow(self, name: str, section: Section, row: Row) -> None:
        key = tuple(row[column] for column in section.key)
        position = _PLACES[name]
        if position == self._at and self._last is not None and key <= self._last:
            what = "stands twice" if key == self._last else "is out of order"
            raise ValueError(f"{name}: {' '.join(map(repr, key))} {what}")
        self._at, self._last = position, key
        for column, other in section.points.items():
            if row[column] not in self._named[other]:
                raise ValueError(f"{name}: {row[column]!r} is not among the {other}")
        if not section.points:
            if key[-1] in self._named[name]:
                raise ValueError(f"{name}: {key[-1]!r} stands twice")
            self._named[name].add(key[-1])
