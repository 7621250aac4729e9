"""The targets of a request: for each of its clauses the tool that the clause asks for.

Text finds candidates; acts, things and the service decide between them, each as far as it proved
to be worth on labelled requests. "Show ticket 17" is about a ticket and reads, so a tool that
purges tickets is no target, however well its text fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spm.registry.frontier.frontier import Floats
from spm.registry.map.verbs import READING
from spm.registry.routes.certainty import Target, target_signs
from spm.registry.routes.purposes import Clause, thing_named
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import (
    ACTS,
    FEATURES,
    Candidates,
    Numbers,
    features,
    standardised,
)

# Fitted on requests to six APIs and on small parts of them: `python -m benchmarks map targets`.
WEIGHTS = {
    "meaning": 0.204, "words": 0.497, "clause_meaning": 0.237, "clause_cosine": 3.46,
    "belief": 0.112, "said": -0.002, "unsaid": -0.061, "thing": 0.609, "object_said": 1.134,
    "thing_text": 0.066, "own_verb": 0.485, "same_kind": 1.61, "near_kind": 0.413,
    "other_kind": -1.028, "reads_a_wish": -1.398, "updates_a_wish": 1.125, "lists_many": 0.676,
    "lists_one": -0.273, "service": 0.078, "service_said": 2.193,
}  # fmt: skip
LIKELY = 12  # candidates whose inputs are compared with the values of the request
FOREIGN = 1.3  # what each value costs a service that does not take it, where another does
FAR = 0.25  # cosine below which a text is about something else, unless its words say otherwise
NEVER = -1e3
_NAMED = [FEATURES.index(name) for name in ("thing", "object_said")]


@dataclass(frozen=True)
class TargetScores:
    """How well each candidate is what each clause asks for, (n, clauses).

    Differences are log-odds: what scores one more is 2.7 times as likely.

    Attributes:
        features: what each score adds up, (n, clauses, features).
        target: by all that is known.
        about: by what it is about alone, whatever it does with it. What is looked up before the
            target does another act than the one that is asked for.
    """

    features: Numbers
    target: Numbers
    about: Numbers

    def moved(self, gain: Numbers) -> "TargetScores":
        """The same scores where each candidate, (n,), counts so much more."""
        more = gain[:, None]
        return TargetScores(self.features, self.target + more, self.about + more)


def target_scores(
    candidates: Candidates,
    clauses: Sequence[Clause],
    admitted: Sequence[bool],
    values: RequestValues,
) -> TargetScores:
    """Score the candidates of a request."""
    found = features(candidates, clauses)
    taken = _takers_of_subjects(candidates, clauses, values)
    found[:, :, _NAMED] = np.maximum(found[:, :, _NAMED], taken[:, :, None])
    target: Numbers = found @ np.array([WEIGHTS[name] for name in FEATURES])
    target -= FOREIGN * (taken.any(axis=0) & (taken == 0))
    about: Numbers = found @ np.array([0.0 if n in ACTS else WEIGHTS[n] for n in FEATURES])
    target[~np.array(admitted)] += NEVER
    likely = np.argsort(-target.max(axis=1), kind="stable")[:LIKELY]
    target -= FOREIGN * _foreign(candidates, likely.tolist(), values)[:, None]
    return TargetScores(found, target, about)


def belief_gain(before: Floats, after: Floats) -> Numbers:
    """What scores gain where the network believes otherwise in the candidates, (n,)."""
    gain: Numbers = WEIGHTS["belief"] * (standardised(after) - standardised(before))
    return gain


def _takers_of_subjects(
    candidates: Candidates, clauses: Sequence[Clause], values: RequestValues
) -> Numbers:
    """How far each candidate reads by the value that is all a clause speaks of, (n, clauses).

    "Who is jo@acme.com?" names no thing: what takes an e-mail address is asked for.
    """
    taken = np.zeros((len(candidates.purposes), len(clauses)))
    for at, clause in enumerate(clauses):
        if clause.object or not (clause.verb is None or clause.verb.kind in READING):
            continue
        if not (formats := values.of_a_format(*clause.span)):
            continue
        reading = [row for row, p in enumerate(candidates.purposes) if p.effects == "read"]
        tools = [candidates.frontier.tools[row] for row in reading]
        values.read(tools)
        taken[reading, at] = [values.wants(tool, formats) for tool in tools]
    return taken


def _foreign(candidates: Candidates, likely: Sequence[int], values: RequestValues) -> Numbers:
    """How many of the values that somebody takes each candidate's service does not take."""
    tools = candidates.frontier.tools
    if not values.names or len({purpose.service for purpose in candidates.purposes}) == 1:
        return np.zeros(len(tools))
    values.read(tools[row] for row in likely)
    taken: dict[str, frozenset[tuple[int, int]]] = {}
    for row in likely:
        service = candidates.purposes[row].service
        spans = values.spans(tools[row]) & values.names
        taken[service] = taken.get(service, frozenset()) | spans
    known = frozenset[tuple[int, int]]().union(*taken.values())
    none = frozenset[tuple[int, int]]()
    missed = [len(known - taken.get(p.service, none)) for p in candidates.purposes]
    return np.array(missed, dtype=np.float64)


def targets(
    candidates: Candidates, scores: TargetScores, clauses: Sequence[Clause]
) -> list[Target]:
    """For each clause that asks, what it asks for; without any, what fits best."""
    asking = [at for at, clause in enumerate(clauses) if clause.verb is not None]
    asking = asking or [int(scores.target.max(axis=0).argmax())]
    found: dict[str, Target] = {}
    for at in asking:
        first = int(np.argmax(scores.target[:, at]))
        if scores.target[first, at] <= NEVER / 2:
            continue
        tool, numbers = candidates.frontier.tools[first], scores.features[first, at]
        deeds = [(p.verb, p.resource or p.words) for p in candidates.purposes]
        alike = np.array([deed == deeds[first] for deed in deeds])
        signs = target_signs(numbers, scores.target[:, at], alike)
        agrees = _agrees(numbers) and not _harms_another(candidates, first, clauses, at)
        target = Target(tool, agrees, signs)
        if tool not in found or target.certainty > found[tool].certainty:
            found[tool] = target
    return list(found.values())


def _agrees(numbers: Numbers) -> bool:
    """Whether a target does the kind of act that is asked for, to something that is named."""
    at = dict(zip(FEATURES, numbers.tolist(), strict=True))
    strange = at["clause_cosine"] < FAR and not (at["said"] or at["thing"] or at["object_said"])
    return not (at["other_kind"] or at["reads_a_wish"] or strange)


def _harms_another(
    candidates: Candidates, row: int, clauses: Sequence[Clause], asking: int
) -> bool:
    """Whether a tool destroys another thing than the request names.

    Where only tickets can be purged, "delete customer 12" is no wish to lose a ticket. Clauses that
    only tell may name the thing, too.
    """
    purpose = candidates.purposes[row]
    if purpose.effects != "destructive" or not clauses[asking].things:
        return False
    about = [c for at, c in enumerate(clauses) if at == asking or c.verb is None]
    if any(candidates.names[row] & clause.terms for clause in about):
        return False
    return not any(thing_named(purpose, clause.words) for clause in about)
