"""The health of the registry: fields without producers, single producers, duplicate tools.

Who makes an input of a tool is what FEEDS says, as in saved queries, paths and menus; equal names
of fields say nothing. Everything is read in five queries and answered with sets; nothing is asked
twice of the store.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.errors import UnknownField
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

Input = tuple[str, str]  # a tool, and a field that it takes
ERROR_SHARE = 0.2
# Below this many calls a share of errors says nothing.
ERROR_CALLS = 5


@dataclass(frozen=True)
class Contracts:
    """What every tool takes and gives, and who feeds whom.

    Attributes:
        tools: every tool.
        required: the inputs that each cannot do without.
        optional: the other inputs of each.
        gives: the fields of each answer.
        same: fields that a person declared to be the same.
        makers: who makes an input, by FEEDS between active tools; nobody makes an absent one.
    """

    tools: dict[str, Row]
    required: dict[str, set[str]]
    optional: dict[str, set[str]]
    gives: dict[str, set[str]]
    same: dict[str, set[str]]
    makers: Mapping[Input, set[str]]

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
    def needs(self) -> list[Input]:
        """Every input that an active tool cannot do without."""
        return [
            (tool, name) for tool in self.active for name in sorted(self.required.get(tool, ()))
        ]

    @cached_property
    def takers(self) -> dict[str, set[str]]:
        """Who cannot run without a field."""
        found: dict[str, set[str]] = defaultdict(set)
        for tool, name in self.needs:
            found[name].add(tool)
        return dict(found)

    @cached_property
    def fed(self) -> dict[str, list[Input]]:
        """The inputs of others that a tool makes, required or not."""
        found: dict[str, list[Input]] = defaultdict(list)
        for taken in sorted(self.makers):
            for maker in self.makers[taken]:
                found[maker].append(taken)
        return dict(found)

    def requires(self, taken: Input) -> bool:
        """Whether the tool of an input cannot do without it."""
        tool, name = taken
        return name in self.required.get(tool, ())

    def supplied(self, fields: Iterable[str]) -> set[str]:
        """The fields, and those reviewed as the same as one of them."""
        return {other for name in fields for other in (name, *self.same.get(name, ()))}

    def reach(
        self,
        said: Iterable[str] = (),
        without: Iterable[str] = (),
        makers: Mapping[Input, set[str]] | None = None,
    ) -> tuple[set[str], dict[str, set[str]]]:
        """The tools that can run in some order, and the fields that each of the others waits for.

        What nobody makes for some tool is said, to every tool. FEEDS names the best makers, not all
        of them, so a field that some tool answered with is at hand as well: nobody is called out of
        reach who may not be. Each tool waits for a set of fields that becomes empty, so all is
        looked at once.

        Args:
            said: fields that users say, although tools make them too.
            without: tools that do not run.
            makers: who makes an input, where that is not what FEEDS says.
        """
        by_input = self.makers if makers is None else makers
        gone = set(without)
        at_hand = self.supplied(said) | {need[1] for need in self.needs if need not in self.makers}
        waits = {tool: self.required.get(tool, set()) - at_hand for tool in self.active}
        runs: set[str] = set()
        ready = [tool for tool, fields in waits.items() if not fields and tool not in gone]
        while ready:
            maker = ready.pop()
            runs.add(maker)
            answered = self.supplied(self.gives.get(maker, ())) - at_hand
            at_hand |= answered
            met = [(taker, name) for name in answered for taker in self.takers.get(name, ())]
            met += [taken for taken in self.fed.get(maker, ()) if maker in by_input[taken]]
            for taker, name in met:
                if name in waits[taker]:
                    waits[taker].discard(name)
                    if not waits[taker] and taker not in gone:
                        ready.append(taker)
        return runs, waits


def read_contracts(store: Reader) -> Contracts:
    """Read what every tool takes and gives, and who feeds whom."""
    same: dict[str, set[str]] = {}
    for row in store.read("insight/same"):
        same.setdefault(row["field"], set()).add(row["same"])
        same.setdefault(row["same"], set()).add(row["field"])
    inputs = store.read("insight/inputs")
    makers: dict[Input, set[str]] = defaultdict(set)
    for row in store.read("insight/feeds"):
        for name in row["fields"]:
            makers[row["next"], name].add(row["id"])
    return Contracts(
        tools={row["id"]: row for row in store.read("insight/tools")},
        required=_by_tool(row for row in inputs if row["required"]),
        optional=_by_tool(row for row in inputs if not row["required"]),
        gives=_by_tool(store.read("insight/outputs")),
        same=same,
        makers=dict(makers),
    )


def _by_tool(rows: Iterable[Row]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["id"], set()).add(row["field"])
    return found


@dataclass(frozen=True)
class Asked:
    """A required field that no tool makes for these consumers."""

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
    """A field that some consumers can have of one tool alone."""

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
    """As the saved query `unmade_inputs`."""
    takers: dict[str, list[str]] = defaultdict(list)
    for tool, name in found.needs:
        if (tool, name) not in found.makers:
            takers[name].append(tool)
    rows = [Asked(name, len(tools), tools[:3]) for name, tools in takers.items()]
    return sorted(rows, key=lambda row: (-row.consumers, row.field))


def _unreachable(found: Contracts, known: list[str]) -> list[Unreachable]:
    """Tools in cycles that nobody can enter, and what hangs on them."""
    runs, waits = found.reach(known)
    return [
        Unreachable(tool, {name: sorted(found.makers[tool, name]) for name in sorted(waits[tool])})
        for tool in found.active
        if tool not in runs
    ]


def _single(found: Contracts) -> list[Support]:
    """As the saved query `single_producers`."""
    alone = Counter(
        (name, *makers)
        for tool, name in found.needs
        if len(makers := found.makers.get((tool, name), ())) == 1
    )
    rows = [Support(name, maker, consumers) for (name, maker), consumers in alone.items()]
    return sorted(rows, key=lambda row: (-row.consumers, row.field, row.producer))


def duplicates(found: Contracts) -> list[list[str]]:
    """Groups of active tools that do, take and give the same: one of them may be too many.

    One that shows a booking and one that cancels it answer alike, and neither replaces the other.
    """
    groups: dict[tuple[object, ...], list[str]] = {}
    for tool in found.active:
        gives = frozenset(found.gives.get(tool, ()))
        if gives:
            needs, row = frozenset(found.required.get(tool, ())), found.tools[tool]
            deed = row["effects"], frozenset(row["verbs"])
            groups.setdefault((deed, needs, gives), []).append(tool)
    return sorted((g for g in groups.values() if len(g) > 1), key=lambda g: (-len(g), g))


def _failing(found: Contracts, share: float) -> list[Failing]:
    rows = []
    for tool in found.active:
        calls, errors = found.tools[tool]["calls"], found.tools[tool]["errors"]
        if calls >= ERROR_CALLS and errors and errors >= share * calls:
            rows.append(Failing(tool, calls, errors, round(errors / calls, 4)))
    return sorted(rows, key=lambda row: (-row.share, row.tool))
