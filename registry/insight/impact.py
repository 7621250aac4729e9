"""The impact of removing a tool or a field: what stops, what used it, what replaces it.

Nothing is changed. Who makes an input, and who takes what a tool makes, is what FEEDS says, as in
saved queries, paths and menus. An input that nobody made before is one that users say, and is never
lost with a tool; one that was made and has no active maker left is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, UnknownName, UnknownTool
from spm.registry.insight.atlas import Contracts, Input, read_contracts
from spm.registry.menus.golden import GoldenRequest
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

ONLY_PRODUCER, CYCLE = "only producer lost", "left in a cycle that nobody can enter"


@dataclass(frozen=True)
class Lost:
    """A required field that nobody makes for these consumers any more; `by` made it last."""

    field: str
    by: list[str]
    consumers: list[str]


@dataclass(frozen=True)
class Stopped:
    """A tool that can no longer run: for want of which fields, and how many losses away."""

    tool: str
    missing: list[str]
    because: str
    distance: int


@dataclass(frozen=True)
class Weakened:
    """A tool that requires a field which loses one of several producers."""

    tool: str
    field: str
    left: list[str]


@dataclass(frozen=True)
class Alternative:
    """A tool that feeds some of the same, or does the same for the same kind of thing.

    Attributes:
        fields: inputs that it makes for the same consumers; of a tool that feeds nobody, what both
            answer with.
    """

    tool: str
    fields: list[str]
    same_inputs: bool
    same_family: bool
    successor: bool


@dataclass(frozen=True)
class Golden:
    """A request whose known good path goes through what is lost."""

    request: str
    path: list[str]
    lost: list[str]


@dataclass(frozen=True)
class Observed:
    """What agents did with it."""

    trajectories: int
    share: float
    newest: str | None
    examples: list[Row]
    transitions: list[Row]


@dataclass(frozen=True)
class Impact:
    """What would happen; `kind` says whether `name` is a tool or a field."""

    kind: str
    name: str
    status: str | None
    producers: list[str]
    consumers: list[str]
    optional: list[str]
    lost: list[Lost]
    stopped: list[Stopped]
    weakened: list[Weakened]
    alternatives: list[Alternative]
    observed: Observed
    golden: list[Golden] = field(default_factory=list)
    golden_checked: int | None = None


def impact(
    store: Reader,
    name: str,
    *,
    kind: str | None = None,
    golden: Iterable[GoldenRequest] | None = None,
    contracts: Contracts | None = None,
) -> Impact:
    """Tell what would happen if a tool or a field went away.

    Args:
        store: Where to look.
        name: A tool (id, name, any spelling) or a field; a tool wins when both carry the name.
        kind: `tool` or `field`, to say which.
        golden: Requests with the tools that answer them, see `menus.golden`.
        contracts: What was read of all tools; who asks about many reads it once.

    Raises:
        InputError: nothing carries the name, or several tools do.
    """
    found = read_contracts(store) if contracts is None else contracts
    resolver = Resolver(store)
    what, chosen = _resolve(name, kind, resolver, found)
    # Without a field its takers stop first; without a tool, those who take what it alone makes.
    removed = {chosen} if what == "tool" else set()
    lost, stopped = _fall(found, removed, chosen if what == "field" else None)
    makers, required, optional = _around(found, what, chosen)
    users = sorted(found.takers.get(chosen, set()) | makers)
    gone = removed | {row.tool for row in stopped}
    return Impact(
        kind=what,
        name=chosen,
        status=found.tools[chosen]["status"] if what == "tool" else None,
        producers=sorted(makers),
        consumers=required,
        optional=optional,
        lost=lost,
        stopped=stopped,
        weakened=_weakened(found, chosen, gone) if what == "tool" else [],
        alternatives=_alternatives(found, chosen) if what == "tool" else [],
        observed=_observed(store, [chosen] if what == "tool" else users),
        **_broken(golden, resolver, gone),
    )


def _resolve(name: str, kind: str | None, resolver: Resolver, found: Contracts) -> tuple[str, str]:
    if kind != "field":
        try:
            return "tool", resolver.resolve(name)
        except (UnknownTool, AmbiguousTool) as error:
            if kind == "tool" or (isinstance(error, AmbiguousTool) and name not in found.fields):
                raise
    for spelling in (name, canonical(name)):
        if spelling in found.fields:
            return "field", spelling
    near = nearest(name, [*resolver.ids(), *sorted(found.fields)])
    raise UnknownName(name, near, kind or "tool or field")


def _around(found: Contracts, what: str, name: str) -> tuple[set[str], list[str], list[str]]:
    """Who makes a field for its takers; who requires and who accepts it, or is fed by a tool.

    What an answer holds and nobody takes has those who answer with it for makers.
    """
    if what == "tool":
        fed = found.fed.get(name, ())
        required = {tool for tool, field in fed if found.requires((tool, field))}
        optional = {tool for tool, field in fed if not found.requires((tool, field))}
        return set(), sorted(required), sorted(optional)
    required = found.takers.get(name, set())
    optional = {tool for tool in found.active if name in found.optional.get(tool, ())}
    takers = required | optional
    makers = {maker for tool in takers for maker in found.makers.get((tool, name), ())}
    if not takers:
        makers = {tool for tool in found.active if name in found.gives.get(tool, ())}
    return makers, sorted(required), sorted(optional)


def _fall(
    found: Contracts, removed: set[str], field: str | None
) -> tuple[list[Lost], list[Stopped]]:
    """Take away, see which inputs have no maker left, stop who needs them, and again.

    What is left may be a cycle that nobody can enter: its tools stop too, and say so.
    """
    left = {taken: set(makers) for taken, makers in found.makers.items()}
    gone, stopped = set(removed), dict[str, Stopped]()
    lost: list[Input] = []
    unmade = [] if field is None else _forget(found, left, field)
    wave, distance = sorted(removed), 0
    while wave or unmade:
        for tool in wave:
            for taken in found.fed.get(tool, ()):
                last = left[taken] == {tool}
                left[taken].discard(tool)
                if last and found.requires(taken) and taken[0] not in removed:
                    unmade.append(taken)
        lost += unmade
        distance += 1
        wave = sorted({tool for tool, _ in unmade} - gone)
        gone.update(wave)
        for tool in wave:
            missing = sorted(name for taker, name in unmade if taker == tool)
            stopped[tool] = Stopped(tool, missing, ONLY_PRODUCER, distance)
        unmade = []
    _stop_cycles(found, left, gone, stopped)
    return _lost(found, lost), list(stopped.values())


def _lost(found: Contracts, inputs: Iterable[Input]) -> list[Lost]:
    """The fields of lost inputs, in the order in which they are lost."""
    takers: dict[str, set[str]] = {}
    makers: dict[str, set[str]] = {}
    for tool, name in inputs:
        takers.setdefault(name, set()).add(tool)
        makers.setdefault(name, set()).update(found.makers.get((tool, name), ()))
    return [Lost(name, sorted(makers[name]), sorted(takers[name])) for name in takers]


def _forget(found: Contracts, left: dict[Input, set[str]], field: str) -> list[Input]:
    """Cut a field off: who makes one that is the same still feeds; other inputs are lost with it.

    Also an input that people said is lost with its field.
    """
    lost = []
    for name in (field, *sorted(found.same.get(field, ()))):
        others = found.supplied([name]) - {field}
        for tool in sorted(found.takers.get(name, ())):
            before = found.makers.get((tool, name), set())
            after = {maker for maker in before if found.gives.get(maker, set()) & others}
            if before:
                left[tool, name] = after
            if not after and (name == field or before):
                lost.append((tool, name))
    return lost


def _stop_cycles(
    found: Contracts,
    left: Mapping[Input, set[str]],
    gone: set[str],
    stopped: dict[str, Stopped],
) -> None:
    before, _ = found.reach()
    after, waits = found.reach(without=gone, makers=left)
    distance = 1 + max((row.distance for row in stopped.values()), default=0)
    for tool in sorted(before - after - gone):
        stopped[tool] = Stopped(tool, sorted(waits[tool]), CYCLE, distance)


def _weakened(found: Contracts, tool: str, gone: set[str]) -> list[Weakened]:
    rows = []
    for taker, name in found.fed.get(tool, ()):
        left = sorted(found.makers[taker, name] - gone)
        if left and taker not in gone and found.requires((taker, name)):
            rows.append(Weakened(taker, name, left))
    return sorted(rows, key=lambda row: (row.field, row.tool))


def _alternatives(found: Contracts, tool: str) -> list[Alternative]:
    """As the saved query `alternatives`; and what may stand in for a tool that feeds nobody."""
    own, fed = found.tools[tool], found.fed.get(tool, ())
    gives, needs = found.gives.get(tool, set()), found.required.get(tool, set())
    makes: dict[str, set[str]] = {}
    for taken in fed:
        for other in found.makers[taken]:
            makes.setdefault(other, set()).add(taken[1])
    rows = []
    for other in found.active:
        shared = makes.get(other, set()) if fed else gives & found.gives.get(other, set())
        alike = needs == found.required.get(other, set())
        kin = bool(own["family"]) and own["family"] == found.tools[other]["family"]
        named = other == own["successor"]
        # A tool that gives nothing can still be replaced by one that takes the same.
        if other != tool and (shared or named or (alike and kin and not gives)):
            rows.append(Alternative(other, sorted(shared), alike, kin, named))
    return sorted(
        rows,
        key=lambda a: (-a.successor, -len(a.fields), -a.same_inputs, -a.same_family, a.tool),
    )


def _observed(store: Reader, tools: list[str]) -> Observed:
    used = store.read("insight/usage", ids=tools)[0]
    total = store.read("state/counts")[0]["trajectories"]
    return Observed(
        trajectories=used["trajectories"],
        share=round(used["trajectories"] / total, 4) if total else 0.0,
        newest=used["newest"],
        examples=store.read("insight/examples", ids=tools),
        transitions=store.read("insight/transitions", ids=tools),
    )


def _broken(
    golden: Iterable[GoldenRequest] | None, resolver: Resolver, gone: set[str]
) -> dict[str, Any]:
    if golden is None:
        return {}
    broken, checked = [], 0
    for known in golden:
        checked += 1
        tools = [_identity(name, resolver) for name in known.path]
        if lost := sorted(set(tools) & gone):
            broken.append(Golden(known.request, tools, lost))
    return {"golden": broken, "golden_checked": checked}


def _identity(name: str, resolver: Resolver) -> str:
    try:
        return resolver.resolve(name)
    except (UnknownTool, AmbiguousTool):
        return name  # not in this registry any more, or not yet: not lost through this
