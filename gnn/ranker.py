"""Menus from the learned constructor: ask the graph, decide, and say why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from spm.gnn import runtime
from spm.gnn.constructor import Construction, construct
from spm.gnn.encoder import encoder_for, encoder_of
from spm.gnn.explaining import Explained, similar
from spm.gnn.model import Model
from spm.gnn.models import model_of
from spm.gnn.snapshot.serving import snapshots_of
from spm.gnn.sources import Asked, Mapped, Material
from spm.registry.encoding import ClauseEncoder
from spm.registry.frontier import Frontier
from spm.registry.menus.sight import obstacles
from spm.registry.ranking import Ask, Menu, WhyNot
from spm.registry.stages import NETWORKS, WORDS, stage
from spm.registry.store import Row, Store

if TYPE_CHECKING:
    from spm.registry import Ranker, Registry

TRIED = 8  # missing fields that `why_not` tries one by one
# How sure the model must be of a tool that cannot be undone before it stands in a route; below, it
# is a backup. In routes of the demo (with a half, four fifths and none of its traces) 25 of 26 that
# the paths do not have are less likely than that, and 6 of 11 that they have. With four tools and
# four traces, questions made it likely by up to .83, and requests to delete by .87 and more.
SURE = 0.85


@dataclass(frozen=True)
class _Built:
    """A construction with what it was made of."""

    construction: Construction
    of: Material

    def told(self, ask: Ask) -> Explained:
        """The menu as it is told to people."""
        return Explained(self.construction, self.of.cards, ask, self.of.given)


class LearnedRanker:
    """The state-path constructor behind the registry's interface.

    Args:
        store: where tools and traces are.
        encoder: makes the request's vector; loaded with the first menu.
        model: the networks; loaded with the first menu.
        mapped: answers before the store is asked, where its snapshot is of this moment.
    """

    def __init__(
        self,
        store: Store,
        encoder: Callable[[], ClauseEncoder],
        model: Callable[[], Model],
        mapped: Mapped | None = None,
    ) -> None:
        self._store = store
        self._model = cache(model)
        self._asked = Asked(store, encoder)
        self._mapped = mapped

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model().provenance.name

    def menu(self, ask: Ask) -> Menu:
        """Build the menu for a request."""
        runtime.menus.next()
        # Kernels of BLAS may raise this flag for lanes that nobody reads, which would be printed.
        with np.errstate(invalid="ignore"):
            return self._menu(ask)

    def _menu(self, ask: Ask) -> Menu:
        with runtime.turn:
            found = self._of_snapshot(ask, ask.done)
            if found is not None:
                return self._told(ask, self._built(found, ask, ask.size))
        found = self._asked.material(ask, ask.done)
        with runtime.turn:
            return self._told(ask, self._built(found, ask, ask.size))

    def _told(self, ask: Ask, built: _Built) -> Menu:
        with stage(WORDS):
            return self._in_words(built.told(ask), ask, built)

    def _in_words(self, told: Explained, ask: Ask, built: _Built) -> Menu:
        model = self._model()
        return Menu(
            request=ask.request,
            state=built.of.given,
            route=told.route,
            items=told.items(),
            ranker=model.provenance.name,
            model=model.digest,
            traces=similar(built.construction.frontier),
            trust=told.trust(),
            revision=built.of.revision,
            edges=told.edges(),
            notes=self._notes(built.construction.frontier, model),
        )

    def why_not(self, ask: Ask, tool: str) -> WhyNot:
        """Say why a tool is absent from the menu of `ask`; `tool` is an id.

        Raises:
            UnknownTool: there is no such tool.
        """
        menu = self.menu(ask)
        cutoff = min((item.score for item in menu.items), default=0.0)
        for item in menu.items:
            if item.id == tool:
                return WhyNot(tool, item.rank, [], [], item.terms, cutoff)
        _, found = obstacles(self._store, ask, tool)
        if found:
            change = " and ".join(remedy for _, remedy in found)
            return WhyNot(tool, None, [reason for reason, _ in found], [change], {}, cutoff)
        return self._outranked(ask, tool, cutoff)

    def _outranked(self, ask: Ask, tool: str, cutoff: float) -> WhyNot:
        """Why a tool that may be seen is behind the menu: decode again with it let in."""
        reached = tool in self._build(ask).construction.frontier.tools
        wide = self._build(ask, must=(tool,), size=10_000)
        told = wide.told(ask)
        rank = told.order.index(tool) + 1
        reasons = [
            f"Its score {sum(told.terms(tool).values()):.4f} is place {rank} of "
            f"{len(told.order)}; the menu ends at {ask.size} with {cutoff:.4f}."
        ]
        if not reached:
            reasons.insert(0, told.unreached(tool))
        changes = [f"-k {rank}"] if reached else []
        changes += self._states(ask, tool, wide)
        changes += ["importing traces in which it was used: spm traces import FILE"]
        return WhyNot(tool, rank, reasons, changes, told.terms(tool), cutoff)

    def _states(self, ask: Ask, tool: str, wide: _Built) -> list[str]:
        """Single fields that would bring the tool in, if they were known."""
        frontier = wide.construction.frontier
        row = frontier.tools.index(tool)
        open_fields = np.flatnonzero(frontier.takes[row] * (1 - frontier.given))[:TRIED]
        found = []
        for at in open_fields:
            given = frontier.given.copy()
            given[at] = 1.0
            tried = construct(
                self._model(), replace(frontier, given=given), ask.size, ask.prefix, ask.done
            )
            if row in tried.sequence:
                found.append(f"--state {frontier.fields[at]}")
        return found

    def _build(self, ask: Ask, must: tuple[str, ...] = (), size: int | None = None) -> _Built:
        among = (*ask.done, *must)
        found = self._of_snapshot(ask, among) or self._asked.material(ask, among)
        return self._built(found, ask, size or ask.size)

    def _built(self, found: Material, ask: Ask, size: int) -> _Built:
        frontier = found.frontier
        ran = [at for at, tool in enumerate(frontier.tools) if tool in ask.done]
        if ran:
            known = np.maximum(frontier.given, frontier.gives[ran].max(axis=0))
            frontier = replace(frontier, given=known)
        with stage(NETWORKS):
            built = construct(self._model(), frontier, size, ask.prefix, ask.done)
        return _Built(replace(built, route=_wary(built, found.cards)), found)

    def _of_snapshot(self, ask: Ask, must: tuple[str, ...]) -> Material | None:
        return self._mapped.material(ask, must) if self._mapped else None

    def _notes(self, frontier: Frontier, model: Model) -> list[str]:
        if not frontier.tools:
            return ["The registry is empty. Load the demo with: spm demo"]
        if not frontier.memory.ids:
            return [
                "No trajectories yet: the menu comes from declared fields, text and the "
                "generic prior. Import some with: spm traces import FILE"
            ]
        if not similar(frontier):
            return ["No observed request resembles this one: observed evidence counts little."]
        return []


def _wary(built: Construction, cards: Mapping[str, Row]) -> list[int]:
    """The route without tools that cannot be undone and that the model is not sure of.

    They keep their places, so that nothing that is measured changes. A route of nothing else stays:
    it may be what was asked for, and says that a person approves first.
    """
    tools = built.frontier.tools
    kept = [
        at
        for at in built.route
        if built.member[at] >= SURE or cards[tools[at]]["effects"] != "destructive"
    ]
    return kept or built.route


def default(registry: "Registry") -> "Ranker":
    """The ranker that menus use when nobody chose one: the registry's own model, or the prior."""
    store = registry.store
    snapshots = snapshots_of(store)
    return LearnedRanker(
        store,
        lambda: encoder_of(store),
        lambda: model_of(store, known=snapshots.current()),
        Mapped(snapshots, encoder_for),
    )
