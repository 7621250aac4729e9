"""Lint: finds what in a tool's description will hurt a menu, and says what to change.

A score of 100 is a tool that says what it does, what it needs and what it gives in names that
meet other tools. Each finding takes points; a CI gate compares the lowest score with a limit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from spm.registry.catalog.fields import canonical, is_control, is_generic
from spm.registry.models import ToolSpec

# Points that a finding costs, by how much it hurts finding, ordering or executing the tool.
COST = {
    "no-description": 40,
    "short-description": 15,
    "no-outputs": 20,
    "generic-field": 10,
    "unproduced-field": 5,
    "near-duplicate": 15,
    "undescribed-field": 3,
    "many-required": 5,
    "no-family": 5,
}
MANY_REQUIRED = 8
SHORT = 25


@dataclass(frozen=True)
class Remark:
    """One thing to change."""

    rule: str
    where: str
    advice: str


@dataclass
class Verdict:
    """The remarks on one tool."""

    tool: str
    remarks: list[Remark] = field(default_factory=list)

    @property
    def score(self) -> int:
        """100 minus what the remarks cost, each rule at most three times, never below zero."""
        counts = Counter(remark.rule for remark in self.remarks)
        return max(0, 100 - sum(COST[rule] * min(3, n) for rule, n in counts.items()))


def lint(
    tools: dict[str, ToolSpec],
    others: dict[str, ToolSpec] | None = None,
    request_fields: Iterable[str] = (),
) -> list[Verdict]:
    """Judge tools, worst first; `others` are known too but not judged.

    `request_fields` are fields that users say in requests; they need no producer.
    """
    everything = {**(others or {}), **tools}
    produced = {canonical(s.name, s.of or t.family) for t in everything.values() for s in t.outputs}
    twins = _twins(everything)
    verdicts = [
        Verdict(identity, list(_remarks(identity, tool, produced | set(request_fields), twins)))
        for identity, tool in tools.items()
    ]
    return sorted(verdicts, key=lambda v: (v.score, v.tool))


def _remarks(
    identity: str, tool: ToolSpec, produced: set[str], twins: dict[str, list[str]]
) -> Iterable[Remark]:
    yield from _texts(tool)
    yield from _fields(tool, produced)
    required = [spec for spec in tool.inputs if spec.required]
    if len(required) > MANY_REQUIRED:
        yield Remark(
            "many-required",
            "inputs",
            f"{len(required)} inputs are required; an agent rarely has them all. "
            "Make those with a default optional.",
        )
    if others := [t for t in twins.get(identity, []) if t != identity]:
        yield Remark(
            "near-duplicate",
            "tool",
            f"Takes and gives the same as {', '.join(others[:3])}. Say in the description when to "
            "use which, or deprecate one.",
        )


def _texts(tool: ToolSpec) -> Iterable[Remark]:
    if not tool.description:
        yield Remark(
            "no-description", "description", "Say in one sentence what it does and when to use it."
        )
    elif len(tool.description) < SHORT:
        yield Remark(
            "short-description",
            "description",
            f"{len(tool.description)} characters say little. Name the object and the effect.",
        )
    if not tool.outputs:
        yield Remark(
            "no-outputs",
            "outputs",
            "Without outputs nothing can be planned after it. Declare them, or import traces.",
        )
    if not tool.family:
        yield Remark("no-family", "family", "Say what kind of thing it works on, such as: order.")


def _fields(tool: ToolSpec, produced: set[str]) -> Iterable[Remark]:
    for kind, specs in (("inputs", tool.inputs), ("outputs", tool.outputs)):
        for spec in specs:
            where = f"{kind}.{spec.name}"
            if is_generic(spec.name) and not spec.of and not tool.family:
                yield Remark(
                    "generic-field",
                    where,
                    f"{spec.name!r} meets every other {spec.name!r}. Name its owner, such as "
                    f"order_{spec.name}, or add 'of: order'.",
                )
            if not spec.description and kind == "inputs":
                yield Remark(
                    "undescribed-field", where, "Describe it, so that a model can fill it."
                )
    for spec in tool.inputs:
        name = canonical(spec.name, spec.of or tool.family)
        if spec.required and name not in produced and not is_control(spec.name):
            yield Remark(
                "unproduced-field",
                f"inputs.{spec.name}",
                f"No tool produces {name!r}: only a user can say it. If a tool gives it under "
                "another name: spm fields merge.",
            )


def _twins(tools: dict[str, ToolSpec]) -> dict[str, list[str]]:
    """Tools that take and give exactly the same, by what they take and give."""
    groups: dict[tuple[frozenset[str], frozenset[str], str], list[str]] = defaultdict(list)
    for identity, tool in sorted(tools.items()):
        takes = frozenset(canonical(s.name, s.of or tool.family) for s in tool.inputs if s.required)
        gives = frozenset(canonical(s.name, s.of or tool.family) for s in tool.outputs)
        if takes and gives:
            groups[takes, gives, tool.effects].append(identity)
    return {identity: group for group in groups.values() for identity in group if len(group) > 1}
