"""The order of candidates where no observed request helps, learned across libraries.

Two scorers read the numbers of `candidate_features`: how likely a tool is needed at all, and which
of the likeliest runs first. Each is a linear model and a forest of small trees, fitted on libraries
of public benchmarks and on requests to public APIs: `python -m benchmarks day_one`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from spm.registry.routes.target_features import Numbers

FILE = "candidate_ranking.safetensors"
# How much each part counts, in units of its spread over the candidates. That search alone still has
# a say keeps menus of libraries that are unlike all others near what text finds.
TREES, SEARCH = 1.0, 0.5
FIRST_LINEAR = 0.5
ENTRIES = 24  # of the best, one runs first
SURE = 10  # places that are the learned order's alone
_CUT = 4.0  # spreads

Tensors = Mapping[str, NDArray[Any]]
Item = TypeVar("Item", int, str)


@dataclass(frozen=True)
class Forest:
    """Small trees, side by side: node k of tree t is at [t, k], and a leaf is its own child.

    Attributes:
        feature: (trees, nodes) the number that a node compares.
        threshold: (trees, nodes) up to which it goes left.
        left, right: (trees, nodes) where it goes.
        value: (trees, nodes) what a leaf says.
        depth: of the deepest tree.
    """

    feature: NDArray[np.int64]
    threshold: Numbers
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Numbers
    depth: int

    def scores(self, rows: Numbers) -> Numbers:
        """What all trees say together of each row, (n,)."""
        trees, nodes = self.feature.shape
        first = (np.arange(trees) * nodes)[:, None]
        at = np.repeat(first, len(rows), axis=1)
        feature, threshold = self.feature.ravel(), self.threshold.ravel()
        left, right = (self.left + first).ravel(), (self.right + first).ravel()
        columns = np.ascontiguousarray(rows.T).ravel()
        row = np.arange(len(rows))[None, :]
        for _ in range(self.depth):
            goes_left = columns[feature[at] * len(rows) + row] <= threshold[at]
            at = np.where(goes_left, left[at], right[at])
        found: Numbers = self.value.ravel()[at].sum(axis=0)
        return found


@dataclass(frozen=True)
class Scorer:
    """A linear model and a forest over the same numbers."""

    mean: Numbers
    spread: Numbers
    weights: Numbers
    forest: Forest

    @classmethod
    def of(cls, tensors: Tensors, name: str) -> "Scorer":
        """Read one out of the tensors whose names begin alike."""
        own = {key.removeprefix(f"{name}."): value for key, value in tensors.items()
               if key.startswith(f"{name}.")}  # fmt: skip
        exact = {key: value.astype(np.float64) for key, value in own.items()}
        whole = {key: own[key].astype(np.int64) for key in ("feature", "left", "right")}
        forest = Forest(
            whole["feature"], exact["threshold"], whole["left"], whole["right"], exact["value"],
            int(own["depth"][0]),
        )  # fmt: skip
        return cls(exact["mean"], exact["spread"], exact["weights"], forest)

    def linear(self, rows: Numbers) -> Numbers:
        """What the linear model says of each row, (n,)."""
        found: Numbers = ((rows - self.mean) / self.spread).clip(-_CUT, _CUT) @ self.weights
        return found


@dataclass(frozen=True)
class CandidateRanking:
    """What was learned.

    Attributes:
        names: of the numbers, in the order of their columns.
        needed: how likely a tool is needed.
        first: how likely it runs first.
    """

    names: tuple[str, ...]
    needed: Scorer
    first: Scorer

    def scores(self, features: Mapping[str, Numbers]) -> Numbers:
        """How likely each candidate is needed, in units of their spread, (n,)."""
        rows = self._rows(features)
        learned = in_spreads(self.needed.linear(rows))
        learned = learned + TREES * in_spreads(self.needed.forest.scores(rows))
        return learned + SEARCH * features["fused"]

    def order(self, features: Mapping[str, Numbers], scores: Numbers) -> list[int]:
        """The candidates from best to worst, with the likeliest beginning in front."""
        best = np.argsort(-scores, kind="stable")
        front = best[:ENTRIES]
        rows = self._rows(features)[front]
        says = in_spreads(self.first.forest.scores(rows))
        says = says + FIRST_LINEAR * in_spreads(self.first.linear(rows))
        entry = int(front[int(says.argmax())])
        return [entry, *(at for at in best.tolist() if at != entry)]

    def _rows(self, features: Mapping[str, Numbers]) -> Numbers:
        return np.stack([features[name] for name in self.names], axis=1)


def interleaved(learned: Sequence[Item], planned: Sequence[Item]) -> list[Item]:
    """The learned order, from place `SURE` on in turns with the planned one.

    Where a library is unlike those that taught, its menu keeps most of what it would have held.
    """
    front, rest = learned[:SURE], (iter(planned), iter(learned))
    found = dict.fromkeys(front)
    for turn in range(2 * max(len(learned), len(planned))):
        following = next((one for one in rest[turn % 2] if one not in found), None)
        if following is not None:
            found[following] = None
    return list(found)


def in_spreads(values: Numbers) -> Numbers:
    """Values around 0 in units of their spread."""
    spread = float(values.std())
    found: Numbers = (values - values.mean()) / (spread if spread > 0 else 1.0)
    return found


@cache
def shipped() -> CandidateRanking:
    """The one that belongs to this version."""
    from safetensors.numpy import load  # only where a menu is planned

    data = (files("spm.registry.routes") / FILE).read_bytes()
    return of_tensors(load(data), names_of(data))


def of_tensors(tensors: Tensors, names: Sequence[str]) -> CandidateRanking:
    """Put one together."""
    return CandidateRanking(tuple(names), Scorer.of(tensors, "needed"), Scorer.of(tensors, "first"))


def names_of(data: bytes) -> list[str]:
    """The names of the numbers that a file reads, from its metadata."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    found: list[str] = json.loads(header["__metadata__"]["names"])
    return found
