"""Scores of the plain ranker: sums of named terms, and the votes of similar requests."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

WEIGHTS = {"similarity": 1.0, "vote": 2.0, "neighbour": 0.2, "producer": 0.3}
# A request that resembles nothing observed learns nothing from it: below the first cosine a
# neighbour has no voice, above the second its full voice.
UNLIKE, ALIKE = 0.15, 0.45

# Of a similar request: how much farther than the nearest, its voice, the tools that solved it.
Memory = tuple[float, float, list[str]]


@dataclass
class Scores:
    """Terms of each tool, weighted; a score is their sum."""

    terms: dict[str, dict[str, float]] = field(default_factory=dict)

    def raise_to(self, tool: str, term: str, value: float) -> None:
        """Lift a term to a value, if it is lower."""
        known = self.terms.setdefault(tool, {})
        known[term] = max(known.get(term, 0.0), WEIGHTS[term] * value)

    def total(self, tool: str) -> float:
        """The score of a tool; 0 for one that nothing speaks for."""
        return sum(self.terms.get(tool, {}).values())

    def best(self, count: int | None = None) -> list[str]:
        """Tools from best to worst, equal ones by id."""
        return sorted(self.terms, key=lambda t: (-round(self.total(t), 6), t))[:count]


def memories(ways: Iterable[tuple[float, list[str]]]) -> list[Memory]:
    """What similar requests, given with their cosine, have to say."""
    found = list(ways)
    top = max((score for score, _ in found), default=0.0)
    return [(top - score, _voice(score), way) for score, way in found]


def _voice(similarity: float) -> float:
    return min(1.0, max(0.0, (similarity - UNLIKE) / (ALIKE - UNLIKE)))


def votes(memory: Iterable[Memory], scale: float) -> dict[str, float]:
    """Each tool's share of the weight of the remembered trajectories, by their voices.

    Weights fall off with distance, by a factor of e per `scale`.
    """
    weights = [(math.exp(-distance / scale), voice, set(path)) for distance, voice, path in memory]
    mass = sum(weight for weight, _, _ in weights)
    tools = sorted({tool for _, _, path in weights for tool in path})
    return {
        tool: sum(weight * voice for weight, voice, path in weights if tool in path) / mass
        for tool in tools
    }
