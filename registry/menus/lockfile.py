"""Lock files: a menu and its inputs as canonical JSON, without any value."""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.menus.formats import MenuFormat
from spm.registry.menus.menu import Ask, Menu, Role
from spm.registry.store.interface import Store

MAX_BYTES = 50_000_000


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LockedAsk(_Record):
    """What was asked; of a state only the names of its fields."""

    request: str
    state: tuple[str, ...]
    size: int
    prefix: int
    team: str | None
    scopes: tuple[str, ...] | None
    read_only: bool
    done: tuple[str, ...]
    token_budget: int | None
    format: MenuFormat | None  # whose definitions the budget counts (None: no provider's), and
    aliases: bool  # whether with ranks in their names
    without: tuple[str, ...]
    allow_writes: bool = False  # locks from before do not say

    def ask(self) -> Ask:
        """The same question again."""
        caller = Caller(self.team, self.scopes, self.read_only)
        return Ask(
            self.request,
            self.state,
            self.size,
            self.prefix,
            caller,
            self.done,
            self.without,
            self.allow_writes,
        )


class LockedRegistry(_Record):
    """What the registry held."""

    revision: int
    encoder: str | None
    tools: int
    trajectories: int
    transitions: int
    newest: str | None  # when a tool last changed


class LockedTool(_Record):
    """A tool of the menu, by the content of its definition."""

    id: str
    version: str
    content_hash: str
    rank: int
    role: Role


class Lock(_Record):
    """A menu and everything that it was made of."""

    spm_menu_lock: Literal[1] = 1
    ask: LockedAsk
    registry: LockedRegistry
    ranker: str
    model: str
    traces: int
    route: tuple[str, ...]
    items: tuple[LockedTool, ...]

    def text(self) -> str:
        """Canonical JSON with its own digest: the same menu gives the same bytes."""
        content = self.model_dump(mode="json")
        return json.dumps({**content, "digest": _digest(content)}, indent=2, sort_keys=True) + "\n"


def lock(
    store: Store,
    ask: Ask,
    menu: Menu,
    *,
    budget: int | None = None,
    format: MenuFormat | None = None,
    aliases: bool = False,
) -> Lock:
    """Record a menu; `budget`, `format` and `aliases` say how it was cut, to cut it so again."""
    cards = {row["id"]: row for row in store.read("tools/show", ids=[i.id for i in menu.items])}
    caller = ask.caller
    asked = LockedAsk(
        request=ask.request,
        state=ask.state,
        size=ask.size,
        prefix=ask.prefix,
        team=caller.team,
        scopes=None if caller.scopes is None else tuple(sorted(caller.scopes)),
        read_only=caller.read_only,
        done=ask.done,
        token_budget=budget,
        format=format,
        aliases=aliases,
        without=ask.without,
        allow_writes=ask.allow_writes,
    )
    items = [
        LockedTool(
            id=item.id,
            version=cards[item.id]["version"],
            content_hash=cards[item.id]["content_hash"],
            rank=item.rank,
            role=item.role,
        )
        for item in menu.items
    ]
    return Lock(
        ask=asked,
        registry=_registry(store),
        ranker=menu.ranker,
        model=menu.model,
        traces=menu.traces,
        route=tuple(menu.route),
        items=tuple(items),
    )


def _registry(store: Store) -> LockedRegistry:
    head = store.read("state/registry")
    counts = store.read("state/counts")[0]
    return LockedRegistry(
        revision=head[0]["revision"] if head else 0,
        encoder=head[0]["encoder"] if head else None,
        tools=counts["tools"],
        trajectories=counts["trajectories"],
        transitions=counts["transitions"],
        newest=store.read("tools/newest")[0]["newest"],
    )


def read_lock(path: Path) -> Lock:
    """Read a lock.

    Raises:
        InputError: the file is no lock, or its content is not what was written.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES)
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error
    try:
        content = json.loads(raw)
        written = content.pop("digest")
        found = Lock.model_validate(content)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise InputError(
            f"{str(path)!r} is no menu lock. Make one with: spm menu REQUEST --lock FILE"
        ) from error
    if written != _digest(content):
        raise InputError(f"{str(path)!r} was changed after it was written. Lock the menu again.")
    return found


def _digest(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
