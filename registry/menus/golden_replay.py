"""Golden requests replayed on a registry, for `spm check` and the service."""

from collections.abc import Callable, Sequence

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.tools import resolver_for
from spm.registry.menus.check import Result, judge
from spm.registry.menus.golden import GoldenRequest
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
    results = []
    for done, known in enumerate(golden, 1):
        built = registry.menu(
            known.request,
            state=known.state,
            size=size,
            prefix=prefix,
            caller=caller,
            allow_writes=known.allow_writes,
        )
        results.append(judge(known, built, resolver, prefix))
        progress(done, len(golden))
    return results
