"""Looks up tokens in the store and caches them for a few seconds."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from spm.registry.access import api_tokens
from spm.registry.access.api_tokens import PERMISSIONS, Token
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.registry import Registry

# So long a token that was taken back may still be good here. Not longer, whatever happens: when
# the store cannot be asked any more, nobody is let in.
SECONDS = 5.0
MOST = 1_024


@dataclass(frozen=True)
class Identity:
    """Who asks, what they may see, and what they may do.

    Attributes:
        name: of the token, for logs and for who looks at frozen menus.
        token: its short id; empty on the loopback.
    """

    caller: Caller
    name: str
    token: str
    may: frozenset[str]


OPERATOR = Identity(EVERYTHING, "loopback", "", frozenset(PERMISSIONS))


class Identities:
    """Who stands behind a secret.

    Args:
        ask: runs something on the registry, away from the event loop.
    """

    def __init__(self, ask: Callable[[Callable[[Registry], Any]], Awaitable[Any]]) -> None:
        self._ask = ask
        self._known: OrderedDict[str, tuple[float, Token | None]] = OrderedDict()

    async def of(self, secret: str) -> Identity | None:
        """The identity behind a secret; None when there is none, or not any more.

        Raises:
            SpmError, Problem: the store cannot be asked.
        """
        if not api_tokens.plausible(secret):
            return None
        found = await self._token(secret)
        if found is None or found.status() != "active":
            return None
        return Identity(found.caller, found.name, found.short, frozenset(found.may))

    async def _token(self, secret: str) -> Token | None:
        key = api_tokens.hashed(secret)
        asked, found = self._known.get(key, (-SECONDS, None))
        if time.monotonic() - asked < SECONDS:
            return found
        begun = time.monotonic()
        looked: Token | None = await self._ask(lambda r: api_tokens.find(r.store, secret))
        self._known[key] = (begun, looked)
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return looked
