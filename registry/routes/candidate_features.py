"""What speaks for a candidate being among the tools that a request needs, as named numbers.

Each means the same in any library: scores are compared over the candidates of the request, by how
far they stand out, by their places and by their distance to the end of a menu. Which clause of the
request asks for a candidate, who else answers it, what a plan would run, and what `FEEDS` says of
it are numbers too. No number depends on the name of a tool or of a library.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from spm.registry.map.verbs import VerbKind
from spm.registry.menus.menu import SIZE
from spm.registry.routes.closure import Plan
from spm.registry.routes.target_features import (
    FEATURES,
    Candidates,
    Numbers,
    standardised,
)
from spm.registry.routes.targets import NEVER, TargetScores
from spm.registry.routes.tool_map import MapCard

# How much more a meaning counts than words, a clause than the whole request, and words in a clause.
MEANING, CLAUSE, CLAUSE_WORDS = 1.5, 0.7, 0.7
SHARPNESS = 0.7  # of the share that each candidate has of a clause
LEADING = 3  # candidates in front of a clause
LIKELY = 24  # candidates whose producers count
COMMON = 10  # candidates in front by meaning and by words, of which some may be the same
_FAR, _MANY = 3.0, 6.0
_VERBS: tuple[VerbKind, ...] = ("list", "search", "get", "create", "update", "delete", "act")
_UNSURE = "belief"  # the networks': it has no place beside what is learned without them


def candidate_features(
    candidates: Candidates,
    scores: TargetScores,
    cards: Mapping[str, MapCard],
    plans: Sequence[Plan],
    order: Sequence[str],
) -> dict[str, Numbers]:
    """The numbers of every candidate, each (n,).

    Args:
        candidates: of a request.
        scores: how well each is what each clause asks for.
        cards: of the candidates on the map.
        plans: of the request's targets.
        order: the tools in the order in which the plans alone would show them.
    """
    found: dict[str, Numbers] = {}
    shares = _clauses(candidates, found)
    fused = found["fused"]
    _neighbours(candidates, fused, found)
    _request(candidates, fused, shares.shape[1], found)
    likely = _targets(candidates, scores, found)
    _fields(candidates, cards, likely, found)
    _planned(candidates, plans, order, found)
    return found


def _signal(name: str, values: Numbers) -> Iterator[tuple[str, Numbers]]:
    """A score as it stands out, by its place, and by its distance to the end of a menu."""
    high = standardised(values)
    places = _places(high)
    ranked = -np.sort(-high)
    last = ranked[min(SIZE, len(ranked)) - 1]
    yield name, high
    yield f"{name}_place", np.log1p(places)
    yield f"{name}_far", np.clip((high - last) / max(1e-6, ranked[0] - last), -_FAR, _FAR)


def _places(values: Numbers) -> Numbers:
    places = np.empty(len(values))
    places[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return places


def _clauses(candidates: Candidates, found: dict[str, Numbers]) -> Numbers:
    """Texts compared as a whole and clause by clause; returns each one's share of each clause."""
    frontier = candidates.frontier
    meaning, words = frontier.clauses, frontier.clause_lexical
    if not meaning.shape[1]:
        meaning, words = frontier.similarity[:, None], frontier.lexical[:, None]
    both = standardised(meaning) + CLAUSE_WORDS * standardised(words)
    whole = standardised(frontier.lexical) + MEANING * standardised(frontier.similarity)
    for name, values in (
        ("meaning", frontier.similarity),
        ("words", frontier.lexical),
        ("search", frontier.fused),
        ("clause_meaning", meaning.max(axis=1)),
        ("clause_words", words.max(axis=1)),
        ("clause", both.max(axis=1)),
        ("fused", whole + CLAUSE * both.max(axis=1)),
    ):
        found.update(_signal(name, values.astype(np.float64)))
    raised = np.exp((both - both.max(axis=0)) / SHARPNESS)
    shares: Numbers = raised / raised.sum(axis=0)
    count = both.shape[1]
    places = np.stack([_places(column) for column in both.T], axis=1)
    best = both.argmax(axis=1)
    found["share"] = shares.max(axis=1)
    found["shares"] = shares.sum(axis=1)
    found["best_place"] = np.log1p(places.min(axis=1))
    found["behind"] = (both - both.max(axis=0)).max(axis=1)
    found["leads"] = (places < LEADING).sum(axis=1) / count
    mean = shares @ np.arange(count) / np.maximum(1e-9, shares.sum(axis=1))
    found["when"] = mean / max(1, count - 1)
    found["asked_first"] = (best == 0).astype(np.float64)
    found["asked_when"] = best / max(1, count - 1)
    return shares


def _neighbours(candidates: Candidates, fused: Numbers, found: dict[str, Numbers]) -> None:
    """Who is like a candidate and stands before it, and how its family and service do."""
    frontier = candidates.frontier
    lengths = np.linalg.norm(frontier.vectors, axis=1, keepdims=True)
    vectors = frontier.vectors / np.maximum(1e-9, lengths)
    places = _places(fused)
    ahead = places[None, :] < places[:, None]
    found["twin_ahead"] = np.where(ahead, vectors @ vectors.T, -1.0).max(axis=1).clip(-1.0, 1.0)
    raised = np.exp(fused - fused.max())
    for name, codes in (("family", frontier.family), ("service", frontier.service)):
        same = (codes[:, None] == codes[None, :]) & (codes[:, None] >= 0)
        best = np.where(same, fused[None, :], -np.inf).max(axis=1)
        found[f"{name}_ahead"] = np.log1p((same & ahead).sum(axis=1))
        found[f"{name}_mass"] = same @ (raised / raised.sum())
        found[f"{name}_behind"] = np.where(np.isfinite(best), fused - best, 0.0)


