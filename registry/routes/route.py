"""A route without traces: targets by clause, closed backwards, and shown only where it is clear."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spm.registry.catalog.fields import singular
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.map.verbs import request_verbs
from spm.registry.request.clauses import clauses
from spm.registry.request.search_words import searched_text
from spm.registry.routes.admission import NOT_UNDERSTOOD, Admission, unread
from spm.registry.routes.closure import Known, Neighbourhood, Plan, close
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.targets import (
    NEVER,
    Clause,
    Purpose,
    Scores,
    agrees,
    standardised,
    target_scores,
)
from spm.registry.routes.tool_map import MapCard, ToolMap
from spm.registry.store.interface import Row

LIKELY = 24  # candidates whose inputs are compared with the values of the request
VALUES = 2.0  # what a candidate gets that takes all of them
MAKERS = 40  # producers for a target whose inputs are compared, too
CLOSED = 12  # candidates whose producers come into the menu with them
PRODUCERS = 2  # of each of their inputs
AGAIN, MORE = 6, 4  # and more producers of the first of them behind
BELIEF = 1.0  # of the network's standardised belief, beside text, verbs and resources
SIMILAR, MANY = 0.4, 64  # cosine from which a target's text is about what is asked, among so many
CLEAR = 1.0  # by how much a target must lead over what does something else
SERVICE = 2.0  # what the service that fits all clauses best gets on top
UNFIT, FIT = 1.0, 6.0  # scores of a candidate that is not meant, and of one that surely is
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Proposal:
    """What a menu without traces is made of.

    Attributes:
        order: tools in the order of the menu, as far as they are decided here.
        route: the tools in front that are the route; empty where no target is clear.
        plans: of the targets, with who gives each input.
        doubt: why no route is shown; "" where one is.
    """

    order: list[str]
    route: list[str]
    plans: list[Plan]
    doubt: str = ""


@dataclass(frozen=True)
class _Target:
    tool: str
    score: float
    margin: float  # over what does something else
    agrees: bool  # in its act and its thing with what is asked
    similarity: float  # of its text and the request's, or the clause's


def propose(
    tool_map: ToolMap,
    frontier: Frontier,
    cards: Mapping[str, Row],
    request: str,
    known: Known,
    *,
    belief: Floats | None = None,
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
        allow_writes: let tools that change something make inputs.
    """
    if not frontier.tools:
        return Proposal([], [], [], "no candidate")
    asked = read_clauses(request, frontier.clauses.shape[1])
    found = tool_map.cards(frontier.tools)
    purposes = {tool: Purpose.of(found[tool], cards[tool]["name"]) for tool in frontier.tools}
    values, admission = RequestValues(request, tool_map), Admission.of(request)
    scores = _scores(frontier, purposes, asked, admission, values, belief)
    targets = _targets(frontier, purposes, scores, asked)
    best = _ranked(frontier, scores)
    chosen = [target.tool for target in targets]
    closed = list(dict.fromkeys([*chosen, *best[:CLOSED]]))
    values.read(closed)
    fit = _fits(frontier, scores)
    given = _with_values(known, values, chosen, closed, found)
    direct = Neighbourhood.around(tool_map, chosen, given, depth=1, allow_writes=allow_writes)
    makers = sorted(direct.producers_of_all())[:MAKERS]
    values.read(makers)
    fit |= {tool: max(fit.get(tool, 0.0), values.share_beside(tool, chosen)) for tool in makers}
    given = _with_values(known, values, chosen, [*closed, *makers], found)
    around = Neighbourhood.around(tool_map, closed, given, fit=fit, allow_writes=allow_writes)
    plans = [close(around, tool) for tool in chosen]
    route = list(dict.fromkeys(step for plan in plans for step in plan.steps))
    order = dict.fromkeys(route)
    for tool in best[:CLOSED]:
        order |= dict.fromkeys([tool, *around.producers(tool, PRODUCERS)])
    for tool in best[:AGAIN]:
        order |= dict.fromkeys(around.producers(tool, MORE))
    order |= dict.fromkeys(best)
    doubt = _doubt(targets, len(frontier.tools))
    if unread(request, admission) == NOT_UNDERSTOOD:
        doubt = NOT_UNDERSTOOD
    return Proposal(list(order), [] if doubt else route, plans, doubt)


