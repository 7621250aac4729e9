"""The targets of a request: for each of its clauses the tool that the clause asks for.

Text finds candidates; acts, things and the service decide between them, each as far as it proved
to be worth on labelled requests. "Show ticket 17" is about a ticket and reads, so a tool that
purges tickets is no target, however well its text fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spm.registry.routes.purposes import Clause
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import ACTS, FEATURES, Candidates, Numbers, features

# Fitted on requests to seven APIs and on small parts of them: `python -m benchmarks map targets`.
WEIGHTS = {
    "meaning": 0.166, "words": 0.389, "clause_meaning": 0.301, "clause_cosine": 2.928,
    "belief": 0.153, "said": 0.359, "unsaid": -0.064, "thing": 0.487, "object_said": 1.149,
    "thing_text": 0.1, "own_verb": 0.604, "same_kind": 1.562, "near_kind": 0.472,
    "other_kind": -1.052, "reads_a_wish": -2.027, "lists_many": 0.961, "lists_one": -0.403,
    "service": 0.092,
}  # fmt: skip
# How sure a target is, by a logistic of these: fitted with the weights above.
SURENESS = {"odds": 0.58, "words": 0.08, "clause_cosine": 1.599, "named": 0.028, "act": 0.697}
BIAS = -1.44
LIKELY = 24  # candidates whose inputs are compared with the values of the request
FOREIGN = 1.3  # what each value costs a service that does not take it, where another does
NEVER = -1e3
LEAST = 1e-3  # of a chance, so that one candidate alone is not certain


@dataclass(frozen=True)
class Target:
    """What a clause asks for.

    Attributes:
        tool: its id.
        certainty: from 0 to 1.
        agrees: whether it does the kind of act that the clause asks for.
    """

    tool: str
    certainty: float
    agrees: bool


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


def target_scores(
    candidates: Candidates,
    clauses: Sequence[Clause],
    admitted: Sequence[bool],
    values: RequestValues,
) -> TargetScores:
    """Score the candidates of a request."""
    found = features(candidates, clauses)
    target: Numbers = found @ np.array([WEIGHTS[name] for name in FEATURES])
    about: Numbers = found @ np.array([0.0 if n in ACTS else WEIGHTS[n] for n in FEATURES])
    target[~np.array(admitted)] += NEVER
    likely = np.argsort(-target.max(axis=1), kind="stable")[:LIKELY]
    target -= FOREIGN * _foreign(candidates, likely.tolist(), values)[:, None]
    return TargetScores(found, target, about)


def _foreign(candidates: Candidates, likely: Sequence[int], values: RequestValues) -> Numbers:
    """How many of the values that somebody takes each candidate's service does not take."""
    tools = candidates.frontier.tools
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
        signs = sure_signs(numbers, scores.target[:, at], alike)
        raw = BIAS + sum(SURENESS[name] * value for name, value in signs.items())
        target = Target(tool, float(1 / (1 + np.exp(-raw))), _agrees(numbers))
        if tool not in found or target.certainty > found[tool].certainty:
            found[tool] = target
    return list(found.values())


def sure_signs(numbers: Numbers, scores: Numbers, alike: NDArray[np.bool_]) -> dict[str, float]:
    """What says that the best candidate of a clause is right.

    Args:
        numbers: its features.
        scores: of all candidates for the clause.
        alike: which of them do the same to the same thing: either serves.
    """
    chances = np.exp(scores - scores.max())
    share = float(chances[alike].sum() / chances.sum())
    at = dict(zip(FEATURES, numbers.tolist(), strict=True))
    return {
        "odds": float(np.log(share + LEAST) - np.log(1 - share + LEAST)),
        "words": at["words"],
        "clause_cosine": at["clause_cosine"],
        "named": max(at["thing"], at["object_said"]),
        "act": min(1.0, at["same_kind"] + at["own_verb"] + (at["near_kind"] > 0)),
    }


def _agrees(numbers: Numbers) -> bool:
    at = dict(zip(FEATURES, numbers.tolist(), strict=True))
    return not (at["other_kind"] or at["reads_a_wish"])
