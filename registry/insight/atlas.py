"""The health of the registry: fields without producers, single producers, duplicate tools.

Everything is read in four queries and answered with sets; nothing is asked twice of the store.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.errors import UnknownField
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

ERROR_SHARE = 0.2
# Below this many calls a share of errors says nothing.
ERROR_CALLS = 5


@dataclass(frozen=True)
class Contracts:
    """What every tool takes and gives. Producers and consumers are active tools only."""

    tools: dict[str, Row]
    required: dict[str, set[str]]
    optional: dict[str, set[str]]
    gives: dict[str, set[str]]
    same: dict[str, set[str]]

    @cached_property
    def active(self) -> list[str]:
        """The tools that plans and menus use, by id."""
        return sorted(t for t, row in self.tools.items() if row["status"] == "active")

    @cached_property
    def fields(self) -> set[str]:
        """Every field that some tool takes or gives."""
        named = (self.required, self.optional, self.gives)
        return {name for by_tool in named for fields in by_tool.values() for name in fields}

    @cached_property
    def makers(self) -> dict[str, set[str]]:
        """Who makes a field, or one reviewed as the same."""
        found: dict[str, set[str]] = {}
        for tool in self.active:
            for name in self.supplied(self.gives.get(tool, ())):
                found.setdefault(name, set()).add(tool)
        return found

    @cached_property
    def takers(self) -> dict[str, set[str]]:
        """Who cannot run without a field."""
        found: dict[str, set[str]] = {}
        for tool in self.active:
            for name in self.required.get(tool, ()):
                found.setdefault(name, set()).add(tool)
        return found

    def supplied(self, fields: Iterable[str]) -> set[str]:
        """The fields, and those reviewed as the same as one of them."""
        return {other for name in fields for other in (name, *self.same.get(name, ()))}

    def asked(self) -> set[str]:
        """Required fields that nobody makes: somebody has to say them."""
        return self.takers.keys() - self.makers.keys()

    def reach(
        self, visible: Iterable[str], without: Iterable[str] = ()
    ) -> tuple[set[str], set[str]]:
        """The tools that can run in some order, and the fields at hand then, starting from some.

        Each tool waits for a count of fields that falls to zero, so all is looked at once.
        """
        at_hand = self.supplied(visible)
        runs: set[str] = set()
        gone = set(without)
        waits = {t: len(self.required.get(t, set()) - at_hand) for t in self.active}
        ready = [t for t, count in waits.items() if not count and t not in gone]
        while ready:
            tool = ready.pop()
            runs.add(tool)
            for name in self.supplied(self.gives.get(tool, ())) - at_hand:
                at_hand.add(name)
                for taker in self.takers.get(name, ()):
                    waits[taker] -= 1
                    if not waits[taker] and taker not in gone:
                        ready.append(taker)
        return runs, at_hand


def read_contracts(store: Reader) -> Contracts:
    """Read what every tool takes and gives."""
    same: dict[str, set[str]] = {}
    for row in store.read("insight/same"):
        same.setdefault(row["field"], set()).add(row["same"])
        same.setdefault(row["same"], set()).add(row["field"])
    inputs = store.read("insight/inputs")
    return Contracts(
        tools={row["id"]: row for row in store.read("insight/tools")},
        required=_by_tool(row for row in inputs if row["required"]),
        optional=_by_tool(row for row in inputs if not row["required"]),
        gives=_by_tool(store.read("insight/outputs")),
        same=same,
    )


def _by_tool(rows: Iterable[Row]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["id"], set()).add(row["field"])
    return found


@dataclass(frozen=True)
class Asked:
    """A required field that no tool makes."""

    field: str
    consumers: int
    examples: list[str]


@dataclass(frozen=True)
class Unreachable:
    """A tool that nobody can come to, with the fields it waits for and who would make them."""

    tool: str
    missing: dict[str, list[str]]


@dataclass(frozen=True)
class Support:
    """A field that stands on one tool."""

    field: str
    producer: str
    consumers: int


@dataclass(frozen=True)
class Failing:
    """A tool whose calls fail often."""

    tool: str
    calls: int
    errors: int
    share: float


@dataclass(frozen=True)
class Atlas:
    """What was found in the whole registry; every list has the weightiest first."""

    tools: int
    active: int
    fields: int
    visible: list[str]
    asked: list[Asked]
    unreachable: list[Unreachable]
    single_producers: list[Support]
    duplicates: list[list[str]]
    without_outputs: list[str]
    without_description: list[str]
    unused: list[str]
    failing: list[Failing]


def survey(
    store: Reader, visible: Iterable[str] = (), *, error_share: float = ERROR_SHARE
) -> Atlas:
    """Look at the whole registry.

    Args:
        store: Where to look.
        visible: Fields that users say, although tools make them too.
        error_share: From this share of failed calls on a tool is listed as failing.

    Raises:
        UnknownField: a visible field is none that a tool takes or gives.
    """
    found = read_contracts(store)
    known = _known(visible, found)
    return Atlas(
        tools=len(found.tools),
        active=len(found.active),
        fields=len(found.fields),
        visible=known,
        asked=_asked(found),
        unreachable=_unreachable(found, known),
        single_producers=_single(found),
        duplicates=duplicates(found),
        without_outputs=[t for t in found.active if not found.gives.get(t)],
        without_description=[t for t in found.active if not found.tools[t]["description"]],
        unused=[t for t in found.active if not found.tools[t]["frequency"]],
        failing=_failing(found, error_share),
    )


def _known(visible: Iterable[str], found: Contracts) -> list[str]:
    names = sorted({canonical(name) for name in visible})
    for name in names:
        if name not in found.fields:
            raise UnknownField(name, nearest(name, sorted(found.fields)))
    return names


def _asked(found: Contracts) -> list[Asked]:
    rows = [
        Asked(name, len(found.takers[name]), sorted(found.takers[name])[:3])
        for name in found.asked()
    ]
    return sorted(rows, key=lambda row: (-row.consumers, row.field))


def _unreachable(found: Contracts, known: list[str]) -> list[Unreachable]:
    """Tools in cycles that nobody can enter, and what hangs on them."""
    runs, at_hand = found.reach(found.asked() | set(known))
    return [
        Unreachable(
            tool,
            {name: sorted(found.makers[name]) for name in sorted(found.required[tool] - at_hand)},
        )
        for tool in found.active
        if tool not in runs
    ]


def _single(found: Contracts) -> list[Support]:
    rows = [
        Support(name, next(iter(makers)), len(found.takers.get(name, set()) - makers))
        for name, makers in found.makers.items()
        if len(makers) == 1
    ]
    return sorted((r for r in rows if r.consumers), key=lambda r: (-r.consumers, r.field))


def duplicates(found: Contracts) -> list[list[str]]:
    """Groups of active tools that take and give the same: one of them may be too many."""
    groups: dict[tuple[frozenset[str], frozenset[str]], list[str]] = {}
    for tool in found.active:
        gives = frozenset(found.gives.get(tool, ()))
        if gives:
            needs = frozenset(found.required.get(tool, ()))
            groups.setdefault((needs, gives), []).append(tool)
    return sorted((g for g in groups.values() if len(g) > 1), key=lambda g: (-len(g), g))


def _failing(found: Contracts, share: float) -> list[Failing]:
    rows = []
    for tool in found.active:
        calls, errors = found.tools[tool]["calls"], found.tools[tool]["errors"]
        if calls >= ERROR_CALLS and errors and errors >= share * calls:
            rows.append(Failing(tool, calls, errors, round(errors / calls, 4)))
    return sorted(rows, key=lambda row: (-row.share, row.tool))
