"""Whose the things of a service are: its hubs, and where things of one name are at home."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from spm.registry.map.tool_nodes import ADDING, NEEDS_ITSELF, Node

# A resource that so many tools of its service require is a hub: only what lists, searches or
# creates exactly that feeds it.
HUB_SHARE, HUB_TOOLS = 0.2, 20
_OF_WHAT_IS_THERE = frozenset(("get", "list", "search", "update", "delete"))


class Homes:
    """What holds for all tools of a service: its hubs, and what is made and found inside what."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        needed: Counter[str] = Counter()
        inside: dict[str, frozenset[str]] = {}
        made_in: dict[str, set[str]] = defaultdict(set)
        made_at: dict[str, set[frozenset[str]]] = defaultdict(set)
        places: dict[str, set[frozenset[str]]] = defaultdict(set)
        sources: dict[str, set[frozenset[str]]] = defaultdict(set)
        for node in nodes:
            needed.update(node.required)
            if node.resource in node.required and node.verb in NEEDS_ITSELF:
                places[node.resource].add(node.place)
            if node.verb == "create" and not node.words & ADDING:
                made_at[node.resource].add(node.place)
            if node.verb in ("list", "search", "create"):
                sources[node.resource].add(node.place)
            if node.verb == "create" and node.resource:
                around = node.required - {node.resource}
                inside[node.resource] = inside.get(node.resource, around) & around
                made_in[node.resource] |= around
        enough = max(HUB_TOOLS, HUB_SHARE * len(nodes))
        self.hubs = {resource for resource, count in needed.items() if count >= enough}
        self._inside, self._made_in, self._made_at = inside, made_in, made_at
        self._nested = {name for name, found in places.items() if all(found)}
        # Where things of one name are made or listed, and also got, updated or deleted.
        self._homes = {name: places[name] & sources[name] for name in places}
        self._around = {
            name: frozenset.intersection(*found) for name, found in self._homes.items() if found
        }

    def is_of_another(self, producer: Node, resource: str, consumer: Node) -> bool:
        """Whether a thing is at home elsewhere: the reaction to an issue is none to a comment."""
        if producer.resource != resource:
            return False
        there, here = producer.place, consumer.place_of(resource)
        homes = self._homes.get(resource, set())
        mine, theirs = _innermost(homes, here), _innermost(homes, there)
        if not mine or (there <= here and there not in homes):
            return False
        if theirs:
            return not any(
                self._same_home(resource, one, other) for one in theirs for other in mine
            )
        alone = there - self.hubs
        return bool(alone) and all(home - self.hubs and alone.isdisjoint(home) for home in mine)

    def _same_home(self, resource: str, one: frozenset[str], other: frozenset[str]) -> bool:
        """Whether things of two places may be the same: those of a customer are among all.

        Unless they are made there too: a reaction to an issue is none to a note of it.
        """
        few, more = sorted((one, other), key=len)
        inner = few - self.hubs
        apart = inner < more - self.hubs and more in self._made_at[resource]
        return few <= more and not (inner and apart)

    def is_detour(self, producer: Node, resource: str, consumer: Node) -> bool:
        """Whether it looks into what must itself be found: the teams of an invitation.

        But a comment is made in its issue, and a workflow's run is called after it.
        """
        if resource not in self._made_in:
            return False
        missing = (producer.required - consumer.required) & self._nested
        own = set(resource.rpartition("/")[2].split("_"))
        apart = missing - self._made_in[resource]
        return any(not own >= set(need.rpartition("/")[2].split("_")) for need in apart)

    def is_empty(self, resource: str, consumer: Node) -> bool:
        """Whether a thing just made holds nothing yet of what the consumer needs besides it."""
        needs = consumer.required - {resource}
        if consumer.verb in _OF_WHAT_IS_THERE and consumer.resource != resource:
            needs |= {consumer.resource}
        made = any(resource in self._inside.get(other, ()) for other in needs)
        return made or any(resource in self._around.get(other, ()) for other in needs)


def _innermost(homes: Iterable[frozenset[str]], place: frozenset[str]) -> list[frozenset[str]]:
    """Of these homes those that a place lies in, without those around another one."""
    around = [home for home in homes if home <= place]
    return [home for home in around if not any(home < other for other in around)]
