"""Menus from the learned constructor: ask the graph, decide, and say why."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from spm.gnn.constructor import (
    Construction,
    Retrieved,
    belief_without_traces_steps,
    collect_steps,
    construct,
    construct_steps,
    retrieve_steps,
)
from spm.gnn.encoders.by_name import encoder_for, encoder_of
from spm.gnn.explanation import ALIKE, Explained, Names, OwnContracts, similar
from spm.gnn.frontier_source import CypherSource, MenuInputs, SnapshotSource
from spm.gnn.model import Model
from spm.gnn.model_store import model_of
from spm.gnn.networks import runtime
from spm.gnn.networks.inference import networks_of
from spm.gnn.networks.passes import Steps, answered
from spm.gnn.request_vectors import RequestRows
from spm.gnn.snapshot.lifecycle import snapshots_of
from spm.registry.access.rules import Reason, none_visible, reasons_hidden
from spm.registry.encoding import ClauseEncoder
from spm.registry.errors import UnknownTool
from spm.registry.frontier.frontier import Floats, Frontier
from spm.registry.menus.menu import Ask, Menu, MenuItem, WhyNot
from spm.registry.menus.roles import Contract
from spm.registry.request.search_words import searched_text
from spm.registry.routes.admission import NOT_UNDERSTOOD, Admission, name_words, unread
from spm.registry.routes.closure import Known
from spm.registry.routes.route import Proposal, propose, rank_candidates
from spm.registry.routes.tool_map import kinds_of
from spm.registry.store.interface import Row, Store
from spm.registry.timing import NETWORKS, PLAN, WORDS, stage

if TYPE_CHECKING:
    from spm.registry.menus.menu import Ranker
    from spm.registry.registry import Registry

T = TypeVar("T")
TRIED = 8  # missing fields that `why_not` tries one by one
DECISIONS, MANY = 2, 1_000  # that `why_not` advises, out of so many suggestions
# A destructive tool stands in a route only from this probability on; below, it is a backup. How it
# was chosen: docs/performance.md.
SURE = 0.85
# From this trust on similar requests decide the route; below, the graph plans it.
TRUSTED = 0.3
FEW = 8  # fewer similar requests than this say nothing about a route,
SAME = 0.9  # unless one of them is as good as the same
NEAREST = 16  # similar requests whose verbs are compared
NAMED = 3  # tools that a note names


@dataclass(frozen=True)
class _Built:
    """A construction with what it was made of."""

    construction: Construction
    of: MenuInputs
    proposal: Proposal | None = None

    def explained(self, ask: Ask, own: OwnContracts) -> Explained:
        """The menu as it is told to people."""
        plans = self.proposal.plans if self.proposal and self.proposal.route else []
        names = Names(self.of.same, own)
        return Explained(
            self.construction, self.of.cards, ask, self.state(), plans, names, self.of.map
        )

    def state(self) -> list[str]:
        """The fields that were known before the first tool runs; a plan knows best."""
        proposal = self.proposal
        if not (proposal and proposal.plans) or proposal.doubt == NOT_UNDERSTOOD:
            return self.of.given
        return sorted(self.of.stated | proposal.given)

    def planned(self, order: Sequence[str], ask: Ask) -> "_Built":
        """The same tools, in the order that was planned."""
        built = self.construction
        number = {tool: at for at, tool in enumerate(built.frontier.tools)}
        front = [number[tool] for tool in order if tool in number]
        rest = [at for at in built.sequence if at not in front]
        route = self.proposal.route if self.proposal else []
        lead = [number[tool] for tool in route if tool in number and tool not in ask.done]
        sequence = [*front, *rest][: ask.size]
        return replace(
            self,
            construction=replace(
                built, sequence=sequence, route=[at for at in lead if at in sequence]
            ),
        )


class LearnedRanker:
    """The state-path constructor behind the registry's interface.

    A menu is built in steps that yield what they ask of the networks, so that many menus are built
    side by side and ask together.

    Args:
        store: where tools and traces are.
        encoder: makes the request's vector; loaded with the first menu.
        model: the networks; loaded with the first menu.
        snapshot_source: answers before the store is asked, where its snapshot is current.
    """

    def __init__(
        self,
        store: Store,
        encoder: Callable[[], ClauseEncoder],
        model: Callable[[], Model],
        snapshot_source: SnapshotSource | None = None,
    ) -> None:
        self._store = store
        self._model = cache(model)
        self._encoder = encoder
        self._rows = RequestRows()
        self._cypher_source = CypherSource(store, encoder)
        self._snapshot_source = snapshot_source

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model().provenance.name

    def menu(self, ask: Ask) -> Menu:
        """Build the menu for a request."""
        return self._answered([self._menu_steps(ask)])[0]

    def menus(self, asks: Sequence[Ask]) -> list[Menu]:
        """Build many menus; what they ask of encoder and networks is computed in few passes."""
        if len(asks) < 2:
            return [self.menu(ask) for ask in asks]
        texts = [searched_text(ask.request) for ask in asks]
        with self._rows.ahead(self._encoder(), texts):
            return self._answered([self._menu_steps(ask) for ask in asks])

    def _answered(self, steps: Sequence[Steps[T]]) -> list[T]:
        # Kernels of BLAS may raise this flag for lanes that nobody reads, which would be printed.
        with np.errstate(invalid="ignore"):
            return answered(networks_of(self._model()), steps)

    def _menu_steps(self, ask: Ask) -> Steps[Menu]:
        found = self._collected(ask, ())
        with runtime.turn, stage(NETWORKS):
            retrieved = yield from retrieve_steps(self._model(), found.frontier)
        planned = self._model().design.routing.planned
        if not planned or _ask_the_same(ask, found):
            with runtime.turn:
                built = yield from self._built_steps(found, ask, retrieved=retrieved)
                explained = built.explained(ask, self._contracts)
            if not planned or (explained.route and explained.trust() >= TRUSTED):
                with runtime.turn, stage(WORDS):
                    return self._to_menu(explained, ask, built)
        built = yield from self._planned_steps(ask, found, retrieved)
        with runtime.turn, stage(WORDS):
            return self._to_menu(built.explained(ask, self._contracts), ask, built)

    @property
    def model(self) -> Model:
        """The networks that build menus."""
        return self._model()

    def frontier(self, ask: Ask) -> Frontier:
        """The candidates that the menu of `ask` is chosen from."""
        return self._collected(ask, ()).frontier

    def plan_inputs(self, ask: Ask) -> tuple[MenuInputs, Floats]:
        """What a plan is made of: the candidates, and how far the networks believe in each."""
        found = self._collected(ask, ())
        (retrieved,) = self._answered([retrieve_steps(self._model(), found.frontier)])
        return found, retrieved.member

    def planned_inputs(self, ask: Ask) -> tuple[MenuInputs, Proposal]:
        """The candidates with the tools of the plan among them, and the plan."""
        found, belief = self.plan_inputs(ask)
        (proposal,) = self._answered([self._proposal_steps(ask, found, belief)])
        return self._with_planned(ask, found, proposal)

    def _with_planned(
        self, ask: Ask, found: MenuInputs, proposal: Proposal
    ) -> tuple[MenuInputs, Proposal]:
        """The same with the tools that the plan brings among the candidates."""
        order = [tool for tool in proposal.order if tool not in ask.done][: ask.size]
        new = tuple(tool for tool in order if tool not in found.frontier.tools)
        return (self._collected(ask, (*ask.done, *new), found) if new else found), proposal

    def _collected(
        self, ask: Ask, must: tuple[str, ...], again: MenuInputs | None = None
    ) -> MenuInputs:
        """The candidates of a request with `must` among them."""
        rule = self._model().design.frontier
        if self._snapshot_source:
            with runtime.turn:
                if found := self._snapshot_source.collect(ask, must, again, rule, self._rows):
                    return _with_outputs(found, ask.done)
        found = self._cypher_source.collect(ask, must, again, rule, self._rows)
        return _with_outputs(found, ask.done)

    def _planned_steps(self, ask: Ask, found: MenuInputs, retrieved: Retrieved) -> Steps[_Built]:
        """The menu with the route that the graph plans: similar requests say too little."""
        with stage(PLAN):
            proposal = yield from self._proposal_steps(ask, found, retrieved.member)
        whole, _ = self._with_planned(ask, found, proposal)
        with runtime.turn, stage(NETWORKS):
            again = retrieved if whole is found else None
            built = yield from collect_steps(
                self._model(), whole.frontier, ask.size, ask.done, again
            )
            gain = yield from self._observed_gain_steps(whole.frontier, built.member)
        with runtime.turn, stage(PLAN):
            order = rank_candidates(whole.map, whole.frontier, whole.cards, proposal, gain)
        order = [tool for tool in order if tool not in ask.done]
        return _Built(built, whole, proposal).planned(order, ask)

    def _observed_gain_steps(self, frontier: Frontier, member: Floats) -> Steps[Floats | None]:
        """How much more the network believes in each candidate for what was observed."""
        if not frontier.memory.ids:
            return None
        bare = yield from belief_without_traces_steps(self._model(), frontier)
        return member - bare

    def _proposal_steps(self, ask: Ask, found: MenuInputs, belief: Floats) -> Steps[Proposal]:
        """The route by what is declared alone; what stands behind it, also by what was observed.

        Traces of another workflow must not move a route, but they know which tools are used.
        """
        observed = None
        if found.frontier.memory.ids:
            with runtime.turn:
                bare = yield from belief_without_traces_steps(self._model(), found.frontier)
            belief, observed = bare, belief
        return propose(
            found.map,
            found.frontier,
            found.cards,
            ask.request,
            _known(found, ask.done),
            belief=belief,
            observed=observed,
            allow_writes=ask.allow_writes and not ask.caller.read_only,
        )

    def _to_menu(self, explained: Explained, ask: Ask, built: _Built) -> Menu:
        model = self._model()
        return Menu(
            request=ask.request,
            state=built.state(),
            route=explained.route,
            items=explained.items(),
            ranker=model.provenance.name,
            model=model.digest,
            traces=similar(built.construction.frontier),
            trust=explained.trust(),
            revision=built.of.revision,
            edges=explained.edges(),
            notes=self._notes(ask, built),
        )

    def _contracts(self, tools: Sequence[str]) -> dict[str, Contract]:
        """What tools need and give, each field under the tool's own name for it."""
        found = {tool: Contract([], []) for tool in tools}
        for row in self._store.read("tools/inputs", ids=list(tools)):
            if row["required"]:
                found[row["id"]].needs.append(row["field"])
        for row in self._store.read("tools/outputs", ids=list(tools)):
            found[row["id"]].gives.append(row["field"])
        return found

    def why_not(self, ask: Ask, tool: str) -> WhyNot:
        """Say why a tool is absent from the menu of `ask`; `tool` is an id.

        Raises:
            UnknownTool: there is no such tool.
        """
        menu = self.menu(ask)
        cutoff = min((item.score for item in menu.items), default=0.0)
        for item in menu.items:
            if item.id == tool:
                into = self._writes(ask, tool, item) if item.role == "backup" else []
                return WhyNot(tool, item.rank, [], into, item.terms, cutoff)
        if reasons := self._exclusions(ask, tool):
            change = " and ".join(reason.remedy for reason in reasons)
            return WhyNot(tool, None, [reason.text for reason in reasons], [change], {}, cutoff)
        return self._outranked(ask, tool, cutoff, self._decisions(ask, tool, menu))

    def _exclusions(self, ask: Ask, tool: str) -> list[Reason]:
        """List the reasons that keep a tool out of a menu before any candidate is scored.

        Raises:
            UnknownTool: there is no such tool.
        """
        cards = self._store.read("tools/show", ids=[tool])
        if not cards:
            raise UnknownTool(tool, [])
        reasons = reasons_hidden(cards[0], ask.caller)
        if tool in ask.done:
            reasons.append(Reason("It ran already.", "leaving out --done for it"))
        return reasons

    def _decisions(self, ask: Ask, tool: str, menu: Menu) -> list[str]:
        """What a person may say about fields, so that the tool feeds inputs that nothing makes.

        Only to who sees everything: what others may not see is weighed too.
        """
        lacking = {name for item in menu.items for name, who in item.needs.items() if not who}
        if ask.caller.restricted or not lacking:
            return []
        from spm.registry.catalog.field_suggestions import suggest

        gives = {row["field"] for row in self._store.read("tools/outputs", ids=[tool])}
        found = [
            f"saying that {one.says}: {one.command}"
            for one in suggest(self._store, count=MANY)
            if one.output in gives and one.input in lacking
        ]
        return found[:DECISIONS]

    def _outranked(self, ask: Ask, tool: str, cutoff: float, decisions: list[str]) -> WhyNot:
        """Why a tool that may be seen is behind the menu: decode again with it let in."""
        reached = tool in self._build(ask).construction.frontier.tools
        wide = self._build(ask, must=(tool,), size=10_000)
        explained = wide.explained(ask, self._contracts)
        rank = explained.order.index(tool) + 1
        reasons = [
            f"Its score {sum(explained.terms(tool).values()):.4f} is place {rank} of "
            f"{len(explained.order)}; the menu ends at {ask.size} with {cutoff:.4f}."
        ]
        if not reached:
            reasons.insert(0, explained.unreached(tool))
        changes = [*decisions, *([f"-k {rank}"] if reached else [])]
        changes += self._writes(ask, tool)
        changes += self._states(ask, tool, wide)
        changes += ["importing traces in which it was used: spm traces import FILE"]
        return WhyNot(tool, rank, reasons, changes, explained.terms(tool), cutoff)

    def _writes(self, ask: Ask, tool: str, backup: MenuItem | None = None) -> list[str]:
        """Whether letting tools that write make inputs brings one in; a backup into the route."""
        if ask.allow_writes or ask.caller.read_only or (backup and backup.effects == "read"):
            return []
        built = self.menu(replace(ask, allow_writes=True))
        found = built.route if backup else [item.id for item in built.items]
        return ["--allow-writes"] if tool in found else []

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
        found = self._collected(ask, (*ask.done, *must))
        return self._answered([self._built_steps(found, ask, size)])[0]

    def _built_steps(
        self,
        found: MenuInputs,
        ask: Ask,
        size: int | None = None,
        retrieved: Retrieved | None = None,
    ) -> Steps[_Built]:
        """What the networks make of the candidates."""
        with stage(NETWORKS):
            built = yield from construct_steps(
                self._model(), found.frontier, size or ask.size, ask.prefix, ask.done, retrieved
            )
        return _Built(replace(built, route=_admitted(built, found.cards, ask.request)), found)

    def _notes(self, ask: Ask, built: _Built) -> list[str]:
        frontier, proposal = built.construction.frontier, built.proposal
        if not frontier.tools and ask.caller.restricted:
            return ["No tool is visible to this caller."]  # never how many there are
        if not frontier.tools:
            return [none_visible(self._store, ask.caller)]
        notes = []
        if proposal and proposal.doubt:
            notes.append(f"No route is shown: {proposal.doubt}. The menu lists candidates.")
        notes += _left_out(proposal)
        if doubtful := _doubtful(ask, built):
            notes.append(doubtful)
        if not self._model().design.frontier.memories:
            return notes  # such a model looks at no solved request
        if not frontier.memory.ids:
            notes.append(
                "No trajectories yet: the menu comes from declared fields, text and the "
                "generic prior. Import some with: spm traces import FILE"
            )
        elif not similar(frontier):
            notes.append("No observed request resembles this one: observed evidence counts little.")
        return notes


