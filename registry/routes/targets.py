"""The targets of a request: for each of its clauses the tool that the clause asks for.

Text finds candidates; acts, things and the service decide between them, each as far as it proved
to be worth on labelled requests. "Show ticket 17" is about a ticket and reads, so a tool that
purges tickets is no target, however well its text fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spm.registry.routes.purposes import Clause, Purpose
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import ACTS, FEATURES, Candidates, Numbers, features

# Fitted on requests to four APIs and on small parts of them: `python -m benchmarks map targets`.
WEIGHTS = {
    "meaning": 0.303, "words": 0.426, "clause_meaning": 0.332, "clause_cosine": 2.73, "belief":
    0.117, "said": 0.377, "unsaid": -0.06, "thing": 0.649, "object_said": 1.605, "thing_text":
    0.098, "own_verb": 1.293, "same_kind": 1.494, "near_kind": 0.342, "other_kind": -0.914,
    "reads_a_wish": -1.972, "lists_many": 1.146, "lists_one": -0.908, "service": 0.104,
}  # fmt: skip
LIKELY = 24  # candidates whose inputs are compared with the values of the request
FOREIGN = 1.3  # what each value costs a service that does not take it, where another does
NEVER = -1e3


@dataclass(frozen=True)
class Target:
    """What a clause asks for.

    Attributes:
        tool: its id.
        certainty: from 0 to 1, with tools that do the same to the same thing.
    """

    tool: str
    certainty: float


@dataclass(frozen=True)
class TargetScores:
    """How well each candidate is what each clause asks for, (n, clauses).

    Differences are log-odds: what scores one more is 2.7 times as likely.

    Attributes:
        target: by all that is known.
        about: by what it is about alone, whatever it does with it. What is looked up before the
            target does another act than the one that is asked for.
    """

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
    return TargetScores(target, about)


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


def targets(candidates: Candidates, scores: Numbers, clauses: Sequence[Clause]) -> list[Target]:
    """For each clause that asks, what it asks for; without any, what fits best."""
    asking = [at for at, clause in enumerate(clauses) if clause.verb is not None]
    asking = asking or [int(scores.max(axis=0).argmax())]
    found: dict[str, Target] = {}
    for at in asking:
        first = int(np.argmax(scores[:, at]))
        if scores[first, at] <= NEVER / 2:
            continue
        chances = np.exp(scores[:, at] - scores[first, at])
        mine = candidates.purposes[first]
        alike = [row == first or _alike(mine, p) for row, p in enumerate(candidates.purposes)]
        certainty = float(chances[alike].sum() / chances.sum())
        tool = candidates.frontier.tools[first]
        known = found.get(tool)
        found[tool] = Target(tool, max(certainty, known.certainty if known else 0.0))
    return list(found.values())


def _alike(one: Purpose, other: Purpose) -> bool:
    """Whether two tools do the same to the same thing, so that either serves."""
    return bool(one.resource) and (one.verb, one.resource) == (other.verb, other.resource)
