"""Where the material of a menu comes from: a store, asked in Cypher, or its snapshot.

Both give the same frontier for the same state; a test compares them byte for byte.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spm.gnn.arrays.array_expansion import Found, Question
from spm.gnn.networks import runtime
from spm.gnn.request_vectors import NOT_AHEAD, RequestRows
from spm.gnn.snapshot.snapshot_map import SnapshotMap
from spm.registry.access.caller import Caller
from spm.registry.encoding import ClauseEncoder
from spm.registry.frontier.cypher_expansion import Around, Expansion
from spm.registry.frontier.frontier import Frontier, Rule, representatives
from spm.registry.menus.menu import Ask
from spm.registry.request import fields
from spm.registry.request.search_words import searched_text
from spm.registry.request.vocabulary import Vocabulary
from spm.registry.routes.tool_map import CypherMap, ToolMap
from spm.registry.search.results import Look, Probes
from spm.registry.store.interface import Row, Store
from spm.registry.timing import ENCODING, SEARCH, VISIBLE, WALK, stage

if TYPE_CHECKING:
    from spm.gnn.snapshot.lifecycle import Snapshots
    from spm.gnn.snapshot.view import View

Words = fields.Fields


@dataclass(frozen=True)
class LookedUp:
    """A request as a store was asked for it, what that found, and what is around it."""

    probes: Probes
    look: Look
    around: Around


@dataclass(frozen=True)
class Viewed:
    """A request as a snapshot was asked for it, and what that found."""

    view: "View"
    question: Question
    found: Found


@dataclass(frozen=True)
class MenuInputs:
    """All that a menu is made of.

    Attributes:
        frontier: the candidates.
        cards: what a menu shows of them.
        given: the fields that were known before the first tool runs, sorted.
        revision: of the registry.
        map: what the graph says of these tools and of others, for the same caller.
        stated: those of them that the caller says besides the request.
        denied: fields that the request seems to give and does not, as the caller says.
        same: which name stands for each field that a person merged with others.
        looked_up: what was asked for the request and found, to be used again.
    """

    frontier: Frontier
    cards: Mapping[str, Row]
    given: list[str]
    revision: int
    map: ToolMap
    stated: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    same: Mapping[str, str] = field(default_factory=dict)
    looked_up: LookedUp | Viewed | None = None


class CypherSource:
    """Asks a store.

    Args:
        store: where tools and traces are.
        encoder: makes the request's vector; loaded with the first menu.
    """

    def __init__(self, store: Store, encoder: Callable[[], ClauseEncoder]) -> None:
        self._store = store
        self._encoder = encoder
        self._loaded: tuple[str | None, ClauseEncoder] | None = None
        self._expansion = Expansion(store)
        self._words: tuple[tuple[int, Caller], Words] | None = None

    def collect(
        self,
        ask: Ask,
        must: tuple[str, ...] = (),
        again: MenuInputs | None = None,
        rule: Rule | None = None,
        rows: RequestRows = NOT_AHEAD,
    ) -> MenuInputs:
        """Collect what a menu is made of.

        Args:
            ask: the request and its caller.
            must: tools that come in before all others.
            again: what was collected for the same request; it is not looked up a second time.
            rule: how many of each source, where a model was trained with another than ours.
            rows: the vectors of requests that were encoded together before.
        """
        known = again.looked_up if again and isinstance(again.looked_up, LookedUp) else None
        probes, look = (known.probes, known.look) if known else self._look(ask, rows)
        with stage(VISIBLE):
            given = _given(ask, self._known(ask.caller, look.revision))
        with stage(WALK):
            around = known.around if known else None
            reached = self._expansion.reach(probes, look, given, ask.caller, must, around, rule)
        return MenuInputs(
            reached.frontier,
            reached.cards,
            sorted(given),
            look.revision,
            again.map if again else CypherMap(self._store, ask.caller),
            *_said(ask, self._known(ask.caller, look.revision)),
            representatives(look.same),
            LookedUp(probes, look, reached.around),
        )

    def _look(self, ask: Ask, rows: RequestRows) -> tuple[Probes, Look]:
        """Look the request up, with the encoder of the last one as long as it is the store's.

        Asking the store first which encoder that is would cost every menu a round trip.
        """
        known, encoder = self._loaded or (None, self._encoder())
        while True:
            with runtime.turn, stage(ENCODING):
                searched = searched_text(ask.request)
                probes = Probes.of(searched, rows.of(encoder, searched))
            with stage(SEARCH):
                look = self._expansion.look(probes, ask.caller)
            self._loaded = look.encoder, encoder
            if look.encoder in (known, encoder.name) or (fresh := self._encoder()) is encoder:
                return probes, look
            known, encoder = look.encoder, fresh

    def _known(self, caller: Caller, revision: int) -> Words:
        """The vocabulary, made once for each state of the graph: indexing it costs milliseconds."""
        key = (revision, caller)
        if self._words is None or self._words[0] != key:
            self._words = (key, self._vocabulary(caller))
        return self._words[1]

    def _vocabulary(self, caller: Caller) -> Words:
        """The fields that the caller may know of.

        Types and spellings of a field come from all tools that have it, also hidden ones, so that
        a restricted caller gets names alone.
        """
        if not caller.restricted:
            return fields.vocabulary(self._store)
        rows = self._store.read("access/fields", **caller.params())
        return Vocabulary([row["field"] for row in rows])


class SnapshotSource:
    """Takes everything from the store's snapshot, where there is one of this moment.

    Args:
        snapshots: of the store.
        encoder: the encoder of a name, as the snapshot says it.
    """

    def __init__(
        self, snapshots: "Snapshots", encoder: Callable[[str | None], ClauseEncoder]
    ) -> None:
        self._snapshots = snapshots
        self._encoder = encoder
        self._loaded: tuple[str | None, ClauseEncoder] | None = None

    def collect(
        self,
        ask: Ask,
        must: tuple[str, ...] = (),
        again: MenuInputs | None = None,
        rule: Rule | None = None,
        rows: RequestRows = NOT_AHEAD,
    ) -> MenuInputs | None:
        """Collect what a menu is made of; None: the snapshot cannot say, ask the store.

        Args:
            ask: the request and its caller.
            must: tools that come in before all others.
            again: what was collected for the same request: it is asked of the same snapshot.
            rule: how many of each source, where a model was trained with another than ours.
            rows: the vectors of requests that were encoded together before.
        """
        if again and isinstance(seen := again.looked_up, Viewed):
            return replace(again, frontier=seen.view.walk(seen.question, seen.found, must, rule))
        snapshot = self._snapshots.made()
        if snapshot is None:
            return None
        if self._loaded is None or self._loaded[0] != snapshot.encoder:
            self._loaded = snapshot.encoder, self._encoder(snapshot.encoder)
        encoder = self._loaded[1]
        if snapshot.width not in (0, encoder.dimensions):
            return None
        with stage(ENCODING):
            searched = searched_text(ask.request)
            vectors = rows.of(encoder, searched)
        view = self._snapshots.view(snapshot, ask.caller)
        with stage(VISIBLE):
            given = _given(ask, view.vocabulary)
        question = Question(searched, vectors[0], given, None, vectors[1:])
        found = view.search(question)
        return MenuInputs(
            view.walk(question, found, must, rule),
            snapshot.cards,
            sorted(given),
            snapshot.revision,
            SnapshotMap(view),
            *_said(ask, view.vocabulary),
            view.library.same,
            Viewed(view, question, found),
        )


def _given(ask: Ask, known: Words) -> frozenset[str]:
    """The visible fields: what the request shows and what the caller says."""
    return fields.request_fields(ask.request, ask.state, ask.without, known)


def _said(ask: Ask, known: Words) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that the caller says are there, and those that it says are not."""
    stated = fields.named_fields(ask.state, known).fields if ask.state else ()
    denied = fields.named_fields(ask.without, known).fields if ask.without else ()
    return frozenset(stated), frozenset(denied)
