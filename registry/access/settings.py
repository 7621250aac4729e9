"""Who may see a tool, as people set it: owner, visibility and scopes.

A source can say these as well. What people set is kept beside it, on a service for all its tools or
on single tools, and goes before: a tool's own setting, then its service's, then its source. So it
holds when the source is registered again, and a tool that comes later gets its service's.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from spm.registry.errors import InputError

VISIBILITIES = ("public", "team", "private")  # `models.Visibility`, which menus need not import


@dataclass(frozen=True)
class Access:
    """Owner, visibility and scopes; None leaves it to whoever is asked next."""

    owner: str | None = None
    visibility: str | None = None
    scopes: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return self != Access()

    def over(self, other: "Access") -> "Access":
        """This one, and where it says nothing, the other."""
        return Access(
            *(b if a is None else a for a, b in zip(_parts(self), _parts(other), strict=True))
        )

    def without(self, other: "Access") -> "Access":
        """This one, but for what the other says."""
        return Access(
            *(a if b is None else None for a, b in zip(_parts(self), _parts(other), strict=True))
        )

    def text(self) -> str:
        """As it is kept in the graph; empty when it says nothing."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        return json.dumps(said, sort_keys=True, ensure_ascii=False) if said else ""

    def row(self) -> dict[str, Any]:
        """Owner, visibility and scopes as properties of a tool that says all three."""
        return {
            "owner": self.owner or "",
            "visibility": self.visibility or "public",
            "scopes": list(self.scopes or ()),
        }


AS_SOURCE = Access()


def access(
    owner: str | None = None,
    visibility: str | None = None,
    scopes: Iterable[str] | None = None,
) -> Access:
    """What a person sets.

    Raises:
        InputError: there is no such visibility, or a name is empty or has control characters.
    """
    if visibility is not None and visibility not in VISIBILITIES:
        raise InputError(f"No visibility {visibility!r}. There are: {', '.join(VISIBILITIES)}")
    asked = None if scopes is None else tuple(sorted({scope.strip() for scope in scopes}))
    for what, value in (("owner", owner), *(("scope", scope) for scope in asked or ())):
        if value is not None and not (0 < len(value) <= 256 and value.isprintable()):
            raise InputError(f"The {what} {value[:100]!r} must be one line of 1 to 256 characters.")
    return Access(owner, visibility, asked)


def kept(text: str | None) -> Access:
    """What `Access.text` wrote."""
    said = json.loads(text) if text else {}
    known = {field.name for field in fields(Access)}
    found = {name: value for name, value in said.items() if name in known}
    if found.get("scopes") is not None:
        found["scopes"] = tuple(found["scopes"])
    return Access(**found)


def of_row(row: Mapping[str, Any]) -> Access:
    """What holds for a tool: the columns `owner`, `visibility` and `scopes` of a row."""
    return holding(row["owner"], row["visibility"], row["scopes"])


def holding(owner: str | None, visibility: str | None, scopes: Iterable[str] | None) -> Access:
    """What a source or a tool says, with its defaults; the order of scopes means nothing."""
    return Access(owner or "", visibility or "public", tuple(sorted(set(scopes or ()))))


def require_owner(tool: str, given: Access, holds: Access) -> None:
    """Refuse to hide a tool from everybody by mistake.

    Raises:
        InputError: it is made visible to its owner alone and has none.
    """
    if given.visibility not in (None, "public") and not holds.owner:
        raise InputError(
            f"{tool!r} has no owner, so that with visibility {given.visibility!r} no team would "
            "see it. Say whose it is: --owner TEAM"
        )


def _parts(found: Access) -> tuple[Any, ...]:
    return found.owner, found.visibility, found.scopes
