"""Fitting the order of candidates: a linear model and trees, for who is needed and who is first."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.day_one.examples import Example
from spm.registry.routes.candidate_ranking import ENTRIES, CandidateRanking, Tensors, of_tensors

HARD, OTHERS = 40, 30  # wrong candidates of a request that teach: the best by text, and some others
STRENGTH = 0.02  # the inverse of what the linear model pays for large weights
TREES = 160
_STEPS, _CLOSE = 50, 1e-8
FOREST = {
    "objective": "lambdarank", "num_leaves": 15, "learning_rate": 0.06, "lambda_l2": 5.0,
    "min_data_in_leaf": 60, "feature_fraction": 0.5, "label_gain": [0, 1], "seed": 0,
    "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1,
}  # fmt: skip


def fit(found: Sequence[Example]) -> tuple[CandidateRanking, dict[str, NDArray[Any]]]:
    """Fit on examples; also as tensors, to be kept."""
    names = list(found[0].numbers)
    tables = [np.stack([one.numbers[name] for name in names], axis=1) for one in found]
    draw = np.random.default_rng(0)
    needed = [
        (rows, right, _hard(one, right, draw))
        for one, rows in zip(found, tables, strict=True)
        if (right := one.step >= 0).any() and not right.all()
    ]
    tensors = _scorer("needed", [one for one in found if _teaches(one, 0)], needed)
    half = of_tensors({**tensors, **_renamed(tensors)}, names)
    first = []
    starting = [one for one in found if _teaches(one, 1)]
    for one in starting:
        rows = np.stack([one.numbers[name] for name in names], axis=1)
        right = one.step == 0
        best = np.argsort(-half.scores(one.numbers), kind="stable")[:ENTRIES]
        first.append((rows, right, np.union1d(best, np.flatnonzero(right))))
    tensors |= _scorer("first", starting, first)
    return of_tensors(tensors, names), tensors


def write(tensors: Tensors, names: Sequence[str], about: str, path: Path) -> None:
    """Keep what was fitted where menus find it."""
    from safetensors.numpy import save

    kept = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    path.write_bytes(save(kept, metadata={"names": json.dumps(list(names)), "about": about}))


def _teaches(one: Example, least: int) -> bool:
    right = one.step == 0 if least else one.step >= 0
    return bool(right.any()) and not bool(right.all())


def _renamed(tensors: Tensors) -> dict[str, NDArray[Any]]:
    """The second scorer is not there yet: the first stands for it while nobody asks it."""
    return {name.replace("needed.", "first."): value for name, value in tensors.items()}


def _hard(one: Example, right: NDArray[np.bool_], draw: np.random.Generator) -> NDArray[np.int64]:
    wrong = np.flatnonzero(~right)
    best = wrong[np.argsort(-one.numbers["fused"][wrong], kind="stable")[:HARD]]
    others = draw.permutation(np.setdiff1d(wrong, best))[:OTHERS]
    return np.concatenate([np.flatnonzero(right), best, others])


Rows = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]


def _scorer(name: str, found: Sequence[Example], taught: Sequence[Rows]) -> dict[str, Any]:
    import lightgbm

    table = np.concatenate([rows[kept] for rows, _, kept in taught])
    right = np.concatenate([flags[kept] for _, flags, kept in taught]).astype(int)
    size = [len(kept) for *_, kept in taught]
    weights = _equal_weights(found, taught)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread < 1e-6] = 1.0
    linear = _logistic(((table - mean) / spread).clip(-4, 4), right, weights)
    forest = lightgbm.train(FOREST, lightgbm.Dataset(table, right, group=size), TREES)
    parts = {
        "mean": mean.astype(np.float32),
        "spread": spread.astype(np.float32),
        "weights": linear.astype(np.float32),
        **_forest([tree["tree_structure"] for tree in forest.dump_model()["tree_info"]]),
    }
    return {f"{name}.{key}": value for key, value in parts.items()}


def _logistic(
    table: NDArray[np.float64], right: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The slopes of a logistic regression by Newton's steps; its constant costs nothing."""
    rows = np.c_[table, np.ones(len(table))]
    cost = np.eye(rows.shape[1]) / STRENGTH
    cost[-1, -1] = 0.0
    slopes = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(rows @ slopes)))
        fall = rows.T @ (weights * (chance - right)) + cost @ slopes
        bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + cost
        step = np.linalg.solve(bend, fall)
        slopes = slopes - step
        if np.abs(step).max() < _CLOSE:
            break
    found: NDArray[np.float64] = slopes[:-1]
    return found


def _equal_weights(found: Sequence[Example], taught: Sequence[Rows]) -> NDArray[np.float64]:
    """Each library counts alike, each of its requests, and right as much as wrong."""
    count = Counter(one.request.library for one in found)
    parts = []
    for one, (_, flags, kept) in zip(found, taught, strict=True):
        right = flags[kept]
        share = np.where(right, 1 / right.sum(), 1 / (~right).sum())
        parts.append(share / count[one.request.library])
    weights = np.concatenate(parts)
    scaled: NDArray[np.float64] = weights / weights.mean()
    return scaled


def _forest(trees: Sequence[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    """Trees as arrays: nodes in rows, a leaf its own child."""
    nodes = [_flat(tree) for tree in trees]
    width, depth = max(map(len, nodes)), max(map(_depth, trees))
    shape = len(nodes), width
    own = np.tile(np.arange(width, dtype=np.int16), (len(nodes), 1))
    feature, left, right = np.zeros(shape, np.int16), own.copy(), own.copy()
    threshold, value = np.zeros(shape, np.float64), np.zeros(shape, np.float64)
    for row, tree in enumerate(nodes):
        for at, node in enumerate(tree):
            if "leaf_value" in node:
                value[row, at] = node["leaf_value"]
                continue
            feature[row, at], threshold[row, at] = node["split_feature"], node["threshold"]
            left[row, at] = tree.index(node["left_child"])
            right[row, at] = tree.index(node["right_child"])
    return {
        "feature": feature, "threshold": threshold, "left": left, "right": right, "value": value,
        "depth": np.array([depth], np.int16),
    }  # fmt: skip


def _flat(tree: dict[str, Any]) -> list[dict[str, Any]]:
    found, at = [tree], 0
    while at < len(found):
        found += [found[at][side] for side in ("left_child", "right_child") if side in found[at]]
        at += 1
    return found


def _depth(tree: dict[str, Any]) -> int:
    if "leaf_value" in tree:
        return 0
    return 1 + max(_depth(tree["left_child"]), _depth(tree["right_child"]))
