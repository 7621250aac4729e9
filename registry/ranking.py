"""What a menu is, and what whoever builds one must offer."""

from dataclasses import dataclass, field
from typing import Protocol

SIZE = 32
PREFIX = 8


@dataclass(frozen=True)
class MenuItem:
    """One tool of a menu, with what it needs and from whom."""

    rank: int
    id: str
    name: str
    title: str
    description: str
    role: str  # entry, bridge, target, backup
    effects: str
    needs: dict[str, list[str]]
    gives: list[str]
    score: float
    terms: dict[str, float]


@dataclass(frozen=True)
class Menu:
    """An ordered list of tools: an executable route in front, backups behind."""

    request: str
    state: list[str]
    route: list[str]
    items: list[MenuItem]
    ranker: str
    traces: int
    revision: int
    notes: list[str] = field(default_factory=list)


class Ranker(Protocol):
    """Builds menus. The plain one is in `plain.py`; the learned one comes from `spm.gnn`."""

    name: str

    def menu(
        self, request: str, *, have: list[str] | None = None, size: int = SIZE, prefix: int = PREFIX
    ) -> Menu:
        """Build the menu for a request; `have` are fields known besides the text."""
        ...