def _request(
    candidates: Candidates, fused: Numbers, clauses: int, found: dict[str, Numbers]
) -> None:
    """What is the same for all candidates: how clear the request is."""
    frontier = candidates.frontier
    ranked = -np.sort(-fused)
    front = [set(np.argsort(-values, kind="stable")[:COMMON].tolist())
             for values in (frontier.similarity, frontier.lexical)]  # fmt: skip
    told = {
        "clauses": float(clauses),
        "clearest": float(ranked[0]),
        "gap": float(ranked[0] - ranked[min(COMMON, len(ranked)) - 1]),
        "agreement": len(front[0] & front[1]) / COMMON,
    }
    for name, value in told.items():
        found[f"request_{name}"] = np.full(len(fused), value)


def _targets(candidates: Candidates, scores: TargetScores, found: dict[str, Numbers]) -> Numbers:
    """How well each is what a clause asks for; returns how likely each is a target, adding to 1."""
    rows, best = np.arange(len(scores.target)), scores.target.argmax(axis=1)
    numbers: Numbers = scores.features[rows, best]
    for at, name in enumerate(FEATURES):
        if name != _UNSURE:
            found[f"target_{name}"] = numbers[:, at]
    # What the request's verbs do not allow keeps what else speaks for it.
    barred = scores.target < NEVER / 2
    target = np.where(barred, scores.target - NEVER + _BARRED, scores.target)
    found["allowed"] = np.any(~barred, axis=1).astype(np.float64)
    found.update(_signal("target", target.max(axis=1)))
    found.update(_signal("about", scores.about.max(axis=1)))
    chances = np.exp(target - target.max(axis=0))
    chances /= chances.sum(axis=0)
    found["chance"] = chances.max(axis=1)
    found["chances"] = chances.sum(axis=1)
    likely: Numbers = found["chance"] / max(1e-9, float(found["chance"].sum()))
    return likely


_BARRED = -5.0


def _fields(
    candidates: Candidates,
    cards: Mapping[str, MapCard],
    likely: Numbers,
    found: dict[str, Numbers],
) -> None:
    """What a candidate needs, and whether it makes what likely ones need."""
    frontier, purposes = candidates.frontier, candidates.purposes
    needed = frontier.takes.sum(axis=1)
    met = frontier.takes @ frontier.given
    found["needs"] = np.minimum(needed, _MANY).astype(np.float64)
    found["lacks"] = np.minimum(needed - met, _MANY).astype(np.float64)
    found["ready"] = ((met + (needed == 0)) / np.maximum(1.0, needed)).astype(np.float64)
    lacking = frontier.takes * (1.0 - frontier.given)
    makes = frontier.gives @ lacking.T / np.maximum(1.0, lacking.sum(axis=1))
    found["makes"] = makes @ likely
    found["made"] = likely @ makes
    feeds, most = _fed(candidates, cards, likely)
    found["feeds"], found["feeds_most"] = feeds, most
    for verb in _VERBS:
        found[f"verb_{verb}"] = np.array([float(p.verb == verb) for p in purposes])
    for effects in ("read", "destructive"):
        found[f"effects_{effects}"] = np.array([float(p.effects == effects) for p in purposes])


def _fed(
    candidates: Candidates, cards: Mapping[str, MapCard], likely: Numbers
) -> tuple[Numbers, Numbers]:
    """How much a candidate feeds likely ones by `FEEDS`: all of them, and the one it feeds most."""
    tools = candidates.frontier.tools
    number = {tool: at for at, tool in enumerate(tools)}
    total, most = np.zeros(len(tools)), np.zeros(len(tools))
    top = max(1e-9, float(likely.max(initial=0.0)))
    for consumer in np.argsort(-likely, kind="stable")[:LIKELY].tolist():
        card = cards.get(tools[consumer])
        weights: dict[int, float] = {}
        for feeder in card.feeders if card else ():
            if (at := number.get(feeder.producer)) is not None:
                weights[at] = max(feeder.weight, weights.get(at, 0.0))
        for at, weight in weights.items():
            total[at] += weight * likely[consumer]
            most[at] = max(most[at], weight * likely[consumer] / top)
    return total, most


def _planned(
    candidates: Candidates,
    plans: Sequence[Plan],
    order: Sequence[str],
    found: dict[str, Numbers],
) -> None:
    """Where plans alone would show a candidate, and whether it is a step of one, or a target."""
    tools = candidates.frontier.tools
    place = {tool: at for at, tool in enumerate(order)}
    steps = {step for plan in plans for step in plan.steps}
    ends = {plan.target for plan in plans}
    found["plan_place"] = np.array([math.log1p(place.get(tool, _NOWHERE)) for tool in tools])
    found["plan_step"] = np.array([float(tool in steps) for tool in tools])
    found["plan_target"] = np.array([float(tool in ends) for tool in tools])


_NOWHERE = 200
