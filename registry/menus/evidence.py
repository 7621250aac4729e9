"""Why the tools of a menu are where they are, in words."""

from collections.abc import Mapping, Sequence

from spm.registry.menus.menu import Edge, Menu, MenuItem
from spm.registry.menus.provider_names import ARROW, NO_ROUTE
from spm.registry.store.reader import Reader

MOST = 6
# Signals of a learned ranker that people understand, all between 0 and 1.
_SPOKEN = {"vote": "traces", "words": "words", "similarity": "meaning"}


def review(menu: Menu) -> list[str]:
    """Tools that a person has to approve before they run, the route's first."""
    return [item.id for item in menu.items if item.effects == "destructive"]


def evidence(menu: Menu) -> dict[str, str]:
    """In a word or two, the strongest evidence for each tool."""
    return {item.id: _strongest(item, menu.edges) for item in menu.items}


def _strongest(item: MenuItem, edges: list[Edge]) -> str:
    around = [edge for edge in edges if item.id in (edge.source, edge.target)]
    if seen := max((edge.count for edge in around if edge.kind == "observed"), default=0):
        return f"seen {seen}×"
    if around:
        return "fields"
    strengths = {word: item.signals.get(signal, 0.0) for signal, word in _SPOKEN.items()}
    if max(strengths.values()) > 0:
        return max(strengths, key=lambda word: (strengths[word], word))
    return max(item.terms, key=lambda term: (item.terms[term], term), default="-")


def reasons(menu: Menu, names: dict[str, str]) -> dict[str, list[str]]:
    """The edges into each tool, observed ones with their counts.

    Args:
        menu: a menu.
        names: what to call the tools.
    """
    found: dict[str, list[str]] = {}
    for item in menu.items:
        inward = [edge for edge in menu.edges if edge.target == item.id]
        lines = [_line(edge, names) for edge in sorted(inward, key=lambda e: (-e.count, e.field))]
        more = [f"… and {len(lines) - MOST} more"] if len(lines) > MOST else []
        found[item.id] = lines[:MOST] + more
    return found


def _line(edge: Edge, names: dict[str, str]) -> str:
    source = names.get(edge.source, edge.source)
    if edge.kind == "declared":
        return f"{edge.field} from {source}"
    return f"after {source}, seen {edge.count}×"


def basis(menu: Menu) -> list[str]:
    """Who built the menu, at which revision, and how much observed evidence counted."""
    model = f", model {menu.model[:12]}" if menu.model else ""
    return [
        f"Ranker: {menu.ranker}{model}; revision {menu.revision} of the registry",
        f"Trust in observed evidence: {menu.trust:.2f}, from {menu.traces} similar traces "
        "(0: declared fields alone)",
    ]


def terms(found: dict[str, float]) -> list[str]:
    """The terms of a score, the largest first."""
    ordered = sorted(found, key=lambda term: (-found[term], term))
    return [f"{term} {found[term]:.3f}" for term in ordered]


def signals(item: MenuItem) -> list[str]:
    """What a learned ranker saw of the tool, and what its place in front is the sum of."""
    lines = []
    if item.signals:
        seen = [f"{name} {value:.2f}" for name, value in item.signals.items() if value]
        lines.append("saw " + ", ".join(seen))
    if item.order:
        parts = [f"{name} {value:+.2f}" for name, value in item.order.items() if value]
        lines.append(f"place {sum(item.order.values()):.2f} = " + ", ".join(parts))
    return lines


def effects_reasons(store: Reader, menu: Menu) -> dict[str, list[str]]:
    """Why the tools of a menu that change something are said to do so, and who decided it."""
    ids = [item.id for item in menu.items if item.effects != "read"]
    found: dict[str, list[str]] = {item.id: [] for item in menu.items}
    for row in store.read("tools/show", ids=ids) if ids else ():
        if row["effects_reason"]:
            by = f" (decided by {row['effects_by']})" if row["effects_by"] else ""
            found[row["id"]] = [f"{row['effects']}: {row['effects_reason']}{by}"]
    return found


def explanation(
    menu: Menu, names: dict[str, str], effects: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Why each tool of a menu stands where it stands, as lines of text.

    Args:
        menu: a menu.
        names: what to call the tools.
        effects: why tools have their effects; see `effects_reasons`.
    """
    lines = [
        f"Route: {ARROW.join(names[tool] for tool in menu.route) or NO_ROUTE}",
        *basis(menu),
        *menu.notes,
    ]
    inward = reasons(menu, names)
    for item in menu.items:
        parts = " + ".join(terms(item.terms))
        head = f"{item.rank}. {names[item.id]} ({item.role})"
        lines += ["", f"{head}, score {item.score:.3f} = {parts}"]
        for field, givers in item.needs.items():
            by = ", ".join(names.get(giver, giver) for giver in givers)
            lines.append(f"   needs {field} from {by or 'the user'}")
        lines += [
            f"   {line}"
            for line in (*(effects or {}).get(item.id, ()), *inward[item.id], *signals(item))
        ]
    return "\n".join(lines)
