"""The registry as people use it from Python: open a store, register, import, ask for menus.

What only some methods need is imported by them: a menu pays for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from spm.api.menu import Menu
from spm.api.vectors import Encoded, Progress, Vectors
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import InputError
from spm.registry.menus.menu import PREFIX, SIZE, Ask, WhyNot
from spm.registry.registry import Registry as Core

if TYPE_CHECKING:
    from torch_geometric.data import HeteroData

    from spm.api.fields import Fields
    from spm.api.frontier import Frontier
    from spm.api.frozen_menus import FrozenMenus
    from spm.api.sources import Registered, Registrable
    from spm.api.tokens import Tokens
    from spm.api.tools import Tools
    from spm.api.traces import Importable, Traces
    from spm.gnn.training.recipe import Progress as TrainingProgress
    from spm.registry.exchange import Exchanged
    from spm.registry.insight.atlas import Atlas
    from spm.registry.insight.impact import Impact
    from spm.registry.insight.model import Model
    from spm.registry.insight.paths import Path as Way
    from spm.registry.insight.paths import Plan
    from spm.registry.insight.tool_search import ToolFound
    from spm.registry.invariants.violation import Outcome
    from spm.registry.menus.check import Result
    from spm.registry.menus.diff import Difference
    from spm.registry.menus.golden import GoldenRequest
    from spm.registry.menus.lockfile import Lock
    from spm.registry.store.interface import Answer
    from spm.registry.traces.importer import Import

Names = Sequence[str]


def open(location: str | Path | None = None) -> Registry:
    """Open a registry; an embedded one is created by its first write.

    Args:
        location: a folder, or a Neo4j address such as `neo4j://localhost:7687`. None: $SPM_STORE,
            $NEO4J_URI, or a folder in the user's data directory.

    Raises:
        StoreError: the store cannot be used; says why and what to do.

    >>> with spm.open(folder / "tools.spm") as registry:
    ...     registry.status()["tools"]
    0
    """
    return Registry(Core.open(None if location is None else str(location)))


class Registry:
    """Tools, their fields and observed trajectories. Make one with `spm.open`.

    Attributes:
        core: the registry as the layers below know it: for `spm.evaluation` and `spm.service`.
        vectors: the vectors of its texts, and making them.
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self.vectors = Vectors(core)

    # -- what comes in -------------------------------------------------------------------------

    def register(
        self,
        source: Registrable,
        *,
        service: str | None = None,
        format: str | None = None,
        pin: bool = False,
        dry_run: bool = False,
        allow_remote: bool = False,
        owner: str | None = None,
        visibility: str | None = None,
        scopes: Iterable[str] | None = None,
    ) -> Registered:
        """Register the tools of a source, whole or not at all.

        Args:
            source: an OpenAPI document, a list of functions or of MCP tools, or a manifest, as a
                file or at an address; `mcp+stdio:COMMAND` or `mcp+https://…`; an import path
                (`package.module:function`); a `Manifest`; a Python function or several.
            service: who provides the tools, when the source does not say or another name is wanted.
            format: `spm`, `openapi`, `mcp`, `functions` or `python`; None: the content tells.
            pin: quarantine tools that changed since they were approved, and new tools of a service
                with approved ones.
            dry_run: only say what would change.
            allow_remote: follow `$ref`s into other files, and speak plain HTTP.
            owner: the team that owns the tools, whatever the source says. Like the next two it
                holds for all tools of the service, until it is set anew; see `tools.set_access`.
            visibility: `public`, or `team`: only its owner sees a tool.
            scopes: a caller needs all of these to see a tool.

        Raises:
            ManifestError: the source cannot be read.
            InputError: a tool would be visible to nobody.
            VersionConflict: a published version came with another content.

        >>> def track_parcel(parcel_id: str) -> dict[str, str]:
        ...     '''Say where a parcel is.'''
        >>> registry.register(track_parcel, service="parcels", dry_run=True).added
        ['parcels/track_parcel']
        """
        from spm.api import sources
        from spm.registry.access.settings import access
        from spm.registry.importers.source import Unchanged

        given = access(owner, visibility, scopes)
        same = None if given or pin else self.core  # else also the same document changes something
        read = sources.read(
            source, format=format, service=service, allow_remote=allow_remote, known=same
        )
        if isinstance(read, Unchanged):
            return sources.unchanged(self.core, read)
        do = sources.preview if dry_run else sources.register
        return do(self.core, read, pin=pin, access=given)

    def import_traces(
        self,
        traces: Importable,
        *,
        format: str | None = None,
        skip_unknown: bool = False,
        caller: Caller = EVERYTHING,
        progress: Progress | None = None,
    ) -> Import:
        """Import traces in batches, each whole or not at all; known ones change nothing.

        Args:
            traces: a file in any trace format; or traces, or dictionaries of the same keys.
            format: of the file: `spm`, `otlp`, `openinference`, `openai`, `anthropic` or `arazzo`;
                None: the content tells.
            skip_unknown: leave out trajectories with unknown tools.
            caller: tools that this caller does not see are unknown.
            progress: hears how many traces were read; their total is not known and told as 0.

        Raises:
            TraceError: a trace is not valid or names an unknown tool: nothing was imported. Or a
                tool was removed meanwhile: the batches before stay.

        >>> seen = {"request": "Cancel order 7", "steps": ["lookup_order", "cancel_order"]}
        >>> registry.import_traces([seen]).imported
        1
        """
        from spm.api.traces import read

        count = 0

        def step(more: int) -> None:
            nonlocal count
            count += more
            if progress:
                progress(count, 0)

        return self.core.import_traces(
            read(traces, format), skip_unknown=skip_unknown, caller=caller, progress=step
        )

    def encode(self, encoder: str | None = None, *, progress: Progress | None = None) -> Encoded:
        """Make the vectors that are missing; with another encoder, all of them.

        Menus make missing vectors by themselves; this is for doing it earlier.

        Args:
            encoder: a model of sentence-transformers, by name or as a folder, which all menus use
                from then on; None stands for the registry's own.
            progress: hears how many texts are done, of how many.

        Raises:
            EncoderError: the encoder cannot be loaded; says what to do.
        """
        chosen = self.vectors.encoder(encoder)
        replaced = self.vectors.replace(chosen)
        count = self.vectors.encode(chosen, progress)
        self.vectors.write_snapshot()
        return Encoded(chosen.name, chosen.dimensions, count, replaced)

    def train(
        self,
        *,
        name: str = "trained",
        folder: str | Path | None = None,
        config: str | Path = "default",
        epochs: int | None = None,
        order_epochs: int | None = None,
        seed: int | None = None,
        development: float | None = None,
        scratch: bool = False,
        threads: int = 1,
        progress: TrainingProgress | None = None,
    ) -> dict[str, Any]:
        """Train a model on the registry's trajectories; menus use it from then on.

        Needs the extra `train`.

        Args:
            name: what to call the model.
            folder: where config, metrics, curves and the model go; an unfinished run goes on
                there. None: `runs/NAME-REVISION` in the current folder.
            config: `default`, `paper`, or a YAML file; what follows is said instead of it.
            epochs: of the first network, which finds tools.
            order_epochs: of the second, which orders them.
            seed: another seed for both networks.
            development: the share of trajectories that chooses and never teaches.
            scratch: begin with chance, also where the configuration begins with the prior.
            threads: of torch.
            progress: hears stage, step, steps, loss and measures.

        Returns:
            Digest, counts and measures of the model; empty in processes that only help to train.

        Raises:
            EncoderError: torch is not installed.
            InputError: there are too few trajectories, or the configuration cannot be used.
        """
        from spm.api import training

        settings = training.config(config, epochs, order_epochs, seed, development)
        summary = training.train(
            self.core, self.vectors, settings,
            name=name, folder=None if folder is None else Path(folder),
            scratch=scratch, threads=threads, progress=progress,
        )  # fmt: skip
        self.core.forget_ranker()
        return summary

    # -- menus ---------------------------------------------------------------------------------

    def menu(
        self,
        request: str,
        *,
        state: Names = (),
        without: Names = (),
        done: Names = (),
        size: int = SIZE,
        prefix: int = PREFIX,
        caller: Caller = EVERYTHING,
        allow_writes: bool = False,
        encode: bool = True,
        progress: Progress | None = None,
    ) -> Menu:
        """Build the menu for a request: a route that can run, then backups.

        Args:
            request: what the agent should do.
            state: fields known besides the text.
            without: fields that the text seems to give and does not.
            done: tools that ran already, in order: their outputs are known, they are not offered.
            size: tools in the menu.
            prefix: the longest route in front.
            caller: for whom the menu is built: only tools that it may see are candidates. The
                default sees every active tool.
            allow_writes: let tools that change something run only to make an input of another.
                Those that cannot be undone still need a verb of their kind.
            encode: make missing vectors first. False: find what can be found without them.
            progress: hears how many texts are encoded, of how many, where that is needed.

        Raises:
            InputError: the request is empty, or a tool in `done` is unknown.
            EncoderError: the encoder cannot be loaded; or `encode` is false, and without the
                missing vectors nothing is found.

        >>> menu = registry.menu("Refund order 4821", caller=spm.Caller(read_only=True))
        >>> {item.effects for item in menu.items}
        {'read'}
        """
        known, ran, denied = tuple(state), tuple(done), tuple(without)
        ask = Ask(request, known, size, prefix, caller, ran, denied, allow_writes)
        if encode:
            self._prepare(progress)
        return self._menu(ask)

    def menus(
        self,
        requests: Sequence[str | Ask],
        *,
        state: Names = (),
        without: Names = (),
        done: Names = (),
        size: int = SIZE,
        prefix: int = PREFIX,
        caller: Caller = EVERYTHING,
        allow_writes: bool = False,
        encode: bool = True,
        progress: Progress | None = None,
    ) -> list[Menu]:
        """Build the menus for many requests, in order; each is the one that `menu` builds.

        Encoder and networks see many requests in one pass, which is where a GPU helps. The other
        arguments are those of `menu`, for all requests but those that come as an `Ask`, which says
        for itself (`Menu.ask` is one); `progress` hears how many menus are built, of how many.

        >>> [menu.route[0] for menu in registry.menus(["Cancel order 991", "Refund order 4821"])]
        ['orders/cancel_order', 'payments/find_payment']
        """
        known, ran, denied = tuple(state), tuple(done), tuple(without)
        if encode:
            self._prepare()
        resolved = [
            self.core.resolved(
                one
                if isinstance(one, Ask)
                else Ask(one, known, size, prefix, caller, ran, denied, allow_writes)
            )
            for one in requests
        ]
        built = self.core.answers(resolved, progress=progress)
        return [Menu(self.core, ask, menu) for ask, menu in zip(resolved, built, strict=True)]

    def frontier(
        self,
        request: str,
        *,
        state: Names = (),
        without: Names = (),
        done: Names = (),
        caller: Caller = EVERYTHING,
    ) -> Frontier:
        """The candidates that the menu of a request is chosen from; see `Frontier.to_pyg`.

        The arguments are those of `menu`.

        Raises:
            InputError: the request is empty, or another ranker than ours is installed.
        """
        from spm.api.frontier import Frontier
        from spm.gnn.ranker import LearnedRanker

        ask = Ask(request, tuple(state), SIZE, PREFIX, caller, tuple(done), tuple(without))
        ranker = self.core.ranker()
        if not isinstance(ranker, LearnedRanker):
            raise InputError(f"The installed ranker {ranker.name!r} has no frontier to show.")
        self._prepare()
        return Frontier(ranker.frontier(self.core.resolved(ask)), ranker.model)

    def to_pyg(self, *, caller: Caller = EVERYTHING) -> HeteroData:
        """The whole graph for PyTorch Geometric, as a caller sees it (extra `train`).

        Tools, fields, resources and trajectories; `REQUIRES`, `ACCEPTS`, `PRODUCES`, `IDENTIFIES`,
        `ACTS_ON`, `GIVES`, `FEEDS`, `PRECEDES`, `BEFORE` and `STEP`. Of each kind of node, `id`
        says who stands in which row.

        Raises:
            EncoderError: torch or torch-geometric is not installed.

        >>> graph = registry.to_pyg()
        >>> graph["tool"].num_nodes, graph["tool"].id[0]
        (98, 'calendar/book_meeting_room')
        >>> [name for _, name, _ in graph.edge_types][:3]
        ['REQUIRES', 'ACCEPTS', 'PRODUCES']
        """
        from spm.api.frontier import require_torch

        require_torch()
        from spm.gnn.registry_graph import registry_graph

        self._prepare()
        return registry_graph(self.core.store, caller)

    def none_visible(self, caller: Caller = EVERYTHING) -> str:
        """Why a caller sees no tool at all, in a sentence for the registry's operator.

        >>> registry.none_visible(spm.Caller("x", scopes=()))[:46]
        '100 tools, none visible to x without any scope'
        """
        from spm.registry.access.rules import none_visible

        return none_visible(self.core.store, caller)

    def search(self, text: str, *, limit: int = 10, caller: Caller = EVERYTHING) -> list[ToolFound]:
        """Find tools by words and meaning: the search that menus begin with, and nothing else.

        Args:
            text: what somebody would type.
            limit: at most so many.
            caller: only tools that it may see are found, and no others move their scores.

        Raises:
            InputError: the text is empty.

        >>> registry.search("mail a receipt", limit=1)[0].id
        'messaging/send_email_receipt'
        """
        from spm.registry.insight.tool_search import search_tools

        if not text.strip():
            raise InputError("The text to search for is empty.")
        self._prepare()
        return search_tools(self.core.store, self.vectors.encoder(), text, limit, caller)

    def why_not(
        self,
        request: str,
        tool: str,
        *,
        state: Names = (),
        without: Names = (),
        done: Names = (),
        size: int = SIZE,
        prefix: int = PREFIX,
        caller: Caller = EVERYTHING,
        allow_writes: bool = False,
    ) -> WhyNot:
        """Say why a tool is not in the menu of a request, and what would admit it.

        The arguments are those of `menu`.

        Raises:
            UnknownTool: no tool carries the name.

        >>> found = registry.why_not("Cancel order 991", "send_email_receipt", size=3)
        >>> found.rank > 3, found.reasons  # doctest: +ELLIPSIS
        (True, ['Its score ... is place ... of 98; the menu ends at 3 with ...'])
        """
        known, ran, denied = tuple(state), tuple(done), tuple(without)
        ask = Ask(request, known, size, prefix, caller, ran, denied, allow_writes)
        self._prepare()
        return self.core.why_not(ask, tool)

    def diff(self, lock: Lock | str | Path) -> Difference:
        """Build a locked menu again and tell what differs, and why.

        Args:
            lock: what `Menu.lock` made, or a file with its text.

        >>> registry.diff(registry.menu("Cancel order 991").lock()).same
        True
        """
        from spm.registry.menus.diff import compare
        from spm.registry.menus.lockfile import Lock, read_lock

        old = lock if isinstance(lock, Lock) else read_lock(Path(lock))
        self._prepare()
        said, ask = old.ask, old.ask.ask()
        new = self._menu(ask).lock(
            said.format, aliases=said.aliases, token_budget=said.token_budget
        )
        return compare(self.core.store, old, new, lambda tool: self.core.why_not(ask, tool))

    def check(
        self,
        golden: str | Path | Iterable[GoldenRequest],
        *,
        size: int = SIZE,
        prefix: int = PREFIX,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Replay requests whose paths are known, and measure their menus.

        Args:
            golden: a file of JSON lines `{"request": …, "path": [tool, …]}`, or golden requests.
            size: tools in a menu.
            prefix: the longest route in front.
            progress: hears how many requests are done, of how many.

        Raises:
            InputError: the file cannot be used.
        """
        from spm.registry.menus.golden_replay import replay

        known = _golden(golden)
        self._prepare()
        told = progress or (lambda done, total: None)
        return replay(self.core, known, size=size, prefix=prefix, progress=told)

    def check_invariants(
        self, *, requests: int = 40, progress: Progress | None = None
    ) -> list[Outcome]:
        """Look whether what must hold for any registry holds for this one; nothing is written.

        Requests are made out of its own verbs and resources: those that read must change nothing,
        other values must keep the route, every input must be accounted for.

        Args:
            requests: how many to make; each is also asked in other words.
            progress: hears how many menus are built, of how many.

        >>> all(outcome.ok for outcome in registry.check_invariants(requests=5))
        True
        """
        from spm.registry.invariants.checks import check_invariants

        self._prepare()
        told = progress or (lambda done, total: None)
        return check_invariants(self.core, requests=requests, progress=told)

    # -- questions to the graph ----------------------------------------------------------------

    def path(self, source: str, target: str) -> list[Way]:
        """Ways from one tool to another: along FEEDS, and along observed transitions.

        >>> [hop.fields for hop in registry.path("create_receipt", "send_email_receipt")[0].hops]
        [['receipt_id']]
        """
        return self.core.paths(source, target)

    def plan(self, target: str, have: Names = (), *, allow_writes: bool = False) -> Plan:
        """What must run before a tool can, given some fields.

        Args:
            target: the tool to run.
            have: fields at hand, also as the tools in question call their inputs.
            allow_writes: let tools that change something run only to make an input.

        >>> registry.plan("send_email_receipt", have=["order_id"]).steps[-1]
        'messaging/send_email_receipt'
        """
        return self.core.plan([*have], target, allow_writes=allow_writes)

    def cypher(self, query: str, params: Mapping[str, object] | None = None) -> Answer:
        """Run a read-only Cypher query; at most 10,000 rows, for at most five seconds.

        Raises:
            QueryRefused: the query is not read-only.

        >>> registry.cypher("MATCH (t:Tool) RETURN count(t) AS tools").rows
        [{'tools': 100}]
        """
        return self.core.cypher(query, params)

    def saved_query(self, name: str, params: Mapping[str, object] | None = None) -> Answer:
        """Run one of the saved queries that `spm cypher --list` shows.

        Raises:
            InputError: there is no such query, or it takes other parameters.
        """
        return self.core.saved(name, params)

    def impact(
        self,
        name: str,
        *,
        kind: str | None = None,
        golden: str | Path | Iterable[GoldenRequest] | None = None,
    ) -> Impact:
        """What would happen if a tool or a field went away. Nothing is changed.

        Args:
            name: a tool or a field; a tool wins when both carry the name.
            kind: `tool` or `field`, to say which.
            golden: requests whose paths are known, to tell which of them break; see `check`.

        >>> registry.impact("lookup_order").kind
        'tool'
        """
        from spm.registry.insight.impact import impact

        known = None if golden is None else _golden(golden)
        return impact(self.core.store, name, kind=kind, golden=known)

    def atlas(self, visible: Names = (), *, error_share: float = 0.2) -> Atlas:
        """The health of the registry: dead ends, single producers, duplicates, failing tools.

        Args:
            visible: fields that users say themselves.
            error_share: from which share of failed calls on a tool counts as failing.

        >>> registry.atlas().tools
        100
        """
        from spm.registry.insight.atlas import survey

        return survey(self.core.store, [*visible], error_share=error_share)

    def schema(self) -> Model:
        """The graph model: labels, relationship types, indexes, and how much there is of each.

        >>> [label.name for label in registry.schema().labels][:2]
        ['Registry', 'Migration']
        """
        from spm.registry.insight.model import read_model

        return read_model(self.core.store)

    def status(self) -> dict[str, Any]:
        """Engine, place, revision, encoder and counts.

        >>> registry.status()["trajectories"]
        495
        """
        return self.core.status()

    # -- the parts -----------------------------------------------------------------------------

    @cached_property
    def tools(self) -> Tools:
        """Its tools: list, show, remove, history, diff, deprecate, approve, lint."""
        from spm.api.tools import Tools

        return Tools(self.core)

    @cached_property
    def fields(self) -> Fields:
        """Its fields: list, suggest links between them, merge, split."""
        from spm.api.fields import Fields

        return Fields(self.core)

    @cached_property
    def traces(self) -> Traces:
        """Its trajectories: statistics, prune, decay."""
        from spm.api.traces import Traces

        return Traces(self.core)

    @cached_property
    def frozen_menus(self) -> FrozenMenus:
        """Its frozen menus: freeze, get, list, remove, approve."""
        from spm.api.frozen_menus import FrozenMenus

        return FrozenMenus(self.core)

    @cached_property
    def tokens(self) -> Tokens:
        """The API tokens of its service: create, list, revoke."""
        from spm.api.tokens import Tokens

        return Tokens(self.core)

    # -- the whole -----------------------------------------------------------------------------

    def export(self, file: str | Path, *, replace: bool = False) -> Exchanged:
        """Write everything but the vectors into one file, compressed if it ends in `.gz`.

        Raises:
            InputError: the file is there, and `replace` is false.
        """
        from spm.registry.exchange import export_registry

        return export_registry(self.core.store, Path(file), replace=replace)

    def import_file(self, file: str | Path, *, progress: Progress | None = None) -> Exchanged:
        """Fill an empty registry from a file that `export` wrote, whole or not at all.

        Raises:
            InputError: the file is damaged, or the registry is not empty; nothing was written.
        """
        from spm.registry.exchange import import_registry

        return import_registry(self.core.store, Path(file), progress)

    def close(self) -> None:
        """Let go of the store."""
        self.core.close()

    def __enter__(self) -> Registry:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Registry {self.core.store.location!r}>"

    def _prepare(self, progress: Progress | None = None) -> None:
        if not self.vectors.complete():
            self.vectors.encode(progress=progress)

    def _menu(self, ask: Ask) -> Menu:
        resolved = self.core.resolved(ask)
        return Menu(self.core, resolved, self.core.answer(resolved))


def _golden(given: str | Path | Iterable[GoldenRequest]) -> list[GoldenRequest]:
    from spm.registry.menus.golden import read_golden

    return list(read_golden(Path(given)) if isinstance(given, str | Path) else given)
