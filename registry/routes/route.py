"""A route without traces: targets by clause, closed backwards, and shown only where it is clear."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.map.resources import PEOPLE
from spm.registry.request.values import Value
from spm.registry.routes.admission import NOT_UNDERSTOOD, Admission, unread
from spm.registry.routes.candidate_features import candidate_features
from spm.registry.routes.candidate_ranking import interleaved, shipped
from spm.registry.routes.certainty import CLEAR, Target, plan_signs
from spm.registry.routes.closure import (
    Known,
    MayMake,
    Neighbourhood,
    Plan,
    close,
    makers_left_out,
    needed_inputs,
    only_reading,
)
from spm.registry.routes.purposes import Clause, Purpose, read_clauses
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import Candidates, Numbers, name_terms
from spm.registry.routes.targets import TargetScores, belief_gain, target_scores, targets
from spm.registry.routes.tool_map import MapCard, Need, ToolMap
from spm.registry.store.interface import Row

MAKERS = 16  # producers for a target whose inputs are compared with the request's values, too
OBSERVED = 4.0  # what being sure by observation counts in the order, in spreads of its scores
CLOSED = 12  # candidates whose producers come into the menu with them
PRODUCERS = 2  # of each of their inputs
AGAIN, MORE = 6, 4  # and more producers of the first of them behind


@dataclass(frozen=True)
class Proposal:
    """What a menu without traces is made of.

    Attributes:
        order: tools in the order of the menu, as far as they are decided here.
        route: the tools in front that are the route; empty where no target is clear.
        plans: of the targets, with who gives each input.
        targets: what the request asks for, in the order of the plans.
        doubt: why no route is shown; "" where one is.
        writers: for inputs that somebody has to say, tools that would make them but change
            something; empty where whoever asks allows them.
        given: the fields of the plans' tools that are there before the first of them runs.
        reading: of the request, where something was planned.
    """

    order: list[str]
    route: list[str]
    plans: list[Plan]
    targets: Sequence[Target] = ()
    doubt: str = ""
    writers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    reading: "Reading | None" = None


@dataclass(frozen=True)
class Reading:
    """A request as plans read it.

    Attributes:
        clauses: its parts.
        admission: what its verbs allow.
        values: what it gives to the inputs of tools.
        candidates: that were there before anything was planned.
    """

    clauses: Sequence[Clause]
    admission: Admission
    values: RequestValues
    candidates: Candidates

    def scores(self, candidates: Candidates) -> TargetScores:
        """How well candidates are what each clause asks for."""
        admitted = [self.admission.admits(p.effects, p.words) for p in candidates.purposes]
        return target_scores(candidates, self.clauses, admitted, self.values)


def rank_candidates(
    tool_map: ToolMap,
    frontier: Frontier,
    cards: Mapping[str, Row],
    proposal: Proposal,
    observed: Floats | None = None,
) -> list[str]:
    """All candidates in the order of the menu: the route, then who is likeliest needed.

    Args:
        tool_map: the graph, as the caller sees it.
        frontier: the candidates, those of the proposal among them.
        cards: what is known of them, by id.
        proposal: what was planned for the request.
        observed: how much more the network believes in each for what was observed.
    """
    if not frontier.tools:
        return []
    features = ranking_features(tool_map, frontier, cards, proposal)
    ranking = shipped()
    scores = ranking.scores(features)
    if observed is not None:
        scores = scores + OBSERVED * observed
    learned = [frontier.tools[at] for at in ranking.order(features, scores)]
    known = {*frontier.tools}
    planned = [tool for tool in proposal.order if tool in known]
    return interleaved(list(dict.fromkeys([*proposal.route, *learned])), planned)


def ranking_features(
    tool_map: ToolMap, frontier: Frontier, cards: Mapping[str, Row], proposal: Proposal
) -> dict[str, Numbers]:
    """What the order of candidates is learned from and decided by, by name."""
    found = tool_map.cards(frontier.tools)
    if proposal.reading is None:
        raise ValueError("expected a proposal with the reading of a request (got none)")
    candidates = candidates_of(frontier, found, cards, None, proposal.reading.candidates)
    scores = proposal.reading.scores(candidates)
    return candidate_features(candidates, scores, found, proposal.plans, proposal.order)


def propose(
    tool_map: ToolMap,
    frontier: Frontier,
    cards: Mapping[str, Row],
    request: str,
    known: Known,
    *,
    belief: Floats | None = None,
    observed: Floats | None = None,
    allow_writes: bool = False,
) -> Proposal:
    """Plan the route of a request, and the order of what else the menu should hold.

    Args:
        tool_map: the graph, as the caller sees it.
        frontier: the candidates.
        cards: what is known of them, by id.
        request: the text.
        known: what is there before the first tool runs, besides what the request says.
        belief: how far the network takes each candidate for part of the answer.
        observed: the same by observed trajectories too. Those of another workflow must not move a
            route, but they know which tools are used: they order what stands behind it.
        allow_writes: let tools that change something run only to make an input.
    """
    if not frontier.tools:
        return Proposal([], [], [], doubt="no candidate")
    asked = read_clauses(request, frontier.clauses.shape[1])
    found = tool_map.cards(frontier.tools)
    candidates = candidates_of(frontier, found, cards, belief)
    values, admission = RequestValues(request, tool_map), Admission.of(request)
    reading = Reading(asked, admission, values, candidates)
    may_make = admission.may_make if allow_writes else only_reading
    scores = reading.scores(candidates)
    meant = targets(candidates, scores, asked)
    chosen = [target.tool for target in meant]
    behind = chosen
    if belief is not None and observed is not None:
        scores = scores.moved(belief_gain(belief, observed))
        behind = [target.tool for target in targets(candidates, scores, asked)]
    best = _ranked(frontier, scores)
    closed = list(dict.fromkeys([*chosen, *behind, *best[:CLOSED]]))
    values.read(closed)
    fit = _spoken_of(candidates, asked, chosen)
    asked_for = _Asked(tool_map, values, known, chosen, closed, found, may_make)
    around, plans = asked_for.plans(fit)
    if sought := _sought(plans, values, tool_map, known):
        around, plans = asked_for.plans(fit, sought)
    route = [step for plan in plans for step in plan.steps]
    meant = [
        replace(one, signs={**one.signs, **plan_signs(plans, plan, values, found.get(one.tool))})
        for one, plan in zip(meant, plans, strict=True)
    ]
    doubt = _doubt(meant, unread(request, admission))
    writers = {} if allow_writes else _writers(tool_map, plans, meant, admission)
    route = [] if doubt else list(dict.fromkeys(route))
    order = [*route, *(step for tool in behind for step in close(around, tool).steps)]
    given = _given(plans, values) - known.denied
    order = _filled(order, best, around)
    return Proposal(order, route, plans, meant, doubt, writers, given, reading)


def _given(plans: Sequence[Plan], values: RequestValues) -> frozenset[str]:
    """What targets take from the request, also what they could do without, and what steps need."""
    supplied = {
        name
        for plan in plans
        for made in plan.supplies.values()
        for name, who in made.items()
        if who == "request"
    }
    return frozenset(supplied).union(*(values.fields(plan.target) for plan in plans))


@dataclass(frozen=True)
class _Asked:
    """What plans are closed over: targets with what the request gives to them."""

    tool_map: ToolMap
    values: RequestValues
    known: Known
    targets: Sequence[str]
    tools: Sequence[str]  # whose producers the menu wants besides
    cards: Mapping[str, MapCard]
    may_make: MayMake

    def plans(
        self, fit: Mapping[str, float], sought: Mapping[str, frozenset[str]] | None = None
    ) -> tuple[Neighbourhood, list[Plan]]:
        """Close the targets.

        Args:
            fit: how far the request speaks of each tool.
            sought: inputs that need not be given, and are to be looked up.
        """
        sought = sought or {}
        given = self._given(self.tools, sought)
        near = Neighbourhood.around(
            self.tool_map, [*self.targets, *sought], given, depth=1, may_make=self.may_make
        )
        makers = near.best_producers(MAKERS)
        self.values.read(makers)
        beside = {tool: self.values.share_beside(tool, self.targets) for tool in makers}
        fit = {**fit, **{tool: max(fit.get(tool, 0.0), share) for tool, share in beside.items()}}
        around = Neighbourhood.around(
            self.tool_map,
            self.tools,
            self._given([*self.tools, *makers], sought),
            fit=fit,
            may_make=self.may_make,
        )
        return around, [close(around, tool) for tool in self.targets]

    def _given(self, tools: Sequence[str], sought: Mapping[str, frozenset[str]]) -> Known:
        made = _with_values(self.known, self.values, self.targets, tools, self.cards)
        named = {tool: made.named.get(tool, frozenset()) | sought[tool] for tool in sought}
        return replace(made, named={**made.named, **named})


def _filled(order: Sequence[str], best: Sequence[str], around: Neighbourhood) -> list[str]:
    """The order of a menu: what is planned, then the best candidates with their producers."""
    found = dict.fromkeys(order)
    for tool in best[:CLOSED]:
        found |= dict.fromkeys([tool, *around.producers(tool, PRODUCERS)])
    for tool in best[:AGAIN]:
        found |= dict.fromkeys(around.producers(tool, MORE))
    return list(found | dict.fromkeys(best))


def candidates_of(
    frontier: Frontier,
    found: Mapping[str, MapCard],
    cards: Mapping[str, Row],
    belief: Floats | None,
    known: Candidates | None = None,
) -> Candidates:
    """The candidates with what each is for, by its place on the map and by its name.

    Args:
        frontier: the candidates.
        found: their cards on the map.
        cards: what is known of them besides.
        belief: how far the network takes each for part of the answer.
        known: other candidates of the request, of whom that is read already.
    """
    read: dict[str, tuple[Purpose, frozenset[str]]] = {}
    if known is not None:
        pairs = zip(known.purposes, known.names, strict=True)
        read = dict(zip(known.frontier.tools, pairs, strict=True))
    for tool in frontier.tools:
        if tool not in read:
            row = cards[tool]
            read[tool] = (
                Purpose.of(found[tool], row["name"]),
                name_terms(row["name"], row["title"] or ""),
            )
    purposes, names = zip(*(read[tool] for tool in frontier.tools), strict=True)
    return Candidates(frontier, purposes, names, belief)


def _with_values(
    known: Known,
    values: RequestValues,
    targets: Sequence[str],
    tools: Sequence[str],
    cards: Mapping[str, MapCard],
) -> Known:
    """What is known with what the request gives: to each tool, and by the targets to all."""
    by_tool = {tool: values.fields(tool) - known.denied for tool in tools}
    fields = known.fields.union(*(by_tool[tool] for tool in targets))
    resources = {
        need.resource
        for tool in targets
        for need in (needed_inputs(cards[tool]) if tool in cards else ())
        if need.resource and not need.role and need.field in by_tool[tool]
    }
    return replace(
        known,
        fields=fields,
        resources=known.resources | resources,
        by_tool=by_tool,
        named={tool: values.named(tool) - known.fields for tool in tools},
    )


def _sought(
    plans: Sequence[Plan], values: RequestValues, tool_map: ToolMap, known: Known
) -> dict[str, frozenset[str]]:
    """Inputs that plans leave out, though the request names the thing that they stand for.

    "Cancel Ann Lee's appointment": listing appointments needs no patient, but nothing else of the
    plan takes the name, and what looks patients up does.
    """
    steps = list(dict.fromkeys(step for plan in plans for step in plan.steps))
    values.read(steps)
    left = values.names_beside(steps)
    cards = tool_map.cards(steps) if left else {}
    found: dict[str, frozenset[str]] = {}
    for tool, card in cards.items():
        needs = [n for n in card.needs if _may_stand_for(n, card) and not known.has(tool, n)]
        for value in left:
            meant = [n for n in needs if _finders(n, card, tool_map, values, value)]
            if value.kind == "name" and len(meant) > 1:
                people = [n for n in meant if n.resource.rpartition("/")[2] in PEOPLE]
                meant = people or meant
            if len({need.resource for need in meant}) == 1:
                found[tool] = found.get(tool, frozenset()) | {meant[0].field}
        if found:
            return found
    return found


def _may_stand_for(need: Need, card: MapCard) -> bool:
    """Whether an input that may be left out says whose the things are that a tool acts on."""
    return not need.required and bool(need.resource) and need.resource != card.resource


def _finders(
    need: Need, card: MapCard, tool_map: ToolMap, values: RequestValues, value: Value
) -> list[str]:
    """The tools that look the thing of an input up by a value."""
    feeders = [f.producer for f in card.feeders if need.field in f.fields and only_reading(f)]
    looking = [
        tool
        for tool, one in tool_map.cards(feeders).items()
        if one.resource == need.resource and one.verb in ("list", "search")
    ]
    return [tool for tool in looking if values.finds(tool, value)]


def _behind(scores: Numbers) -> Numbers:
    """How far each candidate is behind the best of a clause, for its best clause."""
    found: Numbers = (scores - scores.max(axis=0)).max(axis=1)
    return found


def _spoken_of(
    candidates: Candidates, clauses: Sequence[Clause], chosen: Sequence[str]
) -> dict[str, float]:
    """How far a request speaks of each candidate besides its targets, from 0 to 1.

    By the words of the request that no target's name has: "assign it to whoever is on call" speaks
    of a second tool.
    """
    tools = candidates.frontier.tools
    said = frozenset[str]().union(*(clause.terms for clause in clauses))
    said -= frozenset[str]().union(
        *(name for tool, name in zip(tools, candidates.names, strict=True) if tool in chosen)
    )
    left = candidates.telling(said)
    shares = candidates.shared(said) / left if left else np.zeros(len(tools))
    return dict(zip(tools, shares.tolist(), strict=True))


def _ranked(frontier: Frontier, scores: TargetScores) -> list[str]:
    """Candidates by their best clause, as what it asks for or as what it is about."""
    order = np.argsort(-np.maximum(_behind(scores.target), _behind(scores.about)), kind="stable")
    return [frontier.tools[row] for row in order]


def _writers(
    tool_map: ToolMap, plans: Sequence[Plan], meant: Sequence[Target], admission: Admission
) -> dict[str, list[str]]:
    """What tools that change something would make for the plans of targets that agree."""
    asked = [p for p, one in zip(plans, meant, strict=True) if one.agrees and p.ask]
    cards = tool_map.cards(sorted({step for plan in asked for step in plan.steps}))
    found: dict[str, list[str]] = {}
    for plan in asked:
        found |= makers_left_out(cards, plan, admission.may_make)
    return found


def _doubt(meant: Sequence[Target], unread: str) -> str:
    """Why no route is shown: a route that is wrong costs more than none."""
    if unread == NOT_UNDERSTOOD:
        return NOT_UNDERSTOOD
    if not meant:
        return "no tool does what the request asks for"
    least = min(meant, key=lambda target: target.certainty)
    if all(target.agrees for target in meant) and least.certainty >= CLEAR:
        return ""
    if least.agrees and least.signs["odds"] < 0:
        return "several tools fit equally well"
    return "no tool surely does what the request asks for"
