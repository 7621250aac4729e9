"""Putting a route in an order that can run: producers before consumers, then as observed."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Contract:
    """Required fields and produced fields of a tool."""

    needs: list[str]
    gives: list[str]

    def makes(self, name: str) -> bool:
        """Whether it brings a field about; one that it takes itself is only echoed."""
        return name in self.gives and name not in self.needs


def arrange(
    wanted: list[str],
    chosen: list[str],
    contracts: dict[str, Contract],
    given: set[str],
    before: dict[tuple[str, str], int],
    limit: int,
) -> list[str]:
    """Close `wanted` under missing inputs (from `chosen`, best first) and order it.

    `before[i, j]` counts trajectories in which i came before j. When the whole does not fit into
    `limit`, the least wanted tools are left out, not the producers of the others.
    """
    route: list[str] = []
    for tool in wanted:
        grown = _closed([*route, tool], chosen, contracts, given)
        if len(grown) <= limit:
            route = grown
    if not route:
        route = wanted[:1]
    return _ordered(route, chosen, contracts, given, before)


def _closed(
    route: list[str], chosen: list[str], contracts: dict[str, Contract], given: set[str]
) -> list[str]:
    """Add the best producer of each field that is needed and neither given nor made."""
    route = list(dict.fromkeys(route))
    queue = list(route)
    while queue:
        tool = queue.pop(0)
        for name in contracts[tool].needs:
            if name in given or any(contracts[t].makes(name) for t in route if t != tool):
                continue
            maker = next((t for t in chosen if t != tool and contracts[t].makes(name)), None)
            if maker and maker not in route:
                route.append(maker)
                queue.append(maker)
    return route


def _ordered(
    route: list[str],
    chosen: list[str],
    contracts: dict[str, Contract],
    given: set[str],
    before: dict[tuple[str, str], int],
) -> list[str]:
    left, done = list(route), set(given)
    ordered: list[str] = []
    while left:
        # A field that no other waiting tool makes can only come from the request: it never blocks.
        blocked = {
            t: sum(
                name not in done and any(contracts[o].makes(name) for o in left if o != t)
                for name in contracts[t].needs
            )
            for t in left
        }
        tool = min(
            left,
            key=lambda t: (
                blocked[t],
                -_frees(t, left, contracts) if blocked[t] else 0,
                -_leads(t, left, before),
                chosen.index(t),
                t,
            ),
        )
        left.remove(tool)
        ordered.append(tool)
        done |= set(contracts[tool].gives)
    return ordered


def _frees(tool: str, left: list[str], contracts: dict[str, Contract]) -> int:
    """Where tools wait for each other in a circle, begin with the one most others wait for."""
    makes = set(contracts[tool].gives) - set(contracts[tool].needs)
    return sum(not makes.isdisjoint(contracts[other].needs) for other in left if other != tool)


def _leads(tool: str, others: list[str], before: dict[tuple[str, str], int]) -> float:
    """How clearly a tool came before the others: the mean of rho over them."""
    rho = [
        math.log((before.get((tool, o), 0) + 1) / (before.get((o, tool), 0) + 1))
        for o in others
        if o != tool
    ]
    return round(sum(rho) / len(rho), 6) if rho else 0.0
