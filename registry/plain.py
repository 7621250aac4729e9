"""The plain ranker: similarity, votes of similar requests, observed neighbours, producers.

No training. The weights were chosen on the valid splits of TRAJECT-Bench, ToolLinkOS and NESTFUL
and are the same for every library.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from spm.registry import paths, state
from spm.registry.encoding import Encoder
from spm.registry.menus.items import Known, Places, edges
from spm.registry.menus.sight import lifted, obstacles
from spm.registry.menus.view import Near, View
from spm.registry.ranking import Ask, Menu, WhyNot
from spm.registry.route import Contract, arrange
from spm.registry.scoring import Memory, Scores, memories, votes
from spm.registry.store import Row, Store

ANCHORS = 96
MEMORIES = 10
# Votes fall off with distance from the nearest request, by a factor of e per so much cosine:
# slowly for being in the menu, where every neighbour may know a tool, quickly for the route,
# which should be one neighbour's way and not the mean of ten.
SPREAD = 0.4
FOCUS = 0.1
SUPPORT = 0.34
SEEDS = 8
# How many fields are tried as a state that would bring an absent tool in.
TRIALS = 12


@dataclass(frozen=True)
class _Draft:
    """Everything that was found for a request, before it is cut to size."""

    near: Near
    memory: list[Memory]
    known: Known
    scores: Scores
    cards: dict[str, Row]
    order: list[str]  # every tool that may be offered, best first


class PlainRanker:
    """A menu from what the graph knows, without learned weights."""

    name = "plain"

    def __init__(self, store: Store, encoder: Callable[[], Encoder]) -> None:
        self._store = store
        self._encoder = encoder

    def menu(self, ask: Ask) -> Menu:
        """Build the menu for a request."""
        view = View(self._store, ask.caller)
        return self._menu(ask, self._draft(ask, view, *self._look(ask, view)))

    def why_not(self, ask: Ask, tool: str) -> WhyNot:
        """Say why a tool is absent from the menu of `ask`; `tool` is an id.

        Raises:
            UnknownTool: there is no such tool.
        """
        view = View(self._store, ask.caller)
        draft = self._draft(ask, view, *self._look(ask, view))
        built = self._menu(ask, draft)
        cutoff = min((item.score for item in built.items), default=0.0)
        terms = {t: round(v, 4) for t, v in sorted(draft.scores.terms.get(tool, {}).items())}
        if place := next((item.rank for item in built.items if item.id == tool), None):
            return WhyNot(tool, place, [], [], terms, cutoff)
        card, found = obstacles(self._store, ask, tool)
        if found:
            changes = [change for _, change in found]
            if card["status"] == "active":
                changes += self._further(lifted(card, ask), tool)
            reasons = [reason for reason, _ in found]
            return WhyNot(tool, None, reasons, [" and ".join(changes)], terms, cutoff)
        if tool not in draft.order:
            return WhyNot(tool, None, [_UNREACHED], list(_REACHED_BY), terms, cutoff)
        rank = draft.order.index(tool) + 1
        reason = (
            f"Its score {draft.scores.total(tool):.4f} is place {rank} of {len(draft.order)}; "
            f"the menu ends at {ask.size} with {cutoff:.4f}."
        )
        changes = [f"-k {rank}", *self._states(ask, tool, view, draft)]
        return WhyNot(tool, rank, [reason], changes, terms, cutoff)

    def _further(self, ask: Ask, tool: str) -> list[str]:
        """What a tool needs to be in the menu once nothing hides it; nothing when it is."""
        view = View(self._store, ask.caller)
        order = self._draft(ask, view, *self._look(ask, view)).order
        if tool not in order:
            return [_REACHED_BY[0]]
        rank = order.index(tool) + 1
        return [f"-k {rank}"] if rank > ask.size else []

    def _menu(self, ask: Ask, draft: _Draft) -> Menu:
        chosen = draft.order[: ask.size]
        contracts = self._contracts(chosen)
        given = draft.known.fields
        support = votes(draft.memory, FOCUS)
        wanted = [
            tool
            for tool in chosen
            if support.get(tool, 0.0) >= SUPPORT and _adds(contracts[tool], given)
        ]
        route = self._route(wanted or chosen[:1], chosen, contracts, given, ask.prefix)
        order = route + [tool for tool in chosen if tool not in route]
        items = Places(order, route, contracts, draft.known).items(draft.cards, draft.scores.terms)
        return Menu(
            request=ask.request,
            state=sorted(given),
            route=route,
            items=items,
            ranker=self.name,
            model="",
            traces=sum(voice > 0 for _, voice, _ in draft.memory),
            trust=round(max((voice for _, voice, _ in draft.memory), default=0.0), 4),
            revision=self._revision(),
            edges=edges(items, route, self._store.read("path/followers", ids=sorted(chosen))),
            notes=_notes(ask, draft.near, draft.memory),
        )

    def _look(self, ask: Ask, view: View) -> tuple[Near, list[Memory]]:
        """The nearest tools, and how similar requests were solved."""
        vector = self._encoder().encode_requests([ask.request])[0]
        memory = memories(view.nearest_ways(vector, MEMORIES))
        return view.nearest_tools(vector, ANCHORS), memory

    def _draft(self, ask: Ask, view: View, near: Near, memory: list[Memory]) -> _Draft:
        known = self._known(ask, view)
        scores = self._score(view, near, memory, known.fields)
        cards = view.cards(scores.terms)
        order = [t for t in scores.best() if t in cards and t not in ask.done]
        return _Draft(near, memory, known, scores, cards, order)

    def _known(self, ask: Ask, view: View) -> Known:
        spoken = view.vocabulary()
        given = state.at_hand(ask.request, ask.state, ask.without, spoken)
        made: dict[str, str] = {}
        rows = self._store.read("tools/outputs", ids=list(ask.done)) if ask.done else []
        for row in sorted(rows, key=lambda row: ask.done.index(row["id"])):
            if row["field"] not in given:
                made.setdefault(row["field"], row["id"])
        return Known(given, made)

    def _score(self, view: View, near: Near, memory: list[Memory], given: set[str]) -> Scores:
        scores = Scores()
        for tool, similarity in near:
            scores.raise_to(tool, "similarity", similarity)
        for tool, share in votes(memory, SPREAD).items():
            scores.raise_to(tool, "vote", share)
        self._add_neighbours(view, scores)
        self._add_producers(view, scores, given)
        return scores

    def _add_neighbours(self, view: View, scores: Scores) -> None:
        """Lift tools by the probability with which agents came to them from the strongest ones."""
        seeds = scores.best(SEEDS)
        rows = view.neighbours(seeds)
        travelled: dict[str, float] = {}
        for row in rows:
            travelled[row["id"]] = travelled.get(row["id"], 0.0) + row["weight"]
        strength = {seed: scores.total(seed) for seed in seeds}
        for row in rows:
            share = row["weight"] / travelled[row["id"]]
            scores.raise_to(row["neighbour"], "neighbour", share * strength[row["id"]])

    def _add_producers(self, view: View, scores: Scores, given: set[str]) -> None:
        """Lift the quiet tools that make what the strongest tools need and nobody has said.

        A field with many producers says little about each of them, so they share the lift.
        """
        wanted = self._wanted(scores, given)
        rows = view.producers(wanted)
        makers: dict[str, set[str]] = {}
        for row in rows:
            makers.setdefault(row["field"], set()).add(row["id"])
        for row in rows:
            lift = wanted[row["field"]] / len(makers[row["field"]])
            scores.raise_to(row["id"], "producer", lift)

    def _wanted(self, scores: Scores, given: set[str]) -> dict[str, float]:
        """Fields that the strongest tools lack, with the strength of the strongest."""
        seeds = scores.best(SEEDS)
        needs = paths.required(self._store.read("tools/inputs", ids=seeds))
        wanted: dict[str, float] = {}
        for seed, fields in needs.items():
            for name in set(fields) - given:
                wanted[name] = max(wanted.get(name, 0.0), scores.total(seed))
        return wanted

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

    def _states(self, ask: Ask, tool: str, view: View, draft: _Draft) -> list[str]:
        """Single fields that would bring a tool in if they were known, each of them tried.

        Known fields free the places of those who make them, so all that is missing is tried.
        """
        missing = self._wanted(draft.scores, draft.known.fields)
        own = self._contracts([tool])[tool].needs
        tried = dict.fromkeys([*own, *sorted(missing, key=lambda name: -missing[name])])
        found = []
        for name in list(tried)[:TRIALS]:
            other = replace(ask, state=(*ask.state, name))
            if tool in self._draft(other, view, draft.near, draft.memory).order[: ask.size]:
                found.append(f"--state {name}")
        return found

    def _revision(self) -> int:
        found = self._store.read("state/registry")
        return int(found[0]["revision"]) if found else 0


_UNREACHED = (
    "It is no candidate: it is not among the tools whose text is nearest to the request, similar "
    "requests did not use it, and no strong candidate was seen beside it or waits for its outputs."
)
_REACHED_BY = (
    "a request in words nearer to its description",
    "a trajectory of a similar request that uses it (spm traces import)",
)


def _adds(contract: Contract, given: set[str]) -> bool:
    """A tool that makes only what is given already has nothing to do on the route."""
    return not contract.gives or not set(contract.gives) <= given


def _notes(ask: Ask, near: Near, memory: list[Memory]) -> list[str]:
    if not near and ask.caller.restricted:
        return ["This caller may see no tool."]
    if not near:
        return ["The registry is empty. Load the demo with: spm demo"]
    if not memory:
        return ["No trajectories yet: the order comes from declared fields alone."]
    if not any(voice for _, voice, _ in memory):
        return ["No observed request resembles this one: the order comes from declared fields."]
    return []
