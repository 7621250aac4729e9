"""Frozen menus: stored in the graph, so that every worker serves the same one.

A frozen menu is known by the digest of its content. It pins the version and the content hash of
every tool, so that what is listed later is what was frozen, and what changed since is noticed.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel, ConfigDict

from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.menus.menu import Ask, Menu, MenuItem
from spm.registry.menus.provider_names import MCP, Names, name
from spm.registry.models import digest
from spm.registry.store.interface import Row, Store, Transaction, now
from spm.registry.store.reader import Reader

DAYS = 30.0
MOST = 1_000  # of one team: whoever freezes without end must not fill the graph
APPROVAL_MINUTES = 15.0


class UnknownMenu(InputError):
    """There is no such frozen menu for this caller."""

    def __init__(self, menu: str) -> None:
        super().__init__(
            f"No frozen menu {menu[:80]!r}. It may have expired, or belong to another team. Freeze "
            "one with: spm menus freeze REQUEST"
        )
        self.menu = menu


class TooManyMenus(InputError):
    """A team has as many frozen menus as it may."""

    def __init__(self) -> None:
        super().__init__(
            f"There are {MOST:,} frozen menus already. Remove some with: spm menus remove ID"
        )


class FrozenItem(BaseModel):
    """One tool of a frozen menu, by its place and by the content of its definition."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    rank: int
    id: str
    alias: str  # the name under which it is listed and called
    name: str
    version: str
    content_hash: str
    role: str
    effects: str
    needs: dict[str, list[str]]
    gives: list[str]

    def item(self, description: str = "", title: str = "") -> MenuItem:
        """The same as a menu has it; scores are not kept."""
        return MenuItem(
            rank=self.rank, id=self.id, name=self.name, title=title, description=description,
            role=self.role, effects=self.effects, needs=self.needs, gives=self.gives,  # type: ignore[arg-type]
            score=0.0, terms={},
        )  # fmt: skip


class Frozen(BaseModel):
    """A frozen menu.

    Attributes:
        request: what it was built for.
        team: who froze it; None is the registry's operator.
        route: ids of the tools in front.
        items: all tools, in order.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    request: str
    team: str | None
    scopes: tuple[str, ...] | None
    read_only: bool
    state: tuple[str, ...]
    route: tuple[str, ...]
    items: tuple[FrozenItem, ...]

    @property
    def id(self) -> str:
        """The digest of all of it: the same menu for the same caller is one menu."""
        return "menu-" + digest(self.model_dump(mode="json"))[:32]

    @property
    def names(self) -> Names:
        """Under which names the tools are listed."""
        return Names({item.id: item.alias for item in self.items})

    @property
    def caller(self) -> Caller:
        """Who froze it, with the rights of that moment."""
        return Caller(self.team, self.scopes, self.read_only)

    def withdrawn(self, cards: dict[str, Row]) -> list[str]:
        """The tools that are not there any more, or not as they were frozen.

        Args:
            cards: what the caller sees now, by id.
        """
        return [
            item.id
            for item in self.items
            if cards.get(item.id, {}).get("content_hash") != item.content_hash
        ]

    @property
    def target(self) -> str | None:
        """The tool that resolves the request."""
        found = [item.id for item in self.items if item.role == "target"]
        return found[0] if found else None


@dataclass(frozen=True)
class Kept:
    """A frozen menu as it is in the graph."""

    menu: Frozen
    created: str
    expires: str

    def as_dict(self) -> dict[str, Any]:
        """Everything, plain enough for JSON."""
        menu = self.menu
        return {
            "id": menu.id,
            "created": self.created,
            "expires": self.expires,
            "mcp": f"/menus/{menu.id}/mcp",
            **menu.model_dump(mode="json"),
            "route_line": menu.names.route(list(menu.route)),
        }


def freeze(store: Store, ask: Ask, menu: Menu, *, ranked: bool = False, days: float = DAYS) -> Kept:
    """Keep a menu for the caller who asked; freezing the same again only lets it live longer.

    Args:
        store: where to.
        ask: what was asked, and by whom.
        menu: what was built.
        ranked: put ranks into the names, for clients that sort.
        days: how long it is kept.

    Raises:
        InputError: the menu is empty, or the team has too many.
    """
    if not menu.items:
        raise InputError("The menu is empty, and nothing can be frozen. Ask for something else.")
    frozen = _frozen(store, ask, menu, ranked=ranked)
    at, expires = now(), later(days=days)

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("frozen/expire", at=at)
        there = tx.run("frozen/list", team=frozen.team, at=at)
        if len(there) >= MOST and frozen.id not in {row["id"] for row in there}:
            raise TooManyMenus
        tx.run(
            "frozen/put",
            id=frozen.id,
            team=frozen.team,
            request=frozen.request,
            tools=[item.id for item in frozen.items],
            content=frozen.model_dump_json(),
            at=at,
            expires=expires,
        )
        return {"frozen": frozen.id}

    store.write("freeze", work)
    return get(store, frozen.id, ask.caller)


def get(store: Reader, menu: str, caller: Caller) -> Kept:
    """A frozen menu that the caller froze; the operator sees everybody's.

    Raises:
        UnknownMenu: there is none, or it is another team's, which must look the same.
    """
    found = store.read("frozen/get", id=menu, at=now())
    if not found or (caller.team is not None and found[0]["team"] != caller.team):
        raise UnknownMenu(menu)
    row = found[0]
    return Kept(Frozen.model_validate_json(row["content"]), row["created"], row["expires"])


def listed(store: Reader, caller: Caller) -> list[Row]:
    """The frozen menus of a caller; the operator sees everybody's."""
    return store.read("frozen/list", team=caller.team, at=now())