def _scores(
    frontier: Frontier,
    purposes: Mapping[str, Purpose],
    asked: Sequence[Clause],
    admission: Admission,
    values: RequestValues,
    belief: Floats | None,
) -> Scores:
    """How well each candidate is what each clause asks for, by all that is known."""
    scores = target_scores(frontier, asked, purposes, admission)
    scores += SERVICE * _service_bonus(frontier, purposes, scores)[:, None]
    if belief is not None:
        scores += BELIEF * standardised(belief)[:, None]
    values.read(_ranked(frontier, scores)[:LIKELY])
    scores += VALUES * np.array([values.share(tool) for tool in frontier.tools])[:, None]
    return scores


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
        for need in (cards[tool].needs if tool in cards else ())
        if need.resource and not need.role and need.field in by_tool[tool]
    }
    return replace(
        known,
        fields=fields,
        resources=known.resources | resources,
        by_tool=by_tool,
        named={tool: values.named(tool) - known.fields for tool in tools},
    )


def read_clauses(request: str, count: int) -> list[Clause]:
    """The clauses of a request as the frontier knows them, each with its words and its verb."""
    spans = clauses(searched_text(request))[:count]
    verbs = request_verbs(request)
    found = []
    for begin, end in spans:
        said = [w.lower() for w in _WORD.findall(request[begin:end])]
        mine = [verb for verb in verbs if begin <= verb.begin < end]
        named = frozenset(singular(word) for word in said)
        pairs = {a + b for a, b in zip(said, map(singular, said[1:]), strict=False)}
        found.append(Clause(named | frozenset(pairs), mine[0] if mine else None))
    return found


def _service_bonus(frontier: Frontier, purposes: Mapping[str, Purpose], scores: Scores) -> Scores:
    services = np.array([purposes[tool].service for tool in frontier.tools])
    total = {
        name: float(scores[services == name].max(axis=0).clip(min=-5.0).sum())
        for name in sorted(set(services.tolist()))
    }
    best: Scores = (services == max(total, key=total.__getitem__)).astype(np.float64)
    return best


def _targets(
    frontier: Frontier,
    purposes: Mapping[str, Purpose],
    scores: Scores,
    asked: Sequence[Clause],
) -> list[_Target]:
    """For each clause that asks, what it asks for; without any, what fits best."""
    asking = [at for at, clause in enumerate(asked) if clause.verb is not None]
    asking = asking or [int(scores.max(axis=0).argmax())]
    found = []
    said = frozenset().union(*(clause.words for clause in asked))
    for at in asking:
        order = np.argsort(-scores[:, at], kind="stable")
        first = int(order[0])
        if scores[first, at] <= NEVER / 2:
            continue
        mine = purposes[frontier.tools[first]]
        rival = next(
            (
                float(scores[row, at])
                for row in order[1:]
                if (purposes[frontier.tools[row]].verb, purposes[frontier.tools[row]].resource)
                != (mine.verb, mine.resource)
            ),
            NEVER,
        )
        score = float(scores[first, at])
        agreed = agrees(mine, asked[at].verb, said)
        similar = max(float(frontier.similarity[first]), float(frontier.clauses[first, at]))
        found.append(_Target(frontier.tools[first], score, score - rival, agreed, similar))
    return found


def _fits(frontier: Frontier, scores: Scores) -> dict[str, float]:
    """How far the request means each candidate, from 0 to 1."""
    fits = ((scores.max(axis=1) - UNFIT) / (FIT - UNFIT)).clip(0.0, 1.0)
    return dict(zip(frontier.tools, fits.tolist(), strict=True))


def _ranked(frontier: Frontier, scores: Scores) -> list[str]:
    """Candidates by their best clause."""
    best = scores.max(axis=1)
    order = np.argsort(-best, kind="stable")
    return [frontier.tools[row] for row in order]


def _doubt(targets: Sequence[_Target], candidates: int) -> str:
    """Why no route is shown: a route that is wrong costs more than none."""
    if not targets:
        return "no tool does what the request asks for"
    # Among a few tools act and thing decide; among thousands words meet by chance.
    similar = SIMILAR * min(1.0, candidates / MANY)
    if not all(target.agrees and target.similarity >= similar for target in targets):
        return "no tool surely does what the request asks for"
    if min(target.margin for target in targets) < CLEAR:
        return "several tools fit equally well"
    return ""
