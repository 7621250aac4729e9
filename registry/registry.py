"""The registry as one object: open a store, register, import, ask, build menus.

What only some of its methods need is imported by them: a menu pays for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path as FilePath
from types import TracebackType
from typing import TYPE_CHECKING, Any

from spm.cypher import load, names
from spm.registry import encoding
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.settings import AS_SOURCE, Access
from spm.registry.encoding import Encoder
from spm.registry.errors import EncoderError, InputError, StoreError
from spm.registry.menus.menu import PREFIX, SIZE, Ask, Menu, Ranker, WhyNot
from spm.registry.request.clauses import without_gaps
from spm.registry.runtime import Runtime
from spm.registry.settings import Settings, settings
from spm.registry.store.interface import Answer, Row, Store

if TYPE_CHECKING:
    from spm.registry.catalog.registration import Link, Registration
    from spm.registry.catalog.tools import ToolView
    from spm.registry.importers.source import Source
    from spm.registry.insight.paths import Path, Plan
    from spm.registry.map.map_rows import Readings
    from spm.registry.models import Manifest, Trace
    from spm.registry.traces.importer import Import

RANKERS = "spm.rankers"
ROW_LIMIT = 10_000
QUERY_SECONDS = 5.0
TOGETHER = 64  # menus that are built side by side
# Edges that are one for all callers: decisions and traces about hidden tools can make them.
_SHARED = re.compile(r":(?:FEEDS|HANDS|PRECEDES|BEFORE|FLOWS|STEP)\b")
_PLAN = re.compile(r"\s*(EXPLAIN|PROFILE)\b", re.IGNORECASE)


class Registry:
    """Tools, their fields and observed trajectories, in one store.

    Attributes:
        store: the engine behind it.
        runtime: what other layers keep open together with it.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.runtime = Runtime()
        self._ranker: Ranker | None = None

    @classmethod
    def open(cls, location: str | Settings | None = None) -> Registry:
        """Open a store: a path, an address of Neo4j, or None for what the environment says.

        Raises:
            StoreError: the store cannot be used; says why and what to do.
        """
        chosen = location if isinstance(location, Settings) else settings(location)
        return cls(open_store(chosen))

    def register(
        self,
        manifest: Manifest,
        operation: str | None = None,
        *,
        origin: str = "",
        links: Sequence[Link] = (),
        readings: Readings | None = None,
        pin: bool = False,
        access: Access = AS_SOURCE,
        etag: str = "",
        team: str | None = None,
    ) -> Registration:
        """Register a manifest, whole or not at all; see `registration.register`."""
        from spm.registry.catalog.registration import register

        return register(
            self.store, manifest, operation,
            origin=origin, links=links, readings=readings, pin=pin, access=access, etag=etag,
            team=team,
        )  # fmt: skip

    def add(
        self,
        source: Source,
        *,
        pin: bool = False,
        access: Access = AS_SOURCE,
        team: str | None = None,
    ) -> Registration:
        """Register what an importer read, with its explicit links; see `registration.register`."""
        return self.register(
            source.manifest,
            origin=source.origin,
            links=source.links,
            readings=source.readings,
            pin=pin,
            access=access,
            etag=source.etag,
            team=team,
        )

    def tools(
        self, service: str | None = None, family: str | None = None, status: str | None = None
    ) -> list[Row]:
        """List tools by id."""
        return self.store.read("tools/list", service=service, family=family, status=status)

    def show(self, name: str) -> ToolView:
        """Everything about one tool."""
        from spm.registry.catalog.tools import show

        return show(self.store, name)

    def remove(self, name: str, *, force: bool = False) -> str:
        """Remove a tool; its published versions stay."""
        from spm.registry.catalog.tools import remove

        return remove(self.store, name, force=force)

    def import_traces(
        self,
        found: Iterable[Trace],
        *,
        skip_unknown: bool = False,
        progress: Callable[[int], None] | None = None,
        caller: Caller = EVERYTHING,
    ) -> Import:
        """Import traces in batches, each whole or not at all."""
        from spm.registry.traces.importer import import_traces

        return import_traces(
            self.store, found, skip_unknown=skip_unknown, progress=progress, caller=caller
        )

    def paths(self, source: str, target: str) -> list[Path]:
        """Ways from one tool to another."""
        from spm.registry.insight.paths import find_paths

        return find_paths(self.store, source, target)

    def plan(self, have: list[str], target: str, *, allow_writes: bool = False) -> Plan:
        """What must run before `target` can, given some fields; see `insight.paths.plan`."""
        from spm.registry.insight.paths import plan

        return plan(self.store, have, target, allow_writes=allow_writes)

    def cypher(self, text: str, params: Mapping[str, object] | None = None) -> Answer:
        """Run a read-only query, or with EXPLAIN or PROFILE before it, say how it is run.

        Names that the graph does not have match nothing; the answer's warnings name them.

        Raises:
            QueryRefused: the query is not read-only.
        """
        from spm.registry.store.name_check import unknown_names
        from spm.registry.store.read_only_check import check_read_only

        if how := _PLAN.match(text):
            text = text[how.end() :]
            check_read_only(text)
            profile = how[1].upper() == "PROFILE"
            found = self.store.explain(text, params or {}, profile=profile, timeout=QUERY_SECONDS)
        else:
            check_read_only(text)
            found = self.store.query(text, params or {}, limit=ROW_LIMIT, timeout=QUERY_SECONDS)
        return replace(found, warnings=unknown_names(text))

    def saved(
        self,
        name: str,
        params: Mapping[str, object] | None = None,
        *,
        caller: Caller = EVERYTHING,
    ) -> Answer:
        """Run one of the saved queries by name, as a caller.

        Raises:
            InputError: the parameters are not those that the query takes, or the caller is
                restricted and the answer would tell of what it may not see.
            UnknownTool: nothing is found, and no tool carries the name that was given.
        """
        if f"saved/{name}" not in names("saved"):
            raise InputError(f"No saved query {name!r}. List them with: spm cypher --list")
        query, given, own = load(f"saved/{name}"), dict(params or {}), caller.params()
        takes = [p for p in query.params if p not in own]
        if set(given) != set(takes):
            said = ", ".join(f"--param {p}=…" for p in takes) or "no parameters"
            raise InputError(f"The saved query {name!r} takes {said}.")
        if caller.restricted and (len(takes) == len(query.params) or _SHARED.search(query.text)):
            raise InputError(f"The saved query {name!r} is for callers that see everything.")
        given |= {p: value for p, value in own.items() if p in query.params}
        answer = self.store.query(query.text, given, limit=ROW_LIMIT, timeout=QUERY_SECONDS)
        if answer.rows or "tool" not in given:
            return answer  # also versions of a tool that was removed since
        tool = self._meant(str(given["tool"]), caller)
        if tool == given["tool"]:
            return answer
        given["tool"] = tool
        return self.store.query(query.text, given, limit=ROW_LIMIT, timeout=QUERY_SECONDS)

    def _meant(self, name: str, caller: Caller) -> str:
        """The id of the tool that a name stands for; the name itself where it stands for several.

        Raises:
            UnknownTool: it stands for none.
        """
        from spm.registry.catalog.tools import resolver_for
        from spm.registry.errors import AmbiguousTool

        try:
            return resolver_for(self.store, caller).resolve(name)
        except AmbiguousTool:
            return name

    def encode(self, encoder: Encoder, progress: Callable[[int, int], None] | None = None) -> int:
        """Make the vectors that are missing or out of date."""
        return encoding.encode(self.store, encoder, progress)

    def encoded(self) -> bool:
        """Whether every tool and trajectory has a vector."""
        return encoding.complete(self.store)

    def menu(
        self,
        request: str,
        *,
        state: Sequence[str] = (),
        size: int = SIZE,
        prefix: int = PREFIX,
        caller: Caller = EVERYTHING,
        done: Sequence[str] = (),
        allow_writes: bool = False,
        ranker: Ranker | None = None,
    ) -> Menu:
        """Build the menu for a request; see `menus.menu.Ask` for what can be asked.

        Without a ranker the installed default decides. `done` takes names as people type them.

        Raises:
            InputError: the request is empty, or a tool in `done` is unknown.
            EncoderError: the tools have no vectors yet; make them with `encode`.
        """
        ask = Ask(
            request, tuple(state), size, prefix, caller, tuple(done), allow_writes=allow_writes
        )
        return self.answer(ask, ranker)

    def answer(self, ask: Ask, ranker: Ranker | None = None) -> Menu:
        """Build the menu that `ask` describes; see `menu`."""
        return self._shown(ask, (ranker or self.ranker()).menu(self.resolved(ask)))

    def answers(
        self,
        asks: Sequence[Ask],
        ranker: Ranker | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Menu]:
        """Build many menus, so many together as one pass of the networks may take.

        Args:
            asks: what each is built for.
            ranker: as in `menu`.
            progress: hears how many menus are done, of how many.
        """
        found: list[Menu] = []
        for start in range(0, len(asks), TOGETHER):
            some = asks[start : start + TOGETHER]
            built = (ranker or self.ranker()).menus([self.resolved(ask) for ask in some])
            found += map(self._shown, some, built)
            if progress:
                progress(len(found), len(asks))
        return found

    def _shown(self, ask: Ask, built: Menu) -> Menu:
        """A menu as its caller may see it."""
        if ask.caller.restricted:
            # It moves with every write, also of what this caller may not see.
            built = replace(built, revision=0)
        # Only an empty menu is suspicious: looking at every text first would cost each menu more.
        if not built.items and not self.encoded():
            raise EncoderError(
                "The registry's texts have no vectors yet, so nothing can be found. Make them with "
                "spm encode, or registry.encode() in Python."
            )
        return built

    def why_not(
        self, ask: Ask, tool: str, ranker: Ranker | None = None, *, caller: Caller = EVERYTHING
    ) -> WhyNot:
        """Say why a tool is absent from the menu of `ask`, and what would admit it.

        Args:
            ask: the menu; its caller is the one whose menu it is.
            tool: its name or id.
            ranker: as in `menu`.
            caller: who wants to know; see `catalog.tools.resolver_for`.

        Raises:
            UnknownTool: no tool carries the name.
        """
        from spm.registry.catalog.tools import resolver_for

        identity = resolver_for(self.store, caller, mentioned=True).resolve(tool)
        return (ranker or self.ranker()).why_not(self.resolved(ask), identity)

    def ranker(self) -> Ranker:
        """The default ranker, made once: whatever the entry point says that is installed."""
        if self._ranker is None:
            self._ranker = default_ranker(self)
        return self._ranker

    def forget_ranker(self) -> None:
        """Make the ranker anew for the next menu: a model was trained meanwhile."""
        self._ranker = None

    def resolved(self, ask: Ask) -> Ask:
        """The same question without gaps in its text, and with the ids of the tools that ran.

        A tool that ran and that the caller does not see (it changes something, or was withdrawn
        since) is no candidate. What it produced becomes part of the known fields instead.

        Raises:
            UnknownTool: no tool carries a name in `done`.
        """
        if (request := without_gaps(ask.request)) != ask.request:
            ask = replace(ask, request=request)
        if not ask.done:
            return ask
        from spm.registry.access.rules import visible_tools
        from spm.registry.catalog.tools import resolver_for

        resolver = resolver_for(self.store, ask.caller, mentioned=True)
        ran = tuple(dict.fromkeys(map(resolver.resolve, ask.done)))
        seen = visible_tools(self.store, ran, ask.caller)
        produced = self.store.read("tools/outputs", ids=[tool for tool in ran if tool not in seen])
        state = dict.fromkeys([*ask.state, *(row["field"] for row in produced)])
        return replace(ask, state=tuple(state), done=tuple(tool for tool in ran if tool in seen))

    def status(self) -> dict[str, Any]:
        """Engine, place, revision, encoder and counts."""
        found = self.store.read("state/registry")
        head = found[0] if found else {"revision": 0, "schema": 0, "encoder": None}
        return {
            "engine": self.store.engine,
            "store": self.store.location,
            **head,
            **self.store.read("state/counts")[0],
        }

    def close(self) -> None:
        """Let go of the store, and of what was opened with it."""
        self._ranker = None
        self.runtime.clear()
        self.store.close()

    def __enter__(self) -> Registry:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def default_ranker(registry: Registry) -> Ranker:
    """The ranker that the entry point `default` of the group `spm.rankers` makes.

    The registry knows no learned ranker: which one is the default is decided by what is installed.

    Raises:
        InputError: there is no such entry point.
    """
    for point in entry_points(group=RANKERS, name="default"):
        made: Ranker = point.load()(registry)
        return made
    raise InputError(
        "No ranker is installed. Install spm again with: pip install spm-registry, or give one: "
        "registry.menu(request, ranker=…)"
    )


def open_store(chosen: Settings) -> Store:
    """Open the engine that the address asks for; its first write brings it up to date."""
    store = _engine(chosen)
    store.prepare = _bring_up_to_date
    return store


def _bring_up_to_date(store: Store) -> None:
    """Make what an earlier spm did not keep: the map, and on Neo4j counts of terms."""
    from spm.registry.map_renewal import renew_map
    from spm.registry.search.audiences import count_waiting

    renew_map(store)
    if store.engine == "neo4j":
        count_waiting(store)


def _engine(chosen: Settings) -> Store:
    """The store of the engine; the other one is not even imported."""
    if chosen.remote:
        from spm.registry.store.neo4j_store import BoltStore

        return BoltStore(chosen)
    from spm.registry.store.embedded_store import EmbeddedStore

    folder = FilePath(chosen.store)
    try:
        if folder.is_dir():
            next(folder.iterdir(), None)  # raises when the folder may not be read
        else:
            folder.stat()
    except FileNotFoundError:
        pass  # a new store: the first write creates it
    except OSError as error:
        raise StoreError(
            f"The store {chosen.store!r} cannot be used: {error.strerror or error}. "
            "Choose another place with --store."
        ) from error
    return EmbeddedStore(folder)
