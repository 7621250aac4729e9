"""Golden requests replayed on a registry, for `spm check` and the service."""

from collections.abc import Callable, Sequence

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.tools import resolver_for
from spm.registry.menus.check import Result, judge
from spm.registry.menus.golden import GoldenRequest
from spm.registry.menus.menu import Ask
from spm.registry.registry import Registry


def replay(
    registry: Registry,
    golden: Sequence[GoldenRequest],
    *,
    size: int,
    prefix: int,
    caller: Caller = EVERYTHING,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Build the menu of each golden request as the caller sees it, and measure it."""
    resolver = resolver_for(registry.store, caller)
    asks = [
        Ask(one.request, one.state, size, prefix, caller, allow_writes=one.allow_writes)
        for one in golden
    ]
    built = registry.answers(asks, progress=progress)
    return [judge(known, menu, resolver, prefix) for known, menu in zip(golden, built, strict=True)]
