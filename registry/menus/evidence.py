"""Why the tools of a menu are where they are, in words."""

from spm.registry.ranking import Edge, Menu, MenuItem

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
    spoken = {word: item.signals.get(signal, 0.0) for signal, word in _SPOKEN.items()}
    if max(spoken.values()) > 0:
        return max(spoken, key=lambda word: (spoken[word], word))
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
