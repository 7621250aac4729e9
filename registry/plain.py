"""The plain ranker: similarity, votes of similar requests, observed neighbours, producers.

No training. The weights were chosen on the valid splits of TRAJECT-Bench, ToolLinkOS and NESTFUL
and are the same for every library.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from spm.registry import paths, state
from spm.registry.encoding import Encoder
from spm.registry.errors import InputError
from spm.registry.fields import canonical
from spm.registry.ranking import PREFIX, SIZE, Menu, MenuItem
from spm.registry.route import Contract, arrange
from spm.registry.store import Row, Store

ANCHORS = 96
MEMORIES = 10
WEIGHTS = {"similarity": 1.0, "vote": 2.0, "neighbour": 0.2, "producer": 0.3}
# Votes fall off with distance from the nearest request, by a factor of e per so much cosine:
# slowly for being in the menu, where every neighbour may know a tool, quickly for the route,
# which should be one neighbour's way and not the mean of ten.
SPREAD = 0.4
FOCUS = 0.1
SUPPORT = 0.34
# A request that resembles nothing observed learns nothing from it: below the first cosine a
# neighbour has no voice, above the second its full voice.
UNLIKE, ALIKE = 0.15, 0.45
SEEDS = 8


@dataclass
class _Scores:
    terms: dict[str, dict[str, float]] = field(default_factory=dict)

    def raise_to(self, tool: str, term: str, value: float) -> None:
        known = self.terms.setdefault(tool, {})
        known[term] = max(known.get(term, 0.0), value)

    def total(self, tool: str) -> float:
        return sum(WEIGHTS[term] * value for term, value in self.terms[tool].items())

    def best(self, count: int) -> list[str]:
        return sorted(self.terms, key=lambda t: (-round(self.total(t), 6), t))[:count]


Memory = tuple[float, float, list[str]]


class PlainRanker:
    """A menu from what the graph knows, without learned weights."""

    name = "plain"

    def __init__(self, store: Store, encoder: Callable[[], Encoder]) -> None:
        self._store = store
        self._encoder = encoder

    def menu(
        self, request: str, *, have: list[str] | None = None, size: int = SIZE, prefix: int = PREFIX
    ) -> Menu:
        """Build the menu for a request.

        Raises:
            InputError: the request is empty or a size is not positive.
        """
        if not request.strip():
            raise InputError("The request is empty. Say what the agent should do, in quotes.")
        if size < 1 or prefix < 1:
            raise InputError(f"A menu needs at least one tool (got size {size}, prefix {prefix}).")
        vector = self._encoder().encode_requests([request])[0]
        near = self._store.nearest("tool", vector, ANCHORS)
        memory = self._remember(self._store.nearest("trajectory", vector, MEMORIES))
        vocabulary = [row["field"] for row in self._store.read("fields/vocabulary")]
        given = sorted({*state.visible(request, vocabulary), *map(canonical, have or [])})
        scores = self._score(near, memory, set(given))
        cards = self._cards(scores)
        chosen = [tool for tool in scores.best(len(scores.terms)) if tool in cards][:size]
        contracts = self._contracts(chosen)
        support = _votes(memory, FOCUS)
        wanted = [
            tool
            for tool in chosen
            if support.get(tool, 0.0) >= SUPPORT and _adds(contracts[tool], set(given))
        ]
        route = self._route(wanted or chosen[:1], chosen, contracts, set(given), prefix)
        ordered = route + [tool for tool in chosen if tool not in route]
        items = _items(ordered, route, cards, contracts, scores, set(given))
        return Menu(
            request=request,
            state=given,
            route=route,
            items=items,
            ranker=self.name,
            traces=sum(voice > 0 for _, voice, _ in memory),
            revision=self._revision(),
            notes=_notes(near, memory),
        )

    def _remember(self, near: list[tuple[str, float]]) -> list[Memory]:
        """The nearest trajectories that succeeded: distance from the nearest, voice, path."""
        rows = self._store.read("menu/memory", ids=[node for node, _ in near])
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["trajectory"], []).append(row["tool"])
        top = max((score for node, score in near if node in found), default=0.0)
        return [(top - score, _voice(score), found[node]) for node, score in near if node in found]

    def _score(
        self, near: list[tuple[str, float]], memory: list[Memory], given: set[str]
    ) -> _Scores:
        scores = _Scores()
        for tool, similarity in near:
            scores.raise_to(tool, "similarity", similarity)
        for tool, share in _votes(memory, SPREAD).items():
            scores.raise_to(tool, "vote", share)
        self._add_neighbours(scores)
        self._add_producers(scores, given)
        return scores

    def _add_neighbours(self, scores: _Scores) -> None:
        """Lift tools by the probability with which agents came to them from the strongest ones."""
        seeds = scores.best(SEEDS)
        rows = self._store.read("menu/neighbours", ids=seeds)
        travelled: dict[str, float] = {}
        for row in rows:
            travelled[row["id"]] = travelled.get(row["id"], 0.0) + row["weight"]
        strength = {seed: scores.total(seed) for seed in seeds}
        for row in rows:
            share = row["weight"] / travelled[row["id"]]
            scores.raise_to(row["neighbour"], "neighbour", share * strength[row["id"]])

    def _add_producers(self, scores: _Scores, given: set[str]) -> None:
        """Lift the quiet tools that make what the strongest tools need and nobody has said.

        A field with many producers says little about each of them, so they share the lift.
        """
        seeds = scores.best(SEEDS)
        strength = {seed: scores.total(seed) for seed in seeds}
        needs = paths.required(self._store.read("tools/inputs", ids=seeds))
        wanted: dict[str, float] = {}
        for seed, fields in needs.items():
            for name in set(fields) - given:
                wanted[name] = max(wanted.get(name, 0.0), strength[seed])
        rows = self._store.read("fields/producers", fields=sorted(wanted))
        makers: dict[str, set[str]] = {}
        for row in rows:
            makers.setdefault(row["field"], set()).add(row["id"])
        for row in rows:
            lift = wanted[row["field"]] / len(makers[row["field"]])
            scores.raise_to(row["id"], "producer", lift)

    def _cards(self, scores: _Scores) -> dict[str, Row]:
        rows = self._store.read("tools/show", ids=sorted(scores.terms))
        return {row["id"]: row for row in rows if row["status"] == "active"}

    def _contracts(self, tools: list[str]) -> dict[str, Contract]:
        needs = paths.required(self._store.read("tools/inputs", ids=tools))
        gives: dict[str, list[str]] = {}
        for row in self._store.read("tools/outputs", ids=tools):
            gives.setdefault(row["id"], []).append(row["field"])
        return {t: Contract(needs.get(t, []), gives.get(t, [])) for t in tools}

    def _route(
        self,
        wanted: list[str],
        chosen: list[str],
        contracts: dict[str, Contract],
        given: set[str],
        prefix: int,
    ) -> list[str]:
        """The tools that similar requests used, closed under their inputs and put in order."""
        orders = self._store.read("menu/orders", ids=sorted(chosen))
        before = {(row["first"], row["second"]): row["count"] for row in orders}
        return arrange(wanted, chosen, contracts, given, before, prefix)

    def _revision(self) -> int:
        found = self._store.read("state/registry")
        return int(found[0]["revision"]) if found else 0


def _adds(contract: Contract, given: set[str]) -> bool:
    """A tool that makes only what is given already has nothing to do on the route."""
    return not contract.gives or not set(contract.gives) <= given


def _voice(similarity: float) -> float:
    return min(1.0, max(0.0, (similarity - UNLIKE) / (ALIKE - UNLIKE)))


def _votes(memory: list[Memory], scale: float) -> dict[str, float]:
    """Each tool's share of the weight of the remembered trajectories, by their voices."""
    weights = [(math.exp(-distance / scale), voice, set(path)) for distance, voice, path in memory]
    mass = sum(weight for weight, _, _ in weights)
    tools = sorted({tool for _, _, path in weights for tool in path})
    return {
        tool: sum(weight * voice for weight, voice, path in weights if tool in path) / mass
        for tool in tools
    }


