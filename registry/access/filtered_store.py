"""A store filtered for one caller: hidden tools, and trajectories through them, do not exist in it.

The table `_FILTERS` at the end names every query that a restricted caller may run and the method
that removes hidden data from its answer. A query that is not in the table is refused, so that a new
query cannot leak hidden data.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any

from spm.registry.access.caller import Caller
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

Params = dict[str, Any]
# Columns that hidden tools and trajectories also contribute to.
_SHARED = ("type", "count")
_ALL_TOOLS: Params = {"service": None, "family": None, "status": None}


class FilteredStore:
    """Reads a store as one caller sees it.

    It caches the ids of the visible tools and fields. Make one for each request: a kept object does
    not see later writes.
    """

    def __init__(self, store: Reader, caller: Caller) -> None:
        self._store = store
        self._caller = caller.params()

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query and remove from its answer what the caller may not see.

        Raises:
            ValueError: the table of filters has no entry for this query.
        """
        answer = _FILTERS.get(name)
        if answer is None:
            raise ValueError(
                f"The query {name!r} has no filter for restricted callers. Add one to "
                "registry/access/filtered_store.py."
            )
        return answer(self, name, params)

    @cached_property
    def _tools(self) -> frozenset[str]:
        return frozenset(row["id"] for row in self._store.read("access/tools", **self._caller))

    @cached_property
    def _fields(self) -> frozenset[str]:
        return frozenset(row["field"] for row in self._store.read("access/fields", **self._caller))

    def _rows(self, name: str, params: Params) -> list[Row]:
        """Keep the rows of visible tools."""
        return [row for row in self._store.read(name, **params) if row["id"] in self._tools]

    def _contracts(self, name: str, params: Params) -> list[Row]:
        """Keep the fields of visible tools, without the columns that hidden tools contribute to."""
        if "fields" in params:  # also a name that only a hidden field has leads to the same ones
            params = {**params, "fields": [f for f in params["fields"] if f in self._fields]}
        rows = self._rows(name, params)
        hide = {column: None for column in _SHARED if rows and column in rows[0]}
        # Without those columns, two rows of one field can become equal.
        return list({tuple((r | hide).items()): r | hide for r in rows}.values())

    def _cards(self, name: str, params: Params) -> list[Row]:
        """Keep visible tools, with counts taken from visible trajectories alone.

        Why a tool has its effects is told; which person decided it is the operator's business.
        """
        rows = self._rows(name, params)
        if not rows:
            return []
        ids = sorted(row["id"] for row in rows)
        used, first = self._use(ids)
        calls = {}
        if "calls" in rows[0]:
            found = self._store.read("access/calls", ids=ids, **self._caller)
            calls = {row["id"]: row for row in found}
        for row in rows:
            counts = {"frequency": used[row["id"]], "entry_frequency": first[row["id"]]}
            counts |= {n: calls.get(row["id"], {}).get(n, 0) for n in ("calls", "errors")}
            row.update({column: value for column, value in counts.items() if column in row})
            row.update({n: None for n in ("effects_by", "effects_at") if n in row})
            if row.get("successor") not in self._tools:
                row.update({"successor": None} if "successor" in row else {})
        return rows

    def _families(self, name: str, params: Params) -> list[Row]:
        """Count the visible tools of each family, and how often they were used."""
        del name, params
        families: dict[str, Row] = {}
        for row in self._cards("tools/list", _ALL_TOOLS):
            name = row["family"] or ""
            family = families.setdefault(name, {"family": name, "tools": 0, "frequency": 0})
            family["tools"] += 1
            family["frequency"] += row["frequency"]
        return [families[name] for name in sorted(families)]

    def _definition(self, name: str, params: Params) -> list[Row]:
        return self._store.read(name, **params) if params["id"] in self._tools else []

    def _vocabulary(self, name: str, params: Params) -> list[Row]:
        """Return field names alone: types and aliases come from all tools, also hidden ones."""
        del name, params
        return [{"field": f, "type": None, "aliases": []} for f in sorted(self._fields)]

    def _same(self, name: str, params: Params) -> list[Row]:
        """Keep the pairs of equal fields of which the caller sees both."""
        rows = self._store.read(name, **params)
        return [row for row in rows if {row["field"], row["same"]} <= self._fields]

    def _directed(self, name: str, params: Params) -> list[Row]:
        """Keep the decisions about fields of which the caller sees both."""
        rows = self._store.read(name, **params)
        return [row for row in rows if {row["field"], row["kind"]} <= self._fields]

    def _overview(self, name: str, params: Params) -> list[Row]:
        """Count the visible tools that require and produce each field."""
        del name, params
        producers = Counter(row["field"] for row in self._rows("insight/outputs", {}))
        inputs = self._rows("insight/inputs", {})
        consumers = Counter(row["field"] for row in inputs)
        required = Counter(row["field"] for row in inputs if row["required"])
        return [
            {
                "field": field, "type": None, "aliases": [], "producers": producers[field],
                "consumers": consumers[field], "required": required[field],
            }
            for field in sorted(self._fields)
        ]  # fmt: skip

    # -- trajectories: only those of which every tool is visible; never the text of a request -----

    def _ways(self, ids: Iterable[str]) -> list[tuple[list[str], int]]:
        """Return the visible paths through some tools, each with its number of trajectories."""
        wanted = sorted(set(ids) & self._tools)
        rows = self._store.read("menu/ways", ids=wanted, **self._caller) if wanted else []
        return [(row["way"], row["count"]) for row in rows]

    def _use(self, ids: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
        """Count the trajectories that use a tool, and those that begin with it."""
        used: Counter[str] = Counter()
        first: Counter[str] = Counter()
        for way, count in self._ways(ids):
            used.update(dict.fromkeys(way, count))
            first[way[0]] += count
        return used, first

    def _steps(self, ids: Iterable[str]) -> Counter[tuple[str, str]]:
        """Count the transitions from one tool to the next."""
        steps: Counter[tuple[str, str]] = Counter()
        for way, count in self._ways(ids):
            for pair in pairwise(way):
                steps[pair] += count
        return steps

    def _followers(self, name: str, params: Params) -> list[Row]:
        del name
        steps = self._steps(params["ids"])
        rows = [
            {"id": first, "next": then, "count": count}
            for (first, then), count in steps.items()
            if first in params["ids"]
        ]
        return sorted(rows, key=lambda row: (row["id"], -row["count"], row["next"]))

    def _fed(self, name: str, params: Params) -> list[Row]:
        """Keep edges between visible tools; hidden producers move the weights of the others."""
        rows = [row for row in self._rows(name, params) if row["next"] in self._tools]
        return [row | {"weight": 1.0} if "weight" in row else row for row in rows]

    def _edges(self, name: str, params: Params) -> list[Row]:
        """Keep edges between visible tools."""
        rows = self._store.read(name, **params)
        return [row for row in rows if {row["producer"], row["consumer"]} <= self._tools]

    def _transitions(self, name: str, params: Params) -> list[Row]:
        del name
        rows = [
            {"first": first, "second": then, "count": count, "last_seen": None}
            for (first, then), count in self._steps(params["ids"]).items()
            if {first, then} & set(params["ids"])
        ]
        return sorted(rows, key=lambda row: (-row["count"], row["first"], row["second"]))

    def _travelled(self, name: str, params: Params) -> list[Row]:
        """Count the transitions from family to family."""
        del name, params
        family = {row["id"]: row["family"] or "" for row in self._rows("tools/list", _ALL_TOOLS)}
        counts: Counter[tuple[str, str]] = Counter()
        for (first, then), count in self._steps(self._tools).items():
            counts[family[first], family[then]] += count
        return [{"first": a, "second": b, "count": counts[a, b]} for a, b in sorted(counts)]

    def _usage(self, name: str, params: Params) -> list[Row]:
        del name
        return [{"trajectories": sum(n for _, n in self._ways(params["ids"])), "newest": None}]

    def _examples(self, name: str, params: Params) -> list[Row]:
        """Return no request: its text belongs to the caller who sent it."""
        del name, params
        return []

    def _counts(self, name: str, params: Params) -> list[Row]:
        del name, params
        seen = self._store.read("access/trajectories", **self._caller)
        return [{"tools": len(self._tools), "fields": len(self._fields), "trajectories": len(seen)}]


_FILTERS: dict[str, Callable[[FilteredStore, str, Params], list[Row]]] = {
    "tools/names": FilteredStore._rows,
    "tools/published": FilteredStore._rows,
    "tools/definition": FilteredStore._definition,
    "tools/definitions": FilteredStore._rows,
    "tools/list": FilteredStore._cards,
    "tools/show": FilteredStore._cards,
    "tools/inputs": FilteredStore._contracts,
    "tools/outputs": FilteredStore._contracts,
    "insight/tools": FilteredStore._cards,
    "insight/inputs": FilteredStore._rows,
    "insight/outputs": FilteredStore._rows,
    "insight/same": FilteredStore._same,
    "fields/vocabulary": FilteredStore._vocabulary,
    "fields/overview": FilteredStore._overview,
    "fields/same": FilteredStore._same,
    "fields/reviewed": FilteredStore._same,
    "fields/directed": FilteredStore._directed,
    "fields/consumers": FilteredStore._contracts,
    "fields/producers": FilteredStore._contracts,
    "insight/fed": FilteredStore._fed,
    "insight/feeds": FilteredStore._fed,
    "insight/edges_into": FilteredStore._edges,
    "insight/followers": FilteredStore._followers,
    "insight/families": FilteredStore._families,
    "insight/travelled": FilteredStore._travelled,
    "insight/transitions": FilteredStore._transitions,
    "insight/usage": FilteredStore._usage,
    "insight/examples": FilteredStore._examples,
    "state/counts": FilteredStore._counts,
}


def filtered(store: Reader, caller: Caller) -> Reader:
    """Return the store as a caller sees it. An unrestricted caller gets the store itself."""
    return FilteredStore(store, caller) if caller.restricted else store
