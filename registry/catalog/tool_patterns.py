"""Patterns of tools as people type them: `*` stands for any characters."""

import re
from collections.abc import Iterable
from functools import lru_cache

from spm.registry.catalog.tools import Resolver
from spm.registry.errors import UnknownTool
from spm.registry.store.reader import Reader


def tools_matching(store: Reader, pattern: str) -> list[str]:
    """The ids of the tools that a pattern means; without `*` it is one tool's id or name.

    Raises:
        UnknownTool: there is none.
        AmbiguousTool: a name without `*` is that of several tools.
    """
    resolver = Resolver(store)
    if "*" not in pattern:
        return [resolver.resolve(pattern)]
    found = [identity for identity in resolver.ids() if is_match(identity, pattern)]
    if not found and pattern != "*":
        raise UnknownTool(pattern, [])
    return found


def is_match(identity: str, pattern: str) -> bool:
    """Whether a pattern means a tool, by its id or by its name, which may have slashes too."""
    fits = _expression(pattern).fullmatch
    return any(fits(said) is not None for said in (identity, identity.partition("/")[2]))


def whole_services(pattern: str, services: Iterable[str]) -> list[str]:
    """The services of which a pattern means every tool, also those that are registered later."""
    service, slash, rest = pattern.partition("/")
    if pattern != "*" and (not slash or rest != "*"):
        return []
    fits = _expression(service)
    return [name for name in services if fits.fullmatch(name)]


@lru_cache(64)
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
