"""The invariant of dependencies: whoever is asked tells the same FEEDS.

Plain Cypher, saved queries, `spm path` and the plans of menus are compared edge by edge; so is what
`spm tools show`, `spm impact` and `spm atlas` say of who makes an input and who takes it.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from spm.cypher import load
from spm.registry.access.caller import EVERYTHING
from spm.registry.insight.atlas import read_contracts, survey
from spm.registry.insight.impact import ONLY_PRODUCER, impact
from spm.registry.invariants.routes import Routed
from spm.registry.invariants.violation import Violation
from spm.registry.registry import Registry

Edges = Mapping[tuple[str, str], Sequence[str]]
FROM_PEOPLE = ("given", "ask")


def edges_into(registry: Registry, tools: Sequence[str]) -> Edges:
    """What feeds these tools, by plain Cypher."""
    rows = registry.cypher(load("insight/edges_into").text, {"ids": list(tools)}).rows
    return {(row["producer"], row["consumer"]): row["fields"] for row in rows}


def told_differently(registry: Registry, tools: Sequence[str]) -> Iterator[Violation]:
    """Saved queries, paths, plans, views and surveys tell the edges that plain Cypher tells."""
    for tool in tools:
        edges = edges_into(registry, [tool])
        yield from _by_saved_query(registry, tool, edges)
        yield from _by_path(registry, edges)
        yield from _by_plan(registry, tool)
        yield from _by_view(registry, tool, edges)
    yield from _by_impact(registry, tools)
    if tools:
        yield from _by_atlas(registry)


def invented_by_menus(registry: Registry, routed: Routed) -> Iterator[Violation]:
    """Where a menu says that one tool feeds another, the graph does.

    By FEEDS; or, where similar requests made the route, because the first makes what the second
    requires under the same name.
    """
    tools = sorted({item.id for _, menu in routed for item in menu.items})
    edges = edges_into(registry, tools)
    rows = registry.store.read("insight/same_fields", ids=tools)
    same = {(row["producer"], row["consumer"], row["field"]) for row in rows}
    for request, menu in routed:
        shown = {item.id for item in menu.items}
        for item in menu.items:
            for field, givers in item.needs.items():
                for who in shown.intersection(givers):
                    known = field in edges.get((who, item.id), ())
                    known = known or (item.id in menu.route and (who, item.id, field) in same)
                    if not known:
                        yield _no_edge(request.text, who, item.id, field)


def _by_saved_query(registry: Registry, tool: str, edges: Edges) -> Iterator[Violation]:
    told = {
        (row["producer"], tool): row["fields"]
        for row in registry.saved("fed_by", {"tool": tool}).rows
    }
    if told != edges:
        yield Violation(tool, f"fed_by as in Cypher: {_shown(edges)}", _shown(told))


def _by_path(registry: Registry, edges: Edges) -> Iterator[Violation]:
    for (producer, consumer), fields in edges.items():
        ways = [way for way in registry.paths(producer, consumer) if way.kind == "feeds"]
        hops = [(hop.source, hop.target, list(hop.fields)) for way in ways for hop in way.hops]
        if hops != [(producer, consumer, list(fields))]:
            expected = f"spm path: one hop over {', '.join(fields)}"
            yield Violation(f"{producer} → {consumer}", expected, str(hops))


def _by_plan(registry: Registry, tool: str) -> Iterator[Violation]:
    plan = registry.plan([], tool)
    edges = edges_into(registry, plan.steps)
    for consumer, supplies in plan.supplies.items():
        for field, who in supplies.items():
            if who not in FROM_PEOPLE and field not in edges.get((who, consumer), ()):
                yield _no_edge(f"spm path --to {tool}", who, consumer, field)


def _by_view(registry: Registry, tool: str, edges: Edges) -> Iterator[Violation]:
    """`spm tools show` names the makers of inputs, and who takes what the tool makes."""
    view = registry.show(tool)
    known = {(field, who) for (who, _), fields in edges.items() for field in fields}
    yield from _compare("spm tools show: made by", tool, known, _pairs(view.producers))
    rows = registry.saved("feeds", {"tool": tool}).rows
    known = {(field, row["consumer"]) for row in rows for field in row["fields"]}
    yield from _compare("spm tools show: taken by", tool, known, _pairs(view.consumers))


def _by_impact(registry: Registry, tools: Sequence[str]) -> Iterator[Violation]:
    """`spm impact` stops first whom a tool alone feeds, and names who else feeds the others."""
    contracts = read_contracts(registry.store) if tools else None
    for tool in tools:
        found = impact(registry.store, tool, kind="tool", contracts=contracts)
        rows = registry.saved("unreachable_without", {"tool": tool}).rows
        known = {(row["field"], row["consumer"]) for row in rows}
        told = {
            (field, row.tool)
            for row in found.stopped
            if row.distance == 1 and row.because == ONLY_PRODUCER
            for field in row.missing
        }
        yield from _compare("spm impact: can no longer run", tool, known, told)
        if found.consumers or found.optional:  # else it names what only looks alike
            rows = registry.saved("alternatives", {"tool": tool}).rows
            known = {(row["field"], row["alternative"]) for row in rows}
            told = {(field, other.tool) for other in found.alternatives for field in other.fields}
            yield from _compare("spm impact: could replace it", tool, known, told)


def _by_atlas(registry: Registry) -> Iterator[Violation]:
    """`spm atlas` tells who feeds alone, and what nobody feeds."""
    found, everything = survey(registry.store), EVERYTHING.params()
    # Read without the bounds of time and rows that people's questions have.
    rows = registry.store.read("saved/single_producers", **everything)
    alone = {(row["field"], row["producer"], row["consumers"]) for row in rows}
    told = {(row.field, row.producer, row.consumers) for row in found.single_producers}
    yield from _compare("spm atlas: stand on one tool", "single_producers", alone, told)
    rows = registry.store.read("saved/unmade_inputs", **everything)
    unmade = {(row["field"], row["tools"]) for row in rows}
    asked = {(row.field, row.consumers) for row in found.asked}
    yield from _compare("spm atlas: no tool makes", "unmade_inputs", unmade, asked)


def _pairs(tools: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    return {(field, tool) for field, named in tools.items() for tool in named}


def _compare(
    where: str, subject: str, known: Set[tuple[object, ...]], told: Set[tuple[object, ...]]
) -> Iterator[Violation]:
    """Name what only one of both tells; all of it would hide that."""
    if known != told:
        expected, got = (
            "; ".join(sorted(" ".join(map(str, row)) for row in rows)) or "nothing"
            for rows in (known - told, told - known)
        )
        yield Violation(subject, f"{where}, as FEEDS says: {expected}", got)


def _no_edge(subject: str, producer: str, consumer: str, field: str) -> Violation:
    return Violation(subject, "an edge FEEDS", f"{consumer} takes {field} from {producer}: none")


def _shown(edges: Edges) -> str:
    return "; ".join(f"{p} ({', '.join(f)})" for (p, _), f in sorted(edges.items())) or "nothing"
