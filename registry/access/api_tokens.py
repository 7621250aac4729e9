"""API tokens that stand for a team. The graph stores the SHA-256 of a token, never the token.

A secret has 256 random bits, so its hash needs no salt and cannot be guessed.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.store.interface import Row, Store, Transaction, now

PREFIX = "spm_"
BYTES = 32
LENGTH = len(PREFIX) + 43  # what 32 bytes are in URL-safe base64, without padding
DAYS = 90
SHOWN = 12  # digits of an id that people see
# To ask for menus, tools, paths; to import traces; to call tools through a menu; to read /metrics;
# to register tools of the token's team.
PERMISSIONS = ("read", "traces", "call", "metrics", "register")


@dataclass(frozen=True)
class Token:
    """What is known of a token.

    Attributes:
        id: the SHA-256 of its secret.
        team: whom it stands for; None is the registry's operator.
        scopes: what the team was granted; None stands for all.
        may: what it is good for, see PERMISSIONS.
        revoked: when it was taken back.
    """

    id: str
    name: str
    team: str | None
    scopes: tuple[str, ...] | None
    read_only: bool
    may: tuple[str, ...]
    created: str
    expires: str
    revoked: str | None = None

    @property
    def caller(self) -> Caller:
        """What it may see."""
        return Caller(self.team, self.scopes, self.read_only)

    @property
    def short(self) -> str:
        """What people see of its id."""
        return self.id[:SHOWN]

    def status(self, at: str | None = None) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked:
            return "revoked"
        return "active" if (at or now()) < self.expires else "expired"


def hashed(secret: str) -> str:
    """The id of the token with this secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def create(
    store: Store,
    name: str,
    caller: Caller,
    *,
    may: tuple[str, ...] = ("read",),
    days: float = DAYS,
) -> tuple[str, Token]:
    """Make a token; returns its secret, which is not kept anywhere, and what is.

    Raises:
        InputError: the name is empty or taken, or a permission is unknown.
    """
    if not name.strip():
        raise InputError("A token needs a name, so that people know whose it is.")
    if unknown := sorted(set(may) - set(PERMISSIONS)):
        raise InputError(f"No permission {unknown[0]!r}. There are: {', '.join(PERMISSIONS)}")
    secret = PREFIX + secrets.token_urlsafe(BYTES)
    created = datetime.now(UTC)
    made = Token(
        id=hashed(secret),
        name=name,
        team=caller.team,
        scopes=None if caller.scopes is None else tuple(sorted(set(caller.scopes))),
        read_only=caller.read_only,
        may=tuple(p for p in PERMISSIONS if p in may),
        created=_written(created),
        expires=_written(created + timedelta(days=days)),
    )
    store.write("token", lambda tx: _keep(tx, made))
    return secret, made


def _keep(tx: Transaction, made: Token) -> dict[str, Any]:
    for known in map(_token, tx.run("tokens/list")):
        if known.name == made.name and known.status() == "active":
            raise InputError(
                f"There is a token {made.name!r} already. Choose another name, or take that one "
                f"back first: spm tokens revoke {made.name}"
            )
    tx.run(
        "tokens/create",
        id=made.id,
        name=made.name,
        team=made.team,
        scopes=None if made.scopes is None else list(made.scopes),
        read_only=made.read_only,
        may=list(made.may),
        at=made.created,
        expires=made.expires,
    )
    return {"token": made.short}


def tokens(store: Store) -> list[Token]:
    """All tokens, the oldest first."""
    return [_token(row) for row in store.read("tokens/list")]


def revoke(store: Store, which: str) -> Token:
    """Take a token back, by its name or the beginning of its id.

    Raises:
        InputError: there is no such active token, or several.
    """
    found = [t for t in tokens(store) if t.status() == "active" and _named(t, which)]
    if len(found) != 1:
        what = "No active token" if not found else f"{len(found)} active tokens"
        raise InputError(f"{what} {which!r}. List them with: spm tokens list")
    at = now()

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("tokens/revoke", id=found[0].id, at=at)
        return {"token": found[0].short}

    store.write("token", work)
    return found[0]


def find(store: Store, secret: str) -> Token | None:
    """The active token with this secret, if there is one."""
    if not plausible(secret):
        return None
    wanted = hashed(secret)
    for row in store.read("tokens/find", id=wanted):
        found = _token(row)
        if hmac.compare_digest(found.id, wanted) and found.status() == "active":
            return found
    return None


def plausible(secret: str) -> bool:
    """Whether a text looks like a secret at all; others need no look at the store."""
    return len(secret) == LENGTH and secret.startswith(PREFIX) and secret.isascii()


def _named(token: Token, which: str) -> bool:
    return token.name == which or (len(which) >= 6 and token.id.startswith(which))


def _token(row: Row) -> Token:
    scopes = row["scopes"]
    return Token(
        **{
            **row,
            "scopes": None if scopes is None else tuple(scopes),
            "may": tuple(row["may"] or ()),
            "read_only": bool(row["read_only"]),
        }
    )


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