def remove(store: Store, menu: str, caller: Caller) -> str:
    """Forget a frozen menu.

    Raises:
        UnknownMenu: see `get`.
    """
    known = get(store, menu, caller).menu.id

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("frozen/remove", id=known)
        return {"removed": known}

    store.write("unfreeze", work)
    return known


def approve(
    store: Store, code: str, menu: str, *, by: str, minutes: float = APPROVAL_MINUTES
) -> dict[str, str]:
    """Let one call of a frozen menu run once; only a person with access to the store can.

    Args:
        store: where the menu is.
        code: what the refusal of the call said.
        menu: whose call it is.
        by: who looked at it.
        minutes: how long the approval waits for the call.

    Raises:
        UnknownMenu: there is no such menu.
        InputError: this is no code.
    """
    frozen = get(store, menu, Caller()).menu
    tool, _, mark = code.rpartition(":")
    if tool not in frozen.names.of or len(mark) != _MARK or not mark.isalnum():
        raise InputError(
            f"{code[:200]!r} is no code of a call. Take it from the refusal: TOOL:{'0' * _MARK}"
        )
    at, expires = now(), later(days=minutes / 1440)

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("frozen/expire", at=at)
        tx.run(
            "frozen/approve",
            id=_approval(frozen.id, code), menu=frozen.id, tool=tool, by=by, at=at, expires=expires,
        )  # fmt: skip
        return {"approved": code}

    store.write("approve-call", work)
    return {"menu": frozen.id, "call": code, "expires": expires}


def code_of(menu: str, tool: str, arguments: dict[str, Any]) -> str:
    """What stands for one call, so that a person approves that one and no other."""
    return f"{tool}:{digest([menu, tool, arguments])[:_MARK]}"


def approved(store: Reader, menu: str, code: str) -> bool:
    """Whether a call was approved and did not run yet."""
    return bool(store.read("frozen/approval", id=_approval(menu, code), at=now()))


def spend(store: Store, menu: str, code: str) -> bool:
    """Use an approval up; False when it was used already, perhaps by another worker."""
    known = _approval(menu, code)

    def work(tx: Transaction) -> dict[str, Any] | None:
        if not tx.run("frozen/approval", id=known, at=now()):
            return None
        tx.run("frozen/spend", id=known)
        return {"spent": True}

    return store.write("spend-approval", work) is not None


_MARK = 16


def _approval(menu: str, code: str) -> str:
    return digest([menu, code])


def _frozen(store: Reader, ask: Ask, menu: Menu, *, ranked: bool) -> Frozen:
    cards = {row["id"]: row for row in store.read("tools/show", ids=[i.id for i in menu.items])}
    items = [item for item in menu.items if item.id in cards]
    called = name(items, MCP, ranked=ranked)
    caller = ask.caller
    return Frozen(
        request=ask.request,
        team=caller.team,
        scopes=None if caller.scopes is None else tuple(sorted(caller.scopes)),
        read_only=caller.read_only,
        state=tuple(menu.state),
        route=tuple(menu.route),
        items=tuple(
            FrozenItem(
                rank=item.rank, id=item.id, alias=called.of[item.id], name=item.name,
                version=cards[item.id]["version"], content_hash=cards[item.id]["content_hash"],
                role=item.role, effects=item.effects, needs=item.needs, gives=item.gives,
            )
            for item in items
        ),
    )  # fmt: skip


def later(*, days: float) -> str:
    """A moment from now as UTC in ISO 8601."""
    moment = datetime.now(UTC) + timedelta(days=days)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
