"""The weights of targets, and how sure their routes are: fitted on labelled requests.

A request teaches by its last labelled tool, and by others that serve as well; its other tools are
not compared. Each request also teaches in small libraries, drawn from its own service: weights
must be right with eight tools and with thousands. What is reported was fitted without the API that
it is about.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.map.menus import Task, tasks
from benchmarks.map.specs import apis, document, labels, read, registry, tools_by_operation
from spm.gnn.frontier_source import MenuInputs
from spm.gnn.ranker import LearnedRanker
from spm.registry.menus.menu import Ask
from spm.registry.routes.admission import Admission
from spm.registry.routes.certainty import SIGNS, Target
from spm.registry.routes.closure import Known
from spm.registry.routes.purposes import Clause, read_clauses
from spm.registry.routes.route import candidates_of, propose
from spm.registry.routes.target_features import FEATURES, Candidates, features

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
PENALTY = 0.05  # of the squares of standardised weights
STEPS, RATE, MOMENTUM = 1_500, 0.3, 0.9
SMALL = (8, 24)  # tools in the small libraries
PLACES = (1, 3, 10)
CERTAINTIES = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Example:
    """A request with the numbers of its candidates, (n, clauses that ask, features)."""

    id: str
    api: str
    numbers: Numbers
    right: Flags
    wrong: Flags

    def place(self, weights: Numbers) -> int:
        """The place of the best right tool; 0 where no candidate is right."""
        scores = (self.numbers @ weights).max(axis=1)
        if not self.right.any():
            return 0
        return int((scores[self.wrong] > scores[self.right].max()).sum()) + 1


@dataclass(frozen=True)
class Planned:
    """A request with what was planned for it."""

    id: str
    api: str
    targets: Sequence[Target]
    right: bool  # the plan holds all labelled tools in order
    large: bool  # planned among all tools

    @property
    def agrees(self) -> bool:
        """Whether its targets do what is asked for."""
        return bool(self.targets) and all(target.agrees for target in self.targets)


@dataclass
class Examples:
    """The requests of some parts: among all tools and in small libraries, and their plans."""

    large: list[Example] = field(default_factory=list)
    small: list[Example] = field(default_factory=list)
    plans: list[Planned] = field(default_factory=list)


def collect(
    folder: Path, part: str, stores: Path, found: Examples, say: Callable[[str], None]
) -> None:
    """Add the requests of a part, in one registry of all of its APIs and in small libraries."""
    rows = [_as_request(row) for row in labels("requests", part)]
    if part == "dev":
        rows += [_as_request(row) for row in labels("fields", part)]
    sources = {
        api: read(path, api)
        for api in apis(rows)
        if (path := document(folder, api, stores / "specs"))
    }
    wanted = tasks(rows, {api: tools_by_operation(s, api) for api, s in sources.items()})
    say(f"{part}: {len(wanted)} requests to {', '.join(sources)}")
    draw = np.random.default_rng(0)
    with registry(folder, sources, stores / "-".join(sources)) as opened:
        opened.menu(wanted[0].request)  # the first menu of a registry encodes its tools
        ranker = opened.core.ranker()
        assert isinstance(ranker, LearnedRanker)
        for task in wanted:
            inputs, belief = ranker.plan_inputs(Ask(task.request))
            cards = inputs.map.cards(inputs.frontier.tools)
            candidates = candidates_of(inputs.frontier, cards, inputs.cards, belief)
            clauses = read_clauses(task.request, inputs.frontier.clauses.shape[1])
            found.large.append(_example(task, candidates, clauses))
            found.plans.append(_planned(task, inputs, candidates, large=True))
            for size in SMALL:
                if (rows_kept := _drawn(task, candidates, size, draw)) is not None:
                    few = _some(candidates, rows_kept)
                    found.small.append(_example(task, few, clauses))
                    found.plans.append(_planned(task, inputs, few, large=False))


def _planned(task: Task, inputs: MenuInputs, among: Candidates, *, large: bool) -> Planned:
    made = propose(
        inputs.map, among.frontier, inputs.cards, task.request, Known(), belief=among.belief
    )
    steps = list(dict.fromkeys(step for plan in made.plans for step in plan.steps))
    return Planned(task.id, task.api, made.targets, task.in_order(steps), large)


def _as_request(row: dict[str, Any]) -> dict[str, Any]:
    """Labels of request fields name their operations, of which any may be meant."""
    if "gold" in row:
        return row
    first, *others = row["ops"]
    return {**row, "gold": [first], "also": {first: others}, "any_order": True}


def _example(task: Task, candidates: Candidates, clauses: Sequence[Clause]) -> Example:
    numbers = features(candidates, clauses)
    asking = [at for at, clause in enumerate(clauses) if clause.verb is not None]
    admission = Admission.of(task.request)
    allowed = [admission.admits(p.effects, p.words) for p in candidates.purposes]
    tools = candidates.frontier.tools
    right = np.array([tool in task.gold[-1] for tool in tools]) & np.array(allowed)
    others = frozenset[str]().union(*task.gold)
    wrong = np.array([tool not in others for tool in tools]) & np.array(allowed)
    return Example(task.id, task.api, numbers[:, asking or slice(None)], right, wrong)


def _drawn(
    task: Task, candidates: Candidates, size: int, draw: np.random.Generator
) -> list[int] | None:
    """The target and some other candidates of its service."""
    tools, purposes = candidates.frontier.tools, candidates.purposes
    target = next((row for row, tool in enumerate(tools) if tool in task.gold[-1]), None)
    others = [row for row, p in enumerate(purposes) if p.service == task.api and row != target]
    if target is None or len(others) < SMALL[0] - 1:
        return None
    kept = draw.choice(others, min(size - 1, len(others)), replace=False)
    return sorted({target, *kept.tolist()})


def _some(candidates: Candidates, rows: Sequence[int]) -> Candidates:
    whole, kept = candidates.frontier, np.array(rows)
    frontier = replace(
        whole,
        tools=[whole.tools[row] for row in rows],
        similarity=whole.similarity[kept],
        lexical=whole.lexical[kept],
        clauses=whole.clauses[kept],
        clause_lexical=whole.clause_lexical[kept],
    )
    return Candidates(
        frontier,
        [candidates.purposes[row] for row in rows],
        [candidates.names[row] for row in rows],
        candidates.belief[kept] if candidates.belief is not None else None,
    )


def fit(found: Iterable[Example]) -> Numbers:
    """The weights under which the right tools are likeliest, by gradient descent.

    A tool is as likely as its best clauses make it: softmax over all pairs of tool and clause.
    """
    taught = [one for one in found if one.right.any()]
    spread = np.concatenate([one.numbers.reshape(-1, len(FEATURES)) for one in taught]).std(axis=0)
    spread[spread == 0] = 1.0
    rows = []
    for one in taught:
        kept = one.right | one.wrong
        pairs = (one.numbers[kept] / spread).reshape(-1, len(FEATURES))
        rows.append((pairs, np.repeat(one.right[kept], one.numbers.shape[1])))
    weights, speed = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    for _ in range(STEPS):
        slope = PENALTY * weights
        for pairs, right in rows:
            chances = np.exp(pairs @ weights - (pairs @ weights).max())
            hits = chances * right
            slope += pairs.T @ (chances / chances.sum() - hits / hits.sum()) / len(rows)
        speed = MOMENTUM * speed - RATE * slope
        weights = weights + speed
        if np.abs(slope).max() < 1e-4:
            break
    found_weights: Numbers = weights / spread
    return found_weights


def places(large: Sequence[Example], small: Sequence[Example]) -> dict[str, list[int]]:
    """The place of each target under weights that never saw its API; small libraries apart."""
    found: dict[str, list[int]] = {"all tools": [], "small libraries": []}
    for api in sorted({one.api for one in large}):
        weights = fit(one for one in (*large, *small) if one.api != api)
        found["all tools"] += [one.place(weights) for one in large if one.api == api]
        found["small libraries"] += [one.place(weights) for one in small if one.api == api]
    return found


def signs(plans: Sequence[Planned]) -> dict[str, float]:
    """How far each sign says that a route is right: the weights of a logistic, and its bias."""
    rows = [(target, plan.right) for plan in plans for target in plan.targets]
    table = np.array([[target.signs[name] for name in SIGNS] for target, _ in rows])
    right = np.array([right for _, right in rows], dtype=np.float64)
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread == 0] = 1.0
    inputs = np.c_[np.ones(len(table)), (table - centre) / spread]
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        weights -= RATE * (inputs.T @ (chance - right) / len(right))
    slopes = weights[1:] / spread
    bias = float(weights[0] - slopes @ centre)
    return dict(zip(SIGNS, slopes.round(3).tolist(), strict=True)) | {"bias": round(bias, 3)}


def shown(plans: Sequence[Planned]) -> list[dict[str, float]]:
    """Routes among all tools at several certainties: how many are shown, how many are right.

    Certainties are fitted without the API of the request.
    """
    sure: list[tuple[float, bool]] = []
    for api in sorted({plan.api for plan in plans}):
        fitted = signs([plan for plan in plans if plan.api != api])
        for plan in plans:
            if plan.api == api and plan.large and plan.agrees:
                raw = [
                    fitted["bias"] + sum(fitted[name] * t.signs[name] for name in SIGNS)
                    for t in plan.targets
                ]
                sure.append((float(1 / (1 + np.exp(-min(raw)))), plan.right))
    return [
        {
            "certainty": least,
            "shown": sum(chance >= least for chance, _ in sure),
            "right": sum(right for chance, right in sure if chance >= least),
            "requests": sum(plan.large for plan in plans),
        }
        for least in CERTAINTIES
    ]
