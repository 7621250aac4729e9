"""How likely a planned route is right: by signs of its targets and of its plans.

A route that is wrong costs more than none, so it is shown only from `CLEAR` on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spm.registry.routes.closure import Plan
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.target_features import FEATURES, Numbers
from spm.registry.routes.tool_map import MapCard

# A logistic of these, fitted on requests to seven APIs: `python -m benchmarks map targets`.
SIGNS = {
    "odds": 0.57, "meaning": 0.24, "words": -0.014, "clause_cosine": 1.381, "named": 0.091,
    "act": 0.961, "unused": -0.42, "asked": -3.443,
}  # fmt: skip
BIAS = -1.917
CLEAR = 0.5  # certainty from which a route is shown
ODDS = 3.0  # at the most: a tool that is alone is not therefore right
LEAST = 1e-3  # of a chance
MOST = 3  # unused values and asked inputs that are counted


@dataclass(frozen=True)
class Target:
    """What a clause asks for.

    Attributes:
        tool: its id.
        agrees: whether it does the kind of act that the clause asks for.
        signs: what says that it is right, by name.
    """

    tool: str
    agrees: bool = True
    signs: Mapping[str, float] = field(default_factory=dict)

    @property
    def certainty(self) -> float:
        """How likely it is right, from 0 to 1."""
        raw = BIAS + sum(weight * self.signs.get(name, 0.0) for name, weight in SIGNS.items())
        return float(1 / (1 + np.exp(-raw)))


def target_signs(numbers: Numbers, scores: Numbers, alike: NDArray[np.bool_]) -> dict[str, float]:
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
        "odds": float(np.clip(np.log(share + LEAST) - np.log(1 - share + LEAST), -ODDS, ODDS)),
        "meaning": at["meaning"],
        "words": at["words"],
        "clause_cosine": at["clause_cosine"],
        "named": max(at["thing"], at["object_said"]),
        "act": min(1.0, at["same_kind"] + at["own_verb"] + (at["near_kind"] > 0)),
    }


def plan_signs(
    plans: Sequence[Plan], plan: Plan, values: RequestValues, card: MapCard | None
) -> dict[str, float]:
    """What says that a plan is what the request wants: it uses its values, and asks for no id.

    Args:
        plans: all plans of the request; a value may be meant for any of them.
        plan: one of them.
        values: what the request gives.
        card: of the plan's target.
    """
    steps = [step for one in plans for step in one.steps]
    values.read(steps)
    used = frozenset[tuple[int, int]]().union(*(values.spans(step) for step in steps))
    things = {need.field for need in card.needs if need.resource} if card else set()
    asked = [name for name, who in plan.supplies[plan.target].items() if who == "ask"]
    return {
        "unused": float(min(len(values.names - used), MOST)),
        "asked": float(min(len(things.intersection(asked)), MOST)),
    }
