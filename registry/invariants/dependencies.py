"""The invariant of dependencies: whoever is asked tells the same FEEDS.

Plain Cypher, saved queries, `spm path` and the plans of menus are compared edge by edge.
"""

from collections.abc import Iterator, Mapping, Sequence

from spm.cypher import load
from spm.registry.invariants.routes import Routed, route_items
from spm.registry.invariants.violation import Violation
from spm.registry.registry import Registry

Edges = Mapping[tuple[str, str], Sequence[str]]
FROM_PEOPLE = ("given", "ask")


def edges_into(registry: Registry, tools: Sequence[str]) -> Edges:
    """What feeds these tools, by plain Cypher."""
    rows = registry.cypher(load("insight/edges_into").text, {"ids": list(tools)}).rows
    return {(row["producer"], row["consumer"]): row["fields"] for row in rows}


def told_differently(registry: Registry, tools: Sequence[str]) -> Iterator[Violation]:
    """Saved queries, paths and plans tell the edges that plain Cypher tells."""
    for tool in tools:
        edges = edges_into(registry, [tool])
        yield from _by_saved_query(registry, tool, edges)
        yield from _by_path(registry, edges)
        yield from _by_plan(registry, tool)


def invented_by_menus(registry: Registry, routed: Routed) -> Iterator[Violation]:
    """Where a menu says that one tool of the route feeds another, the graph does.

    By FEEDS; or, where similar requests made the route, by traces in which the first ran before the
    second and makes what that requires.
    """
    tools = sorted({tool for _, menu in routed for tool in menu.route})
    edges = edges_into(registry, tools)
    rows = registry.store.read("insight/observed_into", ids=tools)
    observed = {(row["producer"], row["consumer"], row["field"]) for row in rows}
    for request, menu in routed:
        for item in route_items(menu):
            for field, givers in item.needs.items():
                for who in givers:
                    known = field in edges.get((who, item.id), ())
                    known = known or (who, item.id, field) in observed
                    if who in menu.route and not known:
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


def _no_edge(subject: str, producer: str, consumer: str, field: str) -> Violation:
    return Violation(subject, "an edge FEEDS", f"{consumer} takes {field} from {producer}: none")


def _shown(edges: Edges) -> str:
    return "; ".join(f"{p} ({', '.join(f)})" for (p, _), f in sorted(edges.items())) or "nothing"
