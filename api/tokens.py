"""The API tokens of one registry: who may ask its service from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spm.registry.access.api_tokens import DAYS, Token
from spm.registry.access.caller import EVERYTHING, Caller

if TYPE_CHECKING:
    from spm.registry.registry import Registry as Core


class Tokens:
    """The API tokens of a registry; `registry.tokens` is one.

    >>> secret, token = registry.tokens.create("ci", spm.Caller(team="support"), days=1)
    >>> token.team, token.may
    ('support', ('read',))
    >>> registry.tokens.revoke("ci").name
    'ci'
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def create(
        self,
        name: str,
        caller: Caller = EVERYTHING,
        *,
        may: Iterable[str] = ("read",),
        days: float = DAYS,
    ) -> tuple[str, Token]:
        """Create a token; returns its secret, of which only a hash is kept, and the token.

        Args:
            name: whose it is, for people.
            caller: the team and scopes it stands for.
            may: `read`, `traces`, `call`, `metrics` or `register`.
            days: how long it is good.

        Raises:
            InputError: the name is empty or taken, or a permission is unknown.
        """
        from spm.registry.access.api_tokens import create

        return create(self._core.store, name, caller, may=tuple(may), days=days)

    def revoke(self, token: str) -> Token:
        """Take a token back, by its name or the beginning of its id.

        Raises:
            InputError: there is no such active token, or several.
        """
        from spm.registry.access.api_tokens import revoke

        return revoke(self._core.store, token)

    # The last method: below it, `list` would no longer be the type.
    def list(self) -> list[Token]:
        """All tokens, the oldest first."""
        from spm.registry.access.api_tokens import tokens

        return tokens(self._core.store)