def _left_out(proposal: Proposal | None) -> list[str]:
    """What only tools that change something could make, and how to allow that."""
    return [
        f"{field} is made by {' or '.join(tools[:NAMED])}, which changes something. Let such tools "
        "make inputs with: --allow-writes"
        for field, tools in (proposal.writers.items() if proposal else ())
    ]


def _doubtful(ask: Ask, built: _Built) -> str:
    """What has to be said of a route whose request was not understood."""
    route = [built.construction.frontier.tools[at] for at in built.construction.route]
    why = unread(ask.request, Admission.of(ask.request)) if route else ""
    if why == NOT_UNDERSTOOD:
        return f"Read the route with care: {why}. Similar requests gave it."
    if not why or all(built.of.cards[tool]["effects"] == "read" for tool in route):
        return ""
    return (
        f"Read the route with care: {why}, and it changes something. Begin with what to do: show, "
        "list, create, update, delete …"
    )


def _ask_the_same(ask: Ask, found: MenuInputs) -> bool:
    """Whether enough similar requests ask for the same kind of thing: showing is not opening.

    Their words may be alike otherwise. A request without a known verb is taken by its words.
    """
    memory = found.frontier.memory
    if not memory.ids:
        return False
    alike = memory.similarity >= ALIKE
    ids = [i for i, like in zip(memory.ids, alike, strict=True) if like][:NEAREST]
    if len(ids) < FEW and not (memory.similarity >= SAME).any():
        return False
    asked = kinds_of(ask.request)
    if not asked:
        return True
    others = found.map.asked(ids)
    return sum(not kinds or bool(kinds & asked) for kinds in others) * 2 >= len(others)


