"""The menu, the request for one, and the interface of a ranker."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import InputError

SIZE = 32
PREFIX = 8

Role = Literal["entry", "bridge", "target", "terminal", "backup"]


@dataclass(frozen=True)
class Ask:
    """What a menu is asked for.

    Attributes:
        request: what the agent should do.
        state: fields known besides the text, by any of their names.
        size: tools in the menu.
        prefix: the longest route in front.
        caller: who asks.
        done: tools that ran already, in order; their outputs are known and they are not offered.
        without: fields that the text seems to give and does not, by any of their names.
        allow_writes: let tools that change something run only to make an input of another. A
            caller that may only read never has them.
    """

    request: str
    state: tuple[str, ...] = ()
    size: int = SIZE
    prefix: int = PREFIX
    caller: Caller = EVERYTHING
    done: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    allow_writes: bool = False

    def __post_init__(self) -> None:
        """Refuse what no menu can answer.

        Raises:
            InputError: the request is empty or a size is not positive.
        """
        if not self.request.strip():
            raise InputError("The request is empty. Say what the agent should do, in quotes.")
        if self.size < 1 or self.prefix < 1:
            raise InputError(
                f"A menu needs at least one tool (got size {self.size}, prefix {self.prefix})."
            )


@dataclass(frozen=True)
class Edge:
    """Why one tool of a menu stands before another."""

    source: str
    target: str
    kind: Literal["declared", "observed"]  # a field that meets, or a transition that was seen
    field: str  # the field that flows; empty for a transition
    count: int  # trajectories behind a transition; 0 for a declared field


@dataclass(frozen=True)
class MenuItem:
    """One tool of a menu, with what it needs and from whom."""

    rank: int
    id: str
    name: str
    title: str
    description: str
    role: Role
    effects: str
    needs: dict[str, list[str]]  # field -> who gives it: "request", or ids of tools
    gives: list[str]
    score: float
    terms: dict[str, float]  # what the score is the sum of
    order: dict[str, float] = field(default_factory=dict)  # what its place in front is the sum of
    signals: dict[str, float] = field(default_factory=dict)  # what a network saw of it


@dataclass(frozen=True)
class Menu:
    """An ordered list of tools: an executable route in front, backups behind."""

    request: str
    state: list[str]  # the visible fields F0, and those of `Ask.state`
    route: list[str]  # ids of the tools in front
    items: list[MenuItem]
    ranker: str  # "prior" or the name of a trained model
    model: str  # digest of the weights; empty for a ranker without any
    traces: int  # similar observed requests behind this menu
    trust: float  # weight of observed evidence in it, 0 (only declared) to 1
    revision: int
    edges: list[Edge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class WhyNot:
    """Why a tool is not in a menu, and what would admit it."""

    tool: str
    rank: int | None  # its place in the menu (then `reasons` is empty) or behind it
    reasons: list[str]
    admitted_by: list[str]  # the smallest changes that would bring it in; a backup into the route
    terms: dict[str, float]
    cutoff: float  # score of the last tool that was admitted


class Ranker(Protocol):
    """Builds menus. The default one comes from `spm.gnn`, by the entry point `spm.rankers`."""

    @property
    def name(self) -> str:
        """What a menu says it was built by."""
        ...

    def menu(self, ask: Ask) -> Menu:
        """Build the menu."""
        ...

    def menus(self, asks: Sequence[Ask]) -> list[Menu]:
        """Build many menus, which may cost less than one by one."""
        ...

    def why_not(self, ask: Ask, tool: str) -> WhyNot:
        """Say why a tool is absent from the menu of `ask`."""
        ...
