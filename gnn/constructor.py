"""From a frontier to an ordered menu: features, two networks, two decoders. No torch.

Functions named `…_steps` yield what they ask of the networks (see `gnn.networks.passes`), so
that many menus can be built side by side.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spm.gnn.decoding import (
    UNARRANGED,
    Arranged,
    Chosen,
    Routing,
    Scores,
    SetWeights,
    arrange,
    choose,
    missing_fields,
)
from spm.gnn.features import Facts, Inputs, derive, pairs, recalled, strictness
from spm.gnn.model import Model
from spm.gnn.networks.inference import networks_of
from spm.gnn.networks.input_rows import candidate_rows, chosen_rows
from spm.gnn.networks.passes import Candidates, Leading, Order, Steps, answered
from spm.registry.frontier.frontier import Floats, Frontier, Memory
from spm.registry.menus.menu import PREFIX, SIZE


@dataclass(frozen=True)
class Construction:
    """A menu as numbers of the frontier, with every term of every score."""

    frontier: Frontier
    facts: Facts
    member: Floats  # (n,) the retriever's probability of belonging
    chosen: Chosen  # the set, by its own score
    sets: SetWeights  # that it was chosen with
    head: list[int]  # what the reranker saw, numbers into the frontier
    arranged: Arranged  # the leading tools, numbers into `head`; none where a plan orders them
    sequence: list[int]  # the whole menu in order, numbers into the frontier
    route: list[int]  # those of them that are the route


@dataclass(frozen=True)
class Retrieved:
    """What the retriever makes of a frontier.

    Attributes:
        facts: what is derived from it.
        member: (n,) the probability of belonging to the answer.
        slots: (n, places) how likely each candidate stands at each place.
    """

    facts: Facts
    member: Floats
    slots: Floats


def retrieve_steps(model: Model, frontier: Frontier) -> Steps[Retrieved]:
    """Ask the first network alone: a plan needs no more."""
    facts = derive(frontier, model.design.inputs)
    rows = candidate_rows(facts, model.design.inputs)
    member, slots = yield Candidates(rows, facts.relations)
    return Retrieved(facts, member, slots)


def collect_steps(
    model: Model,
    frontier: Frontier,
    size: int = SIZE,
    done: tuple[str, ...] = (),
    retrieved: Retrieved | None = None,
) -> Steps[Construction]:
    """Build a menu in the order of the set alone; the arguments are those of `construct_steps`.

    Where a plan orders the tools, the second network would have no say.
    """
    first = retrieved or (yield from retrieve_steps(model, frontier))
    ran = _ran(frontier, done)
    chosen = _choose(model, frontier, first, size, ran)
    return Construction(
        frontier=frontier,
        facts=first.facts,
        member=first.member,
        chosen=chosen,
        sets=model.sets,
        head=[],
        arranged=UNARRANGED,
        sequence=[i for i in chosen.order.tolist() if i not in ran][:size],
        route=[],
    )


def construct(
    model: Model,
    frontier: Frontier,
    size: int = SIZE,
    prefix: int = PREFIX,
    done: tuple[str, ...] = (),
) -> Construction:
    """Build one menu; the arguments are those of `construct_steps`."""
    steps = construct_steps(model, frontier, size, prefix, done)
    return answered(networks_of(model), [steps])[0]


def construct_steps(
    model: Model,
    frontier: Frontier,
    size: int = SIZE,
    prefix: int = PREFIX,
    done: tuple[str, ...] = (),
    retrieved: Retrieved | None = None,
) -> Steps[Construction]:
    """Build a menu of `size` tools with at most `prefix` in front; `done` tools ran already.

    `retrieved` is what `retrieve_steps` made of the same frontier, where that is known.
    """
    first = retrieved or (yield from retrieve_steps(model, frontier))
    facts, member, slots = first.facts, first.member, first.slots
    ran = _ran(frontier, done)
    chosen = _choose(model, frontier, first, size, ran)
    said = np.concatenate([member[:, None], slots], axis=1)
    head = _head(chosen, ran)
    inputs, routing = model.design.inputs, model.design.routing
    between = pairs(frontier, facts, head.order, head.score, inputs.pair)
    order = yield Leading(chosen_rows(facts, head, said[head.order], inputs), between)
    scores = _scores(frontier, facts, head, order, member, _next(frontier, head, between, inputs))
    placed = tuple(range(len(head.order) - len(ran), len(head.order)))
    arranged = arrange(scores, frontier.given, model.orders, prefix, placed, routing)
    lead = [int(i) for i in arranged.order]
    kept = _route(lead, scores, frontier, model.cut, routing) or lead[:1]
    kept = _close_over_inputs(kept, scores, frontier.given, prefix, len(ran), routing)
    front = [int(head.order[i]) for i in _with_other_entries(kept, lead, arranged, size)]
    rest = [int(i) for i in chosen.order if int(i) not in {*front, *ran}]
    return Construction(
        frontier=frontier,
        facts=facts,
        member=member,
        chosen=chosen,
        sets=model.sets,
        head=[int(i) for i in head.order],
        arranged=arranged,
        sequence=[*front, *rest][:size],
        route=[int(head.order[i]) for i in kept][:size],
    )


def belief_without_traces_steps(model: Model, frontier: Frontier) -> Steps[Floats]:
    """How far the retriever takes each candidate for part of the answer, whatever traces show.

    A plan is made where similar requests say too little; what was observed of other workflows must
    not move it.
    """
    memory = frontier.memory
    bare = replace(
        frontier,
        frequency=np.zeros_like(frontier.frequency),
        entry=np.zeros_like(frontier.entry),
        precedes=np.zeros_like(frontier.precedes),
        before=np.zeros_like(frontier.before),
        memory=Memory([], memory.similarity[:0], memory.lexical[:0], memory.steps[:0]),
    )
    return (yield from retrieve_steps(model, bare)).member


def _route(
    lead: list[int], scores: Scores, frontier: Frontier, cut: float, routing: Routing
) -> list[int]:
    """Those in front that belong to the route: likely enough, and able to run where they stand.

    A tool counts for less where inputs are missing that some candidate makes and no tool of the
    route has made: in a library that keeps its declarations it could not run there.
    """
    made = (frontier.gives * (1.0 - frontier.takes)).max(axis=0, initial=0.0)
    state, kept = frontier.given.copy(), []
    for i in lead:
        unmet = float((scores.takes[i] * (1.0 - state) * made).sum())
        share = unmet / max(1.0, float(scores.takes[i].sum()))
        if scores.belongs[i] * (1.0 - routing.doubt * scores.strictness**2 * share) >= cut:
            kept.append(i)
            state = np.maximum(state, scores.gives[i])
    return kept


def _close_over_inputs(
    kept: list[int], scores: Scores, given: Floats, room: int, ran: int, routing: Routing
) -> list[int]:
    """Insert producers of missing inputs before their consumers.

    Only where traces show that declarations are kept: elsewhere names may meet by chance, and the
    request may give fields that its parser did not see.
    """
    if scores.strictness < routing.promised:
        return kept
    makes = scores.gives * (1.0 - scores.takes)
    makes[len(makes) - ran :] = 0.0  # what ran already is not run again
    route: list[int] = []
    for tool in kept:
        grown = _add_producers(tool, route, scores, makes, given, routing.likely)
        route = grown if len(grown) <= room else route
    return route or kept


def _add_producers(
    tool: int,
    route: list[int],
    scores: Scores,
    makes: Floats,
    given: Floats,
    likely: float,
    waiting: frozenset[int] = frozenset(),
) -> list[int]:
    """Append a tool to the route, after the producers of its missing fields.

    `waiting` holds the tools that are being resolved, which stops cycles.
    """
    if tool in route:
        return route
    for field in np.flatnonzero(scores.takes[tool] * (1.0 - given)).tolist():
        makers = np.flatnonzero(makes[:, field]).tolist()
        free = [maker for maker in makers if maker != tool and maker not in waiting]
        if not free or any(scores.gives[i, field] for i in route):
            continue
        best = max(free, key=lambda i: round(float(scores.belongs[i]), 5))
        if scores.belongs[best] >= likely:
            route = _add_producers(best, route, scores, makes, given, likely, waiting | {tool})
    return [*route, tool]


def _with_other_entries(
    kept: list[int], lead: list[int], arranged: Arranged, size: int
) -> list[int]:
    """The route, then other tools that could well come first, then the rest of those arranged.

    Whoever reads a menu from the top reads a route that can run. Where its beginning is in doubt
    the other beginnings come next; where it is not, there are none. They take no place away from
    the route: a small menu holds all of it.
    """
    others = [int(i) for i in arranged.beginnings if int(i) not in kept]
    others = others[: max(0, size - len(kept))]
    return list(dict.fromkeys([*kept, *others, *lead]))


def _ran(frontier: Frontier, done: tuple[str, ...]) -> list[int]:
    return [frontier.tools.index(tool) for tool in done if tool in frontier.tools]


def _choose(
    model: Model, frontier: Frontier, first: Retrieved, size: int, ran: list[int]
) -> Chosen:
    count = model.design.routing.missing
    missing = missing_fields(frontier.takes, frontier.given, first.member, count)
    offered = first.member.copy()
    offered[ran] = -1.0  # behind everything: what ran already is not offered again
    makes, vectors = frontier.gives[:, missing], first.facts.vectors
    return choose(offered, first.slots, makes, vectors, model.sets, max(size, SIZE))


def _head(chosen: Chosen, ran: list[int]) -> Chosen:
    """What the reranker sees: the first 32, and behind them what ran already."""
    keep = np.flatnonzero(~np.isin(chosen.order, ran))[:SIZE]
    order = np.concatenate([chosen.order[keep], np.array(ran, dtype=np.int64)])
    score = np.concatenate([chosen.score[keep], np.ones(len(ran), dtype=np.float32)])
    return replace(chosen, order=order, score=score)


def _next(frontier: Frontier, head: Chosen, between: Floats, inputs: Inputs) -> Floats:
    """Who ran right after whom in the nearest solved requests, where the networks saw it or not."""
    if "recalled_next" in inputs.pair:
        return between[..., inputs.pair.index("recalled_next")]
    return recalled(frontier, head.order)[2]


def _scores(
    frontier: Frontier,
    facts: Facts,
    head: Chosen,
    order: Order,
    member: Floats,
    recalled: Floats,
) -> Scores:
    local = np.ix_(head.order, head.order)
    return Scores(
        member=order.member,
        entry=order.entry,
        slot=order.slot,
        precedence=order.precedence,
        follows=facts.follows[local],
        feeds=facts.feeds[local],
        recalled=recalled,
        takes=frontier.takes[head.order],
        gives=frontier.gives[head.order],
        belongs=member[head.order],
        strictness=strictness(frontier, facts.feeds),
    )


def names(construction: Construction) -> list[str]:
    """The menu as ids."""
    return [construction.frontier.tools[i] for i in construction.sequence]


def place_of(frontier: Frontier, path: list[str]) -> NDArray[np.int64]:
    """Each candidate's place in a path, -1 outside."""
    places = {tool: at for at, tool in enumerate(dict.fromkeys(path))}
    return np.array([places.get(tool, -1) for tool in frontier.tools], dtype=np.int64)