def _items(
    ordered: list[str],
    route: list[str],
    cards: dict[str, Row],
    contracts: dict[str, Contract],
    scores: _Scores,
    given: set[str],
) -> list[MenuItem]:
    makers: dict[str, list[str]] = {}
    for tool in ordered:
        for name in contracts[tool].gives:
            if contracts[tool].makes(name):
                makers.setdefault(name, []).append(tool)
    place = {tool: at for at, tool in enumerate(ordered)}

    def sources(tool: str, name: str) -> list[str]:
        """Who can have made it by then: on the route only earlier tools, for backups anybody."""
        if name in given:
            return ["request"]
        others = [maker for maker in makers.get(name, []) if maker != tool]
        return [m for m in others if place[m] < place[tool]] if tool in route else others

    return [
        MenuItem(
            rank=rank,
            id=tool,
            name=cards[tool]["name"],
            title=cards[tool]["title"],
            description=cards[tool]["description"],
            role=_role(tool, route),
            effects=cards[tool]["effects"],
            needs={name: sources(tool, name) for name in contracts[tool].needs},
            gives=contracts[tool].gives,
            score=round(scores.total(tool), 4),
            terms={term: round(v, 4) for term, v in sorted(scores.terms[tool].items())},
        )
        for rank, tool in enumerate(ordered, 1)
    ]


def _role(tool: str, route: list[str]) -> str:
    if tool not in route:
        return "backup"
    if tool == route[-1]:
        return "target"
    return "entry" if tool == route[0] else "bridge"


def _notes(near: list[tuple[str, float]], memory: list[Memory]) -> list[str]:
    if not near:
        return ["The registry is empty. Load the demo with: spm demo"]
    if not memory:
        return ["No trajectories yet: the order comes from declared fields alone."]
    if not any(voice for _, voice, _ in memory):
        return ["No observed request resembles this one: the order comes from declared fields."]
    return []
