"""All invariants that can be checked without changing a registry, for `spm doctor --invariants`."""

from collections.abc import Callable
from functools import cache

from spm.registry.invariants.dependencies import invented_by_menus, told_differently
from spm.registry.invariants.routes import (
    changed_by_reading,
    destroyed_unasked,
    moved_by_wording,
    silent,
    unsupplied,
)
from spm.registry.invariants.sample_requests import SEED, sample_requests
from spm.registry.invariants.violation import Outcome
from spm.registry.menus.menu import Menu
from spm.registry.registry import Registry

REQUESTS = 40
TOOLS = 40  # whose dependencies are compared
Progress = Callable[[int, int], None]


def check_invariants(
    registry: Registry,
    *,
    requests: int = REQUESTS,
    seed: int = SEED,
    progress: Progress = lambda done, total: None,
) -> list[Outcome]:
    """Look whether the invariants hold for a registry; nothing is written.

    Args:
        registry: with vectors.
        requests: how many requests to make out of its verbs and resources.
        seed: which ones.
        progress: hears how many menus are built, of how many.
    """
    asked = sample_requests(registry.store, requests, seed)
    total, done = sum(1 + len(request.alike) for request in asked), 0

    @cache
    def menus(text: str) -> Menu:
        nonlocal done
        built = registry.menu(text)
        done += 1
        progress(min(done, total), total)
        return built

    routed = [(request, menus(request.text)) for request in asked]
    reading = sum(request.asks == "read" for request in asked)
    unknown = sum(request.asks == "unknown" for request in asked)
    alike = sum(len(request.alike) for request in asked)
    routes = sum(bool(menu.route) for _, menu in routed)
    tools = sorted({tool for _, menu in routed for tool in menu.route})[:TOOLS]
    told = [*told_differently(registry, tools), *invented_by_menus(registry, routed)]
    return [
        Outcome("reading", _says(changed_by_reading), reading, [*changed_by_reading(routed)]),
        Outcome(
            "destroying", _says(destroyed_unasked), reading + unknown, [*destroyed_unasked(routed)]
        ),
        Outcome("not understood", _says(silent), unknown, [*silent(routed)]),
        Outcome("wording", _says(moved_by_wording), alike, [*moved_by_wording(routed, menus)]),
        Outcome("supplies", _says(unsupplied), routes, [*unsupplied(routed, registry.store)]),
        Outcome(
            "dependencies",
            "Plain Cypher, saved queries, spm path, tools show, impact, atlas and menus tell the "
            "same dependencies.",
            len(tools),
            told,
        ),
    ]


def _says(check: Callable[..., object]) -> str:
    """The invariant, as the check that looks for it is documented."""
    return (check.__doc__ or "").strip()
