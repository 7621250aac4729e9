"""The impact of removing a tool or a field: what stops, what used it, what replaces it.

Nothing is changed. A field that nobody made before is one that users say, and is never lost with a
tool; a field that was made and has no active maker left is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, UnknownName, UnknownTool
from spm.registry.insight.atlas import Contracts, read_contracts
from spm.registry.menus.golden import GoldenRequest
from spm.registry.store.interface import Row
from spm.registry.store.reader import Reader

ONLY_PRODUCER, CYCLE = "only producer lost", "left in a cycle that nobody can enter"


@dataclass(frozen=True)
class Lost:
    """A field that nobody makes any more; `by` made it last."""

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
    """A tool that takes a field which loses one of several producers."""

    tool: str
    field: str
    left: list[str]


@dataclass(frozen=True)
class Alternative:
    """A tool that makes some of the same, or does the same for the same kind of thing."""

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
) -> Impact:
    """Tell what would happen if a tool or a field went away.

    Args:
        store: Where to look.
        name: A tool (id, name, any spelling) or a field; a tool wins when both carry the name.
        kind: `tool` or `field`, to say which.
        golden: Requests with the tools that answer them, see `menus.golden`.

    Raises:
        InputError: nothing carries the name, or several tools do.
    """
    found = read_contracts(store)
    resolver = Resolver(store)
    what, chosen = _resolve(name, kind, resolver, found)
    # Without a field its takers stop first; without a tool, those who take what it alone makes.
    removed = {chosen} if what == "tool" else set()
    lost, stopped = _fall(found, removed, chosen if what == "field" else None)
    gives = found.gives.get(chosen, set()) if what == "tool" else {chosen}
    users = sorted(found.takers.get(chosen, set()) | found.makers.get(chosen, set()))
    gone = removed | {row.tool for row in stopped}
    return Impact(
        kind=what,
        name=chosen,
        status=found.tools[chosen]["status"] if what == "tool" else None,
        producers=sorted(found.makers.get(chosen, ())),
        consumers=_takers(found, found.required, gives, chosen),
        optional=_takers(found, found.optional, gives, chosen),
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


def _takers(found: Contracts, by_tool: dict[str, set[str]], gives: set[str], own: str) -> list[str]:
    wanted = found.supplied(gives)
    return [t for t in found.active if t != own and by_tool.get(t, set()) & wanted]


def _fall(
    found: Contracts, removed: set[str], field: str | None
) -> tuple[list[Lost], list[Stopped]]:
    """Take away, see which fields have no maker left, stop who needs them, and again.

    What is left may be a cycle that nobody can enter: its tools stop too, and say so.
    """
    left = {name: set(makers) for name, makers in found.makers.items()}
    gone, lost, stopped = set(removed), dict[str, Lost](), dict[str, Stopped]()
    fields = [] if field is None else _forget(found, left, field)
    wave, distance = sorted(removed), 0
    while wave or fields:
        for tool in wave:
            for name in sorted(found.supplied(found.gives.get(tool, ()))):
                left.get(name, set()).discard(tool)
                if name in left and not left[name] and name not in lost:
                    fields.append(name)
        distance += 1
        for name in dict.fromkeys(fields):
            takers = sorted(found.takers.get(name, set()) - removed)
            lost[name] = Lost(name, sorted(found.makers.get(name, ())), takers)
        wave = sorted({t for name in fields for t in found.takers.get(name, ())} - gone)
        gone.update(wave)
        for tool in wave:
            missing = sorted(found.required[tool] & lost.keys())
            stopped[tool] = Stopped(tool, missing, ONLY_PRODUCER, distance)
        fields = []
    _stop_cycles(found, gone, set(lost), stopped)
    return list(lost.values()), list(stopped.values())


def _forget(found: Contracts, left: dict[str, set[str]], field: str) -> list[str]:
    """Cut a field off: what is the same as it is made without it from now on, or lost with it."""
    lost = []
    for name in (field, *sorted(found.same.get(field, ()))):
        direct = found.supplied([name]) - {field}
        left[name] = {t for t in found.active if found.gives.get(t, set()) & direct}
        if not left[name] and (name == field or name in found.makers):
            lost.append(name)
    return lost


def _stop_cycles(
    found: Contracts, gone: set[str], lost: set[str], stopped: dict[str, Stopped]
) -> None:
    visible = found.asked() - lost
    before, _ = found.reach(found.asked())
    after, at_hand = found.reach(visible, without=gone)
    distance = 1 + max((row.distance for row in stopped.values()), default=0)
    for tool in sorted(before - after - gone):
        stopped[tool] = Stopped(tool, sorted(found.required[tool] - at_hand), CYCLE, distance)


def _weakened(found: Contracts, tool: str, gone: set[str]) -> list[Weakened]:
    rows = []
    for name in sorted(found.supplied(found.gives.get(tool, ()))):
        left = sorted(found.makers.get(name, set()) - gone)
        if left:
            rows += [
                Weakened(taker, name, left)
                for taker in sorted(found.takers.get(name, set()) - gone)
            ]
    return rows


def _alternatives(found: Contracts, tool: str) -> list[Alternative]:
    own, gives = found.tools[tool], found.gives.get(tool, set())
    needs = found.required.get(tool, set())
    rows = []
    for other in found.active:
        shared = sorted(gives & found.supplied(found.gives.get(other, ())))
        alike = needs == found.required.get(other, set())
        kin = bool(own["family"]) and own["family"] == found.tools[other]["family"]
        named = other == own["successor"]
        # A tool that gives nothing can still be replaced by one that takes the same.
        if other != tool and (shared or named or (alike and kin and not gives)):
            rows.append(Alternative(other, shared, alike, kin, named))
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
