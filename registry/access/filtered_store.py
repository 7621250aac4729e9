"""Reading as one caller: as if the tools that it does not see, and their traces, did not exist.

Every query that may be asked this way stands in a table, with what is taken out of its answer. One
that does not stand there is refused: a new question leaks nothing until somebody has thought about
it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any

from spm.registry.access import Caller
from spm.registry.reader import Reader
from spm.registry.store import Row

Params = dict[str, Any]
# What other tools and trajectories have added to a field or an edge, also hidden ones.
_SHARED = ("type", "count")
_EVERY: Params = {"service": None, "family": None, "status": None}


class Sighted:
    """Answers as if the hidden tools did not exist; meant for one question, not for keeping."""

    def __init__(self, store: Reader, caller: Caller) -> None:
        self._store = store
        self._caller = caller.params()

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file, without what the caller may not know.

        Raises:
            ValueError: nobody has said yet what is to be hidden in its answer.
        """
        answer = _ANSWERS.get(name)
        if answer is None:
            raise ValueError(f"{name} cannot be read as a caller")
        return answer(self, name, params)

    @cached_property
    def _seen(self) -> frozenset[str]:
        return frozenset(row["id"] for row in self._store.read("access/tools", **self._caller))

    @cached_property
    def _fields(self) -> frozenset[str]:
        return frozenset(row["field"] for row in self._store.read("access/fields", **self._caller))

    def _rows(self, name: str, params: Params) -> list[Row]:
        """Rows about visible tools."""
        return [row for row in self._store.read(name, **params) if row["id"] in self._seen]

    def _contracts(self, name: str, params: Params) -> list[Row]:
        """Rows about visible tools and their fields."""
        rows = self._rows(name, params)
        hide = {column: None for column in _SHARED if rows and column in rows[0]}
        # A field that two others are the same as may stand there twice then.
        return list({tuple((r | hide).items()): r | hide for r in rows}.values())

    def _cards(self, name: str, params: Params) -> list[Row]:
        """Tools, with their use in the trajectories that the caller sees."""
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
            told = {"frequency": used[row["id"]], "entry_frequency": first[row["id"]]}
            told |= {n: calls.get(row["id"], {}).get(n, 0) for n in ("calls", "errors")}
            row.update({column: value for column, value in told.items() if column in row})
            if row.get("successor") not in self._seen:
                row.update({"successor": None} if "successor" in row else {})
        return rows

    def _families(self, name: str, params: Params) -> list[Row]:
        del name, params
        found: dict[str, Row] = {}
        for row in self._cards("tools/list", _EVERY):
            name = row["family"] or ""
            told = found.setdefault(name, {"family": name, "tools": 0, "frequency": 0})
            told["tools"] += 1
            told["frequency"] += row["frequency"]
        return [found[name] for name in sorted(found)]

    def _definition(self, name: str, params: Params) -> list[Row]:
        return self._store.read(name, **params) if params["id"] in self._seen else []

    def _vocabulary(self, name: str, params: Params) -> list[Row]:
        """Names alone: types and spellings come from all tools."""
        del name, params
        return [{"field": f, "type": None, "aliases": []} for f in sorted(self._fields)]

    def _same(self, name: str, params: Params) -> list[Row]:
        """What a person declared to be the same, where the caller knows both."""
        rows = self._store.read(name, **params)
        return [row for row in rows if {row["field"], row["same"]} <= self._fields]

    def _overview(self, name: str, params: Params) -> list[Row]:
        """Fields with how many visible tools take them and make them."""
        del name, params
        made = Counter(row["field"] for row in self._rows("atlas/outputs", {}))
        inputs = self._rows("atlas/inputs", {})
        taken = Counter(row["field"] for row in inputs)
        needed = Counter(row["field"] for row in inputs if row["required"])
        return [
            {
                "field": field, "type": None, "aliases": [], "producers": made[field],
                "consumers": taken[field], "required": needed[field],
            }
            for field in sorted(self._fields)
        ]  # fmt: skip

    # -- trajectories: only those of which every step is visible, and never what was asked -----

    def _ways(self, ids: Iterable[str]) -> list[tuple[list[str], int]]:
        wanted = sorted(set(ids) & self._seen)
        rows = self._store.read("menu/ways", ids=wanted, **self._caller) if wanted else []
        return [(row["way"], row["count"]) for row in rows]

    def _use(self, ids: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
        """How many ways went through a tool, and how many began with it."""
        used: Counter[str] = Counter()
        first: Counter[str] = Counter()
        for way, count in self._ways(ids):
            used.update(dict.fromkeys(way, count))
            first[way[0]] += count
        return used, first

    def _steps(self, ids: Iterable[str]) -> Counter[tuple[str, str]]:
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

    def _transitions(self, name: str, params: Params) -> list[Row]:
        del name
        rows = [
            {"first": first, "second": then, "count": count, "last_seen": None}
            for (first, then), count in self._steps(params["ids"]).items()
            if {first, then} & set(params["ids"])
        ]
        return sorted(rows, key=lambda row: (-row["count"], row["first"], row["second"]))

    def _travelled(self, name: str, params: Params) -> list[Row]:
        """From family to family."""
        del name, params
        family = {row["id"]: row["family"] or "" for row in self._rows("tools/list", _EVERY)}
        counts: Counter[tuple[str, str]] = Counter()
        for (first, then), count in self._steps(self._seen).items():
            counts[family[first], family[then]] += count
        return [{"first": a, "second": b, "count": counts[a, b]} for a, b in sorted(counts)]

    def _usage(self, name: str, params: Params) -> list[Row]:
        del name
        return [{"trajectories": sum(n for _, n in self._ways(params["ids"])), "newest": None}]

    def _examples(self, name: str, params: Params) -> list[Row]:
        """None: a request is the words of whoever asked."""
        del name, params
        return []

    def _counts(self, name: str, params: Params) -> list[Row]:
        del name, params
        seen = self._store.read("access/trajectories", **self._caller)
        return [{"tools": len(self._seen), "fields": len(self._fields), "trajectories": len(seen)}]


_ANSWERS: dict[str, Callable[[Sighted, str, Params], list[Row]]] = {
    "tools/names": Sighted._rows,
    "tools/published": Sighted._rows,
    "tools/definition": Sighted._definition,
    "tools/list": Sighted._cards,
    "tools/show": Sighted._cards,
    "tools/inputs": Sighted._contracts,
    "tools/outputs": Sighted._contracts,
    "atlas/tools": Sighted._cards,
    "atlas/inputs": Sighted._rows,
    "atlas/outputs": Sighted._rows,
    "atlas/same": Sighted._same,
    "fields/vocabulary": Sighted._vocabulary,
    "fields/overview": Sighted._overview,
    "fields/same": Sighted._same,
    "fields/reviewed": Sighted._same,
    "fields/consumers": Sighted._contracts,
    "fields/producers": Sighted._contracts,
    "path/followers": Sighted._followers,
    "browse/families": Sighted._families,
    "browse/travelled": Sighted._travelled,
    "impact/transitions": Sighted._transitions,
    "impact/usage": Sighted._usage,
    "impact/examples": Sighted._examples,
    "state/counts": Sighted._counts,
}


def sighted(store: Reader, caller: Caller) -> Reader:
    """The store as a caller sees it; the store itself for who sees everything."""
    return Sighted(store, caller) if caller.restricted else store
