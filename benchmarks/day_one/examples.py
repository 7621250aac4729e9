"""Requests as the numbers of their candidates, made by the code that menus are made by."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.day_one.libraries import Request
from spm.gnn.ranker import LearnedRanker, default
from spm.registry.menus.menu import Ask
from spm.registry.registry import Registry
from spm.registry.routes.route import ranking_features
from spm.registry.routes.target_features import Numbers

Ints = NDArray[np.int64]
TOLD = 100  # requests between two words about how far it is


@dataclass(frozen=True)
class Example:
    """A request with what is known of its candidates.

    Attributes:
        request: the request.
        numbers: of the candidates by name, each (n,).
        step: (n,) the place of each in the path, -1 outside.
        route: the candidates that the plan shows in front, where it shows any.
        orders: what text alone would show, by name.
    """

    request: Request
    numbers: dict[str, Numbers]
    step: Ints
    route: list[int]
    orders: dict[str, list[int]]

    @property
    def length(self) -> int:
        """How many tools the request needs."""
        return len(self.request.gold)


def examples(
    registry: Registry, requests: list[Request], say: Callable[[str], None]
) -> list[Example]:
    """Ask for the candidates of requests."""
    ranker = default(registry)
    assert isinstance(ranker, LearnedRanker)
    found = []
    for at, request in enumerate(requests, start=1):
        inputs, proposal = ranker.planned_inputs(Ask(request.text))
        if not inputs.frontier.tools:
            continue
        frontier = inputs.frontier
        number = {tool: at for at, tool in enumerate(frontier.tools)}
        step = np.full(len(frontier.tools), -1, dtype=np.int64)
        for place, serves in reversed(list(enumerate(request.gold))):
            for tool in serves & number.keys():
                step[number[tool]] = place
        numbers = ranking_features(inputs.map, frontier, inputs.cards, proposal)
        planned = [number[tool] for tool in proposal.order if tool in number]
        orders = {
            "bm25": _best(frontier.lexical),
            "dense": _best(frontier.similarity),
            "hybrid": _best(_reciprocal(frontier.lexical) + _reciprocal(frontier.similarity)),
            "planned": list(dict.fromkeys([*planned, *range(len(number))])),
        }
        route = [number[tool] for tool in proposal.route]
        found.append(Example(request, numbers, step, route, orders))
        if at % TOLD == 0:
            say(f"{request.library}: {at} of {len(requests)} requests")
    return found


def write(found: Sequence[Example], path: Path) -> None:
    """Keep examples: numbers end to end, the rest as JSON."""
    told = [
        {
            "request": asdict(one.request)
            | {"gold": [sorted(serves) for serves in one.request.gold]},
            "route": one.route,
            "orders": one.orders,
        }
        for one in found
    ]
    names = list(found[0].numbers)
    tables = [np.stack([one.numbers[name] for name in names], axis=1) for one in found]
    np.savez(
        path,
        told=np.array(json.dumps([names, told])),
        sizes=np.array([len(table) for table in tables]),
        numbers=np.concatenate(tables).astype(np.float32),
        steps=np.concatenate([one.step for one in found]),
    )


def read(path: Path) -> list[Example]:
    """What `write` kept."""
    with np.load(path, allow_pickle=False) as kept:
        names, told = json.loads(str(kept["told"]))
        ends = np.cumsum(kept["sizes"])[:-1]
        tables = np.split(kept["numbers"].astype(np.float64), ends)
        steps = np.split(kept["steps"], ends)
    found = []
    for row, table, step in zip(told, tables, steps, strict=True):
        gold = tuple(map(frozenset, row["request"].pop("gold")))
        numbers = dict(zip(names, table.T, strict=True))
        request = Request(**row["request"], gold=gold)
        found.append(Example(request, numbers, step, row["route"], row["orders"]))
    return found


def _best(scores: NDArray[np.floating]) -> list[int]:
    found: list[int] = np.argsort(-scores, kind="stable").tolist()
    return found


def _reciprocal(scores: NDArray[np.floating]) -> Numbers:
    places = np.empty(len(scores))
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    found: Numbers = 1.0 / (61.0 + places)
    return found