def _with_outputs(found: MenuInputs, ran: Iterable[str]) -> MenuInputs:
    """The same where the outputs of tools that ran are there."""
    frontier = found.frontier
    rows = [frontier.tools.index(tool) for tool in ran if tool in frontier.tools]
    if not rows:
        return found
    given = np.maximum(frontier.given, frontier.gives[rows].max(axis=0))
    return replace(found, frontier=replace(frontier, given=given))


def _known(found: MenuInputs, ran: Iterable[str]) -> Known:
    """What is there before the first tool runs, besides the request: said, or made by what ran."""
    frontier = found.frontier
    rows = [frontier.tools.index(tool) for tool in ran if tool in frontier.tools]
    made = [
        frontier.fields[at] for at in np.flatnonzero(frontier.gives[rows].max(axis=0, initial=0))
    ]
    stands = {found.same.get(name, name) for name in (*found.stated, *made)}
    spelled = {name for name, other in found.same.items() if other in stands}
    return Known(frozenset({*found.stated, *made, *spelled}), denied=found.denied)


def _admitted(built: Construction, cards: Mapping[str, Row], request: str) -> list[int]:
    """The route without tools that the request's verbs do not allow, or the model is not sure of.

    They keep their places, so that nothing that is measured changes. A tool that cannot be undone
    stays alone if it was asked for: it says that a person approves first.
    """
    admission, tools = Admission.of(request), built.frontier.tools
    found = [(at, cards[tools[at]]) for at in built.route]
    asked = [
        (at, card)
        for at, card in found
        if admission.admits(card["effects"], name_words(card["name"]))
    ]
    sure = [
        at for at, card in asked if built.member[at] >= SURE or card["effects"] != "destructive"
    ]
    return sure or [at for at, _ in asked]


def default(registry: "Registry") -> "Ranker":
    """The ranker that menus use when nobody chose one: the registry's own model, or the prior."""
    store = registry.store
    snapshots = snapshots_of(registry)
    return LearnedRanker(
        store,
        lambda: encoder_of(store),
        lambda: model_of(store, known=snapshots.current()),
        SnapshotSource(snapshots, encoder_for),
    )
