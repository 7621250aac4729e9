"""Field evidence of traces: outputs that results carried, and outputs that became inputs."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from spm.registry.catalog.fields import canonical, is_control
from spm.registry.catalog.graph_rows import field_name, field_rows
from spm.registry.catalog.naming import fold
from spm.registry.map import feeds
from spm.registry.models import OutputSpec, ToolSpec, Trace
from spm.registry.store.interface import Row, Transaction

Resolved = tuple[Trace, list[str]]
Output = tuple[str, str]  # of which tool, which field
Hand = tuple[str, str, str, str]  # from which tool to which, as which output and which input
MOST_OUTPUTS = 500  # of one tool that traces may add: whoever reads a menu reads them all


class Names:
    """Under which canonical names the fields of observed calls are known."""

    def __init__(self, rows: list[Row]) -> None:
        tools = {r["id"]: ToolSpec.model_validate(json.loads(r["definition"])) for r in rows}
        self._families = {identity: tool.family for identity, tool in tools.items()}
        self._takes = {
            i: {fold(s.name): field_name(s, t) for s in t.inputs} for i, t in tools.items()
        }
        self._gives = {
            i: {fold(s.name): field_name(s, t) for s in t.outputs} for i, t in tools.items()
        }

    def output(self, tool: str, spelled: str) -> str:
        """The field that a result carries: as the tool declares it, else by its family."""
        declared = self._gives.get(tool, {}).get(fold(spelled))
        return declared or canonical(spelled, self._families.get(tool, ""))

    def input(self, tool: str, spelled: str) -> str:
        """The declared field that an argument fills, or "" when the tool declares none such."""
        takes = self._takes.get(tool, {})
        guess = canonical(spelled, self._families.get(tool, ""))
        return takes.get(fold(spelled), guess if guess in takes.values() else "")


def observe(tx: Transaction, fresh: list[Resolved]) -> set[Output]:
    """Write what trajectories show of fields; returns the outputs for which there was no room."""
    seen = _carried(fresh)
    if not seen and not any(trace.flows for trace, _ in fresh):
        return set()
    used = sorted({tool for _, tools in fresh for tool in tools})
    names = Names(tx.run("tools/definitions", ids=used))
    counts: Counter[Output] = Counter()
    spelled: list[tuple[Output, OutputSpec]] = []
    for (tool, name, kind), count in sorted(seen.items()):
        output = tool, names.output(tool, name)
        counts[output] += count
        spelled.append((output, OutputSpec.model_validate({"name": name, "type": kind})))
    held = tx.run("tools/outputs", ids=sorted({tool for tool, _ in counts}))
    dropped = _beyond(held, counts)
    if named := [(output[1], spec) for output, spec in spelled if output not in dropped]:
        tx.run("tools/fields", rows=field_rows(tx.run("fields/vocabulary"), named))
        kept = sorted(counts.keys() - dropped)
        tx.run(
            "traces/observe", rows=[{"id": t, "field": f, "count": counts[t, f]} for t, f in kept]
        )
    if rows := flowed(fresh, names):
        tx.run("traces/flows", rows=rows)
    passed = handed(fresh, names)
    if passed:
        tx.run("traces/hands", rows=passed)
    new = counts.keys() - dropped - {(row["id"], row["field"]) for row in held}
    _refresh(tx, {tool for tool, _ in new}, {row["consumer"] for row in passed})
    return dropped


def _refresh(tx: Transaction, makers: set[str], takers: set[str]) -> None:
    """Bring the edges from who was seen to make more, and into who was seen to be handed it."""
    service = {
        row["id"]: row["service"] for row in tx.run("tools/show", ids=sorted(makers | takers))
    }
    touched = {service[tool] for tool in makers | takers}
    for name in sorted({service[tool] for tool in makers}):
        touched |= feeds.touched(tx, name)
    feeds.refresh_consumers(tx, touched)


def _beyond(held: list[Row], counts: Counter[Output]) -> set[Output]:
    """The new outputs that exceed what a tool may have; those seen most often go first."""
    known = {(row["id"], row["field"]) for row in held}
    taken = Counter(row["id"] for row in held if row["evidence"] == "observed")
    dropped = set()
    for output in sorted(counts.keys() - known, key=lambda pair: (-counts[pair], pair)):
        taken[output[0]] += 1
        if taken[output[0]] > MOST_OUTPUTS:
            dropped.add(output)
    return dropped


def _carried(fresh: list[Resolved]) -> Counter[tuple[str, str, str]]:
    """Tool, name and type of every field that results of successful calls carried."""
    return Counter(
        (tool, name, kind)
        for trace, tools in fresh
        for step, tool in zip(trace.steps, tools, strict=True)
        if step.ok
        for name, kind in step.gives.items()
        if not is_control(name)
    )


def _followed(traces: Iterable[Resolved], names: Names) -> Iterator[tuple[Trace, Hand]]:
    """Who handed what to whom, in trajectories that succeeded."""
    for trace, tools in traces:
        for flow in trace.flows if trace.success else ():
            if not (trace.steps[flow.source].ok and trace.steps[flow.target].ok):
                continue
            producer, consumer = tools[flow.source], tools[flow.target]
            given, taken = names.output(producer, flow.output), names.input(consumer, flow.input)
            if taken and not is_control(flow.output) and not is_control(taken):
                yield trace, (producer, consumer, given, taken)


def handed(traces: Iterable[Resolved], names: Names) -> list[Row]:
    """How often a value that one tool returned went into another; a tool feeds not itself."""
    counts: Counter[Hand] = Counter()
    seen: dict[Hand, str] = {}
    for trace, hand in _followed(traces, names):
        if hand[0] != hand[1]:
            counts[hand] += 1
            seen[hand] = max(seen.get(hand, ""), trace.moment() or "")
    columns = ("producer", "consumer", "output", "input")
    return [
        {**dict(zip(columns, hand, strict=True)), "count": counts[hand], "last_seen": seen[hand]}
        for hand in sorted(counts)
    ]


def flowed(traces: Iterable[Resolved], names: Names) -> list[Row]:
    """How often an output's value became an input of another name, in trajectories that succeeded.

    Summed here, because not every engine sums duplicates. Where both names are one, tools meet
    already.
    """
    counts: Counter[tuple[str, str]] = Counter()
    seen: dict[tuple[str, str], str] = {}
    for trace, (_, _, given, taken) in _followed(traces, names):
        if given != taken:
            counts[given, taken] += 1
            seen[given, taken] = max(seen.get((given, taken), ""), trace.moment() or "")
    return [
        {"output": a, "input": b, "count": counts[a, b], "last_seen": seen[a, b]}
        for a, b in sorted(counts)
    ]
